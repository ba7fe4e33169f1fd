"""A vendor's words as data: which of them mean what, so that no judgement hides in code."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from desktop_app.domain.errors import FailureClass
from desktop_app.providers.error_body import ErrorBody
from desktop_app.providers.profiles.chat import ASKED_FOR_NOTHING, ChatWays
from desktop_app.providers.profiles.pictures import LIKE_OPENAI, PictureWays


def wordless(status: int) -> str:
    """What an error is grouped by that has no word; status 0 is one that a good answer hid."""
    return f"http_{status}" if status else "hidden_error"


@dataclass(frozen=True, slots=True)
class Rule:
    """Matches when every condition that is given holds. ``code`` is what the failure is grouped
    by when the vendor gave no word of its own.

    ``codes``: the vendor's words, lower case, ``*`` allowed. ``statuses``: HTTP statuses.
    ``text``: a regular expression for the vendor's sentence.
    ``unless_soon``: an account matter only while no short wait was promised; else "slow down".
    ``window``: the account mends itself when the promised wait is over. ``of_input``: the vendor
    documents that what was asked is refused, before anything is made and billed. ``billed``: what
    the vendor documents of it, None for nothing. ``renewed``: when a window ends (epoch s), by
    the time it is now, where the vendor's own hint says nothing of it.
    """

    kind: FailureClass
    said: str
    codes: tuple[str, ...] = ()
    statuses: tuple[int, ...] = ()
    text: str = ""
    code: str = ""
    unless_soon: bool = False
    window: bool = False
    concurrency: bool = False
    of_input: bool = False
    billed: bool | None = None
    renewed: Callable[[float], float] | None = None

    def match(self, status: int, body: ErrorBody) -> str | None:
        """The word to group by when this rule speaks about the answer, else None."""
        if self.statuses and status not in self.statuses:
            return None
        word = next((c for c in body.codes if self._knows(c)), None)
        if self.codes and word is None:
            return None
        if self.text and not re.search(self.text, body.message, re.IGNORECASE):
            return None
        return word or self.code or body.code or wordless(status)

    def _knows(self, code: str) -> bool:
        return any(fnmatchcase(code.lower(), known) for known in self.codes)


@dataclass(frozen=True, slots=True)
class Profile:
    """One vendor. ``last`` are rules for what no other knows, common ones included. ``hosts`` are
    host names or their parents; ``default_path`` is put behind a bare host; ``needs_key`` says that
    no call works without one; ``open_models`` that its list of models is public, so that reading it
    proves no key; ``chat`` and ``pictures`` how those calls are spoken; ``word_header``: a header
    that has the vendor's word for an error whose body has none."""

    name: str
    hosts: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()
    default_path: str = "/v1"
    needs_key: bool = False
    open_models: bool = False
    last: tuple[Rule, ...] = ()
    chat: ChatWays = ASKED_FOR_NOTHING
    pictures: PictureWays = LIKE_OPENAI
    word_header: str = ""
