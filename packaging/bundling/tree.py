"""The sources that are built: what git knows of, so that nothing lying about is shipped."""

from __future__ import annotations

import shutil
import subprocess
import tarfile
from pathlib import Path

from places import PACKAGING, ROOT

# Until there is a release: the last whole state of the program whose store was of form 9.
OLDER_STORE = "7020890479b30c62422dc7a3295742eea5ff2811"
OURS = ("--cached", "--others", "--exclude-standard")


def of_checkout(target: Path) -> Path:
    """Copy what git tracks or would, as it is now; without git, the whole checkout's
    source folders."""
    shutil.rmtree(target, ignore_errors=True)
    listed = subprocess.run(
        ["git", "-C", str(ROOT), "ls-files", "-z", *OURS],
        capture_output=True,
        text=True,
        check=False,
    )
    names = [name for name in listed.stdout.split("\0") if name]
    if listed.returncode != 0:
        names = [
            str(file.relative_to(ROOT))
            for top in ("desktop_app", "resources", "packaging")
            for file in (ROOT / top).rglob("*")
            if file.is_file() and "__pycache__" not in file.parts
        ] + ["pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"]
    for name in names:
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


def of_commit(commit: str, target: Path) -> Path:
    """An earlier state of the program, with the packaging of now: what is tried is the upgrade,
    not how packages were built once."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    archive = target / "source.tar"
    made = ["git", "-C", str(ROOT), "archive", "-o", str(archive), commit]
    subprocess.run(made, check=True)
    with tarfile.open(archive) as packed:
        packed.extractall(target, filter="data")
    archive.unlink()
    shutil.rmtree(target / "packaging", ignore_errors=True)
    shutil.copytree(PACKAGING, target / "packaging", ignore=shutil.ignore_patterns("__pycache__"))
    return target


def previous() -> str:
    """The release before this one, by its tag; while there is none, a state with an older store."""
    released = ("--tags", "--match", "v[0-9]*", "--abbrev=0")
    return _git("describe", *released, "HEAD^") or OLDER_STORE


def is_here(commit: str) -> bool:
    """Whether this clone has that state of the program."""
    return bool(_git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}"))


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
