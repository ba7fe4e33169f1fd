"""Message codes and values, so that the core never holds a sentence in one language only."""

from __future__ import annotations

import gettext
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

DOMAIN = "batchwright"
_NESTED = "message"  # the key of a Message among the values of a dumped one


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence to be: ``code`` names a template in ``domain.wording``, ``values`` fill it."""

    code: str
    values: Mapping[str, Any] = field(default_factory=dict)

    def dump(self) -> str:
        """JSON for the store; ``load`` reads it back, messages among the values included."""
        return json.dumps([self.code, dict(self.values)], ensure_ascii=False, default=_as_json)

    @staticmethod
    def load(text: str) -> Message:
        """Inverse of ``dump``. A text of another shape comes back as a plain sentence."""
        try:
            code, values = json.loads(text)
            return Message(str(code), {k: _from_json(v) for k, v in dict(values).items()})
        except (ValueError, TypeError):
            return Message("text.plain", {"text": text})


def _as_json(value: object) -> object:
    if isinstance(value, Message):
        return {_NESTED: [value.code, dict(value.values)]}
    return str(value)


def _from_json(value: Any) -> Any:
    if isinstance(value, dict) and value.keys() == {_NESTED}:
        code, values = value[_NESTED]
        return Message(str(code), {k: _from_json(v) for k, v in dict(values).items()})
    return [_from_json(one) for one in value] if isinstance(value, list) else value


def message(code: str, **values: Any) -> Message:
    """Shorthand: ``message("ingest.no_header", file="a.csv")``."""
    return Message(code, values)


class OperatorError(Exception):
    """Something the operator should read: carries a Message, and nothing was lost."""

    def __init__(self, said: Message) -> None:
        super().__init__(said.code)
        self.message = said


class Translator:
    """One catalogue for window and terminal.

    ``tr("Start")`` translates a literal; ``tr("{n} rows", n=3)`` fills it afterwards;
    ``plural`` picks by number; ``say`` renders a Message. Unknown texts come back in English.
    """

    def __init__(self, language: str = "en", locale_dir: Path | None = None) -> None:
        self.language = language
        self._catalogue: gettext.NullTranslations = gettext.NullTranslations()
        if locale_dir is not None and language != "en":
            self._catalogue = gettext.translation(
                DOMAIN, localedir=str(locale_dir), languages=[language], fallback=True
            )

    def __call__(self, text: str, /, **values: Any) -> str:
        # gettext's answer to an empty text is the catalogue's header.
        found = self._catalogue.gettext(text) if text else text
        return found.format(**values) if values else found

    def plural(self, one: str, many: str, n: int, /, **values: Any) -> str:
        """Translate by number; ``{n}`` in the text is the number with its thousands marked."""
        return self._catalogue.ngettext(one, many, n).format(n=f"{n:,}", **values)

    def listed(self, words: Iterable[str]) -> str:
        """``a, b, c`` as the language parts them."""
        tr, (first, *rest) = self, tuple(words) or ("",)
        return reduce(lambda one, other: tr("{one}, {other}", one=one, other=other), rest, first)

    def joined(self, sentences: Iterable[str]) -> str:
        """One after the other as the language does it: Chinese has no space between."""
        tr, (first, *rest) = self, tuple(sentences) or ("",)
        return reduce(lambda one, other: tr("{one} {other}", one=one, other=other), rest, first)

    def say(self, said: Message) -> str:
        """The sentence of a Message; a value that is a Message is rendered first, and a list as
        the language parts its words. Where its value ``n`` is 1 the template of ``<code>_one`` is
        taken, if there is one."""
        from desktop_app.domain.wording import template

        values = {name: self._said(value) for name, value in said.values.items()}
        text = template(said.code, values.get("n"))
        try:
            return self(text, **values) if values else self(text)
        except (KeyError, IndexError, ValueError):
            return text

    def _said(self, value: Any) -> Any:
        if isinstance(value, Message):
            return self.say(value)
        if isinstance(value, list | tuple):
            return self.listed(str(self._said(one)) for one in value)
        return value
