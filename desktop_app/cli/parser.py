"""The verbs and their options, declared apart from what they do."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NoReturn

from desktop_app import __version__
from desktop_app.cli import connection_options, files, run_options
from desktop_app.cli.argument_types import count, decimal, port, seconds
from desktop_app.cli.exits import Exit
from desktop_app.domain.text import Translator
from desktop_app.domain.wording.services import N_
from desktop_app.wiring.options import HouseOptions, translator


class _Usage(Exception):
    """The command line can't be understood."""


class _Parser(argparse.ArgumentParser):
    """Takes options by their whole names only: a script must not change its meaning when an
    option is added."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"allow_abbrev": False, **settings})

    def error(self, message: str) -> NoReturn:
        raise _Usage(f"{self.format_usage()}{self.prog}: {message}")


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """The arguments; a usage error ends the program with 2, and is JSON too where that is asked
    for."""
    try:
        parser = build(_helper(argv))
        options, opened = files.parted(argv, verbs_of(parser))
        args = parser.parse_args(options)
        args.files = opened
        return args
    except _Usage as error:
        print(error, file=sys.stderr)
        if "--json" in argv:
            print(json.dumps({"error": str(error).splitlines()[-1], "code": "usage"}))
        sys.exit(Exit.USAGE)


def verbs_of(parser: argparse.ArgumentParser) -> set[str]:
    """The verbs that it knows."""
    known = (action.choices for action in parser._actions if action.dest == "verb")
    return {verb for choices in known for verb in choices or ()}


def _helper(argv: Sequence[str]) -> Translator | None:
    """Who says the help, where it is asked for: no other run pays for the catalogue."""
    if not {"-h", "--help"} & set(argv):
        return None
    asked = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    asked.add_argument("--language")
    asked.add_argument("--data-dir", type=Path)
    known, _ = asked.parse_known_args(argv)
    return translator(HouseOptions(data_dir=known.data_dir, language=known.language))


def _common() -> _Parser:
    common = _Parser(add_help=False)
    hide = argparse.SUPPRESS
    common.add_argument("--data-dir", metavar="DIR", default=hide, help=N_("keep all state in DIR"))
    common.add_argument(
        "--json", action="store_true", default=hide, help=N_("one JSON document on stdout")
    )
    common.add_argument(
        "--language", choices=("en", "zh_CN"), default=hide, help=N_("of what is said")
    )
    return common


def build(tr: Translator | None = None) -> _Parser:
    """The whole parser, its help said by ``tr``; ``args.verb`` is None for the window."""
    common = _common()
    parser = _Parser(
        prog="batchwright",
        parents=[common],
        description=N_("Batches of AI prompts from a spreadsheet. Without a verb: the window."),
    )
    parser.add_argument("--version", action="version", version=f"Batchwright {__version__}")
    parser.add_argument(
        "--demo", action="store_true", help=N_("open the window on the running sample")
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB")
    run_options.declare(
        verbs.add_parser("run", parents=[common], help=N_("import a sheet and run it"))
    )
    _control(verbs, common)
    _reads(verbs, common)
    _export(verbs.add_parser("export", parents=[common], help=N_("write a sheet of results")))
    connection_options.declare(
        verbs.add_parser("connection", parents=[common], help=N_("accounts")), common
    )
    _mapping(verbs.add_parser("mapping", parents=[common], help=N_("saved mappings")), common)
    restore = verbs.add_parser("restore", parents=[common], help=N_("bring back a damaged list"))
    restore.add_argument("--fresh", action="store_true", help=N_("start empty where no copy is"))
    support = verbs.add_parser("support", parents=[common], help=N_("save a file for support"))
    support.add_argument("--out", metavar="FILE", help=N_("default: in this folder"))
    practice = verbs.add_parser(
        "practice", parents=[common], help=N_("serve practice pictures and texts")
    )
    practice.add_argument("--port", type=port, default=0, metavar="P", help=N_("0: a free one"))
    practice.add_argument("--config", metavar="FILE", help=N_("limits, latencies and trouble"))
    if tr is not None:
        _translate(parser, tr)
    return parser


def _translate(parser: argparse.ArgumentParser, word: Callable[[str], str]) -> None:
    parser.description = word(parser.description) if parser.description else None
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for choice in action._choices_actions:
                choice.help = word(choice.help or "")
            for verb in action.choices.values():
                _translate(verb, word)
        elif action.help and action.help != argparse.SUPPRESS:
            action.help = word(action.help)


def _mapping(mapping: argparse.ArgumentParser, common: _Parser) -> None:
    acts = mapping.add_subparsers(dest="act", metavar="ACT", required=True)
    acts.add_parser("list", parents=[common], help=N_("their names"))
    for act, said in (("show", N_("all that it says")), ("remove", N_("forget it"))):
        acts.add_parser(act, parents=[common], help=said).add_argument("name", metavar="NAME")
    taken = acts.add_parser("import", parents=[common], help=N_("take one from a file"))
    taken.add_argument("file", metavar="FILE")
    taken.add_argument("--as", dest="as_name", metavar="NAME", help=N_("another name"))
    given = acts.add_parser("export", parents=[common], help=N_("save one as a file"))
    given.add_argument("name", metavar="NAME")
    given.add_argument("file", metavar="FILE")
    renamed = acts.add_parser("rename", parents=[common], help=N_("another name"))
    renamed.add_argument("name", metavar="NAME")
    renamed.add_argument("new_name", metavar="NEW")


def _control(verbs: argparse._SubParsersAction[_Parser], common: _Parser) -> None:
    for verb, said in (
        ("resume", N_("go on with a batch")),
        ("pause", N_("send nothing more")),
        ("cancel", N_("give up what waits")),
    ):
        p = verbs.add_parser(verb, parents=[common], help=said)
        p.add_argument("--batch", type=int, metavar="ID", help=N_("default: the newest unfinished"))
        if verb == "resume":
            run_options.declare_embed(p)
            run_options.declare_callbacks(p)
            p.add_argument("--wait", type=seconds, default=300.0, metavar="S")
            p.add_argument("--max-calls", type=count, metavar="N", help=N_("a new cap of calls"))
            p.add_argument(
                "--budget", type=decimal, metavar="AMOUNT", help=N_("a new cap of money")
            )
            p.add_argument(
                "--rest", action="store_true", help=N_("after a trial: the rows that are left")
            )
        if verb == "pause":
            p.add_argument(
                "--now", action="store_true", help=N_("also give back what has not begun")
            )
    priority = verbs.add_parser(
        "priority", parents=[common], help=N_("let a batch go before or after others")
    )
    priority.add_argument("priority", choices=run_options.PRIORITIES)
    priority.add_argument(
        "--batch", type=int, metavar="ID", help=N_("default: the newest unfinished")
    )
    requeue = verbs.add_parser("requeue", parents=[common], help=N_("try dead letters again"))
    what = requeue.add_mutually_exclusive_group(required=True)
    what.add_argument("--batch", type=int, metavar="ID")
    what.add_argument(
        "--from",
        dest="sheet",
        metavar="FILE",
        help=N_("a failure sheet: its rows, with the prompts as they are edited in it"),
    )
    requeue.add_argument(
        "--state",
        action="append",
        default=[],
        metavar="S",
        help=N_("default: failed and dead; uncertain is sent again only when named here"),
    )
    requeue.add_argument("--cause", metavar="TEXT", help=N_("an error's code or class, see tasks"))
    requeue.add_argument("--task", action="append", default=[], metavar="ID")
    requeue.add_argument(
        "--yes",
        action="store_true",
        help=N_("with --from and --state uncertain: whatever it costs"),
    )
    settle = verbs.add_parser("settle", parents=[common], help=N_("decide uncertain rows"))
    one_or_all = settle.add_mutually_exclusive_group(required=True)
    one_or_all.add_argument(
        "--task", action="append", default=[], metavar="ID", help=N_("may be given several times")
    )
    one_or_all.add_argument(
        "--batch", type=int, metavar="ID", help=N_("all uncertain rows of a batch")
    )
    settle.add_argument(
        "--as",
        dest="how",
        nargs="+",
        required=True,
        metavar="ask|resend|failed|attach FILE",
        help=N_("for several rows: attach FOLDER, in which files have the rows' names"),
    )
    settle.add_argument(
        "--yes", action="store_true", help=N_("send several rows again, whatever it costs")
    )


def _reads(verbs: argparse._SubParsersAction[_Parser], common: _Parser) -> None:
    status = verbs.add_parser("status", parents=[common], help=N_("the ledger"))
    status.add_argument("--batch", type=int, metavar="ID", help=N_("default: the newest"))
    tasks = verbs.add_parser("tasks", parents=[common], help=N_("the rows of a batch"))
    tasks.add_argument("--batch", type=int, required=True, metavar="ID")
    tasks.add_argument("--state", action="append", default=[], metavar="S")
    attempts = verbs.add_parser("attempts", parents=[common], help=N_("every try of a row"))
    attempts.add_argument("--task", required=True, metavar="ID")


def _export(export: argparse.ArgumentParser) -> None:
    export.add_argument("what", choices=("failures", "results"))
    export.add_argument("--batch", type=int, required=True, metavar="ID")
    export.add_argument("--to", required=True, metavar="FILE.xlsx|.csv|.jsonl")
    export.add_argument(
        "--thumbnails", action="store_true", help=N_("small pictures in a workbook of results")
    )
