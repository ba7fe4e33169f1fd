from __future__ import annotations

import unicodedata
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.domain.safe_names import (
    FOLDER_LEVELS,
    are_safe,
    clusters,
    cut,
    first_graphemes,
    fold,
    is_safe,
    numbered,
    safe_folders,
    safe_name,
    safe_stem,
)

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
PALE_FAMILY = "\u200d".join(f"{face}\U0001f3fb" for face in FAMILY.split("\u200d"))
NASTY = st.lists(
    st.sampled_from(
        [*'abC:/\\|?*<>".. \t\n\r\0\x7f一é', "e\u0301", "\u202e", "\ud800", "con", "NUL", FAMILY]
    )
).map("".join)
RESERVED = ["con", "prn", "aux", "nul", "com1", "lpt9", "com¹", "conout$"]


def is_legal(name: str, limit: int) -> bool:
    return (
        bool(name)
        and len(name.encode()) <= limit
        and not any(c in '<>:"/\\|?*' or ord(c) < 32 or ord(c) == 127 for c in name)
        and name == name.strip(" .")
        and name.split(".")[0].rstrip().casefold() not in RESERVED
        and name not in (".", "..")
        and unicodedata.is_normalized("NFC", name)
    )


@given(st.one_of(st.text(), NASTY), st.integers(8, 255))
def test_every_name_is_legal_on_three_systems(text: str, limit: int) -> None:
    name = safe_name(text, limit)
    assert is_legal(name, limit), name
    assert safe_name(name, limit) == name


@given(
    st.lists(st.sampled_from([FAMILY, "🇨🇳", "👍🏽", "红", "a", "e\u0301", "각", "1\ufe0f\u20e3"]))
)
def test_graphemes_stay_whole(parts: list[str]) -> None:
    text = "".join(parts)
    assert list(clusters(text)) == parts
    for limit in range(0, 60, 7):
        taken = list(clusters(cut(text, limit)))
        assert taken == parts[: len(taken)]


@given(st.text(), st.integers(0, 300))
def test_a_cut_is_the_longest_run_that_fits(text: str, limit: int) -> None:
    text = text.encode("utf-8", "ignore").decode()
    short = cut(text, limit)
    assert text.startswith(short)
    assert len(short.encode()) <= limit
    rest = list(clusters(text[len(short) :]))
    assert not rest or len((short + rest[0]).encode()) > limit


@pytest.mark.parametrize("word", RESERVED)
@pytest.mark.parametrize("form", ["{}", "{}.png", "{}.tar.gz", " {} ", "{} .x", "{}...", ".{}"])
def test_reserved_names_are_never_made(word: str, form: str) -> None:
    assert is_legal(safe_name(form.format(word.upper())), 255)


# What Windows keeps for devices, with and without an ending, as its own documentation lists them.
DEVICES = st.sampled_from(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{port}{digit}" for port in ("COM", "LPT") for digit in "0123456789\u00b9\u00b2\u00b3"]
)
ANY_CASE = st.tuples(DEVICES, st.integers()).map(
    lambda pair: "".join(c.lower() if pair[1] >> at & 1 else c for at, c in enumerate(pair[0]))
)
ODD_ENDS = st.sampled_from(["", ".", " ", "...", ". .", ".png", " .png", ".tar.gz", "\u3000", "\t"])
SUFFIXES = st.sampled_from(["", ".png", ".jpeg", ".txt", "_texts"])


def takes(name: str) -> bool:
    """Whether Windows takes the name as it stands, for a file and not for a device."""
    return (
        not PureWindowsPath(name).is_reserved()
        and name.split(".")[0].rstrip(" ").upper() not in ("CONIN$", "CONOUT$")
        and PureWindowsPath("C:\\x", name).name == name
        and PureWindowsPath("C:\\x", name).parent == PureWindowsPath("C:\\x")
        and not name.endswith((" ", "."))
        and len(name.encode("utf-16-le")) // 2 <= 255
        and len(name.encode()) <= 255
    )


@given(ODD_ENDS, st.one_of(ANY_CASE, NASTY, st.text()), ODD_ENDS, SUFFIXES, st.integers(2, 9999))
def test_windows_takes_every_name_that_is_made(
    before: str, word: str, after: str, suffix: str, number: int
) -> None:
    name = safe_name(before + word + after)
    assert takes(name)
    assert takes(name + suffix)
    assert takes(numbered(name, number, suffix))
    folders = safe_folders(f"{word}{after}/{before}{word}/x")
    assert all(takes(folder) for folder in folders)
    stem = safe_stem(word + after, folders)
    assert takes(stem.split("/")[-1] + suffix)


