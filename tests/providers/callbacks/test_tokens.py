"""A token opens the door to one attempt, and nobody can make one."""

from __future__ import annotations

import base64
import hashlib
import hmac

import pytest

from desktop_app.domain.ports import CallbackRule
from desktop_app.domain.ports.callbacks import Addressee
from desktop_app.providers.callbacks.tokens import Tokens, mark_of

SECRET = b"0123456789abcdef0123456789abcdef"
WHOSE = Addressee(42, mark_of("9f1c-edition-1"))


def test_a_token_says_whose_it_is() -> None:
    assert Tokens(SECRET).read(Tokens(SECRET).of(WHOSE)) == WHOSE


def test_a_token_is_what_the_standard_makes_of_it() -> None:
    mark = hashlib.sha256(b"9f1c-edition-1").hexdigest()[:16]
    proof = hmac.new(SECRET, f"call:42:{mark}".encode(), hashlib.sha256).digest()
    word = base64.urlsafe_b64encode(proof).decode().rstrip("=")
    assert Tokens(SECRET).of(WHOSE) == f"42-{mark}-{word}"


def test_one_from_another_program_opens_nothing() -> None:
    assert Tokens(SECRET[::-1]).read(Tokens(SECRET).of(WHOSE)) is None


def test_no_other_attempt_is_reached_with_it() -> None:
    token = Tokens(SECRET).of(WHOSE)
    number, mark, proof = token.split("-", 2)
    for forged in (
        f"43-{mark}-{proof}",
        f"042-{mark}-{proof}",
        f"{number}-{mark[::-1]}-{proof}",
        f"{number}-{mark}-{proof[:-1]}A" if proof[-1] != "A" else f"{number}-{mark}-{proof[:-1]}B",
    ):
        assert Tokens(SECRET).read(forged) is None


@pytest.mark.parametrize(
    "nonsense",
    ["", "-", "42", "a" * 10_000, "٤٢-0123456789abcdef-" + "a" * 43, "9" * 40, "42-x-y\n"],
)
def test_what_is_no_token_is_none(nonsense: str) -> None:
    assert Tokens(SECRET).read(nonsense) is None


def test_a_line_end_behind_a_token_is_no_token() -> None:
    assert Tokens(SECRET).read(Tokens(SECRET).of(WHOSE) + "\n") is None


def test_what_calls_are_signed_with_is_nothing_that_an_address_gives_away() -> None:
    tokens = Tokens(SECRET)
    plain = tokens.signing_secret(42, CallbackRule("hmac-sha256", "X-Sig"))
    svix = tokens.signing_secret(42, CallbackRule("svix"))
    assert svix.startswith("whsec_")
    assert base64.b64decode(svix[6:]).hex() == plain
    assert plain != tokens.signing_secret(43, CallbackRule("hmac-sha256", "X-Sig"))
    assert plain[:8] not in tokens.of(WHOSE)
