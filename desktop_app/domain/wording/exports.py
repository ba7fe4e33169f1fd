"""What exports may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    # this machine's faults: the engine waits
    "exports.disk_full": N_("The disk of {folder} is full; free some space."),
    "exports.disk_nearly_full": N_(
        "The disk of {folder} has {free_mb} MB left, {needed_mb} MB are needed; free some space."
    ),
    "exports.folder_gone": N_("The folder {folder} is gone; plug in its disk or make it again."),
    "exports.folder_not_made": N_("The folder {folder} can't be made ({reason})."),
    "exports.not_writable": N_("Nothing can be written into {folder}; allow writing there."),
    "exports.disk_error": N_("Writing into {folder} failed ({reason})."),
    # results that are none
    "exports.not_a_picture": N_("The provider's answer is no picture ({size} bytes)."),
    "exports.half_a_picture": N_("The picture came incomplete or damaged ({size} bytes)."),
    "exports.picture_too_large": N_(
        "The picture is too large to be opened safely ({width} × {height} pixels)."
    ),
    "exports.empty_text": N_("The provider's answer is blank."),
    "exports.not_utf8": N_("The text is not UTF-8 ({size} bytes)."),
    "exports.attach_unreadable": N_("{file} can't be read ({reason})."),
    # sheets
    "exports.unknown_suffix": N_("{file}: choose a name that ends in one of {suffixes}."),
    "exports.sheet_not_written": N_("{file} could not be written ({reason})."),
    "exports.pictures_end": N_("No small pictures from here on: a workbook gets {most}."),
    "exports.whole_text": N_("{length:,} characters; whole text: {file}"),
}
