"""kill -9 at random moments, again and again: what is lost, doubled, stuck, or called uncertain.

    python -m tests.bench.crash [--rounds N] [--seed S] [--workers N] [--slice MS] [--json]

A round is a fresh data folder, a sheet of 40 rows and a provider that outlives every kill: the
practice server in a process of its own, whose hidden limit is below what the connection states (so
429s come), which fails 6% of the calls and refuses 4% of the prompts. The real program runs the
sheet under ``hold``; its whole process group is killed one to three times at random moments (a
fifth of them before the first call), and started again with ``resume`` or ``run``, at once or when
the provider has ended its work.

**On the wire at a kill** is a call whose request had begun to leave the program and whose answer
the program had not wholly read. Both are evidence, not a matter of time: see ``_kill``. A row may
end UNCERTAIN only if a call of this very row was on the wire at a kill; nothing else excuses it.
The rows that break this are counted by how they came to it, and each must be 0: ``read_unkept``
(the program had read the whole answer, and has lost it) and ``noted_unsent`` (it had noted the
request as begun, and not a byte had left). Both are windows of some hundred microseconds a call
on a free core; what else runs on the machine does not change what is counted, but stretches them.
``--slice`` takes that away: the program has so many milliseconds of its own processor time between
the look at its sockets and the kill, to put aside what it had read by then.

Exit code 1 on any miss. Linux only.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from desktop_app.practice.trouble import prompt_hash
from tests.bench._kill import Kill, freeze_and_kill
from tests.bench._report import Bar, show
from tests.e2e.program import KEY, Program, Provider, provider, sheet

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

MISSES = (
    "lost",
    "billed_twice",
    "stuck",
    "read_unkept",
    "noted_unsent",
    "leftovers",
    "undecodable",
    "sent_while_dead",
)
"""Figures of a round that must be 0."""


@dataclass(slots=True)
class Round:
    """What a round came to. ``faults`` are sentences, none where every promise was kept."""

    number: int
    rows: int = 0
    kills: int = 0
    on_wire: int = 0
    uncertain: int = 0
    success: int = 0
    failed: int = 0
    dead: int = 0
    billed: int = 0
    refused_429: int = 0
    lost: int = 0
    billed_twice: int = 0
    stuck: int = 0
    read_unkept: int = 0
    noted_unsent: int = 0
    leftovers: int = 0
    undecodable: int = 0
    sent_while_dead: int = 0
    seconds: float = 0.0
    faults: list[str] = field(default_factory=list)


class Breaker:
    """One server and one prepared data folder for many rounds of ``rows`` rows."""

    def __init__(self, folder: Path, shop: Provider, seed: int, rows: int, slice_s: float) -> None:
        self._folder = folder
        self._shop = shop
        self._seed = seed
        self._rows = rows
        self._slice_s = slice_s
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
        self._shop.reset({**CONFIG, "seed": number + self._seed * 1000})
        prompts = [f"vase {number}-{row}" for row in range(self._rows)]
        source = sheet(place / "vases.csv", prompts)
        again: list[str | Path] = ["run", source, "--connection", "shop", "--out", place / "out"]
        again += ["--param", "size=256x256"]
        verb, seen = again, Round(number)
        kills: list[Kill] = []
        for _ in range(dice.randint(1, 3)):
            kill = self._run_and_kill(program, verb, dice)
            if kill is None:
                break
            kills.append(kill)
            if dice.random() < 0.5:
                seen.sent_while_dead += self._wait_and_watch(kill)
            # A call came, so there is a batch; else the import itself may have been killed.
            verb = ["resume"] if kill.came and dice.random() < 0.7 else again
        done = program.run("--json", *verb, timeout=300)
        status = done.json
        # A batch whose import was killed is dropped, and its number with it.
        tasks = program.run("--json", "tasks", "--batch", str(status["batch"])).json
        told = self._shop.ledger(calls=True)
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
        self, program: Program, verb: list[str | Path], dice: random.Random
    ) -> Kill | None:
        """None: it had ended before."""
        before = self._came()
        early, wait = dice.random() < EARLY, dice.random()
        with program.running("--json", *verb) as process:
            if early:
                time.sleep(wait * START_S)
            else:
                while self._came() == before and process.poll() is None:
                    time.sleep(0.02)
                time.sleep(wait * WORK_S * self._rows / ROWS)
            return freeze_and_kill(process, self._shop, before, self._slice_s)

    def _came(self) -> int:
        return len(self._shop.ledger(calls=True)["passages"])

    def _wait_and_watch(self, kill: Kill) -> int:
        """Until the provider has ended its work. How many calls came after the kill."""
        while (told := self._shop.ledger(calls=True))["in_flight"]:
            time.sleep(0.05)
        return len(told["passages"]) - kill.came


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
    """Why one row is UNCERTAIN: a call of its own on the wire, or nothing that would excuse it."""
    # A key is its task's id and what was counted since.
    if any(key.startswith(task["task"]) for kill in kills for key in kill.wire):
        return
    tries = program.run("--json", "attempts", "--task", task["task"]).json["attempts"]
    begun = [one for one in tries if one["outcome"] not in ("not_sent", "offline")]
    keys = {one["idempotency_key"] for one in begun}
    came = sum(passage["key"] in keys for passage in told["passages"])
    outcomes = told["prompts"].get(prompt_hash(task["prompt"]), {}).get("outcomes", {})
    unsent = came < len(begun)
    seen.noted_unsent += unsent
    seen.read_unkept += not unsent
    seen.faults.append(
        f"row {task['row']} is UNCERTAIN, with nothing on the wire: "
        f"{len(begun)} begun, {came} came, {outcomes}"
    )


def total(rounds: list[Round]) -> dict[str, Any]:
    """The sum over all rounds."""
    names = [n for n in asdict(Round(0)) if n not in ("number", "faults", "seconds")]
    figures: dict[str, Any] = {"rounds": len(rounds)}
    figures |= {name: sum(getattr(r, name) for r in rounds) for name in names}
    figures["seconds"] = round(sum(r.seconds for r in rounds), 1)
    figures["rounds_with_faults"] = sum(bool(r.faults) for r in rounds)
    return figures


def bars(figures: dict[str, Any]) -> Sequence[Bar]:
    """What must hold: every promise; and kills that found calls on the wire, as many as there are
    rounds, for kills that came too late would prove nothing."""
    return (
        *(Bar(name, 0) for name in (*MISSES, "rounds_with_faults")),
        Bar("uncertain", figures["on_wire"]),
        Bar("kills", figures["rounds"], at_least=True),
        Bar("on_wire", figures["rounds"], at_least=True),
    )


def run(
    rounds: int,
    seed: int,
    folder: Path,
    tell: Callable[[Round], None],
    *,
    rows: int = ROWS,
    workers: int = 1,
    slice_s: float = 0.0,
) -> list[Round]:
    """All rounds, on ``workers`` servers at once; most of a round is waiting. ``tell`` hears of
    each. The folder of a bad one is kept."""

    def work(first: int) -> list[Round]:
        place = folder / f"worker-{first}"
        place.mkdir()
        done = []
        with provider(CONFIG, place) as shop:
            breaker = Breaker(place, shop, seed, rows, slice_s)
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
    parser.add_argument("--workers", type=int, default=2, help="rounds at once")
    parser.add_argument("--slice", type=float, default=0.0, help="ms to put aside what was read")
    parser.add_argument("--json", action="store_true", help="print JSON only")
    given = parser.parse_args(arguments)

    def tell(one: Round) -> None:
        for fault in one.faults:
            print(f"  round {one.number}: {fault}", file=sys.stderr, flush=True)

    if not given.json:
        print(f"seed {given.seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="batchwright-crash-"))
    rounds = run(
        given.rounds, given.seed, folder, tell, workers=given.workers, slice_s=given.slice / 1e3
    )
    figures = {"seed": given.seed, **total(rounds)}
    title = f"kill -9: {figures['rows']} rows in {figures['rounds']} rounds"
    code = show(title, figures, bars(figures), json_only=given.json)
    if code:
        print(f"The folders of the bad rounds are kept in {folder}", file=sys.stderr)
    else:
        shutil.rmtree(folder)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
