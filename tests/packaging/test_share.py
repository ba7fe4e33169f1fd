"""Linux desktops take what is given them under ``share``."""

from __future__ import annotations

import argparse
import configparser
import gzip
import re
import shlex
from pathlib import Path
from xml.etree import ElementTree

import icons
import project
import pytest
import share
from PIL import Image
from places import ROOT, Built

from desktop_app.cli.exits import Exit
from desktop_app.cli.parser import build, parse
from desktop_app.domain.sheet_kinds import JSON_SUFFIXES
from tests.packaging.conftest import Checked

DATE = 1_700_000_000  # 2023-11-14


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A share folder of version 1.2.3, with a man page as the archive has it."""
    folder = tmp_path_factory.mktemp("built")
    (folder / "bundle").mkdir()
    icons.render(ROOT / "resources" / "icons" / "app.svg", folder / "icons")
    built = Built(folder / "bundle", folder / "copyright", folder / "sbom", "1.2.3", "nothing")
    share.write(built, ROOT, folder / "share", DATE, packed_man=False)
    share.write(built, ROOT, folder / "packed", DATE, packed_man=True)
    return folder / "share"


def entry_of(file: Path) -> configparser.SectionProxy:
    read = configparser.RawConfigParser()
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read(file, encoding="utf-8")
    return read["Desktop Entry"]


def test_the_menu_has_a_valid_entry_that_takes_sheets(given: Path, checked: Checked) -> None:
    file = given / "applications" / "batchwright.desktop"
    checked("desktop-file-validate", file)
    entry = entry_of(file)
    assert entry["Exec"] == "batchwright %F"
    assert entry["Icon"] == "batchwright"
    assert "提示词" in entry["Comment[zh_CN]"]


def test_sheets_are_opened_by_an_entry_that_others_come_before(
    given: Path, checked: Checked
) -> None:
    """Desktops without a list of their own take the first by the alphabet."""
    file = given / "applications" / share.OPENER
    checked("desktop-file-validate", file)
    entry = entry_of(file)
    assert {
        "text/csv",
        "text/tab-separated-values",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "application/vnd.oasis.opendocument.spreadsheet",
        "application/jsonl",
    } <= set(entry["MimeType"].split(";"))
    assert (entry["Exec"], entry["NoDisplay"]) == ("batchwright %F", "true")
    with_kinds = [f.name for f in file.parent.iterdir() if "MimeType" in entry_of(f)]
    assert with_kinds == [share.OPENER]
    assert share.OPENER > "wps-office-et.desktop"


def test_the_metadata_is_valid(given: Path, checked: Checked) -> None:
    file = given / "metainfo" / f"{project.read().app_id}.metainfo.xml"
    assert 'version="1.2.3" date="2023-11-14"' in file.read_text(encoding="utf-8")
    assert "@" not in file.read_text(encoding="utf-8")
    checked("appstreamcli", "validate", "--no-net", file)
    kinds = entry_of(given / "applications" / share.OPENER)["MimeType"]
    told = re.findall(r"<mediatype>(.*)</mediatype>", file.read_text(encoding="utf-8"))
    assert told == kinds.rstrip(";").split(";")


def test_sheets_are_known_where_the_system_does_not_know_them(given: Path) -> None:
    """What shared-mime-info of Debian 12 lacks; the trial asks a system about all endings."""
    known = ElementTree.parse(given / "mime" / "packages" / "batchwright.xml").getroot()
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kinds = {
        kind.attrib["type"]: [glob.attrib["pattern"] for glob in kind.findall(f"{space}glob")]
        for kind in known.findall(f"{space}mime-type")
    }
    globs = {glob for globs in kinds.values() for glob in globs}
    assert globs == {*(f"*{s}" for s in JSON_SUFFIXES), "*.tab", "*.et"}
    offered = entry_of(given / "applications" / share.OPENER)["MimeType"].split(";")
    assert set(kinds) <= set(offered)


def test_the_man_page_renders_without_a_warning(given: Path, checked: Checked) -> None:
    page = given / "man" / "man1" / "batchwright.1"
    said = checked("man", "--warnings", "--encoding=UTF-8", "-P", "cat", "-l", page)
    assert "Batchwright 1.2.3" in said
    assert "warning" not in said
    assert "connection" in said
    packed = given.parent / "packed" / "man" / "man1" / "batchwright.1.gz"
    assert gzip.decompress(packed.read_bytes()) == page.read_bytes()


def test_the_man_page_names_every_verb_act_exit_and_common_option(given: Path) -> None:
    page = (given / "man" / "man1" / "batchwright.1").read_text(encoding="utf-8")
    words = set(re.findall(r"[\w-]+", page.replace("\\-", "-").replace("\\fB", " ")))
    parser = build()
    (verbs,) = (action for action in parser._actions if action.dest == "verb")
    assert isinstance(verbs, argparse._SubParsersAction)
    acts = {
        act
        for verb in verbs.choices.values()
        for action in verb._actions
        if isinstance(action, argparse._SubParsersAction)
        for act in action.choices
    }
    assert "set-key" in acts
    options = {option for action in parser._actions for option in action.option_strings}
    exits = {str(code.value) for code in Exit}
    assert ({*verbs.choices, *acts, *options, *exits}) - words == set()


def test_what_the_man_page_says_is_taken(given: Path) -> None:
    """An option that is gone must not be told of."""
    page = (given / "man" / "man1" / "batchwright.1").read_text(encoding="utf-8")
    plain = page.replace("\\-", "-")
    (examples,) = re.findall(r"^\.nf\n(.*?)^\.fi$", plain, re.MULTILINE | re.DOTALL)
    for line in examples.splitlines():
        program, *words = shlex.split(line.partition(" <")[0])
        assert program == "batchwright"
        assert parse(words).verb == words[0]
    known = _options(build())
    assert set(re.findall(r"--[a-z][a-z-]+", plain)) - known == set()


def _options(parser: argparse.ArgumentParser) -> set[str]:
    found = {option for action in parser._actions for option in action.option_strings}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action.choices.values():
                found |= _options(choice)
    return found


def test_there_is_an_icon_of_every_size(given: Path) -> None:
    for size in icons.SIZES:
        with Image.open(given / f"icons/hicolor/{size}x{size}/apps/batchwright.png") as icon:
            assert icon.size == (size, size)
            alpha = icon.convert("RGBA").getchannel("A")
            assert alpha.getextrema() == (0, 255)  # a drawing on nothing, not an empty square
    with Image.open(given.parent / "icons" / "batchwright.ico") as windows:
        assert {(16, 16), (32, 32), (48, 48), (256, 256)} <= windows.info["sizes"]
