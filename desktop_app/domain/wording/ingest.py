"""What ingest may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    # the file as a whole
    "ingest.no_file": N_("There is no file {file}; check its name and folder."),
    "ingest.odd_name": N_(
        "The name {file} is not in this system's encoding and can't be kept; rename it first."
    ),
    "ingest.vanished": N_("{file} is no longer there; choose it again."),
    "ingest.folder": N_("{file} is a folder; drop the sheet itself."),
    "ingest.not_a_file": N_("{file} is not a file; choose a CSV or Excel sheet."),
    "ingest.unsupported": N_(
        "{file} is not a sheet that can be read; save it as XLSX or CSV and import that."
    ),
    "ingest.lock_file": N_(
        "{file} is a note that {program} keeps while {sheet} is open; import {sheet} instead."
    ),
    "ingest.locked": N_("{file} is locked by another program; close it there and import again."),
    "ingest.no_permission": N_(
        "You may not read {file}; ask for access or copy it to a folder of your own."
    ),
    "ingest.unreadable": N_("{file} can't be read ({reason})."),
    "ingest.no_copy": N_("{file} could not be copied for reading ({reason})."),
    "ingest.drive_lost": N_(
        "{file} can't be read: its drive or network folder does not answer ({reason}). "
        "Connect it again, or copy the file to this computer first."
    ),
    "ingest.no_room": N_(
        "Importing {file} takes {needed:,} MB on the disk, and only {free:,} MB are free; "
        "make room and import again."
    ),
    "ingest.nothing_pasted": N_(
        "The clipboard holds no cells; copy them in Excel or WPS first, then paste here."
    ),
    "ingest.changing": N_(
        "{file} is being written by another program; wait a moment and import again."
    ),
    "ingest.empty": N_("{file} is empty; fill in a header row and at least one row below it."),
    "ingest.no_header": N_(
        "{file} has no header: put column names such as prompt and size into its first row, or "
        "choose the row that holds them."
    ),
    "ingest.empty_lines": N_("{file} is empty; put one prompt or one object into each line."),
    "ingest.no_objects": N_(
        '{file} holds no JSON objects; each line must be one, such as {{"prompt": "a red shoe"}}.'
    ),
    "ingest.too_many_columns": N_(
        "{file} has more than {limit:,} different keys; give all lines the same ones."
    ),
    "ingest.no_rows": N_("{file} has a header but no rows below it."),
    "ingest.password": N_(
        "{file} is protected by a password; remove it in Excel (File > Info) and import again."
    ),
    "ingest.damaged": N_(
        "{file} is damaged or no Excel workbook; open it in Excel, save it again and import that."
    ),
    "ingest.web_page": N_(
        "{file} is a web page with an Excel name; open it in Excel and save it as XLSX."
    ),
    "ingest.not_text": N_("{file} is not a text file; save it as XLSX or CSV and import that."),
    "ingest.no_worksheet": N_("There is no worksheet {worksheet}; there are: {names}."),
    "ingest.unknown_encoding": N_("There is no encoding {encoding}; try utf-8 or gb18030."),
    "ingest.no_encoding": N_(
        'The encoding of {file} can\'t be told; save it as "CSV UTF-8" and import that.'
    ),
    "ingest.open_quote": N_(
        "Row {row} opens a quotation mark that is never closed; close it and import again."
    ),
    "ingest.cell_too_long": N_(
        "Row {row} has a cell of more than {limit:,} characters; is a quotation mark left open?"
    ),
    # said beside a sheet that can be used
    "ingest.unsaved": N_(
        "{file} is open in {program}: changes that are not saved yet are not included."
    ),
    "ingest.header_doubt": N_(
        "The first row is taken for column names ({columns}); if it is data, choose so for the "
        "first row."
    ),
    "ingest.header_below": N_(
        "The column names seem to stand in row {row} ({columns}): if so, choose that row as the "
        "header."
    ),
    "ingest.rows_above": N_(
        "The table begins in row {row}; rows above it that were left out: {count:,}."
    ),
    "ingest.no_header_row": N_(
        "Row {row} of {file} can't be the first of the table: it is blank, hidden or past the end."
    ),
    "ingest.encoding_doubt": N_(
        "The encoding is a guess ({encoding}); look whether the text is right before you run it."
    ),
    "ingest.hidden_left": N_("Hidden rows are left out: {count:,}. They can be imported too."),
    "ingest.hidden_taken": N_("Hidden rows are imported too: {count:,}."),
    "ingest.uncalculated": N_(
        "Formulas without a value: {count:,}. Their cells are empty; "
        "save the file once in Excel and import it again."
    ),
    "ingest.plain_values": N_(
        "Files of this kind do not tell which rows are hidden and how values are shown: all rows "
        "are taken, with plain values. Where that matters, save the file as .xlsx first."
    ),
    "ingest.one_a_line": N_(
        "Each line is taken for one prompt; if the file is a table, choose its separator."
    ),
    "ingest.blank_lines": N_("Blank lines are left out: {count:,} (rows {rows})."),
    # one row
    "ingest.bad_json": N_("Row {row} is not valid JSON; correct the line."),
    "ingest.no_object": N_('Row {row} is JSON but not an object; write it as {{"prompt": "..."}}.'),
    "ingest.key_twice": N_("Row {row} has the same key twice; keep one of them."),
    "ingest.too_many_cells": N_(
        "Row {row} has {cells} cells but the header has {columns} (left over: {extra}); "
        "put quotation marks around text that holds a delimiter."
    ),
    "ingest.nul": N_("Row {row} holds NUL characters; remove them or type the row again."),
    "ingest.bad_bytes": N_(
        "Row {row} holds bytes that are not {encoding}: choose another encoding, or type the row "
        "again."
    ),
    "ingest.empty_prompt": N_("Row {row} has no prompt."),
    "ingest.empty_template": N_("Row {row} is blank in every column that the text uses."),
    "ingest.text_fails": N_("Row {row}: the text can't be filled with its cells ({why})."),
    "ingest.text_grows": N_(
        "Row {row}: the text grows beyond {limit:,} characters, or its loops take more than "
        "{rounds:,} rounds."
    ),
    "ingest.prompt_too_long": N_(
        "Row {row} has a prompt of {length:,} characters; at most {limit:,} can be sent."
    ),
    "ingest.not_int": N_('Row {row}, {column}: "{value}" is not a whole number.'),
    "ingest.not_number": N_('Row {row}, {column}: "{value}" is not a number.'),
    "ingest.not_bool": N_('Row {row}, {column}: "{value}" is neither yes nor no.'),
    "ingest.not_choice": N_('Row {row}, {column}: "{value}" is not one of: {choices}.'),
    "ingest.not_json": N_(
        'Row {row}, {column}: "{value}" is no JSON that can be read (at {place}).'
    ),
    "ingest.no_param": N_(
        'Row {row}, {column}: this connection has no parameter "{param}", only: {params}.'
    ),
    "ingest.reference_missing": N_("Row {row}, {column}: there is no file {file}."),
    "ingest.reference_unreadable": N_("Row {row}, {column}: {file} can't be read ({reason})."),
    "ingest.reference_no_picture": N_(
        "Row {row}, {column}: {file} is no picture that can be sent, or a damaged one; "
        "this model takes {kinds}."
    ),
    "ingest.reference_kind": N_(
        "Row {row}, {column}: {file} is a picture of the kind {kind}; this model takes {kinds}."
    ),
    "ingest.reference_large": N_(
        "Row {row}, {column}: {file} has {size} MB; this model takes {limit} MB at most."
    ),
    "ingest.reference_pixels": N_(
        "Row {row}, {column}: {file} has too many pixels; make the picture smaller."
    ),
    "ingest.reference_square": N_(
        "Row {row}, {column}: {file} has {width} x {height} pixels; this model takes square "
        "pictures only."
    ),
    "ingest.reference_many": N_(
        "Row {row}, {column}: {count} reference pictures; this model takes {limit} at most."
    ),
    "ingest.reference_address": N_(
        'Row {row}, {column}: "{value}" is neither a file nor an address with https.'
    ),
    # the mapping
    "ingest.no_prompt_column": N_(
        "Choose the column that holds the prompts, or a text with {{{{column}}}}; "
        "there are: {columns}."
    ),
    "ingest.no_row_model": N_(
        "Rows can't choose their model here: all rows of this connection have one, which for "
        "ComfyUI is its workflow. Take model out of the mapping, or make a connection for each."
    ),
    "ingest.unknown_param": N_('This connection has no parameter "{param}", only: {params}.'),
    "ingest.no_such_column": N_('There is no column "{column}"; there are: {columns}.'),
    "ingest.no_column_in_line": N_(
        'Line {line} of the text asks for a column "{column}"; there are: {columns}.'
    ),
    "ingest.no_column_in_name": N_(
        'The pattern for file names asks for "{column}"; there are: {columns}, and row, prompt, '
        "and n in the name behind the last slash."
    ),
    "ingest.text_syntax": N_(
        "Line {line} of the text can't be understood: {near} - a column is written "
        "{{{{name}}}}, a condition {{% if name %}} ... {{% endif %}}."
    ),
    "ingest.text_forbidden": N_(
        'Line {line} of the text uses "{what}", which can\'t be used here. There are columns, '
        "conditions, loops, and after a | these: {filters}."
    ),
    "ingest.text_too_long": N_(
        "A text with conditions or loops can have {limit:,} characters at most: shorten it."
    ),
}
