"""What a connection's workflow makes of the adapter: the columns it can fill, the pictures it
takes; and the workflow itself, read once when the connection is stored."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from desktop_app.domain.connection import Connection
from desktop_app.domain.money import PriceUnit
from desktop_app.domain.ports import Capabilities, Param
from desktop_app.domain.references import FURTHER, REFERENCE
from desktop_app.domain.text import OperatorError
from desktop_app.domain.wording.providers import N_
from desktop_app.providers.comfy.check import readable
from desktop_app.providers.comfy.file import read_workflow
from desktop_app.providers.comfy.following import LOST_AFTER_S
from desktop_app.providers.comfy.order import rule_of
from desktop_app.providers.comfy.workflow import BadWorkflow, Workflow

CAPABILITIES = Capabilities(
    makes="picture",
    default_timeout_s=60.0,
    askable=True,
    cancel=True,
    jobs=True,
    params=(Param("seed", "int", (), N_("Seed")),),
    polls_many=16,
    typical_job_s=20.0,
    lost_after_s=LOST_AFTER_S,
    price_units=(PriceUnit.CALL, PriceUnit.IMAGE),
)
_PICTURES = (
    Param(REFERENCE, "reference", (), N_("Reference pictures")),
    Param(FURTHER, "reference", (), N_("More reference pictures")),
)


def capabilities_of(connection: Connection) -> Capabilities:
    """With a parameter for each input that a column can fill."""
    try:
        workflow = Workflow(connection.extra.get("workflow"))
    except BadWorkflow:
        return CAPABILITIES
    rule = rule_of(workflow)
    pictures = _PICTURES if rule is not None else ()
    params = workflow.params(connection.extra.get("prompt"))
    return replace(
        CAPABILITIES,
        params=(*CAPABILITIES.params, *pictures, *params),
        references=() if rule is None else (rule,),
    )


def prepared(connection: Connection) -> Connection:
    """With the workflow itself in place of its file's path, which is given as the model or as
    ``workflow``. Blocks. Raises OperatorError."""
    extra = dict(connection.extra)
    model = connection.model.strip().strip('"')
    path = model if model.lower().endswith(".json") else extra.get("workflow")
    try:
        if isinstance(path, str):
            extra["workflow"] = read_workflow(path)
            model = Path(path.strip().strip('"')).stem
        readable(extra)
    except BadWorkflow as bad:
        raise OperatorError(bad.said) from None
    return replace(connection, model=model, extra=extra)
