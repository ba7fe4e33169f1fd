"""The options of ``run``, apart from the other verbs: half of all there are."""

from __future__ import annotations

import argparse

from desktop_app.cli import reading
from desktop_app.cli.argument_types import count, decimal, port, price, seconds, whole
from desktop_app.domain.batch import BatchPriority
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.wording.services import N_

PRIORITIES = tuple(priority.word for priority in reversed(BatchPriority))


def declare(run: argparse.ArgumentParser) -> None:
    """All that an import and its run can be told."""
    run.add_argument("sheet", metavar="SHEET")
    run.add_argument(
        "more", nargs="*", metavar="SHEET", help=N_("further sheets: each its own batch, in turn")
    )
    where = run.add_mutually_exclusive_group(required=True)
    where.add_argument("--connection", metavar="NAME")
    where.add_argument("--practice", action="store_true", help=N_("the built-in practice server"))
    where.add_argument(
        "--practice-jobs", action="store_true", help=N_("the same, taking pictures as jobs")
    )
    where.add_argument(
        "--practice-texts", action="store_true", help=N_("the same, answering in texts")
    )
    run.add_argument("--out", metavar="DIR", help=N_("output folder"))
    prompt = run.add_mutually_exclusive_group()
    prompt.add_argument("--prompt-column", metavar="C")
    prompt.add_argument("--template", metavar="T", help=N_("a text with {{column}}"))
    run.add_argument("--param", action="append", default=[], metavar="K=V|K=@COL")
    run.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="C",
        help=N_("a column with reference pictures: files or addresses"),
    )
    run.add_argument(
        "--lane-column", metavar="C", help=N_("rows of one value run one after another")
    )
    run.add_argument("--key-column", metavar="C", help=N_("names the files"))
    run.add_argument("--priority-column", metavar="C", help=N_("the highest number goes first"))
    declare_priority(run)
    run.add_argument("--lane-on-dead", choices=("go", "stop"), help=N_("default: go"))
    run.add_argument(
        "--output-name",
        metavar="PATTERN",
        help=N_("of the files, such as {sku}_{row} or {sku}_{n}"),
    )
    run.add_argument(
        "--subfolder", metavar="TEXT|@C", help=N_("of the files: a name, or of a column")
    )
    mapping = run.add_mutually_exclusive_group()
    mapping.add_argument(
        "--map", metavar="FILE", help=N_("a mapping from a file; what is said here comes first")
    )
    mapping.add_argument("--preset", metavar="NAME", help=N_("a saved mapping; likewise"))
    run.add_argument(
        "--save-preset", metavar="NAME", help=N_("keep the mapping of this run under a name")
    )
    run.add_argument("--limit", type=count, metavar="N", help=N_("only the first N rows"))
    run.add_argument("--max-calls", type=count, metavar="N", help=N_("never more calls than this"))
    run.add_argument(
        "--budget", type=decimal, metavar="AMOUNT", help=N_("never more money than this")
    )
    run.add_argument(
        "--price", type=price, metavar="P[/UNIT]", help=N_("of the connection from now on")
    )
    run.add_argument("--unit", choices=tuple(u.value for u in PriceUnit), help=N_("of the price"))
    run.add_argument("--currency", metavar="C", help=N_("of the price"))
    again = run.add_mutually_exclusive_group()
    again.add_argument("--new", action="store_true", help=N_("start anew, even if this ran before"))
    again.add_argument(
        "--update",
        action="store_true",
        help=N_("the sheet's earlier run, changed and new rows only"),
    )
    again.add_argument(
        "--earlier",
        choices=("skip", "changed", "failed", "all"),
        help=N_("rows that ran before: leave out what is done, only changed, only failed, all"),
    )
    run.add_argument(
        "--duplicates",
        choices=("keep", "skip"),
        default="keep",
        help=N_("rows that ask for exactly what a row above asks for; default: keep"),
    )
    tried = run.add_mutually_exclusive_group()
    tried.add_argument(
        "--trial", type=count, metavar="N", help=N_("import all, run only the first N rows")
    )
    tried.add_argument(
        "--trial-rows", metavar="3,7-9", help=N_("import all, run only these rows of the sheet")
    )
    run.add_argument("--random", action="store_true", help=N_("with --trial: any N rows"))
    run.add_argument(
        "--seed", type=whole, metavar="S", help=N_("with --random: the same rows each time")
    )
    run.add_argument(
        "--check", action="store_true", help=N_("say what would happen, and import nothing")
    )
    run.add_argument(
        "--row", type=count, metavar="N", help=N_("with --check: the request of this row, too")
    )
    run.add_argument(
        "--problems",
        metavar="FILE.xlsx|.csv|.jsonl",
        help=N_("with --check: save the rows that can't be used as a sheet"),
    )
    run.add_argument(
        "--pay-again",
        action="store_true",
        help=N_("with --update: changed rows that are paid for run once more"),
    )
    run.add_argument(
        "--gone",
        choices=("keep", "cancel"),
        default="keep",
        help=N_("with --update: waiting rows that the sheet has no longer"),
    )
    reading.declare(run)
    declare_embed(run)
    declare_callbacks(run)
    run.add_argument(
        "--wait", type=seconds, default=300.0, metavar="S", help=N_("stop after so long offline")
    )


def declare_priority(running: argparse.ArgumentParser) -> None:
    """Which batches of the account go first."""
    running.add_argument(
        "--priority",
        choices=PRIORITIES,
        help=N_("whether it goes before other batches, in turn with them, or after them"),
    )


def declare_callbacks(running: argparse.ArgumentParser) -> None:
    """Where providers may call; any of these switches it on."""
    heard = running.add_argument_group()
    heard.add_argument(
        "--callback-port",
        type=port,
        metavar="P",
        help=N_("let providers call this port when a job is done; 0: a free one"),
    )
    heard.add_argument(
        "--callback-address",
        metavar="A",
        help=N_("listen for their calls here; default: 127.0.0.1"),
    )
    heard.add_argument(
        "--callback-url",
        metavar="URL",
        help=N_("where they reach it: a tunnel's or a proxy's address"),
    )


def declare_embed(running: argparse.ArgumentParser) -> None:
    """Whether pictures carry what they were made from."""
    running.add_argument(
        "--embed",
        action="store_true",
        help=N_("pictures carry prompt, model, seed and row id in the file"),
    )
