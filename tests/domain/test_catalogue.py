"""The committed catalogues hold every sentence of the program, whole and with its values."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import read_mo
from babel.messages.pofile import read_po

from desktop_app.domain import wording
from desktop_app.domain.text import DOMAIN, Translator, message
from desktop_app.providers.adapters import openai_chat, openai_images
from desktop_app.providers.presets import PRESETS

ROOT = Path(__file__).resolve().parents[2]
LOCALE = ROOT / "resources" / "locale"
LANGUAGES = ("zh_CN",)
MARKS = {"tr": 1, "plural": 2, "N_": 1}
# What is handed to ``tr`` by name; each has its own test that its sentences are marked.
BY_NAME = {"preset.label", "preset.model_hint", "row.param.label or row.param.name"}


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    """What the extractor finds in the sources of now, by the settings of ``dev.py translate``."""
    template = tmp_path_factory.mktemp("extracted") / "batchwright.pot"
    command = [sys.executable, "-m", "babel.messages.frontend", "-q", "extract"]
    command += ["-F", "packaging/babel.cfg", "-k", "tr", "-k", "plural:1,2", "-k", "N_"]
    subprocess.run(
        [*command, "-o", str(template), "."], cwd=ROOT, check=True, stderr=subprocess.DEVNULL
    )
    with template.open("rb") as file:
        return read_po(file)


def _po(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po").open("rb") as file:
        return read_po(file, locale=language)


def _mo(language: str) -> Catalog:
    with (LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.mo").open("rb") as file:
        return read_mo(file)


def _texts(catalogue: Catalog) -> dict[str | tuple[str, ...], Message]:
    return {_key(entry): entry for entry in catalogue if entry.id}


def _key(entry: Message) -> str | tuple[str, ...]:
    return entry.id if isinstance(entry.id, str) else tuple(entry.id)


def _strings(entry: Message) -> tuple[str, ...]:
    return (entry.string,) if isinstance(entry.string, str) else tuple(entry.string)


def _singles(catalogue: Catalog) -> set[str]:
    """Every text that may stand as an argument, plural forms one by one."""
    found: set[str] = set()
    for key in _texts(catalogue):
        found.update((key,) if isinstance(key, str) else key)
    return found


def _fields(text: str) -> set[tuple[str, str, str]]:
    """The placeholders of a text: name, format, conversion."""
    return {
        (name, spec or "", conversion or "")
        for _, name, spec, conversion in Formatter().parse(text)
        if name is not None
    }


def _values(text: str) -> dict[str, object]:
    """Something that fits for every placeholder: a number where it is formatted as one."""
    return {name: 12_345 if spec else f"<{name}>" for name, spec, _ in _fields(text)}


def _marked(tree: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    """(line, argument) of everything handed to tr, plural or N_ as a text; either arm of an
    ``if`` counts by itself."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        callee = node.func
        name = callee.attr if isinstance(callee, ast.Attribute) else getattr(callee, "id", "")
        for argument in node.args[: MARKS.get(name, 0)]:
            arms = [argument]
            while arms:
                arm = arms.pop()
                if isinstance(arm, ast.IfExp):
                    arms += [arm.body, arm.orelse]
                else:
                    yield node.lineno, arm


# --- the sources ------------------------------------------------------------------------------


def test_the_extractor_misses_no_sentence(extracted: Catalog) -> None:
    known, missed = _singles(extracted), []
    for file in sorted((ROOT / "desktop_app").rglob("*.py")):
        for line, argument in _marked(ast.parse(file.read_text(encoding="utf-8"))):
            text = argument.value if isinstance(argument, ast.Constant) else None
            if text not in known and ast.unparse(argument) not in BY_NAME:
                missed.append(f"{file.relative_to(ROOT)}:{line}: {ast.unparse(argument)}")
    assert not missed, "not extracted: a literal, outside of f-strings, is needed"


def test_every_template_is_marked(extracted: Catalog) -> None:
    templates = {code: wording.template(code) for code in wording.codes()}
    unmarked = {code for code, text in templates.items() if text not in _texts(extracted)}
    assert unmarked == {"text.plain"}


def test_every_preset_label_is_marked(extracted: Catalog) -> None:
    assert {preset.label for preset in PRESETS} <= _texts(extracted).keys()
    assert {preset.model_hint for preset in PRESETS} - {""} <= _texts(extracted).keys()


def test_every_parameter_label_is_marked(extracted: Catalog) -> None:
    adapters = (openai_chat.CAPABILITIES, openai_images.CAPABILITIES)
    labels = {param.label for adapter in adapters for param in adapter.params}
    assert labels <= _texts(extracted).keys()


