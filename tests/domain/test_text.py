"""Messages survive the store, and the translator never breaks a sentence it does not know."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

from desktop_app.domain import wording
from desktop_app.domain.text import DOMAIN, Message, OperatorError, Translator, message


@pytest.fixture
def locale_dir(tmp_path: Path) -> Path:
    """A catalogue of a few entries, in a language with one plural form."""
    catalogue = Catalog(locale="zh_CN")
    catalogue.add("Start", "开始")
    catalogue.add("{n} rows in {file}", "{file} 中有 {n} 行")
    catalogue.add(("{n} row", "{n} rows"), ("{n} 行",))
    catalogue.add("The connection {name} has been removed. Add it again.", "{name} 已被移除。")
    catalogue.add("{name} is paused: {why}", "{name} 已暂停：{why}")
    folder = tmp_path / "zh_CN" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    with (folder / f"{DOMAIN}.mo").open("wb") as file:
        write_mo(file, catalogue)
    return tmp_path


@pytest.fixture
def tr(locale_dir: Path) -> Translator:
    return Translator("zh_CN", locale_dir)


def test_a_known_text_is_translated_and_filled(tr: Translator) -> None:
    assert tr("Start") == "开始"
    assert tr("{n} rows in {file}", n=3, file="a.csv") == "a.csv 中有 3 行"


def test_an_unknown_text_comes_back_in_english(tr: Translator) -> None:
    assert tr("No such sentence") == "No such sentence"
    assert tr("{n} of them", n=2) == "2 of them"
    assert tr.plural("{n} cat", "{n} cats", 1) == "1 cat"
    assert tr.plural("{n} cat", "{n} cats", 2) == "2 cats"


def test_an_empty_text_stays_empty(tr: Translator) -> None:
    assert tr("") == ""


def test_a_plural_is_picked_by_number_and_marks_thousands(tr: Translator) -> None:
    assert tr.plural("{n} row", "{n} rows", 1) == "1 行"
    assert tr.plural("{n} row", "{n} rows", 12_345) == "12,345 行"
    english = Translator()
    assert english.plural("{n} row", "{n} rows", 1) == "1 row"
    assert english.plural("{n} row in {file}", "{n} rows in {file}", 0, file="a") == "0 rows in a"


def test_a_language_without_a_catalogue_is_english(locale_dir: Path) -> None:
    assert Translator("fr", locale_dir)("Start") == "Start"
    assert Translator("zh_CN", None)("Start") == "Start"


def test_english_reads_no_catalogue(locale_dir: Path) -> None:
    (locale_dir / "zh_CN").rename(locale_dir / "en")
    assert Translator("en", locale_dir)("Start") == "Start"


def test_a_message_within_a_message_is_said_in_the_same_language(tr: Translator) -> None:
    why = message("store.connection_gone", name="fal")
    assert tr.say(message("engine.account_paused", name="A", why=why)) == "A 已暂停：fal 已被移除。"


def test_a_code_without_a_template_is_shown_as_it_is(tr: Translator) -> None:
    assert tr.say(message("room.unheard_of", file="a.csv")) == "room.unheard_of"


def test_a_message_whose_values_do_not_fit_is_still_said() -> None:
    assert Translator().say(message("engine.account_paused", name="A")) == "{name} is paused: {why}"


def test_braces_in_a_value_are_left_alone(tr: Translator) -> None:
    assert tr.say(message("text.plain", text="{column} {{x}}")) == "{column} {{x}}"


def test_a_message_comes_back_from_the_store() -> None:
    said = message("engine.account_paused", name="火山", why=message("store.no_reason"), n=3)
    assert Message.load(said.dump()) == said


def test_deeply_nested_messages_come_back_from_the_store() -> None:
    inner = message("engine.local", why=message("exports.disk_full", folder="/out"))
    said = message("engine.account_paused", name="A", why=inner)
    assert Message.load(said.dump()) == said


def test_what_json_does_not_know_is_stored_as_text(tmp_path: Path) -> None:
    stored = Message.load(message("ingest.gone", file=tmp_path).dump())
    assert stored.values == {"file": str(tmp_path)}


@pytest.mark.parametrize("text", ["out of disk", "{}", "[1]", '["code", 7]', "", '["a", {}, 1]'])
def test_a_stored_text_of_another_shape_is_a_plain_sentence(text: str) -> None:
    assert Message.load(text) == message("text.plain", text=text)


def test_an_operator_error_carries_its_message() -> None:
    error = OperatorError(message("services.no_task"))
    assert error.message.code == "services.no_task"
    assert str(error) == "services.no_task"


def test_words_and_sentences_are_parted_as_the_language_does_it() -> None:
    locale = Path(__file__).resolve().parents[2] / "resources" / "locale"
    english, chinese = Translator(), Translator("zh_CN", locale)
    assert english.listed(["a", "{b}", "c"]) == "a, {b}, c"
    assert chinese.listed(["甲", "{乙}", "丙"]) == "甲、{乙}、丙"
    assert english.joined(["One.", "Two."]) == "One. Two."
    assert chinese.joined(["第一。", "第二。"]) == "第一。第二。"
    assert english.listed([]) == english.joined([]) == ""
    assert english.joined(["One."]) == "One."


def test_a_list_in_a_message_is_said_as_the_language_does_it_also_out_of_the_store() -> None:
    locale = Path(__file__).resolve().parents[2] / "resources" / "locale"
    said = message("ingest.header_doubt", columns=["货号", "提示词"])
    for kept in (said, Message.load(said.dump())):
        assert "(货号, 提示词)" in Translator().say(kept)
        assert "（货号、提示词）" in Translator("zh_CN", locale).say(kept)


@pytest.mark.parametrize("n", [1, "1"])
def test_of_one_thing_a_message_speaks_as_of_one(n: object) -> None:
    tr = Translator()
    assert tr.say(message("alerts.finished_none", n=n)) == "None came out, 1 needs you."
    assert tr.say(message("alerts.finished_none", n="1,204")) == "None came out, 1,204 need you."
    assert tr.say(message("alerts.finished", batch="a", n=n)) == "a is finished"


def test_no_sentence_speaks_of_one_thing_as_of_several() -> None:
    """Counts that may be 1, wherever in a sentence they stand; limits are never that small."""
    small = re.compile(
        r"\b1 (?:rows|calls|results|files|pictures|batches|sheets|prompts|mistakes|models|hours|"
        r"need|are|were|wait)\b"
    )
    wrong = []
    for code in wording.codes():
        parts = Formatter().parse(wording.template(code))
        values = {name: 1 if spec else "1" for _, name, spec, _ in parts if name}
        said = Translator().say(
            message(code, **{**values, "used": "9.5", "most": "500", "names": "A"})
        )
        if small.search(said):
            wrong.append(f"{code}: {said}")
    assert not wrong


def test_sentences_in_a_list_are_said_each_and_survive_the_store() -> None:
    units = [message("services.unit_call"), message("services.unit_image"), "plain"]
    said = message("services.no_tokens_told", known=units)
    for one in (said, Message.load(said.dump())):
        text = Translator().say(one)
        assert text.endswith("for the price: a call (call), an image (image), plain.")
