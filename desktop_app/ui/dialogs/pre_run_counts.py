"""How many rows a sheet has, and how many are wrong in what way: the line under its name."""

from __future__ import annotations

from desktop_app.domain.text import Translator
from desktop_app.services.import_batch import PreRun


def counted(tr: Translator, check: PreRun) -> str:
    """``200 rows found  ·  197 can be used  ·  3 rows with problems``."""
    bad = check.bad_rows
    wrong = tr.plural("{n} row with problems", "{n} rows with problems", bad)
    said = [
        tr.plural("{n} row found", "{n} rows found", check.found),
        tr.plural("{n} can be used", "{n} can be used", check.valid),
        wrong if bad else tr("no problems"),
    ]
    if check.duplicates:
        said.append(tr.plural("{n} duplicate", "{n} duplicates", check.duplicates))
    if check.gaps:
        said.append(tr.plural("{n} with gaps", "{n} with gaps", check.gaps))
    return "  ·  ".join(said)
