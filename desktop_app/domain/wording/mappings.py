"""What is said of saved mappings, kept apart so that wording is edited without touching them."""

from __future__ import annotations


def N_(text: str) -> str:  # noqa: N802 - gettext's own marker name
    """Mark a template for extraction."""
    return text


MESSAGES: dict[str, str] = {
    "mappings.not_one": N_("{file} is no mapping that Batchwright saved."),
    "mappings.newer": N_(
        "{file} was saved by a newer version of Batchwright; update this one to use it."
    ),
    "mappings.wrong_value": N_(
        '{file} can\'t be used: "{what}" in it is not what a mapping holds there.'
    ),
    "mappings.missing_columns": N_(
        'The mapping "{name}" asks for columns that this sheet does not have: {missing}. '
        "There are: {columns}."
    ),
    "mappings.no_name": N_("Give the mapping a name."),
    "mappings.no_presets": N_('There is no saved mapping "{name}": none is saved yet.'),
    "mappings.no_preset": N_('There is no saved mapping "{name}"; there are: {known}.'),
    "mappings.name_taken": N_('There is a saved mapping "{name}" already; take another name.'),
    "mappings.unreadable": N_("{file} can't be read ({reason})."),
    "mappings.unwritable": N_("{file} can't be written ({reason})."),
}
