"""Batchwright on a computer where one row's picture kills the program that reads it.

Usage: python poisoned.py ROW_NO ARGUMENTS...
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from desktop_app.__main__ import main
from desktop_app.exports.result_file import ResultKeeper

ROW_NO = int(sys.argv.pop(1))


def deadly(work: Any) -> Any:
    def act(self: ResultKeeper, claim: Any, *more: Any) -> Any:
        if claim.row_no == ROW_NO:
            os.kill(os.getpid(), signal.SIGKILL)
        return work(self, claim, *more)

    return act


ResultKeeper._keep = deadly(ResultKeeper._keep)  # type: ignore[method-assign]
ResultKeeper._find = deadly(ResultKeeper._find)  # type: ignore[method-assign]

if __name__ == "__main__":
    sys.exit(main())
