"""What a verb has done, in a sentence: a bare number leaves a person to guess what it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.domain.text import Message, OperatorError, Translator


def said_of(say: Say, verb: str, wanted: Mapping[str, Any], result: Mapping[str, Any]) -> Exit:
    """Say what ``result`` tells of the verb, done here or by another instance. Raises OperatorError
    where it was refused."""
    if not result.get("ok"):
        raise OperatorError(Message.load(str(result.get("error"))))
    price = say.tr.say(Message.load(str(result["said"]))) if "said" in result else ""
    say.document({"verb": verb, **result, **({"said": price} if price else {})})
    for refused in result.get("refused", ()):
        say.line(say.tr.say(Message.load(str(refused))))
    left = int(result.get("left_uncertain", 0))
    if "count" in result:
        say.line(_counted(say.tr, verb, str(wanted.get("how")), int(result["count"]), left))
    else:
        say.line(say.tr("Done."))
    if left:
        say.line(_left(say.tr, verb, str(wanted.get("how")), left))
    if price:  # of the rows in the sentence before it
        say.line(price)
    if held := result.get("held"):
        verbs = say.tr.listed(f"resume --batch {batch_id}" for batch_id in held)
        say.line(
            say.tr.plural(
                "It is sent once you give: {verbs}",
                "They are sent once you give: {verbs}",
                int(result.get("count", 1)),
                verbs=verbs,
            )
        )
    return Exit.OK


def _counted(tr: Translator, verb: str, how: str, n: int, left: int) -> str:
    match verb, how:
        case "requeue", _ if not n:
            return tr("Nothing was requeued: no row that can be requeued matches.")
        case "requeue", _:
            return tr.plural("{n} row was requeued.", "{n} rows were requeued.", n)
        case "cancel", _ if not n:
            return tr("Nothing was cancelled: no row waits.")
        case "cancel", _:
            return tr.plural("{n} row is cancelled.", "{n} rows are cancelled.", n)
        case _ if not n and not left:
            return tr("Nothing was settled: no row that may have been billed matches.")
        case _, "ask":
            return tr.plural("{n} row is asked about.", "{n} rows are asked about.", n)
        case _, "resend":
            return tr.plural("{n} row will be sent again.", "{n} rows will be sent again.", n)
        case _, "attach":
            return tr.plural("{n} row has its file now.", "{n} rows have their files now.", n)
        case _:
            return tr.plural("{n} row is marked as failed.", "{n} rows are marked as failed.", n)


def _left(tr: Translator, verb: str, how: str, n: int) -> str:
    if how == "attach":
        return tr.plural(
            "{n} row has no usable file there and was left.",
            "{n} rows have no usable file there and were left.",
            n,
        )
    if verb == "settle":
        return tr.plural(
            "{n} row can't be asked about and was left.",
            "{n} rows can't be asked about and were left.",
            n,
        )
    return tr.plural(
        "{n} row may have been billed and was left: settle it, or add --state uncertain.",
        "{n} rows may have been billed and were left: settle them, or add --state uncertain.",
        n,
    )
