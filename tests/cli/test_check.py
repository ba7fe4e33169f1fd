"""What the options of ``run`` mean for its report and its trial."""

from __future__ import annotations

import pytest

from desktop_app.cli import check
from desktop_app.cli.check import trial_of
from desktop_app.cli.earlier import choice_of
from desktop_app.cli.parser import parse
from desktop_app.cli.say import Say
from desktop_app.domain.text import OperatorError, Translator, message
from desktop_app.services.import_plan import Earlier, PreRun
from desktop_app.services.trial import Pick, Trial

RUN = ["run", "s.csv", "--practice"]


@pytest.mark.parametrize(
    ("words", "choice"),
    [
        ([], None),
        (["--new"], Earlier.ALL),
        (["--update"], Earlier.CHANGED),
        (["--earlier", "changed"], Earlier.CHANGED),
        (["--earlier", "skip"], Earlier.SKIP),
        (["--earlier", "failed"], Earlier.FAILED),
    ],
)
def test_one_choice_has_two_spellings(words: list[str], choice: Earlier | None) -> None:
    assert choice_of(parse([*RUN, *words])) is choice


@pytest.mark.parametrize(
    ("words", "trial"),
    [
        ([], None),
        (["--trial", "5"], Trial(count=5)),
        (["--trial", "5", "--random", "--seed", "9"], Trial(Pick.RANDOM, 5, 9)),
        (["--trial-rows", "3, 7-8"], Trial(Pick.CHOSEN, rows=frozenset({3, 7, 8}))),
    ],
)
def test_the_trial_that_was_asked_for(words: list[str], trial: Trial | None) -> None:
    assert trial_of(parse([*RUN, *words])) == trial


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--random"], "services.trial_options"),
        (["--trial", "5", "--seed", "9"], "services.trial_options"),
        (["--trial", "5000"], "services.trial_many"),
        (["--trial-rows", ""], "services.bad_rows"),
        (["--trial-rows", "three"], "services.bad_rows"),
    ],
)
def test_a_trial_that_cannot_be_is_said(words: list[str], code: str) -> None:
    with pytest.raises(OperatorError) as caught:
        trial_of(parse([*RUN, *words]))
    assert caught.value.message.code == code


def test_what_is_not_known_of_picture_addresses_is_in_both_reports() -> None:
    unseen = message("services.addresses_unseen", count="7")
    found = PreRun(3, 0, (), "out", False, None, None, (), address_doubts=(unseen,))
    say = Say(Translator(), as_json=False)
    told = "Addresses of pictures that were not looked at, since that would take too long: 7."
    assert told in list(check._lines(say, found))
    assert check._document(say, found)["addresses"] == [told]
