"""What notifications may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "alerts.rows": N_("{batch}: {n} rows need you"),
    "alerts.rows_one": N_("{batch}: {n} row needs you"),
    "alerts.part_uncertain": N_("{n} may have been billed"),
    "alerts.part_refused": N_("{n} refused by the provider"),
    "alerts.part_invalid": N_("{n} can't be sent as they are"),
    "alerts.part_invalid_one": N_("{n} can't be sent as it is"),
    "alerts.part_dead": N_("{n} failed after every retry"),
    "alerts.part_failed": N_("{n} failed for another reason"),
    "alerts.finished": N_("{batch} is finished"),
    "alerts.finished_all": N_("All came out: {done}."),
    "alerts.finished_some": N_("{done} came out, {n} need you."),
    "alerts.finished_some_one": N_("{done} came out, {n} needs you."),
    "alerts.finished_none": N_("None came out, {n} need you."),
    "alerts.finished_none_one": N_("None came out, {n} needs you."),
    "alerts.in_part": N_("{n} with fewer results than were asked for"),
    "alerts.paused": N_("{name} is paused"),
    "alerts.see_window": N_("The window of Batchwright says why."),
}