def test_every_template_takes_its_own_values() -> None:
    for code in wording.codes():
        text = wording.template(code)
        values = _values(text)
        said = Translator().say(message(code, **values))
        for name, spec, _ in _fields(text):
            assert ("12,345" if spec else f"<{name}>") in said, code
        # A message without values is not formatted: a doubled brace would be shown doubled.
        assert values or "{{" not in text, code


# --- the catalogues ---------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_is_translated(language: str, extracted: Catalog) -> None:
    translated = _texts(_po(language))
    left = [
        key
        for key in _texts(extracted)
        if key not in translated or translated[key].fuzzy or not all(_strings(translated[key]))
    ]
    assert not left, "untranslated: run `python3 dev.py translate` and fill these in"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_translation_outlives_its_sentence(language: str, extracted: Catalog) -> None:
    assert not _texts(_po(language)).keys() - _texts(extracted).keys(), "run `dev.py translate`"


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_keeps_every_placeholder(language: str) -> None:
    wrong = []
    for key, entry in _texts(_po(language)).items():
        english = key if isinstance(key, str) else key[-1]
        texts = [text for text in _strings(entry) if text]
        wrong += [(key, text) for text in texts if _fields(text) != _fields(english)]
    assert not wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_the_written_one(language: str) -> None:
    written = {key: _strings(entry) for key, entry in _texts(_po(language)).items()}
    compiled = {key: _strings(entry) for key, entry in _texts(_mo(language)).items()}
    assert compiled == written, "run `python3 dev.py translate`"


def test_every_code_is_said_in_chinese() -> None:
    tr = Translator("zh_CN", LOCALE)
    for code in wording.codes() - {"text.plain"}:
        text = wording.template(code)
        said = tr.say(message(code, **_values(text)))
        assert re.search(r"[\u4e00-\u9fff]", said), code


def test_counts_are_said_in_chinese() -> None:
    tr = Translator("zh_CN", LOCALE)
    assert tr.plural("{n} attempt", "{n} attempts", 1) == "1 次尝试"
    assert tr.plural("{n} attempt", "{n} attempts", 12_345) == "12,345 次尝试"


def test_nothing_runs_on_after_a_sentence_that_may_lack_its_stop() -> None:
    """``{why}`` may end with a provider's own words."""
    translated = _texts(_po("zh_CN"))
    for code in wording.codes():
        english = wording.template(code)
        for text in (english, *(_strings(translated[english]) if english in translated else ())):
            assert not re.search(r"\{why\}\s*\w", text), text


# --- house style of the Chinese texts ---------------------------------------------------------

_HAN = r"[\u4e00-\u9fff]"
_HALF_WIDTH = re.compile(rf"{_HAN}[,;:?!]|{_HAN}\.(?!\.)")
_NO_SPACE = re.compile(rf"{_HAN}[A-Za-z0-9]|[A-Za-z0-9]{_HAN}")


def test_chinese_is_set_as_chinese() -> None:
    for entry in _texts(_po("zh_CN")).values():
        for text in _strings(entry):
            shown = re.sub(r"\{[^{}]*\}", "", text)
            assert not _HALF_WIDTH.search(shown), f"half-width punctuation: {text}"
            assert not _NO_SPACE.search(shown), f"no space between Chinese and Latin: {text}"


OTHER_WORDS = {
    "方案": ("映射",),
    "备份": ("副本",),
    "请求": ("调用",),
    "重新发送": ("重发",),
    "附上文件": ("附加文件", "附加到"),
    "账号": ("账户",),
    "跳过": ("略过", "略去"),
    "价格": ("单价",),
    "可能重复付费": ("重复收费", "重复计费"),
    "不产生费用": ("不花钱",),
    "失败表": ("失败表格",),
    "表头": ("标题行",),
    "结果不明的行": ("不确定的行",),
    "诊断文件": ("支持文件",),
    "点击“": ("：点“", "，点“", "。点“"),
}
"""What the window calls a thing in Chinese: other words for it."""


def test_one_thing_has_one_word_in_chinese() -> None:
    found = [
        (other, text, f"say {word}")
        for entry in _texts(_po("zh_CN")).values()
        for text in _strings(entry)
        for word, others in OTHER_WORDS.items()
        for other in others
        if other in text
    ]
    assert not found


def test_putting_a_message_away_does_not_promise_that_it_never_comes_again() -> None:
    assert Translator("zh_CN", LOCALE)("Put away") == "收起"
