"""ComfyUI: a workflow that doesn't fit the server, and nodes that fail in words of their own."""

from __future__ import annotations

from desktop_app.domain.errors import FailureClass as F
from desktop_app.providers.profiles.rule import Profile, Rule

_NODE = ("execution_error*",)

COMFYUI = Profile(
    "comfyui",
    default_path="",
    rules=(
        Rule(
            F.INVALID,
            "comfy_unfit",
            statuses=(400,),
            codes=(
                "value_*",
                "invalid_input_type",
                "required_input_missing",
                "custom_validation_failed",
                "return_type_mismatch",
                "bad_linked_input",
                "dependency_cycle",
                "exception_during_*",
                "missing_node_type",
                "invalid_prompt*",
                "no_prompt",
                "prompt_no_outputs",
                "prompt_outputs_failed_validation",
            ),
        ),
        Rule(F.TRANSIENT, "comfy_memory", statuses=(0,), codes=("execution_error.*outofmemory*",)),
        Rule(
            F.TRANSIENT,
            "comfy_memory",
            statuses=(0,),
            codes=_NODE,
            text=r"out of memory|allocation on device|not enough memory",
        ),
        Rule(
            F.REFUSED,
            "refused",
            statuses=(0,),
            codes=_NODE,
            text=r"moderation|content (management )?polic|safety (system|filter)|flagged",
        ),
        Rule(
            F.TRANSIENT,
            "comfy_node",
            statuses=(0,),
            codes=_NODE,
            text=r"cuda error|device-side assert|cudnn|timed? ?out|temporarily unavailable"
            r"|connection (error|reset|refused|aborted)|service unavailable|too many requests",
        ),
        Rule(F.INVALID, "comfy_node", statuses=(0,), codes=_NODE),
    ),
)
