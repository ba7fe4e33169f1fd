"""kill -9 at random moments, again and again: what is lost, doubled, stuck, or called uncertain.

    python -m tests.bench.crash [--rounds N] [--seed S] [--json]

A round is a fresh data folder, a sheet of 40 rows and a provider that outlives every kill: the
practice server in a process of its own, whose hidden limit is below what the connection states (so
429s come), which fails 6% of the calls and refuses 4% of the prompts. The real program runs the
sheet under ``hold``; its whole process group is killed one to three times at random moments (a
fifth of them before the first call), and started again with ``resume`` or ``run``, at once or when
the provider has ended its work.

**On the wire at a kill** is what the provider alone can say: a call that came before any later
process could have sent one, and that it had not answered or refused when the signal was sent.
An answer it had given is not on the wire any more, whether or not this program had stored it. The
provider's clock is read through its ledger, to about a millisecond. A row may end UNCERTAIN only
if a call of this very row was on the wire at a kill (stricter than comparing two numbers).

What no ledger shows is the sockets, which are lost with the process: an answer that the provider
gave a moment before the kill may not have come home yet (``way_home``, given at most ``WAY_HOME_S``
before), a request noted as leaving may not have come out (``way_out``, claimed at most
``WAY_OUT_S`` before). Rows in doubt for these are told apart, and may be ``SOCKETS_MOST`` of the
calls on the wire; what is older could have been stored, and a row in doubt for it is a miss
(``off_wire``). Calls here last half a second, so both shares are fifty times what they are with
calls of 28 seconds.

Exit code 1 on any miss.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from PIL import Image

from desktop_app.practice.trouble import prompt_hash
from tests.e2e.program import KEY, Program, Provider, kill_group, provider, sheet

ROWS = 40
STATED, HIDDEN = 10, 8
CONFIG = {
    "concurrency": HIDDEN,
    "qps": 0,
    "mean_s": 8.0,
    "sigma": 0.35,
    "quick_s": 1.5,
    "time_scale": 0.06,
    "trouble": {"500": 0.06, "moderate": 0.04},
}
WORK_S = 2.6
"""About as long as the calls of one round take: kills fall into it."""

EARLY = 0.2
START_S = 1.2
OVERTAKE_S = 0.2
"""No process comes from its start to its first call in less."""

WAY_HOME_S = 0.15
WAY_OUT_S = 0.25
SOCKETS_MOST = 0.1
"""On a machine with more to do than cores a process gets its turn late: the two times bear that,
and this share keeps them from hiding a program that stores late. It is 3% at four times the load.
"""


@dataclass(frozen=True, slots=True)
class Kill:
    """``wire`` holds prompt hashes; ``answered`` what the provider answered at most a second
    before the kill: prompt hash -> (outcome, seconds before). ``at`` is epoch seconds, ``at_s``
    the same on the provider's clock."""

    at: float
    at_s: float
    wire: frozenset[str]
    answered: dict[str, tuple[str, float]]


@dataclass(slots=True)
class Round:
    """What a round came to. ``faults`` are sentences, none where every promise was kept."""

    number: int
    rows: int = 0
    kills: int = 0
    on_wire: int = 0
    uncertain: int = 0
    way_home: int = 0
    way_out: int = 0
    success: int = 0
    failed: int = 0
    dead: int = 0
    billed: int = 0
    refused_429: int = 0
    lost: int = 0
    billed_twice: int = 0
    stuck: int = 0
    off_wire: int = 0
    leftovers: int = 0
    undecodable: int = 0
    sent_while_dead: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


MISSES = (
    "lost",
    "billed_twice",
    "stuck",
    "off_wire",
    "leftovers",
    "undecodable",
    "sent_while_dead",
)
"""Figures of a round that must be 0."""


class Server:
    """The provider's side of the story."""

    def __init__(self, shop: Provider) -> None:
        self._shop = shop

    def reset(self, seed: int) -> None:
        """A fresh ledger, with other dice."""
        self._ask("reset", json.dumps({**CONFIG, "seed": seed}).encode())

    def told(self) -> dict[str, Any]:
        """The ledger with every call."""
        return self._ask("ledger?calls=1")

    def clock(self) -> Callable[[float], float]:
        """Turns this process's monotonic seconds into the ledger's; both are the machine's."""
        best = (float("inf"), 0.0)
        for _ in range(5):
            before = time.monotonic()
            elapsed = self._ask("ledger")["elapsed_s"]
            after = time.monotonic()
            best = min(best, (after - before, elapsed - (before + after) / 2))
        return lambda at: at + best[1]

    def _ask(self, what: str, body: bytes | None = None) -> dict[str, Any]:
        url = f"http://127.0.0.1:{self._shop.port}/_practice/{what}"
        asked = urllib.request.Request(url, body, {"Authorization": f"Bearer {KEY}"})
        with urllib.request.urlopen(asked, timeout=30) as answer:
            found: dict[str, Any] = json.load(answer)
        return found


