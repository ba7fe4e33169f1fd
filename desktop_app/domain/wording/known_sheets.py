"""What is said of a sheet that the program knows from before, so that nobody pays for it twice."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "services.no_lineage": N_(
        "{sheet} has not run before with this connection: leave out --update."
    ),
    "services.asked_done": N_(
        "{n} of these rows ask for exactly what batch {batch} ({name}) has done."
    ),
    "services.asked_done_one": N_(
        "1 of these rows asks for exactly what batch {batch} ({name}) has done."
    ),
    "services.asked_waiting": N_("{n} of these rows wait in batch {batch} ({name})."),
    "services.asked_waiting_one": N_("1 of these rows waits in batch {batch} ({name})."),
    "services.asked_more": N_("Other runs that have some of them: {n}."),
    "services.none_earlier": N_("No earlier run of this sheet is known."),
    "services.is_failure_sheet": N_(
        "{sheet} is a sheet of failures: requeue --from {sheet} sends its rows again in their own "
        "batch. Add --new to run it as a new sheet."
    ),
    "services.is_result_sheet": N_(
        "{sheet} is a result sheet that this program wrote: its rows have run. requeue --from "
        "{sheet} sends those that failed again in their own batch; add --new to run and pay for "
        "all of them again as a new sheet."
    ),
    "services.sheet_changed": N_(
        "{sheet} was changed after it was read here, so nothing of it was taken. Look at it as it "
        "is now, and start again."
    ),
    "services.ran_before": N_(
        "{sheet} ran otherwise before, as batch {batch} (done: {done}). Add --update to run what "
        "is changed and new in it, --earlier skip for all that is not done, --earlier failed for "
        "what failed, or --new to run and pay for every row again."
    ),
    "services.only_with_update": N_("--pay-again and --gone go with --update."),
}
