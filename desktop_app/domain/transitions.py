"""The one table of legal moves, so that no room can invent a move of its own."""

from __future__ import annotations

from desktop_app.domain.task import TaskState as S

LEGAL: frozenset[tuple[S, S]] = frozenset(
    {
        (S.PENDING, S.RUNNING),  # claimed
        (S.RETRYING, S.RUNNING),
        (S.RUNNING, S.SUCCESS),  # result verified, renamed, committed
        (S.RUNNING, S.RETRYING),  # transient failure, retries left
        (S.RUNNING, S.FAILED),  # refused or invalid: never resent
        (S.RUNNING, S.DEAD),  # retries used up
        (S.RUNNING, S.UNCERTAIN),  # may have been billed, nobody can be asked
        (S.RUNNING, S.RUNNING),  # polled: the job goes on
        (S.RUNNING, S.PENDING),  # given back: not sent, throttled, account trouble
        (S.RUNNING, S.CANCELLED),  # cancel was asked for before it was sent
        (S.UNCERTAIN, S.RUNNING),  # asked again
        (S.DEAD, S.RUNNING),  # its provider names a job after all: it is asked
        (S.FAILED, S.RUNNING),
        (S.UNCERTAIN, S.SUCCESS),  # late result or attached file
        (S.UNCERTAIN, S.FAILED),  # a person says so
        (S.FAILED, S.PENDING),  # requeued by a person
        (S.DEAD, S.PENDING),
        (S.UNCERTAIN, S.PENDING),
        (S.CANCELLED, S.PENDING),
        (S.PENDING, S.CANCELLED),
        (S.RETRYING, S.CANCELLED),
        # A late success, while the newer attempt has not been sent, wins and drops the resend.
        (S.PENDING, S.SUCCESS),
        (S.RETRYING, S.SUCCESS),
        # Given up after its third timeout, or refused when it was sent once more, it is paid for
        # all the same: nothing newer will come.
        (S.DEAD, S.SUCCESS),
        (S.FAILED, S.SUCCESS),
    }
)


REOPENED = (S.SUCCESS, S.PENDING)
"""Legal only with a newer edition: what came out of the older one stays, as history."""


class IllegalMove(ValueError):
    """A move that is not in the table: always a programming error."""


def is_legal(start: S, end: S) -> bool:
    """Whether a task may go from ``start`` to ``end``."""
    return (start, end) in LEGAL


def check(start: S, end: S) -> None:
    """Raise IllegalMove unless the table has the move."""
    if not is_legal(start, end):
        raise IllegalMove(f"{start.word} -> {end.word}")
