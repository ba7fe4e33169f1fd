from __future__ import annotations

import re
from string import Formatter

import pytest

from desktop_app.domain.wording.providers import MESSAGES
from desktop_app.providers.profiles import GENERIC, PROFILES
from desktop_app.providers.profiles.common import CODES, TEXTS
from desktop_app.providers.profiles.hidden import HIDDEN
from desktop_app.providers.profiles.rule import Rule

OF_ALL = (*CODES, *TEXTS, *HIDDEN)
ALL = [rule for profile in (*PROFILES, GENERIC) for rule in profile.rules] + [*OF_ALL]


@pytest.mark.parametrize("rule", ALL, ids=lambda rule: f"{rule.kind}-{rule.said}")
def test_every_rule_can_match_and_has_a_sentence(rule: Rule) -> None:
    assert f"providers.{rule.said}" in MESSAGES
    assert rule.codes or (rule.statuses and rule.text), "text alone must not decide"
    assert all(code == code.lower() for code in rule.codes)
    assert rule.codes or rule.code, "nothing to group by"
    re.compile(rule.text)


@pytest.mark.parametrize("name", [code for code in MESSAGES if code.endswith("_said")])
def test_a_sentence_that_quotes_has_one_that_does_not(name: str) -> None:
    plain = MESSAGES[name.removesuffix("_said")]
    fields = {field for _, field, _, _ in Formatter().parse(plain) if field}
    assert fields <= {"host", "model", "status"}
    assert "{text}" in MESSAGES[name]


def test_sentences_are_sentences() -> None:
    for code, text in MESSAGES.items():
        assert code.startswith("providers.")
        assert text[0] == "{" or text[0].isupper()
        assert text.rstrip().endswith((".", "?", "}")), text
