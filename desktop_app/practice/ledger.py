"""Counts every call and every charge, so that a test can prove that nothing was paid for twice."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from desktop_app.practice.lines import Passage
from desktop_app.practice.trouble import prompt_hash


@dataclass(slots=True)
class Visit:
    """One call from its arrival to its answer. Times are real seconds since the ledger began;
    ``admitted`` tells whether it passed the limits; ``attempt`` counts admitted ones only."""

    name: str
    arrived_s: float
    attempt: int = 0
    admitted: bool = False
    ended_s: float | None = None
    outcome: str | None = None
    billed: int = 0


@dataclass(slots=True)
class _Page:
    """What the ledger knows of one prompt."""

    prompt: str
    attempts: int = 0
    admitted: int = 0
    billed: int = 0
    in_flight: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)


class PracticeLedger:
    """Belongs to the server's loop, hence exact without locks: attempts = outcomes + in flight.

    ``clock`` gives real seconds; ``time_scale`` turns them into nominal ones.
    """

    def __init__(self, clock: Callable[[], float], time_scale: float) -> None:
        self._clock = clock
        self._began = clock()
        self._scale = time_scale
        self._pages: dict[str, _Page] = {}
        self._visits: list[Visit] = []
        self._passages: list[Passage] = []
        self._turned_away = 0
        self._in_flight = 0
        self._max_in_flight = 0
        self._windows = (_Window(1.0), _Window(time_scale))

    def came(self, key: str | None, peer_port: int | None) -> Passage:
        """The head of a call came, with this idempotency key, from this port."""
        passage = Passage(key, peer_port, self._clock() - self._began)
        self._passages.append(passage)
        return passage

    def arrive(self, prompt: str) -> Visit:
        """A call with a good key and a readable prompt came."""
        name = prompt_hash(prompt)
        page = self._pages.setdefault(name, _Page(prompt[:80]))
        page.attempts += 1
        page.in_flight += 1
        visit = Visit(name, self._clock() - self._began)
        self._visits.append(visit)
        self._windows[0].add(visit.arrived_s)
        return visit

    def turn_away(self) -> None:
        """A call with a wrong key or an unreadable request: no prompt to book it under."""
        self._turned_away += 1

    def next_attempt(self, visit: Visit) -> int:
        """The number this call will have if it passes the limits, 1 for the first."""
        return self._pages[visit.name].admitted + 1

    def admit(self, visit: Visit) -> None:
        """It passed the limits and is being worked on."""
        page = self._pages[visit.name]
        page.admitted += 1
        visit.attempt = page.admitted
        visit.admitted = True
        self._in_flight += 1
        self._max_in_flight = max(self._max_in_flight, self._in_flight)
        self._windows[1].add(self._clock() - self._began)

    def count_only(self, visit: Visit) -> None:
        """It is answered before any limit is asked: an attempt of its prompt, but no work."""
        page = self._pages[visit.name]
        page.admitted += 1
        visit.attempt = page.admitted

    def bill(self, visit: Visit) -> None:
        """The server commits to charge for this call, whatever becomes of the answer."""
        visit.billed += 1
        self._pages[visit.name].billed += 1

    def close(self, visit: Visit, outcome: str) -> None:
        """The call ended, once."""
        if visit.outcome is not None:
            return
        page = self._pages[visit.name]
        page.in_flight -= 1
        page.outcomes[outcome] += 1
        visit.outcome = outcome
        visit.ended_s = self._clock() - self._began
        if visit.admitted:
            self._in_flight -= 1

    def report(self, *, calls: bool = False) -> dict[str, Any]:
        """The whole ledger as JSON; ``calls`` adds one entry a call, in order of arrival, and one a
        passage (see ``lines``)."""
        outcomes: Counter[str] = Counter()
        for page in self._pages.values():
            outcomes.update(page.outcomes)
        pages = self._pages.values()
        found: dict[str, Any] = {
            "attempts": sum(p.attempts for p in pages),
            "billed": sum(p.billed for p in pages),
            "billed_twice": sum(p.billed > 1 for p in pages),
            "refused_429": sum(n for o, n in outcomes.items() if o.startswith("429_")),
            "turned_away": self._turned_away,
            "in_flight": self._in_flight,
            "max_in_flight": self._max_in_flight,
            "max_in_1s": self._windows[0].most,
            "max_admitted_in_nominal_1s": self._windows[1].most,
            "elapsed_s": self._clock() - self._began,
            "time_scale": self._scale,
            "outcomes": dict(sorted(outcomes.items())),
            "prompts": {
                name: {
                    "prompt": page.prompt,
                    "attempts": page.attempts,
                    "billed": page.billed,
                    "in_flight": page.in_flight,
                    "outcomes": dict(sorted(page.outcomes.items())),
                }
                for name, page in self._pages.items()
            },
        }
        if calls:
            found["calls"] = [
                {
                    "prompt_hash": v.name,
                    "attempt": v.attempt,
                    "admitted": v.admitted,
                    "arrived_s": v.arrived_s,
                    "ended_s": v.ended_s,
                    "outcome": v.outcome,
                    "billed": v.billed,
                }
                for v in self._visits
            ]
            found["passages"] = [asdict(passage) for passage in self._passages]
        return found


class _Window:
    """The most events in any span of ``length`` seconds."""

    def __init__(self, length: float) -> None:
        self._length = length
        self._recent: deque[float] = deque()
        self.most = 0

    def add(self, at: float) -> None:
        self._recent.append(at)
        while self._recent[0] <= at - self._length:
            self._recent.popleft()
        self.most = max(self.most, len(self._recent))
