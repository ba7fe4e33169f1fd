"""From a server's ledger to ratios: what the calls took, and what no client could beat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from desktop_app.practice.trouble import prompt_hash
from tests.bench._bound import Calls, Limits, list_schedule, lower_bound


def ratios(
    rows: Sequence[Mapping[str, str]],
    ledger: Mapping[str, Any],
    limits: Limits,
    lane_column: str | None = None,
) -> dict[str, float]:
    """Times are real seconds, as the scale made them.

    ``ratio`` is the makespan over the list schedule: these calls with the durations the server
    gave them, in sheet order and lane by lane, at these limits, by a client that takes no time at
    all. No client that can't know beforehand how long a call will take does better on average.
    ``ratio_to_lower_bound`` is over what not even one that knows could beat (``_bound``).
    """
    row_of = {prompt_hash(row["prompt"]): number for number, row in enumerate(rows)}
    lane_of = [row[lane_column] if lane_column else str(n) for n, row in enumerate(rows)]
    names = {lane: number for number, lane in enumerate(dict.fromkeys(lane_of))}
    worked = [c for c in ledger["calls"] if c["admitted"] and c["ended_s"] is not None]
    worked.sort(key=lambda call: (row_of[call["prompt_hash"]], call["attempt"]))
    sheet = [
        (names[lane_of[row_of[call["prompt_hash"]]]], call["ended_s"] - call["arrived_s"])
        for call in worked
    ]
    lanes: dict[int, list[float]] = defaultdict(list)
    for lane, took in sheet:
        lanes[lane].append(took)
    bound = lower_bound(Calls(tuple(tuple(lane) for lane in lanes.values())), limits)
    greedy = list_schedule(sheet, limits)
    first = min((call["arrived_s"] for call in ledger["calls"]), default=0.0)
    makespan = max((call["ended_s"] for call in worked), default=first) - first
    return {
        "ratio": makespan / greedy if greedy else float("inf"),
        "ratio_to_lower_bound": makespan / bound if bound else float("inf"),
        "makespan_s": makespan,
        "list_schedule_s": greedy,
        "lower_bound_s": bound,
    }


def counts(
    rows: Sequence[Mapping[str, str]], ledger: Mapping[str, Any], accounted: int
) -> dict[str, int]:
    """Whether every row came to an end, once, and what was refused on the way. A 429 belongs to
    the first burst if nothing had been answered yet when it came."""
    refused = [c["arrived_s"] for c in ledger["calls"] if (c["outcome"] or "").startswith("429_")]
    first_answer = min(
        (c["ended_s"] for c in ledger["calls"] if c["admitted"] and c["ended_s"] is not None),
        default=0.0,
    )
    return {
        "rows": len(rows),
        "lost": len(rows) - accounted,
        "unseen_by_server": sum(
            prompt_hash(row["prompt"]) not in ledger["prompts"] for row in rows
        ),
        "billed": ledger["billed"],
        "billed_twice": ledger["billed_twice"],
        "refused_429": len(refused),
        "refused_429_later": sum(at > first_answer for at in refused),
        "max_in_flight": ledger["max_in_flight"],
        "attempts": ledger["attempts"],
    }
