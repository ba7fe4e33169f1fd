"""What store may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "store.job_runs": N_("The provider is working on it (job {job})."),
    "store.job_named": N_("The provider named a job for this call after it had been given up."),
    "store.called": N_("The provider called about this call after it had been given up."),
    "store.disk_full": N_(
        "The disk that holds the list of tasks is full. Free some space; it goes on by itself."
    ),
    "store.locked": N_(
        "Another program has held the list of tasks for {seconds} s. End what looks into it (a "
        "backup, a database viewer), then try again."
    ),
    "store.busy": N_("Another program holds the list of tasks. It is tried again."),
    "store.cannot_write": N_(
        "The list of tasks can't be written ({reason}). Check the disk and the folder's rights."
    ),
    "store.damaged": N_(
        "The list of tasks is damaged ({reason}). Close Batchwright and start it again: a copy "
        "will be offered."
    ),
    "store.damaged_backup": N_(
        "The list of tasks is damaged ({reason}). Nothing is sent until it is mended. Bring back "
        "the copy of {when} and all that can be read of what came since with: "
        'batchwright restore --data-dir "{folder}"'
    ),
    "store.damaged_alone": N_(
        "The list of tasks is damaged ({reason}), and there is no copy. Nothing is sent until it "
        "is mended. Keep what can be read of it with: "
        'batchwright restore --data-dir "{folder}"'
    ),
    "store.lost_backup": N_(
        "The list of tasks is gone from the data folder. Bring back the copy of {when} with: "
        'batchwright restore --data-dir "{folder}"'
    ),
    "store.lost_alone": N_(
        "The list of tasks is gone from the data folder, and there is no whole copy. Keep what can "
        'be read with: batchwright restore --data-dir "{folder}"'
    ),
    "store.not_damaged": N_("The list of tasks is whole: there is nothing to bring back."),
    "store.no_backup": N_(
        "There is no copy of the list of tasks. Start with an empty one with: "
        'batchwright restore --fresh --data-dir "{folder}"'
    ),
    "store.sent_since": N_(
        "This row was sent after the copy of {when} was made; what came of it was lost."
    ),
    "store.file_gone": N_(
        "This row was answered after the copy of {when} was made, but its file is not there any "
        "more."
    ),
    "store.held": N_(
        "Nobody knows whether this row was sent after the copy of {when} was made. No file of its "
        "name is in the output folder."
    ),
    "store.held_file": N_(
        "Nobody knows whether this row was sent after the copy of {when} was made. {file} is in "
        "the output folder: attach it if it is this row's."
    ),
    "store.result_lost": N_(
        "What came of this row was lost with the damaged list. Look for its file in the output "
        "folder."
    ),
    "store.result_lost_file": N_(
        "What came of this row was lost with the damaged list. {file} is in the output folder: "
        "attach it if it is this row's."
    ),
    "store.request_lost": N_("This row's prompt was lost with the damaged list."),
    "store.restored": N_(
        "The list of tasks was put together from what could be read of it and the copy of {when}. "
        "Rows whose fate is unknown need you; press Resume for the rest."
    ),
    "store.restored_alone": N_(
        "The list of tasks holds what could be read of the damaged one: rows may be missing. Press "
        "Resume to go on."
    ),
    "store.restored_blind": N_(
        "The list of tasks is the copy of {when}. What happened since then can't be read: rows "
        "that waited then need you, and are not sent before you say so."
    ),
    "store.restored_batch": N_(
        "This batch was made anew from its rows: its name, folder, connection and caps were lost "
        "with the damaged list. Press Resume only if its connection is {connection}: it runs "
        "without a cap then. Its sheet would be taken for a new one: don't import it again."
    ),
    "store.restored_whole": N_(
        "The list of tasks was damaged and is mended: nothing was lost. Press Resume to go on."
    ),
    "store.budget_batch": N_(
        "The cap of {most} {currency} is reached: {used} are spent or may have been billed, and "
        "the next call may cost {next}. Raise the cap, then press Resume."
    ),
    "store.budget_day": N_(
        "Today's cap of {most} {currency} for {name} is reached: {used} are spent or may have "
        "been billed, and the next call may cost {next}. The batch goes on by itself tomorrow if "
        "Batchwright stays open. To go on today, raise the cap, then press Resume."
    ),
    "store.budget_no_price": N_(
        "A cap can't be kept without a price: enter what a call of {name} costs, or lift the cap."
    ),
    "store.budget_no_max_tokens": N_(
        "A cap on a price per token needs the longest answer: set max_tokens, or lift the cap."
    ),
    "store.budget_other_currency": N_(
        "The cap is in another currency than the price of {name}: enter the cap anew."
    ),
    "store.not_ours": N_(
        "The file in the data folder belongs to another program. Choose another data folder."
    ),
    "store.newer_file": N_(
        "The data folder was written by a newer Batchwright (format {found}, this one knows "
        "{known}). Install the newer one."
    ),
    "store.older_file": N_(
        "The data folder was written by an older Batchwright. Open it once with the window, or "
        "with a verb that changes something."
    ),
    "store.read_only": N_("The list of tasks is open for reading only here."),
    "store.nothing_here": N_("This data folder is empty so far: import a sheet first."),
    "store.expired": N_("Nobody obeyed the command in time: is Batchwright still running?"),
    "store.name_taken": N_("There is a connection named {name} already. Choose another name."),
    "store.connection_gone": N_("The connection {name} has been removed. Add it again."),
    "store.gone": N_("This row is no longer in the sheet."),
    "store.no_request": N_("This row could not be made into a request."),
    "store.in_part": N_("Fewer results than were asked for; those that came are kept"),
    "store.cut_off": N_("Cut off at the length limit"),
    "store.not_json": N_("Not the JSON that was asked for"),
    "store.other_model": N_("Another model answered than was asked"),
    "store.half_read": N_(
        "The model read only part of the prompt, which is longer than the server allows"
    ),
    "store.and_also": N_("{first}. {second}"),
    "store.no_reason": N_("No reason is known."),
    "store.wait_retry": N_("The next try waits {seconds} s."),
    "store.wait_asked": N_("The provider asked to wait {seconds} s."),
    "store.advice_refused": N_("Edit the prompt and requeue."),
    "store.advice_invalid": N_("Mend the row or the connection's settings, then requeue."),
    "store.advice_unusable": N_(
        "It can't be sent as it is: edit the prompt, or mend the sheet and import it again."
    ),
    "store.advice_transient": N_("Requeue when the provider is well again."),
    "store.advice_throttled": N_("Lower the connection's limits, then requeue."),
    "store.advice_offline": N_("Check the network, then requeue."),
    "store.advice_unknown": N_(
        "Look in the provider's console whether it was billed, then requeue or leave it."
    ),
    "store.advice_uncertain": N_(
        "Look in the provider's console, then send again, attach the file, or mark as failed."
    ),
    "store.advice_account": N_("Mend the key or the balance, then requeue."),
    "store.advice_local": N_("Check the disk and the output folder, then requeue."),
    "store.advice_look": N_("Look at the attempts of a row, then requeue."),
}
