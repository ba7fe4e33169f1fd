"""The options of ``connection``, apart from the other verbs: they grow with what providers need."""

from __future__ import annotations

import argparse

from desktop_app.cli.argument_types import count, decimal, model_price, positive, price, whole
from desktop_app.domain.connection import OnUnknown
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.wording.services import N_


def declare(connection: argparse.ArgumentParser, common: argparse.ArgumentParser) -> None:
    """All that a connection can be told; every action takes the options of ``common``."""
    acts = connection.add_subparsers(dest="act", required=True, metavar="ACTION")
    add = acts.add_parser("add", parents=[common], help=N_("add or change"))
    add.add_argument("name", metavar="NAME")
    known = add.add_mutually_exclusive_group()
    known.add_argument("--preset", metavar="P")
    known.add_argument(
        "--job-file", metavar="FILE", help=N_("take in a file that describes a provider")
    )
    add.add_argument("--adapter", metavar="A")
    add.add_argument("--base-url", metavar="URL")
    add.add_argument(
        "--allow-http", action="store_true", help=N_("send the key unencrypted to an http:// URL")
    )
    add.add_argument("--model", metavar="M")
    add.add_argument("--concurrency", type=count, metavar="N")
    rate = add.add_mutually_exclusive_group()
    for unit in ("qps", "rpm"):
        rate.add_argument(f"--{unit}", type=positive, metavar="X")
    add.add_argument(
        "--ipm",
        type=positive,
        metavar="X",
        help=N_("images a minute, beside another rate or alone"),
    )
    add.add_argument(
        "--tpm", type=positive, metavar="X", help=N_("tokens a minute, read and written")
    )
    add.add_argument("--burst", type=count, metavar="N")
    add.add_argument("--headroom", type=positive, default=0.8, metavar="0.8")
    add.add_argument("--retries", type=whole, default=3, metavar="3")
    add.add_argument("--timeout", type=positive, metavar="S")
    unknown = add.add_mutually_exclusive_group()
    unknown.add_argument("--on-unknown", choices=(OnUnknown.HOLD.value, OnUnknown.RESEND.value))
    unknown.add_argument("--resend-below", type=decimal, metavar="PRICE")
    add.add_argument("--price", type=price, metavar="P[/UNIT]")
    add.add_argument(
        "--model-price",
        type=model_price,
        action="append",
        default=[],
        metavar="MODEL=P",
        help=N_("the same of a model that rows may name, in the same unit"),
    )
    add.add_argument("--unit", choices=tuple(u.value for u in PriceUnit))
    add.add_argument("--currency", metavar="C")
    add.add_argument(
        "--day-budget", type=decimal, metavar="AMOUNT", help=N_("never more money than this a day")
    )
    add.add_argument("--proxy", default="system", metavar="system|none|URL")
    add.add_argument(
        "--callbacks", action="store_true", help=N_("the provider may call when a job is done")
    )
    add.add_argument("--extra", metavar="JSON", help=N_("further fields of the request"))
    acts.add_parser("list", parents=[common], help=N_("all of them"))
    for act, said in (
        ("show", N_("all that it says")),
        ("test", N_("try address and key with the cheapest call")),
        ("set-key", N_("store its key, typed in or from stdin")),
        ("resume", N_("end its pause")),
        ("remove", N_("forget it and its key")),
    ):
        acts.add_parser(act, parents=[common], help=said).add_argument("name", metavar="NAME")
    acts.choices["set-key"].add_argument(
        "--callback",
        action="store_true",
        help=N_("the secret with which the provider signs its calls"),
    )