class Breaker:
    """One server and one prepared data folder for many rounds of ``rows`` rows."""

    def __init__(self, folder: Path, shop: Provider, seed: int, rows: int) -> None:
        self._folder = folder
        self._seed = seed
        self._rows = rows
        self._server = Server(shop)
        self._ready = folder / "ready"
        Program(self._ready, {}).connect(
            shop, "--concurrency", str(STATED), "--headroom", "1",
            "--on-unknown", "hold", "--price", "1",
        )  # fmt: skip

    def round(self, number: int) -> Round:
        """Run one, and judge it."""
        start = time.monotonic()
        dice = random.Random(f"{self._seed}:{number}")
        place = self._folder / str(number)
        shutil.copytree(self._ready, place / "data")
        program = Program(place / "data", {"BATCHWRIGHT_KEY_SHOP": KEY})
        self._server.reset(number + self._seed * 1000)
        clock = self._server.clock()
        prompts = [f"vase {number}-{row}" for row in range(self._rows)]
        source = sheet(place / "vases.csv", prompts)
        again: list[str | Path] = ["run", source, "--connection", "shop", "--out", place / "out"]
        again += ["--param", "size=256x256"]
        verb, seen = again, Round(number)
        kills: list[Kill] = []
        for _ in range(dice.randint(1, 3)):
            kill = self._run_and_kill(program, verb, dice, clock)
            if kill is None:
                break
            kills.append(kill)
            if dice.random() < 0.5:
                seen.sent_while_dead += self._wait_and_watch(kill)
            # A call came, so there is a batch; else the import itself may have been killed.
            began = bool(self._server.told()["calls"])
            verb = ["resume"] if began and dice.random() < 0.7 else again
        done = program.run("--json", *verb, timeout=300)
        status = done.json
        # A batch whose import was killed is dropped, and its number with it.
        tasks = program.run("--json", "tasks", "--batch", str(status["batch"])).json
        told = self._server.told()
        judge(seen, kills, status, done.code, tasks, told, prompts, place / "out")
        for task in tasks:
            if task["state"] == "uncertain":
                doubt(seen, kills, task, told, program)
        seen.faults += [f"{getattr(seen, name)} {name}" for name in MISSES if getattr(seen, name)]
        seen.seconds = time.monotonic() - start
        if not seen.faults:
            shutil.rmtree(place)
        return seen

    def _run_and_kill(
        self,
        program: Program,
        verb: list[str | Path],
        dice: random.Random,
        clock: Callable[[float], float],
    ) -> Kill | None:
        """None: it had ended before."""
        before = len(self._server.told()["calls"])
        early, wait = dice.random() < EARLY, dice.random()
        with program.running("--json", *verb) as process:
            if early:
                time.sleep(wait * START_S)
            else:
                while len(self._server.told()["calls"]) == before and process.poll() is None:
                    time.sleep(0.02)
                time.sleep(wait * WORK_S * self._rows / ROWS)
            if process.poll() is not None:
                return None
            at, at_s = time.time(), clock(time.monotonic())
            kill_group(process)
        time.sleep(OVERTAKE_S)
        calls = self._server.told()["calls"]
        return Kill(
            at,
            at_s,
            frozenset(
                c["prompt_hash"] for c in calls if c["ended_s"] is None or c["ended_s"] > at_s
            ),
            {
                c["prompt_hash"]: (c["outcome"], at_s - c["ended_s"])
                for c in calls
                if c["ended_s"] is not None and 0 <= at_s - c["ended_s"] < 1
            },
        )

    def _wait_and_watch(self, kill: Kill) -> int:
        """Until the provider has ended its work. How many calls came since the kill that no
        socket can have held."""
        while (told := self._server.told())["in_flight"]:
            time.sleep(0.05)
        return sum(call["arrived_s"] > kill.at_s + OVERTAKE_S for call in told["calls"])


def judge(
    seen: Round,
    kills: list[Kill],
    status: dict[str, Any],
    code: int,
    tasks: list[dict[str, Any]],
    told: dict[str, Any],
    prompts: list[str],
    folder: Path,
) -> None:
    """Fill in the figures and name every fault. ``status`` is what the last process printed."""
    seen.kills, seen.rows = len(kills), len(prompts)
    seen.on_wire = sum(len(kill.wire) for kill in kills)
    for state in ("uncertain", "success", "failed", "dead"):
        setattr(seen, state, status[state])
    seen.billed, seen.refused_429 = told["billed"], told["refused_429"]
    seen.billed_twice = told["billed_twice"]
    seen.stuck = sum(t["state"] in ("pending", "running", "retrying") for t in tasks)
    seen.leftovers = len(list(folder.rglob(".bw-*")))
    by_prompt = {task["prompt"]: task for task in tasks}
    pages, files = told["prompts"], set()
    for prompt in prompts:
        task, page = by_prompt.get(prompt), pages.get(prompt_hash(prompt))
        if task is None or (page is None and task["state"] != "uncertain"):
            seen.lost += 1
            continue
        if page is None:
            continue
        state, outcomes = task["state"], page["outcomes"]
        if state == "success":
            files.add(folder / task["output"])
            seen.undecodable += not decodes(folder / task["output"])
        # Paid work must be a file, or be known to be in doubt.
        seen.lost += page["billed"] > 0 and state not in ("success", "uncertain")
        seen.lost += state == "failed" and "moderate" not in outcomes
        seen.lost += state == "dead" and outcomes.get("500", 0) < 4
    ledger = sum(status[s] for s in ("success", "failed", "dead", "uncertain"))
    if not (status["imported"] == len(tasks) == ledger == len(prompts)):
        seen.faults.append(f"the ledger does not add up: {status}")
    if files != set(folder.glob("*.png")):
        seen.faults.append("files and successes differ")
    if code != (3 if status["failed"] + status["dead"] + status["uncertain"] else 0):
        seen.faults.append(f"exit code {code}")


