"""A root of its own for each build and each trial, so that what a machine happens to have on it
neither slips into a bundle nor hides that something is missing from one."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

SUITE = "bookworm"
MIRROR = "http://deb.debian.org/debian"
SIGNERS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")

# Mounts live in a namespace of this one command: whatever way it ends, nothing stays mounted.
_ENTER = """
mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" || exit 125
root=$1; user=$2; shift 2
exec chroot "$user" "$root" "$@"
"""


def can_be_made() -> str | None:
    """Why no root can be made here, or None."""
    if os.name != "posix" or os.geteuid() != 0:
        return "that needs root"
    missing = [tool for tool in ("debootstrap", "unshare", "chroot") if shutil.which(tool) is None]
    if not SIGNERS.exists():  # debootstrap would take whatever the mirror sends, with a warning
        missing.append("debian-archive-keyring")
    return f"missing: {', '.join(missing)}" if missing else None


class Root:
    """A Debian in a folder. Commands in it run without the environment of whoever builds."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def argv(self, *command: str, user: str | None = None) -> list[str]:
        """The command line that runs ``command`` in here, as root or as ``user``."""
        enter = ["unshare", "--mount", "--propagation", "private", "sh", "-c", _ENTER, "sh"]
        return [*enter, str(self.path), f"--userspec={user or 'root'}", *command]

    def environ(self, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """What a command in here knows of the world."""
        plain = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "HOME": "/root"}
        return {**plain, "DEBIAN_FRONTEND": "noninteractive", **(extra or {})}

    def run(
        self,
        *command: str,
        user: str | None = None,
        environ: Mapping[str, str] | None = None,
        check: bool = True,
        timeout: float = 1800,
    ) -> subprocess.CompletedProcess[str]:
        """Run to the end. Raises CalledProcessError, with what was said, unless ``check`` is
        False."""
        done = subprocess.run(
            self.argv(*command, user=user),
            env=self.environ(environ),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
        if check and done.returncode != 0:
            print(done.stdout[-4000:], done.stderr[-4000:], sep="\n")
            done.check_returncode()
        return done

    def apt(self, *packages: str) -> None:
        """Install packages, or ``.deb`` files by their absolute paths in here."""
        self.run("apt-get", "-q", "update")
        self.run("apt-get", "-q", "install", "-y", "--no-install-recommends", *packages)

    def inside(self, path: str) -> Path:
        """Where a path of this root lies outside."""
        return self.path / path.lstrip("/")

    def copy(self, name: Path) -> Root:
        """The same once more; what was at ``name`` goes."""
        remove(name)
        subprocess.run(["cp", "-a", "--reflink=auto", str(self.path), str(name)], check=True)
        return Root(name)


def remove(path: Path) -> None:
    """Delete a root, unless something is mounted in it."""
    mounts = Path("/proc/self/mounts").read_text(encoding="utf-8")
    if any(line.split()[1].startswith(f"{path}/") for line in mounts.splitlines()):
        raise RuntimeError(f"something is mounted in {path}")
    if path.exists():
        shutil.rmtree(path)


def base(work: Path) -> Root:
    """The least Debian, made once for a work folder."""
    root = Root(work / "base")
    done = work / "base.done"
    if not done.exists():
        if root.path.exists():
            remove(root.path)
        made = ["debootstrap", "--force-check-gpg", f"--keyring={SIGNERS}", "--variant=minbase"]
        made += [SUITE, str(root.path), MIRROR]
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        done.touch()
    # Names are looked up as outside, wherever this machine is today.
    shutil.copy("/etc/resolv.conf", root.inside("/etc/resolv.conf"))
    return root


def with_packages(work: Path, name: str, packages: Sequence[str]) -> Root:
    """The base with these packages, made again when the list changes."""
    listed = work / f"{name}.packages"
    wanted = "\n".join(packages)
    root = Root(work / name)
    if not (listed.exists() and listed.read_text() == wanted and root.path.exists()):
        listed.unlink(missing_ok=True)
        root = base(work).copy(root.path)
        root.apt(*packages)
        listed.write_text(wanted)
    return root
