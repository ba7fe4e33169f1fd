"""The bench's own judgement, and an ideal client against a real server."""

from __future__ import annotations

import asyncio
import csv
from typing import Any

import httpx
import pytest

from desktop_app.practice.config import from_mapping
from desktop_app.practice.trouble import prompt_hash
from tests.bench import guessed, makespan
from tests.bench.__main__ import main
from tests.bench._report import table
from tests.bench._runs import Done, Usage
from tests.bench.makespan import BARS, CONCURRENCY, SHEET, figures_of, server_config
from tests.practice.practice_kit import Starter

ROWS = [{"prompt": f"p{i}", "customer": str(i % 2)} for i in range(4)]


def _ledger(**changes: Any) -> dict[str, Any]:
    calls = [
        {
            "prompt_hash": prompt_hash(row["prompt"]),
            "attempt": 1,
            "admitted": True,
            "arrived_s": 5 + i // 2 * 10,
            "ended_s": 15 + i // 2 * 10,
            "outcome": "ok",
            "billed": 1,
        }
        for i, row in enumerate(ROWS)
    ]
    return {
        "calls": calls,
        "prompts": {c["prompt_hash"]: {} for c in calls},
        "billed": 4,
        "billed_twice": 0,
        "refused_429": 0,
        "max_in_flight": 2,
        "attempts": 4,
        **changes,
    }


def measure(
    rows: list[dict[str, str]], ledger: dict[str, Any], status: dict[str, Any], scale: float
) -> dict[str, Any]:
    return figures_of(rows, Done(ledger, status, Usage(1.0, 1.0, 1.0)), scale)


def good(figures: dict[str, Any]) -> bool:
    return all(bar.holds(figures) for bar in BARS)


def test_a_perfect_run_has_ratio_one() -> None:
    figures = measure(ROWS, _ledger(), {"success": 3, "failed": 1}, 0.1)
    assert list(figures)[:2] == ["ratio", "ratio_to_lower_bound"]
    assert figures["ratio"] == figures["ratio_to_lower_bound"] == pytest.approx(1.0)
    assert (figures["makespan_s"], figures["lower_bound_s"], figures["lost"]) == (20, 20, 0)
    assert good(figures)
    assert table("makespan", figures, BARS).endswith("passed")


def test_a_slow_a_lost_a_doubled_and_a_refused_run_fail() -> None:
    slow = _ledger()
    slow["calls"][3] = {**slow["calls"][3], "arrived_s": 18, "ended_s": 28}
    assert measure(ROWS, slow, {"success": 4}, 0.1)["ratio"] == pytest.approx(1.15)
    assert not good(measure(ROWS, slow, {"success": 4}, 0.1))
    assert not good(measure(ROWS, _ledger(), {"success": 3}, 0.1))
    assert not good(measure(ROWS, _ledger(billed_twice=1), {"success": 4}, 0.1))
    unseen = _ledger(prompts={})
    assert not good(measure(ROWS, unseen, {"success": 4}, 0.1))
    refused = _ledger()
    late = {"admitted": False, "arrived_s": 16, "ended_s": 16, "outcome": "429_rate"}
    refused["calls"].append({**refused["calls"][3], **late})
    figures = measure(ROWS, refused, {"success": 4}, 0.1)
    assert figures["refused_429_later"] == 1
    assert not good(figures)
    assert "MISSED" in table("makespan", figures, BARS)


def test_an_unknown_bench_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["nonsense"]) == 2
    assert "makespan" in capsys.readouterr().err


@pytest.mark.parametrize(("codes", "code"), [((0, 0), 0), ((1, 0), 1), ((0, 1), 1)])
def test_all_benches_run_whichever_fails(
    codes: tuple[int, int], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[str] = []

    def fake(name: str, its: int) -> int:
        ran.append(name)
        return its

    for bench, its in zip((guessed, makespan), codes, strict=True):
        name = bench.__name__.rpartition(".")[2]
        monkeypatch.setattr(bench, "main", lambda _, name=name, its=its: fake(name, its))
    monkeypatch.setattr("tests.bench.__main__.BENCHES", ["guessed", "makespan"])
    assert main([]) == code
    assert ran == ["guessed", "makespan"]


async def test_an_ideal_client_accounts_for_the_sample(start: Starter) -> None:
    """Greedy on lanes and slots, no overhead but the sockets': what the figures mean."""
    with SHEET.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    config = from_mapping({**server_config(0.002), "qps": 0, "trouble": {}})
    server = await start(config)
    slots, outcomes = asyncio.Semaphore(CONCURRENCY), []

    async def lane(prompts: list[str]) -> None:
        for prompt in prompts:
            answer: httpx.Response | None = None
            while answer is None or answer.status_code == 500:
                async with slots:
                    answer = await server.draw(prompt)
            outcomes.append(answer.status_code)

    lanes: dict[str, list[str]] = {}
    for row in rows:
        lanes.setdefault(row["customer"], []).append(row["prompt"])
    await asyncio.gather(*(lane(prompts) for prompts in lanes.values()))
    status = {"success": outcomes.count(200), "failed": outcomes.count(400)}
    figures = measure(rows, await server.ledger(calls=True), status, 0.002)
    assert (figures["success"], figures["lost"], figures["billed_twice"]) == (199, 0, 0)
    assert (figures["refused_429"], figures["attempts"]) == (0, 202)
    assert figures["ratio"] >= 1.0
    assert figures["max_in_flight"] <= CONCURRENCY