def decodes(path: Path) -> bool:
    """Whether the whole picture can be read."""
    try:
        with Image.open(path) as opened:
            opened.load()
    except OSError:
        return False
    return True


def doubt(
    seen: Round,
    kills: list[Kill],
    task: dict[str, Any],
    told: dict[str, Any],
    program: Program,
) -> None:
    """Why one row is UNCERTAIN: the wire, the sockets, or nothing that would excuse it."""
    name = prompt_hash(task["prompt"])
    if any(name in kill.wire for kill in kills):
        return
    tries = program.run("--json", "attempts", "--task", task["task"]).json["attempts"]
    tries = [one for one in tries if one["outcome"] not in ("not_sent", "offline")]
    started = max(datetime.fromisoformat(one["started_at"]).timestamp() for one in tries)
    came = told["prompts"].get(name, {}).get("attempts", 0)
    if came < len(tries) and any(0 <= kill.at - started <= WAY_OUT_S for kill in kills):
        seen.way_out += 1
        return
    last = next((kill.answered[name] for kill in kills if name in kill.answered), None)
    if last is not None and last[1] <= WAY_HOME_S:
        seen.way_home += 1
        return
    seen.off_wire += 1
    why = "no call at a kill" if last is None else f"{last[0]} {last[1] * 1000:.0f} ms before"
    seen.faults.append(f"row {task['row']} is UNCERTAIN: {why}")


def total(rounds: list[Round]) -> dict[str, Any]:
    """The sum over all rounds."""
    names = [n for n in asdict(Round(0)) if n not in ("number", "faults", "seconds")]
    figures: dict[str, Any] = {"rounds": len(rounds)}
    figures |= {name: sum(getattr(r, name) for r in rounds) for name in names}
    figures["seconds"] = round(sum(r.seconds for r in rounds), 1)
    figures["rounds_with_faults"] = sum(bool(r.faults) for r in rounds)
    figures["in_sockets"] = figures["way_home"] + figures["way_out"]
    most = SOCKETS_MOST * figures["on_wire"]
    figures["passed"] = not figures["rounds_with_faults"] and figures["in_sockets"] <= most
    return figures


def table(figures: dict[str, Any]) -> str:
    """One line a figure; what must be 0 says so."""
    lines = [f"kill -9: {figures['rows']} rows in {figures['rounds']} rounds"]
    for name, value in figures.items():
        must = "  (must be 0)" if name in (*MISSES, "rounds_with_faults") else ""
        lines.append(f"  {name.replace('_', ' '):<20}{value:>10}{must}")
    return "\n".join(lines)


def run(
    rounds: int,
    seed: int,
    folder: Path,
    tell: Callable[[Round], None],
    *,
    rows: int = ROWS,
    workers: int = 1,
) -> list[Round]:
    """All rounds, on ``workers`` servers at once; most of a round is waiting. ``tell`` hears of
    each. The folder of a bad one is kept."""

    def work(first: int) -> list[Round]:
        place = folder / f"worker-{first}"
        place.mkdir()
        done = []
        with provider(CONFIG, place) as shop:
            breaker = Breaker(place, shop, seed, rows)
            for number in range(first, rounds, workers):
                done.append(breaker.round(number))
                tell(done[-1])
        return done

    with ThreadPoolExecutor(workers) as pool:
        return [one for some in pool.map(work, range(workers)) for one in some]


def main(arguments: list[str]) -> int:
    """Run, print, judge."""
    parser = argparse.ArgumentParser(prog="crash", description=__doc__)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(10_000))
    parser.add_argument("--workers", type=int, default=1, help="rounds at once")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)

    def tell(one: Round) -> None:
        for fault in one.faults:
            print(f"  round {one.number}: {fault}", file=sys.stderr, flush=True)

    if not given.json:
        print(f"seed {given.seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="batchwright-crash-"))
    rounds = run(given.rounds, given.seed, folder, tell, workers=given.workers)
    figures = {"seed": given.seed, **total(rounds)}
    if not given.json:
        print(table(figures))
    print(json.dumps(figures))
    if figures["passed"]:
        shutil.rmtree(folder)
        return 0
    print(f"The folders of the bad rounds are kept in {folder}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
