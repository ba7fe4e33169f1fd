"""What engine may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "engine.restarted": N_("The program was started again. Press Resume to go on."),
    "engine.trial_done": N_("The trial is done. Look at the results, then run the rest."),
    "engine.max_calls": N_("The cap on calls is reached ({n}). Raise it, then press Resume."),
    "engine.lanes_stopped": N_(
        "The rows left wait behind rows that need you. Settle those, then press Resume."
    ),
    "engine.broken": N_("Something in the program failed {n} times. Press Resume to try again."),
    "engine.no_connection": N_("The connection of this batch is gone. Add it again."),
    "engine.connection_unusable": N_("This connection can't be opened. Check its settings."),
    "engine.no_key": N_("{name} has no key yet. Enter the key to go on."),
    "engine.account_paused": N_("{name} is paused: {why}"),
    "engine.all_invalid": N_(
        "{name} is paused, because every first row was rejected alike. Check the model and the "
        "settings, then try again. {why}"
    ),
    "engine.offline": N_("{name} can't be reached. Trying again with one row at a time: {why}"),
    "engine.troubled": N_("{name} keeps failing. Trying again with one row at a time: {why}"),
    "engine.throttled_long": N_(
        "{name} has accepted nothing for {minutes} minutes. Slow tries go on; nothing is lost."
    ),
    "engine.waits_tokens": N_("waits for the account's tokens a minute"),
    "engine.waits_images": N_("waits for the account's images a minute"),
    "engine.throttled_alone": N_(
        "The provider refused this row {n} times as too much at once while other rows went "
        "through. Make the request smaller and requeue."
    ),
    "engine.read_timeout": N_("No answer came within {s} seconds of sending."),
    "engine.no_connect": N_("{host} could not be reached in time."),
    "engine.interrupted": N_("The call was cut off on this computer after it was sent."),
    "engine.not_arrived": N_("The provider never received this call; nothing was billed."),
    "engine.arrived": N_("The provider has received this call but can't hand out its result."),
    "engine.ask_unanswered": N_("The provider was asked, but could not say what became of it."),
    "engine.key_expired": N_(
        "An earlier call for this row may have been billed, and by now the provider would take "
        "a repeat for a new one."
    ),
    "engine.job_deadline": N_(
        "The provider has not finished this job within {hours} h. Ask again later."
    ),
    "engine.job_lost": N_("The provider no longer knows this job."),
    "engine.job_cancelled": N_("This job was cancelled at the provider."),
    "engine.result_lost": N_("The result was made, but could not be downloaded: {why}"),
    "engine.crashed": N_("The program ended while this call was on its way."),
    "engine.crashed_after_failure": N_(
        "The program ended after the provider had failed on this row; nothing was billed."
    ),
    "engine.poison": N_(
        "The program stopped on this row: reading or saving its answer ended it twice. "
        "Change the row, then requeue it."
    ),
    "engine.internal": N_("The program failed while this call was on its way ({what})."),
    "engine.cannot_write": N_(
        "Results can't be written to {folder}. Free some space or restore the folder; it goes on "
        "by itself."
    ),
    "engine.folder_unknown": N_("The folder {folder} can't be checked. Is its disk connected?"),
    "engine.store_trouble": N_(
        "The program's own data can't be saved. Free some space on the disk; it goes on by itself."
    ),
    "engine.source_gone": N_(
        "The folder {folder}, from which rows take reference pictures, is gone. Nothing was paid. "
        "Put it back or connect its drive: the rows go on by themselves. To go on without them, "
        "cancel them and try again."
    ),
    "engine.local": N_("Paused: {why}"),
    "engine.alert_dead": N_("Rows that need you since just now: {n}."),
    "engine.alert_finished": N_("{batch} is finished: done {done}, need you: {needs}."),
}
