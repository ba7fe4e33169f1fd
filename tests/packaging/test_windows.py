"""The installer for Windows compiles, against a folder that stands in for the bundle."""

from __future__ import annotations

import re
from pathlib import Path

import icons
import pytest
import windows
from places import PACKAGING, ROOT

from desktop_app.domain.sheet_kinds import SHEET_SUFFIXES
from tests.packaging.conftest import Checked


def test_it_compiles_without_a_warning_and_speaks_chinese(tmp_path: Path, checked: Checked) -> None:
    bundle = tmp_path / "捆 bundle"
    (bundle / "_internal" / "resources").mkdir(parents=True)
    for name in ("batchwright.exe", "batchwright-cli.exe", "_internal/resources/春.csv"):
        (bundle / name).write_bytes(b"MZ")
    icons.render(ROOT / "resources" / "icons" / "app.svg", tmp_path / "icons")
    icon, out = tmp_path / "icons" / "batchwright.ico", tmp_path / "batchwright-setup.exe"
    tool, *args = windows.command("makensis", bundle, icon, out, "1.2.3")
    said = checked(tool, *("-V4" if word == "-V2" else word for word in args))
    made = out.read_bytes()
    assert made[:2] == b"MZ"
    assert "1.2.3".encode("utf-16-le") in made
    # What the compiler says that it has put in; 2052 is Simplified Chinese.
    tables = re.findall(r"^(Install|Uninstall): .* (\d) language tables", said, re.MULTILINE)
    assert tables == [("Install", "2"), ("Uninstall", "2")]
    assert 'LangString: "RUNNING" 2052 "Batchwright 正在运行' in said
    assert b'requestedExecutionLevel level="asInvoker"' in made  # no administrator


def test_paths_are_parted_as_the_compiler_on_windows_parts_them() -> None:
    """There it looks for the last backslash; the one for other systems takes both."""
    script = windows.SCRIPT.read_text(encoding="utf-8")
    packed = re.findall(r'^ *File (?:/r )?"(.+)"', script, re.MULTILINE)
    assert packed == ["${BUNDLE}\\*"]


def test_all_kinds_of_sheets_are_offered_and_no_more_after_removal() -> None:
    script = windows.SCRIPT.read_text(encoding="utf-8")
    offered = set(SHEET_SUFFIXES) - {".txt"}  # few texts are lists of prompts
    for macro in ("OFFER_TO_OPEN", "OFFER_NO_MORE"):
        assert set(re.findall(rf'!insertmacro {macro} "(.+)"', script)) == offered


@pytest.mark.parametrize("section", ["", '"Uninstall"'])
def test_nothing_is_changed_while_one_of_the_programs_runs(section: str) -> None:
    spec = (PACKAGING / "batchwright.spec").read_text(encoding="utf-8")
    programs = [f"{name}.exe" for name in re.findall(r'\bprogram\("([\w-]+)"', spec)]
    assert len(programs) == 2
    script = windows.SCRIPT.read_text(encoding="utf-8")
    (body,) = re.findall(
        rf"^Section *{section}\n(.*?)^SectionEnd", script, re.MULTILINE | re.DOTALL
    )
    steps = [line.strip() for line in body.splitlines()]
    assert steps[:2] == [f'!insertmacro WAIT_UNTIL_CLOSED "{name}"' for name in programs]
    assert "AllowSkipFiles off" in script  # nor is half of it replaced


def test_what_was_made_for_the_endings_of_sheets_goes_again() -> None:
    script = windows.SCRIPT.read_text(encoding="utf-8")
    (body,) = re.findall(r"!macro OFFER_NO_MORE.*?!macroend", script, re.DOTALL)
    made = "Software\\Classes\\${EXTENSION}"
    empty = f'DeleteRegKey /ifnosubkeys /ifnovalues HKCU "{made}'
    gone = [f'DeleteRegValue HKCU "{made}\\OpenWithProgids" "${{NAME}}.Sheet"']
    gone += [f'{empty}\\OpenWithProgids"', f'{empty}"']
    assert [line.strip() for line in body.splitlines()[1:-1]] == gone


def test_everything_said_is_said_in_both_languages() -> None:
    lines = windows.SCRIPT.read_text(encoding="utf-8").splitlines()
    said: dict[str, list[str]] = {}
    for line in lines:
        if line.startswith("LangString"):
            _, name, language, _ = line.split(maxsplit=3)
            said.setdefault(name, []).append(language)
    assert said
    for name, languages in said.items():
        assert languages == ["${LANG_ENGLISH}", "${LANG_SIMPCHINESE}"], name
