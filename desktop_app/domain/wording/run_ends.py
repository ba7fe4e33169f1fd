"""How a run stands and ends, in one place, since window, verbs and notifications say it alike."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "services.trial_waits": N_(
        "Row {row} can't be tried alone: it waits for row {before} of the same lane. Choose that "
        "one too."
    ),
    "services.trial_late": N_(
        "Batch {batch} of this sheet runs whole already: leave out the trial."
    ),
    "services.trial_how": N_("Run the rest with: resume --batch {batch} --rest"),
    "services.paused_by_you": N_("Paused by you."),
    "services.still_refused": N_("The provider still refuses."),
    "services.restarted": N_("{waiting} waiting. Nothing is sent yet."),
    "services.restarted_uncertain": N_(
        "{waiting} waiting, {uncertain} may have been billed. Nothing is sent yet."
    ),
    "services.of_batch": N_("{name}: {why}"),
    "services.trial_done": N_("The trial is done: {done} came out. Rows left: {rest}."),
    "services.trial_done_some": N_(
        "The trial is done: {done} came out, {n} need you. Rows left: {rest}."
    ),
    "services.trial_done_some_one": N_(
        "The trial is done: {done} came out, {n} needs you. Rows left: {rest}."
    ),
    "services.finished": N_("{name} is finished: all {done} came out."),
    "services.finished_some": N_("{name} is finished: {done} came out, {n} need you."),
    "services.finished_some_one": N_("{name} is finished: {done} came out, {n} needs you."),
    "services.finished_part": N_(
        "{name} is finished: all {done} came out, {part} with fewer results than were asked for."
    ),
    "services.finished_some_part": N_(
        "{name} is finished: {done} came out, {part} with fewer results than were asked for; {n} "
        "need you."
    ),
    "services.finished_some_part_one": N_(
        "{name} is finished: {done} came out, {part} with fewer results than were asked for; {n} "
        "needs you."
    ),
    "services.all_failed": N_("{name} failed: none came out, {n} need you."),
    "services.all_failed_one": N_("{name} failed: none came out, {n} needs you."),
}
