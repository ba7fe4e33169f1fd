"""Who requeues rows of a batch that stands still is told that they wait, and offered to resume."""

from __future__ import annotations

from desktop_app.domain.text import Translator
from desktop_app.ui.answer import Answer


def requeued(count: int, held: tuple[int, ...], left: int = 0) -> Answer:
    """The answer to a requeue of ``count`` rows. ``held`` are the batches of theirs that wait for
    Resume; ``left`` rows may have been billed and were not taken."""

    def said(tr: Translator) -> str:
        sentences = [tr.plural("{n} row was requeued.", "{n} rows were requeued.", count)]
        if count and held:
            sentences.append(
                tr.plural(
                    "It is sent once you press Resume.",
                    "They are sent once you press Resume.",
                    count,
                )
            )
        if left:
            sentences.append(
                tr.plural(
                    "{n} row may have been billed and was left: settle it.",
                    "{n} rows may have been billed and were left: settle them.",
                    left,
                )
            )
        return tr.joined(sentences)

    return Answer(said, resume=held if count else ())
