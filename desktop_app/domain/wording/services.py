"""What services may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "services.no_connection": N_("That connection is gone: choose another one."),
    "services.no_batch": N_("There is no batch {batch} here."),
    "services.no_batches": N_("No sheet has been imported here yet."),
    "services.no_unfinished": N_("No batch has work to come."),
    "services.no_task": N_("That row is gone."),
    "services.no_task_id": N_("There is no row with the id {task} here."),
    "services.no_rows": N_("The sheet has a header but no rows: add prompts below it."),
    "services.reading_ended": N_(
        "The part of the program that reads the sheet was ended by the system, maybe for lack of "
        "memory. Nothing was imported: try again."
    ),
    "services.no_prompt_column": N_(
        "Which column holds the prompt? This sheet has: {columns}. Choose one, or write a text."
    ),
    "services.no_header": N_(
        "This sheet seems to have no header row, its first is: {first}. If that is a prompt, add "
        "--header no; if it is a name, add --header yes."
    ),
    "services.empty_prompt": N_("The prompt is empty: write what should be made."),
    "services.not_uncertain": N_(
        "Row {row} is no longer waiting for your word: look at its state."
    ),
    "services.cannot_ask": N_(
        "This provider can't be asked whether a call arrived. Look in its console, then send "
        "again, mark the row as failed, or attach the file."
    ),
    "services.resend_up_to": N_("It may be paid twice: up to {sum} more."),
    "services.resend_up_to_some": N_(
        "It may be paid twice: up to {sum} more, and calls without a known price: {n}."
    ),
    "services.resend_unpriced": N_(
        "It may be paid twice, and what it costs is not known: the connection has no price."
    ),
    "services.resend_free": N_("It costs nothing."),
    "services.settled_failed": N_("You marked this row as failed."),
    "services.unusable_rows": N_(
        "These rows can't be sent as they are: edit the prompt, or mend the sheet and import it "
        "again."
    ),
    "services.requeue_states": N_(
        "Only failed, dead, uncertain and cancelled rows can be requeued."
    ),
    # rows of a failure sheet that came back
    "services.returned_done": N_("Row {row} is done by now."),
    "services.returned_running": N_("Row {row} is running."),
    "services.returned_waiting": N_("Row {row} waits to be sent already."),
    "services.returned_cancelled": N_("Row {row} was cancelled since this sheet was written."),
    "services.returned_tried": N_("Row {row} was tried again since this sheet was written."),
    "services.returned_twice": N_("Row {row} is in this sheet more than once."),
    "services.returned_unusable": N_("Row {row} can't be sent as it is: edit its prompt."),
    "services.returned_cut": N_(
        "Row {row}, {column}: a text that is longer than an Excel cell can't be edited there; "
        "export CSV instead."
    ),
    "services.returned_unnamed": N_("Row {row} of this sheet has no task_id."),
    "services.returned_unknown": N_(
        "Row {row} of this sheet is of no batch here: it was removed, or is on another computer."
    ),
    "services.not_returned": N_("{file} is no failure sheet: export one, edit it and try again."),
    "services.export_suffix": N_("Choose a file name that ends in one of {suffixes}."),
    "services.name_taken": N_("There is already a connection called {name}."),
    "services.empty_name": N_("Give the connection a name."),
    "services.empty_key": N_("The key is empty: paste it from the provider's console."),
    "services.key_until_close": N_(
        "This computer has no password store. The key is kept until you close."
    ),
    "services.key_not_kept": N_(
        "This computer has no password store, so the key can't be kept for the next command. "
        "Set {variable} in the environment instead."
    ),
    "services.key_how": N_(
        "{name} has no key here: give it with connection set-key {name}, or in {variable}."
    ),
    "services.budget_how": N_("Go on with: resume --batch {batch} {option}"),
    "services.connection_in_use": N_(
        "{name} has rows to come in a batch: finish or cancel that batch first."
    ),
    "services.unknown_adapter": N_("There is no adapter {adapter}. Known ones: {known}."),
    "services.bad_url": N_("{url} is not a web address: it should start with https://."),
    "services.key_in_url": N_(
        "Leave the user name and key out of the address: enter the key in its own field."
    ),
    "services.clear_text": N_(
        "{host} is reached without encryption, so anybody on the way can read the key and the "
        "prompts. Use https://, or add --allow-http if that is meant."
    ),
    "services.empty_model": N_("Name the model to use."),
    "services.bad_limit": N_("A limit must be above zero, not {figure}."),
    "services.bad_proxy": N_(
        "The proxy should be system, none, or an address such as http://proxy.example:8080."
    ),
    "services.no_resend_price": N_(
        "State the price below which a call may be sent again, or choose hold or resend."
    ),
    "services.no_tokens_told": N_(
        "This provider's answers tell no tokens, so that a price for tokens can't be "
        "counted. Choose another unit for the price: {known}."
    ),
    "services.unit_call": N_("a call (call)"),
    "services.unit_image": N_("an image (image)"),
    "services.unit_tokens": N_("1,000 tokens (1k-tokens)"),
    "services.unit_million_tokens": N_("1,000,000 tokens (1m-tokens)"),
    "services.model_price_alone": N_(
        "A price of a model needs the connection's own price beside it (--price), with which it "
        "shares unit and currency."
    ),
    "services.model_prices_in": N_(
        "This connection has prices of models in {currency}/{unit}. Give its price in the same, or "
        "enter all of them anew in the connection."
    ),
    "services.no_images_told": N_(
        "This provider answers in texts, so that a price for an image can't be counted. Choose "
        "another unit for the price: {known}."
    ),
    "services.bad_headroom": N_("Headroom is a share between 0 and 1, not {figure}."),
    "services.cost_free": N_("Free"),
    "services.cost": N_("About {total} {currency}"),
    "services.cost_up_to": N_("About {total} {currency}; may pay twice, up to {most} {currency}"),
    "services.cost_held": N_("About {total} {currency}; the cap stops it at {most} {currency}"),
    "services.cost_tokens": N_("{price} {currency} per {count:,} tokens"),
    "services.cost_tokens_up_to": N_(
        "{price} {currency} per {count:,} tokens, up to {most} {currency} in all"
    ),
    "services.duration": N_("About {minutes} min at these limits"),
    "services.duration_hours": N_("About {hours} h at these limits"),
    "services.duration_days": N_("About {days} days at these limits"),
    "services.duration_few": N_("About {minutes} min, less where more calls at once are taken"),
    "services.duration_hours_few": N_("About {hours} h, less where more calls at once are taken"),
    "services.duration_days_few": N_("About {days} days, less where more calls at once are taken"),
    "services.disk": N_("{needed} needed, {free} free ({each} each, as earlier results took)"),
    "services.disk_guess": N_("{needed} needed, {free} free (at a guess of {each} each)"),
    "services.disk_short": N_(
        "The disk is too small: {needed} needed, {free} free ({each} each, as earlier results took)"
    ),
    "services.disk_short_guess": N_(
        "The disk may be too small: {needed} needed, {free} free (at a guess of {each} each)"
    ),
    "services.disk_unknown": N_("{needed} needed ({each} each, as earlier results took)"),
    "services.disk_unknown_guess": N_("{needed} needed (at a guess of {each} each)"),
    "services.bad_rows": N_('"{text}" can\'t be read as row numbers: write them like 3, 7-9.'),
    "services.trial_many": N_("A trial has at most {most} rows."),
    "services.trial_unusable": N_("These rows can't be used and so can't be tried: {rows}."),
    "services.trial_missing": N_("These rows are not among those that would run: {rows}."),
    "services.trial_options": N_("--random and --seed go with --trial N."),
    "services.trial_not_update": N_("A trial goes with a new run: leave out --update."),
    "services.nothing_left": N_(
        "No row of {sheet} is left for this: what it asks for is done, on its way or needs you in "
        "an earlier run."
    ),
    "services.excel_row": N_("Excel row"),
    "services.folder_in_use": N_(
        "Another Batchwright works on this data folder. Close it, or use its window."
    ),
    "services.window_hangs": N_(
        "Batchwright is open already (process {process}) but gives no answer. Wait a moment, then "
        "start it again. If that does not help, end the process first: every row is safe."
    ),
    "services.no_answer": N_(
        "Another Batchwright (process {process}) works on this data folder and did not do this "
        "within {seconds} s. Try again when it has ended, or look at its window."
    ),
    "services.restored": N_(
        "The list of tasks was put together from the copy of {when} and what could be read since. "
        "Rows held under Needs you: {held}."
    ),
    "services.restored_lost": N_(
        "The list of tasks is back. Rows of {names} are lost: don't import those sheets again "
        "before you have looked into their folders. Rows held under Needs you: {held}."
    ),
    "services.restored_alone": N_(
        "The list of tasks holds what could be read; rows may be missing. Rows held "
        "under Needs you: {held}."
    ),
    "services.restored_anew": N_(
        "{said} Made anew from their rows, and paused: {names}. They have no caps any more, and "
        "their sheets would be taken for new ones: don't import them again."
    ),
    "services.restored_whole": N_("The list of tasks was damaged and is mended: nothing was lost."),
    "services.disk_full": N_(
        "The disk that holds the data folder is full. Free some space, then try again."
    ),
    "services.still_running": N_(
        "What became of row {row} can't be told yet: its call is under way, or its output folder "
        "is away."
    ),
    "services.not_obeyed": N_("The running Batchwright ended before it could do this."),
    "services.bad_command": N_("The running Batchwright does not know the command {verb}."),
    "services.no_connections": N_(
        "There is no connection {name}, nor any other: make one with connection add."
    ),
    "services.unknown_connection": N_("There is no connection {name}. Known ones: {known}."),
    "services.unknown_preset": N_("There is no preset {preset}. Known ones: {known}."),
    "services.connection_needs": N_(
        "A connection needs --adapter, --base-url and --model, or a --preset that fills them."
    ),
    "services.literal_subfolder": N_(
        'All files go into one folder called "{name}": for a folder by the column of that name say '
        "@{name}."
    ),
    "services.literal_output_name": N_(
        'All files are called "{name}" and numbered: for names from that column say {{{name}}}.'
    ),
    "services.literal_param": N_(
        'The {param} of every row is the text "{name}": for that column\'s cells say @{name}.'
    ),
    "services.price_alone": N_("--unit and --currency are those of a --price: give it too."),
    "services.two_units": N_("--price is for {unit} and --unit says {other}: give one of them."),
    "services.practice_price": N_("The practice server is free: leave out --price."),
    "services.run_in_window": N_(
        "Another Batchwright works on this data folder. Import {sheet} in its window, or wait "
        "until it has ended."
    ),
    "services.bad_param": N_("{text} is no parameter: write name=value or name=@column."),
    "services.bad_extra": N_("--extra must be a JSON object: {why}."),
    "services.attach_one": N_(
        "A file is attached to one row: name it with --task. Files of several rows are taken from "
        "a folder: name that."
    ),
    "services.attach_none": N_(
        "No file in {folder} has the name of such a row: see the folder of the batch for how they "
        "are named."
    ),
    "services.bad_settle": N_("Settle as ask, resend, failed, attach FILE or attach FOLDER."),
    "services.resend_ask": N_("{n} rows would be sent again. {price} Add --yes to do so."),
    "services.resend_ask_one": N_("{n} row would be sent again. {price} Add --yes to do so."),
    "services.support_intro": N_(
        "This file helps to find out what went wrong in Batchwright. Look through it before you "
        "send it to somebody. It holds:"
    ),
    "services.support_system": N_("versions, operating system, free disk space"),
    "services.support_settings": N_("choices such as language and appearance"),
    "services.support_schema": N_("how the list of tasks is laid out"),
    "services.support_checks": N_("sizes of its files, and whether it is damaged"),
    "services.support_counts": N_("how many rows and calls ended how, without their contents"),
    "services.support_connections": N_("hosts, models, limits and prices of the connections"),
    "services.support_logs": N_(
        "what the program noted while it ran; names of files and folders may be in it"
    ),
    "services.support_left_out": N_(
        "Left out: keys, prompts, sheets, results, answers of providers, names of batches and "
        "connections, and the name of your home folder."
    ),
    "services.support_unread": N_("{file} could not be read completely: {why}"),
    "services.support_not_written": N_("{file} could not be written ({reason})."),
    "services.addresses_offline": N_("The addresses of pictures were not looked at: {why}"),
    "services.addresses_doubtful": N_(
        "Addresses of pictures that could not be checked, their rows run all the same: {count}. "
        "The first: {url} ({why})."
    ),
    "services.addresses_unseen": N_(
        "Addresses of pictures that were not looked at, since that would take too long: {count}."
    ),
    "services.bad_state": N_("{word} is no state. States: {known}."),
    "services.waits_cap": N_("waits for running calls, whose cost fills the cap"),
    "services.goes_after": N_("waits for {batch}, which goes first"),
    "services.bad_priority": N_("{word} is no priority. Priorities: {known}."),
}
