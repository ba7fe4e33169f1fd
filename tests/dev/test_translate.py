"""`translate` brings catalogues up to date and never guesses."""

from __future__ import annotations

import gettext
import sys
from pathlib import Path
from types import ModuleType

import pytest

CATALOGUE = """\
msgid ""
msgstr ""
"Content-Type: text/plain; charset=utf-8\\n"
"Language: zh_CN\\n"
"Plural-Forms: nplurals=1; plural=0;\\n"

msgid "Start"
msgstr "开始"

msgid "Gone"
msgstr "不见了"
"""
SOURCE = """\
tr("Start")
self.context.tr("Start {what}", what=f"{1}")
tr.plural("{n} row", "{n} rows", 3)
N_("Joined "
   "here")
"""
FILLED = {
    'msgid "Joined here"\nmsgstr ""': 'msgid "Joined here"\nmsgstr "接在一起"',
    'msgid "Start {what}"\nmsgstr ""': 'msgid "Start {what}"\nmsgstr "开始 {what}"',
    'msgstr[0] ""': 'msgstr[0] "{n} 行"',
}


@pytest.fixture
def catalogue(checkout: Path, dev: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one source and one catalogue."""
    monkeypatch.setattr(dev.Venv, "ensure", lambda self, level: None)
    (checkout / "packaging" / "babel.cfg").write_text(
        "[python: desktop_app/**.py]\nencoding = utf-8\n", encoding="utf-8"
    )
    (checkout / "desktop_app").mkdir()
    (checkout / "desktop_app" / "source.py").write_text(SOURCE, encoding="utf-8")
    folder = checkout / "resources" / "locale" / "zh_CN" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    path = folder / "batchwright.po"
    path.write_text(CATALOGUE, encoding="utf-8")
    return path


def _translate(dev: ModuleType, checkout: Path) -> int:
    venv = dev.Venv(checkout)
    venv.python = Path(sys.executable)
    return int(dev.translate(venv, []))


def test_new_sentences_come_in_empty_and_gone_ones_go(
    dev: ModuleType, checkout: Path, catalogue: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _translate(dev, checkout) == 1
    text = catalogue.read_text(encoding="utf-8")
    assert 'msgid "Start"\nmsgstr "开始"' in text
    assert "Gone" not in text
    # Start is like Start {what}, yet nothing is guessed from it.
    assert 'msgid "Start {what}"\nmsgstr ""' in text
    said = capsys.readouterr().out
    assert "zh_CN: 3 untranslated" in said
    assert all(f'"{sentence}"' in said for sentence in ("Joined here", "Start {what}", "{n} row"))


def test_a_whole_catalogue_is_compiled_and_stays_the_same(
    dev: ModuleType, checkout: Path, catalogue: Path
) -> None:
    _translate(dev, checkout)
    text = catalogue.read_text(encoding="utf-8")
    for empty, filled in FILLED.items():
        assert empty in text
        text = text.replace(empty, filled)
    catalogue.write_text(text, encoding="utf-8")

    assert _translate(dev, checkout) == 0
    first = catalogue.read_bytes()
    assert _translate(dev, checkout) == 0
    assert catalogue.read_bytes() == first
    with catalogue.with_suffix(".mo").open("rb") as file:
        compiled = gettext.GNUTranslations(file)
    assert compiled.gettext("Joined here") == "接在一起"
    assert compiled.ngettext("{n} row", "{n} rows", 3) == "{n} 行"


def test_translate_takes_nothing(dev: ModuleType, checkout: Path) -> None:
    assert dev.translate(dev.Venv(checkout), ["zh_CN"]) == 2
