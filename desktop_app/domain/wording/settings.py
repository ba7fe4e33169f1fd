"""What settings may say, kept apart so that wording is edited without touching the room."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "settings.no_store": N_(
        "This computer has no password store. The key is kept until you close."
    ),
    "settings.store_locked": N_(
        "The password store of this computer is locked. Unlock it, then try again."
    ),
    "settings.store_waiting": N_(
        "The password store is waiting for you: answer its dialog, then try again."
    ),
    "settings.store_failed": N_(
        "The password store of this computer did not do what it was asked. Try again, or enter "
        "the key anew. The log says more."
    ),
    "settings.no_window": N_(
        "The window can't be opened here ({why}). Install what is missing; the verbs work without "
        "it."
    ),
    "settings.key_empty": N_("The key is empty. Copy it from the provider's console again."),
    "settings.key_odd": N_(
        "The key contains a space or a sign that keys cannot have. Copy it from the provider's "
        "console again."
    ),
    "settings.key_too_long": N_("The key has {length} characters; at most {most} can be stored."),
    "settings.key_damaged": N_(
        "The stored key of {connection} is no longer whole. Enter the key anew."
    ),
    "settings.file_damaged": N_(
        "The settings could not be read and start afresh; the old file is kept as {file}."
    ),
    "settings.folder_unusable": N_("The data folder {folder} cannot be used: {why}"),
    "settings.folder_no_locks": N_(
        "The data folder {folder} is on a drive that cannot be locked ({why}). "
        "Choose a folder on this computer."
    ),
}
