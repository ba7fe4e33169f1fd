"""Builds this system's installers, or tries them out as an operator would.

package [--release] [--in-place] [--work DIR] [--out DIR]
                                        build; packages go to OUT (default: dist)
package --verify [--previous COMMIT]    try the .deb in OUT in a root of its own

--release builds only what may go out: everything committed, the owner's values set, the version
in the changelog, and no other version's tag.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import sys
from pathlib import Path

import archive
import chroot
import deb
import freeze
import project
import ready
import tree
from places import ROOT, Built, size_of, source_date

BUNDLE_MB, DEB_MB = 140, 45


def main() -> int:
    """Returns the exit code: 1 where something is too large or does not work."""
    parser = argparse.ArgumentParser(
        prog="dev.py package",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--release", action="store_true")
    parser.add_argument("--in-place", action="store_true")
    parser.add_argument("--previous", metavar="COMMIT")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "package")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    asked = parser.parse_args()
    work, out = asked.work.absolute(), asked.out.absolute()
    troubles = ready.troubles() if asked.release else []
    if troubles:
        print("Not ready for a release:", *troubles, sep="\n  ")
        return 1
    work.mkdir(parents=True, exist_ok=True)
    out.mkdir(parents=True, exist_ok=True)
    if asked.verify:
        import verify

        previous = asked.previous or tree.previous()
        if not tree.is_here(previous):
            print(
                f"This clone does not reach back to {previous}, which the trial upgrades from."
                " Fetch the whole history (git fetch --unshallow --tags), or name another with"
                " --previous COMMIT."
            )
            return 1
        return verify.run(work, out, previous)
    return build(work, out, in_place=asked.in_place)


def build(work: Path, out: Path, *, in_place: bool) -> int:
    """All packages of this system, with checksums."""
    unset = project.read().unset()
    if unset:
        print(f"Not for release: {', '.join(unset)} not set yet in {project.FILE.as_posix()}.")
    trouble = chroot.can_be_made()
    if trouble is not None and not in_place:
        print(f"No clean root can be made here ({trouble}).", flush=True)
    source = tree.of_checkout(work / "source")
    frozen = freeze.in_place if in_place or trouble else freeze.in_root
    built = frozen(source, work, work)
    made = packages(built, source, out)
    sums = "".join(f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in made)
    (out / "SHA256SUMS").write_text(sums, encoding="utf-8", newline="\n")
    return report(built, made)


def packages(built: Built, source: Path, out: Path) -> list[Path]:
    """What there is for this system."""
    bill = out / f"batchwright-{built.version}-{sys.platform}.cdx.json"
    shutil.copyfile(built.sbom, bill)
    if not sys.platform.startswith("linux"):
        # What signs and packs these is a step of the release: packaging/README.md.
        for made in (built.bundle, *built.bundle.parent.glob("*.app")):
            shutil.rmtree(out / made.name, ignore_errors=True)
            shutil.copytree(made, out / made.name, symlinks=True)
        shutil.copyfile(built.copyright, out / "copyright")
        return [bill]
    date = source_date(ROOT)
    print("Packing", flush=True)
    made = [archive.build(built, source, out, date)]
    if shutil.which("dpkg-deb"):
        made.append(deb.build(built, source, out, date))
    else:
        print("No .deb: there is no dpkg-deb here.")
    return [*made, bill]


def report(built: Built, made: list[Path]) -> int:
    """Say what was made; 1 where it is larger than it may be."""
    mega = size_of(built.bundle) / 1e6
    print(f"Bundle: {mega:.1f} MB of {BUNDLE_MB}, frozen in {built.built_in}: {built.bundle}")
    too_large = mega > BUNDLE_MB
    for file in made:
        size = file.stat().st_size / 1e6
        print(f"{size:8.1f} MB  {file}")
        too_large = too_large or (file.suffix == ".deb" and size > DEB_MB)
    if too_large:
        print("Too large: look at what came in, and at the reasons in packaging/batchwright.spec.")
    return 1 if too_large else 0


if __name__ == "__main__":
    sys.exit(main())
