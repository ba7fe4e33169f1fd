"""Finds the row whose answer kills the program, and blames no other for it.

While an answer is decoded or written its attempt is marked. After a crash the marked rows are
suspects: each is sent and processed with no other suspect about, and written with nothing else
being written. One that ends the program then is set aside; one that comes through is cleared.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from desktop_app.domain.attempt import Claim, Mark, Orphan
from desktop_app.domain.ports import EngineStore


class Processing:
    """Marks, suspects, and who may write beside whom."""

    def __init__(self, store: EngineStore) -> None:
        self._store = store
        self._suspects: set[int] = set()
        self._unread: set[int] = set()
        self._out: int | None = None
        self._marked: set[int] = set()
        self._inside = 0
        self._alone = 0
        self._changed = asyncio.Condition()

    def look_back(self, orphans: Iterable[Orphan]) -> Orphan | None:
        """At start: make what was being processed suspects. Returns the one to set aside: it was
        a suspect already, and nothing else was being processed."""
        self._suspects = set(self._store.suspects())
        marked = [orphan for orphan in orphans if orphan.processing]
        for orphan in marked:
            self._store.note(Mark.PROCESSED, orphan.claim.attempt_pk)
        if len(marked) == 1 and marked[0].claim.task_pk in self._suspects:
            self.clear(marked[0].claim)
            return marked[0]
        for orphan in marked:
            if orphan.claim.task_pk not in self._suspects:
                self._suspects.add(orphan.claim.task_pk)
                self._store.note(Mark.SUSPECT, orphan.claim.task_pk)
        return None

    def is_suspect(self, claim: Claim) -> bool:
        """Whether the program ended while this row was processed."""
        return claim.task_pk in self._suspects

    def leave_unread(self, task_pks: Iterable[int]) -> None:
        """Of these rows, and of no others, an answer that came lies where nobody could look at it
        yet: until somebody has they are not sent again."""
        self._unread = set(task_pks)

    def is_unread(self, claim: Claim) -> bool:
        """Whether what came for this row may be all that it asks for."""
        return claim.task_pk in self._unread

    def may_go(self, claim: Claim) -> bool:
        """Whether this row may be sent: of the suspects one at a time. ``gone`` ends its turn."""
        if not self.is_suspect(claim):
            return True
        if self._out is None:
            self._out = claim.attempt_pk
        return self._out == claim.attempt_pk

    def gone(self, claim: Claim) -> None:
        """The attempt is over."""
        self.ends(claim)
        if self._out == claim.attempt_pk:
            self._out = None

    def clear(self, claim: Claim) -> None:
        """The row was processed well, or is with a person."""
        if claim.task_pk in self._suspects:
            self._suspects.discard(claim.task_pk)
            self._store.note(Mark.CLEARED, claim.task_pk)

    def begins(self, claim: Claim) -> None:
        """Its answer is decoded or written from now on. Of one mark after the other the first
        stands for both."""
        if claim.attempt_pk not in self._marked:
            self._marked.add(claim.attempt_pk)
            self._store.note(Mark.PROCESSING, claim.attempt_pk)

    def ends(self, claim: Claim) -> None:
        """That went well, or came to an error that ended nobody."""
        if claim.attempt_pk in self._marked:
            self._marked.remove(claim.attempt_pk)
            self._store.note(Mark.PROCESSED, claim.attempt_pk)

    def of(self, claim: Claim) -> Inside:
        """Marked inside; a suspect has the inside for itself."""
        return Inside(self, claim)

    def enters(self, alone: bool) -> bool:
        """Count one more inside, if it may be at once; else ``enter`` waits for it."""
        if alone or self._alone:
            return False
        self._inside += 1
        return True

    async def enter(self, claim: Claim, alone: bool) -> None:
        """Count one more inside, once it may be."""
        self._alone += alone
        if self._inside or not alone:
            self.ends(claim)  # while it waits nothing is done with it
            try:
                async with self._changed:
                    await self._changed.wait_for(
                        lambda: not self._inside if alone else not self._alone
                    )
            except BaseException:
                self._alone -= alone
                raise
        self._inside += 1

    def leaves(self, alone: bool) -> bool:
        """Count one less inside. Whether somebody may wait for that: ``leave`` tells them."""
        self._inside -= 1
        self._alone -= alone
        return bool(self._alone or alone) and (not self._inside or alone)

    async def leave(self) -> None:
        """Let those that wait look again."""
        async with self._changed:
            self._changed.notify_all()


class Inside:
    """``async with``: one answer that is decoded or written. A class, for every answer passes."""

    __slots__ = ("_alone", "_claim", "_processing")

    def __init__(self, processing: Processing, claim: Claim) -> None:
        self._processing = processing
        self._claim = claim
        self._alone = processing.is_suspect(claim)

    async def __aenter__(self) -> None:
        if not self._processing.enters(self._alone):
            await self._processing.enter(self._claim, self._alone)
        self._processing.begins(self._claim)

    async def __aexit__(self, *_: object) -> None:
        self._processing.ends(self._claim)
        if self._processing.leaves(self._alone):
            await self._processing.leave()