@given(st.text(st.sampled_from("\U0001f468红a\u0301é. "), min_size=200, max_size=600))
def test_names_over_255_units_are_cut_for_every_system(text: str) -> None:
    name = safe_name(text, 255)
    assert takes(name)
    assert takes(numbered(name, 9999, ".jpeg"))


@given(st.text(), st.sampled_from(["NFC", "NFD", "upper", "lower", "casefold"]))
def test_two_spellings_of_a_name_fold_to_one(text: str, spelling: str) -> None:
    """macOS takes accents apart, and Windows and macOS know no upper case: such names clash."""
    name = "".join(c for c in safe_name(text) if fold(c.upper()) == fold(c.lower()) == fold(c))
    if spelling in ("NFC", "NFD"):
        other = unicodedata.normalize(spelling, name)  # type: ignore[arg-type]
    else:
        other = getattr(name, spelling)()
    assert fold(other) == fold(name) == fold(fold(name))


@pytest.mark.parametrize("text", ["", " ", "...", "\u200d", "\0\1", ". .", "\u202e"])
def test_nothing_left_gives_the_fallback(text: str) -> None:
    assert safe_name(text) == "_"
    assert safe_name(text, fallback="") == ""


def test_no_path_escapes() -> None:
    for text in ("../../etc/passwd", "/etc/passwd", "C:\\Windows", "\\\\host\\share", ".."):
        assert Path(safe_name(text)).parts == (safe_name(text),)


def test_s14_300_characters_of_chinese_and_emoji_make_a_legal_name(tmp_path: Path) -> None:
    prompt = f"红色/运动鞋:白底?{FAMILY}🇨🇳*" * 30
    name = safe_name(prompt)
    assert is_legal(name, 120)
    (tmp_path / f"{name}.png").write_bytes(b"x")
    assert first_graphemes(prompt, 12) == f"红色_运动鞋_白底_{FAMILY}🇨🇳"


def test_fold_sees_what_a_file_system_takes_for_one() -> None:
    assert fold("Straße.PNG") == fold("STRASSE.png")
    assert fold("Cafe\u0301") == fold("CAFÉ")
    assert fold("a") != fold("b")


def test_a_number_never_makes_a_name_too_long() -> None:
    name = numbered("红" * 85, 1234, ".webp")
    assert len(name.encode()) <= 255
    assert name.endswith("红-1234.webp")


@given(st.one_of(st.text(), NASTY), st.one_of(st.text(), NASTY))
def test_a_stem_with_subfolders_is_legal_at_every_level_and_leads_nowhere_else(
    subfolder: str, text: str
) -> None:
    folders = safe_folders(subfolder)
    stem = safe_stem(text, folders)
    *above, name = stem.split("/")
    assert tuple(above) == folders
    assert len(above) <= FOLDER_LEVELS
    assert all(is_legal(part, 120) for part in (*above, name))
    assert len(stem.encode()) <= 180
    assert safe_folders("/".join(above)) == folders
    assert (Path("/out") / stem).resolve().is_relative_to("/out")


@pytest.mark.parametrize(
    ("text", "folders"),
    [
        ("shoes/red", ("shoes", "red")),
        ("鞋\\春季", ("鞋", "春季")),
        ("../../etc/./passwd", ("etc", "passwd")),
        ("/etc", ("etc",)),
        ("C:\\Windows\\..\\x", ("C_", "Windows", "x")),
        (" / // ", ()),
        ("NUL/com1.txt", ("_NUL", "_com1.txt_")),
        ("a/b/c/d/e/f", ("a", "b", "c", "d_e_f")),
        ("0042.png/v1.2", ("0042.png_", "v1.2")),
        (f"{PALE_FAMILY}/b/c/d", ("b", "c", "d")),
    ],
)
def test_subfolders(text: str, folders: tuple[str, ...]) -> None:
    assert safe_folders(text) == folders


@given(st.lists(st.one_of(st.text(), NASTY, st.text(FAMILY[:2] + PALE_FAMILY[1], max_size=40))))
def test_no_subfolder_is_empty_and_none_begins_at_the_root(levels: list[str]) -> None:
    folders = safe_folders("/".join(levels))
    assert all(folders)
    assert not Path("/".join(folders)).is_absolute()


_NAMES = [
    "SKU-0001",
    "a b c d e f",
    "K_1",
    "con",
    "a\nb long enough",
    "a  b",
    " abcdefgh",
    "x" * 121,
]


@given(st.lists(st.one_of(st.sampled_from(_NAMES), NASTY), max_size=6))
def test_names_seen_together_are_safe_where_each_is(names: list[str]) -> None:
    assert not are_safe(names) or all(map(is_safe, names))


def test_most_names_are_seen_to_be_safe_together() -> None:
    assert are_safe(["SKU-0001", "a b c d e f", "x" * 120])
    assert not are_safe(["SKU-0001", "SKU-0002\nSKU-0003"])
