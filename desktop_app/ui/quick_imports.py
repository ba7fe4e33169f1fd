"""PySide reads and keeps the source of every module that is imported after it: several times the
work of the import, for the sake of a switch that this program has no use for."""

from __future__ import annotations

import builtins


def import_plainly() -> None:
    """Import PySide, and let imports be Python's own again.

    PySide puts a function of its own in the place of ``__import__``, so that a module may say
    ``from __feature__ import ...``; no module here does. Nothing happens with a PySide that leaves
    imports alone.
    """
    import PySide6.QtCore  # noqa: F401 - what takes the place is taken back

    plain = getattr(builtins, "__orig_import__", None)
    if plain is not None:
        builtins.__import__ = plain
