"""A deep folder is reached on Windows, and nothing changes elsewhere."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.reach import MOST, ROOM, plain, reachable
from desktop_app.domain.safe_names import numbered, safe_folders, safe_name, safe_stem

LONG = "深" * 120


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (f"C:\\Users\\安娜\\{LONG}", f"\\\\?\\C:\\Users\\安娜\\{LONG}"),
        (f"C:/Users/x/{LONG}", f"\\\\?\\C:\\Users\\x\\{LONG}"),
        (f"\\\\nas\\share\\{LONG}", f"\\\\?\\UNC\\nas\\share\\{LONG}"),
        (f"\\\\?\\C:\\{LONG}", f"\\\\?\\C:\\{LONG}"),
        (f"\\\\?\\UNC\\nas\\share\\{LONG}", f"\\\\?\\UNC\\nas\\share\\{LONG}"),
        (f"C:\\a\\..\\{LONG}", f"C:\\a\\..\\{LONG}"),
        (f"{LONG}\\a", f"{LONG}\\a"),
        (f"C:{LONG}", f"C:{LONG}"),
        (f"\\{LONG}", f"\\{LONG}"),
        ("C:\\Pictures\\Batchwright", "C:\\Pictures\\Batchwright"),
    ],
)
def test_the_long_form(path: str, shown: str) -> None:
    found = reachable(PureWindowsPath(path), windows=True)
    assert str(found) == shown
    assert reachable(found, windows=True) == found
    assert plain(found) == plain(PureWindowsPath(path))
    assert reachable(PureWindowsPath(path), windows=False) == PureWindowsPath(path)


def test_elsewhere_it_is_the_very_same_path() -> None:
    path = Path(f"/out/{LONG}" * 3)
    assert reachable(path) is path
    assert plain(PurePosixPath("/a\\b")) == "/a\\b"


NAMES = st.text(st.characters(exclude_characters='\0/\\:*?"<>|', exclude_categories=["Cs"]))


@given(st.lists(NAMES.filter(lambda name: name.strip(". ")), min_size=1, max_size=8))
def test_what_is_inside_stays_relative_to_it(names: list[str]) -> None:
    folder = PureWindowsPath("D:\\", *names)
    found = reachable(folder, windows=True)
    assert (found / "a" / "b.png").relative_to(found).as_posix() == "a/b.png"
    assert plain(found) == str(folder)
    assert found.name == folder.name
    units = len(str(folder).encode("utf-16-le")) // 2
    assert (found != folder) is (units + ROOM > MOST)


@given(st.text(), st.text(), st.integers(2, 9999))
def test_whatever_is_put_below_a_folder_has_room(text: str, folders: str, number: int) -> None:
    stem = safe_stem(text, safe_folders(folders))
    *above, name = stem.split("/")
    file = "/".join([*above, numbered(safe_name(name, 200), number, ".jpeg")])
    assert len(file.encode("utf-16-le")) // 2 <= ROOM
