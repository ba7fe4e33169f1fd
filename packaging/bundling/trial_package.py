"""What the trial asks of the package: to come, find all it needs, carry over what was there, and
go."""

from __future__ import annotations

import os
import shutil
import subprocess
import tomllib
from pathlib import Path

from ground import Ground
from installed import HOME, USER, add_operator
from places import NAME, ROOT

OLD_ROWS = 4


def newest_form() -> int:
    """Of the store, as the sources have it."""
    migrations = (ROOT / "desktop_app" / "store" / "migrations").glob("*.sql")
    return max(int(file.name.partition("_")[0]) for file in migrations)


class PackageSteps:
    """Each returns what it found. ``package``: the .deb that is tried; ``old``: what was installed
    before it."""

    def __init__(self, ground: Ground, package: Path, old: Path) -> None:
        self._ground = ground
        self.package, self.old = package, old
        self.before: set[str] = set()

    def lint(self) -> str:
        """No errors by Debian's own judge."""
        done = subprocess.run(
            ["lintian", "--allow-root", "--profile", "debian", str(self.package)],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        lines = done.stdout.splitlines()
        warnings = [line.partition(": ")[2] for line in lines if line.startswith("W:")]
        errors = [line for line in lines if line.startswith("E:")]
        assert not errors, errors
        assert done.returncode == 0, done.stderr
        return f"0 errors, {len(warnings)} warnings: {'; '.join(warnings)}"

    def install_previous(self) -> str:
        """apt alone brings everything, and no Python."""
        ground = self._ground
        ground.install(self.old)
        ground.no_python()
        add_operator(ground.root)
        ground.write_sheet("/old.csv", OLD_ROWS)
        program = ground.program()
        run = ("run", f"{HOME}/old.csv", "--practice", "--out", f"{HOME}/old")
        program.run(*run, may_end=(0, 3))
        assert program.ended() == OLD_ROWS, program.status()
        listed = ground.listed()
        own = self._own_paths()
        self.before = listed - own
        return f"{self.old.name} with {len(own)} paths; {OLD_ROWS} practice rows ended with it"

    def upgrade(self) -> str:
        """The store is carried over, with a backup of what it was where its form is another."""
        ground = self._ground
        store = ground.store()
        old = ground.schema(store)
        before = ground.program().status()
        ground.install(self.package)
        with ground.program().window() as process:  # what reads alone leaves an older store alone
            ground.screen.wait_for_window(process.pid, "Batchwright")
        after = ground.program().status()
        assert after["imported"] == OLD_ROWS
        assert all(after[word] == count for word, count in before.items()), (before, after)
        new = ground.schema(store)
        assert new == newest_form(), new
        if new == old:
            return f"store {old} as it was, {OLD_ROWS} rows kept"
        copy = store.with_name(f"{store.name}.v{old}.bak")
        assert ground.schema(copy) == old
        return f"store {old} -> {new}, {OLD_ROWS} rows kept, what it was in {copy.name}"

    def scan(self) -> str:
        """Every library finds all it links to."""
        find = (
            "cd /usr/lib/batchwright && find . -type f '(' -name '*.so*' -o -name batchwright ')' "
            '-exec sh -c \'LD_LIBRARY_PATH=/usr/lib/batchwright/_internal ldd "$1" | '
            "sed \"s|^|$1 |\"' sh {} ';'"
        )
        said = self._ground.root.run("sh", "-c", find).stdout.splitlines()
        missing = [line for line in said if "not found" in line]
        assert not missing, missing
        assert len(said) > 100, said
        return f"{len(said)} links, 0 not found"

    def adapters(self) -> str:
        """Everything found by name is found: adapters, providers' files, both languages."""
        ground = self._ground
        told = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        adapters = told["project"]["entry-points"]["batchwright.adapters"]
        files = (ROOT / "resources" / "providers").glob("*.toml")
        presets = [f.stem for f in files if not f.stem.startswith("practice")]  # those are offered
        program = ground.program()
        add = ("--data-dir", f"{HOME}/names", "connection", "add")
        for name in adapters:
            given = ("--adapter", name, "--base-url", "http://127.0.0.1:9/v1", "--model", "m")
            # Only a saved workflow is a connection of ComfyUI: that it asks for one is its answer.
            said = program.run(*add, name, *given, may_end=(0, 1, 2))
            assert "params" in said or (name == "comfyui" and "workflow" in said), (name, said)
        for name in presets:
            program.run(*add, f"of {name}", "--preset", name)
        inside = ground.root.inside("/usr/lib/batchwright/_internal")
        assert list(inside.glob("batchwright-*.dist-info/entry_points.txt"))
        assert list(inside.glob("keyring-*.dist-info/entry_points.txt"))
        chinese = ground.program().run("--language", "zh_CN", "--help")
        assert "表" in chinese, chinese
        return f"{len(adapters)} adapters, {len(presets)} provider files, Chinese help"

    def remove(self) -> str:
        """What was installed goes; what the operator made stays."""
        ground = self._ground
        kept = len(list(ground.root.inside(HOME).rglob("*")))
        own = {path for path in self._own_paths() if not ground.root.inside(path).is_dir()}
        about = ground.root.inside("/var/lib/dpkg/info").glob(f"{NAME}.*")
        scripts = {file.suffix for file in about} - {".list", ".md5sums"}
        assert not scripts, scripts  # what they did, no list of files would tell
        ground.root.run("apt-get", "-q", "purge", "-y", NAME)
        left = {p for p in ground.listed() if NAME in p.lower()}
        more = left - self.before
        assert not more, sorted(more)[:20]
        still = {path for path in own if os.path.lexists(ground.root.inside(path))}
        assert not still, sorted(still)[:20]
        strays = self._strays()
        assert not strays, strays[:20]
        assert ground.store().exists()
        assert len(list(ground.root.inside(HOME).rglob("*"))) == kept
        return f"nothing of it left in the system, {kept} paths of the operator's untouched"

    def archive(self) -> str:
        """The package for other systems: one person unpacks and installs it without root, throws
        away what was unpacked, uses it, and removes it again."""
        ground = self._ground
        (packed,) = self.package.parent.glob(f"{NAME}-*.tar.zst")
        here = ground.root.inside(f"{HOME}/解压 here")
        here.mkdir()
        subprocess.run(["tar", "-I", "zstd", "-xf", str(packed), "-C", str(here)], check=True)
        ground.root.run("chown", "-R", f"{USER}:", HOME)
        before = self._of_person()
        (folder,) = here.iterdir()
        installer = f"{HOME}/{here.name}/install.sh"
        for _ in range(2):  # the second time over the first
            said = ground.program().beside("sh", f"{HOME}/{here.name}/{folder.name}/install.sh")
            assert len(said.splitlines()) == 1, said  # no library is missing
        shutil.move(folder / "install.sh", here / "install.sh")
        shutil.rmtree(folder)
        program = ground.program(program=f"{HOME}/.local/bin/{NAME}", data=f"{HOME}/unpacked")
        run = ("run", f"{HOME}/old.csv", "--practice", "--out", f"{HOME}/unpacked-out")
        program.run(*run, may_end=(0, 3))
        assert program.ended() == OLD_ROWS, program.status()
        with program.window() as process:
            ground.screen.wait_for_window(process.pid, "Batchwright")
        program.beside("sh", installer, "--remove")
        left = {path for path in self._of_person() - before if "unpacked" not in path}
        assert not left, sorted(left)[:20]
        return f"{packed.name}: {OLD_ROWS} practice rows ended, its window opened, all of it gone"

    def _strays(self) -> list[str]:
        """What the operator's programs have written outside their home."""
        find = ("find", "/", "-xdev", "-user", USER, "!", "-path", f"{HOME}*")
        return self._ground.root.run(*find).stdout.splitlines()

    def _of_person(self) -> set[str]:
        """The files of the operator's that speak of the program, without its data."""
        files = self._ground.root.inside(HOME).rglob("*")
        own = {str(file) for file in files if NAME in file.name.lower() and not file.is_dir()}
        return {path for path in own if "/Batchwright/" not in path}

    def _own_paths(self) -> set[str]:
        return set(self._ground.root.run("dpkg", "-L", NAME).stdout.splitlines())
