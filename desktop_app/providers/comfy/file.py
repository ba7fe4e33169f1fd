"""Reads a saved workflow once, when its connection is stored: from then on the file may move."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from desktop_app.providers.comfy.workflow import BadWorkflow, Workflow

MOST_BYTES = 8 * 1024 * 1024


def read_workflow(named: str) -> dict[str, Any]:
    """The nodes of a file in the API's format. Blocks. Raises BadWorkflow."""
    path = Path(named.strip().strip('"')).expanduser().absolute()
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BadWorkflow("comfyui.no_workflow")
        found = json.loads(path.read_text("utf-8-sig"))
    except FileNotFoundError:
        raise BadWorkflow("comfyui.no_such_file", file=str(path)) from None
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise BadWorkflow("comfyui.no_file", file=str(path), why=why) from None
    except (ValueError, RecursionError):
        raise BadWorkflow("comfyui.no_workflow") from None
    return dict(Workflow(found).nodes)
