"""A column's name that stands where its cells were probably meant: it is taken literally, which is
right or dear, and so is said before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from desktop_app.domain.batch import SheetMapping
from desktop_app.domain.columns import place_of
from desktop_app.domain.text import Message, message


def literal_names(mapping: SheetMapping, columns: Sequence[str]) -> Iterator[Message]:
    """A sentence for each text of the mapping that is the name of a column."""
    folder, pattern = mapping.subfolder, mapping.output_name
    if folder is not None and place_of(columns, folder) is not None:
        yield message("services.literal_subfolder", name=folder)
    if pattern is not None and place_of(columns, pattern) is not None:
        yield message("services.literal_output_name", name=pattern)
    for param, said in mapping.params.items():
        if place_of(columns, said) is not None:
            yield message("services.literal_param", param=param, name=said)
