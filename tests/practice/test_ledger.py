"""The ledger adds up under everything at once."""

from __future__ import annotations

import asyncio
from collections import Counter

import httpx

from desktop_app.practice.ledger import PracticeLedger
from desktop_app.practice.trouble import prompt_hash
from tests.practice.practice_kit import Starter


async def test_every_call_and_every_charge_is_counted_once(start: Starter) -> None:
    server = await start(concurrency=8, qps=4, burst=20, mean_s=2, time_scale=0.01)
    prompts = [f"mug {i}" for i in range(20)]
    prompts += ["a [[500]]", "b [[drop]]", "c [[truncated]]", "d [[moderate]]", "e [[badimage]]"]
    seen: Counter[str] = Counter()

    async def send(prompt: str) -> None:
        try:
            answer = await server.draw(prompt)
        except httpx.RemoteProtocolError:
            seen["cut"] += 1
            return
        seen[str(answer.status_code)] += 1

    await asyncio.gather(*(send(p) for p in prompts * 6))
    ledger = await server.until(in_flight=0)
    pages = ledger["prompts"].values()
    assert ledger["attempts"] == 150 == sum(seen.values()) == sum(p["attempts"] for p in pages)
    assert all(p["attempts"] == sum(p["outcomes"].values()) for p in pages)
    outcomes = ledger["outcomes"]
    assert ledger["refused_429"] == seen["429"]
    assert outcomes["429_concurrency"] + outcomes.get("429_rate", 0) == seen["429"]
    charged = sum(outcomes.get(kind, 0) for kind in ("ok", "drop", "truncated", "badimage"))
    assert ledger["billed"] == charged == sum(p["billed"] for p in pages)
    assert seen["200"] == outcomes["ok"] + outcomes.get("badimage", 0)
    assert ledger["billed_twice"] == sum(p["billed"] > 1 for p in pages)
    assert ledger["max_in_flight"] == 8


async def test_a_prompt_is_found_by_its_hash_with_its_first_80_characters(start: Starter) -> None:
    server = await start()
    prompt = "很长的提示词" * 30
    await server.draw(prompt)
    page = (await server.ledger())["prompts"][prompt_hash(prompt)]
    assert page == {
        "prompt": prompt[:80],
        "attempts": 1,
        "billed": 1,
        "in_flight": 0,
        "outcomes": {"ok": 1},
    }


async def test_the_charge_comes_with_the_work_not_before(start: Starter) -> None:
    server = await start(mean_s=30, sigma=0)
    call = asyncio.create_task(server.draw("mug"))
    ledger = await server.until(in_flight=1)
    assert ledger["billed"] == 0
    assert (await call).status_code == 200
    assert (await server.ledger())["billed"] == 1


def test_the_busiest_second_is_any_second() -> None:
    at = [0.0]
    ledger = PracticeLedger(lambda: at[0], 0.1)
    for moment in (0.0, 0.6, 0.9, 1.3, 1.5, 1.59, 5.0):
        at[0] = moment
        visit = ledger.arrive("p")
        ledger.admit(visit)
        ledger.close(visit, "ok")
    report = ledger.report()
    assert report["max_in_1s"] == 5  # 0.6 to 1.59
    assert report["max_admitted_in_nominal_1s"] == 2  # within 0.1 real seconds
    assert report["max_in_flight"] == 1
