"""How the columns of a run become requests: by a mapping from a file or of a name, by what is said
in the terminal, else by the columns' names."""

from __future__ import annotations

import argparse
from collections.abc import Set
from pathlib import Path

from desktop_app.cli.say import Say
from desktop_app.domain.batch import LaneOnDead, SheetMapping
from desktop_app.domain.columns import named
from desktop_app.domain.mapping_file import MappingPreset, fitted
from desktop_app.domain.ports import SheetInfo
from desktop_app.domain.references import reference_names
from desktop_app.domain.text import OperatorError, message
from desktop_app.services.import_plan import ImportPlan
from desktop_app.wiring import House

HEADER_DOUBT = "ingest.header_doubt"
SHOWN = 60


async def chosen(house: House, args: argparse.Namespace) -> MappingPreset | None:
    """The mapping that a run was told to take; it says where the sheet begins, unless that was
    said. Raises OperatorError."""
    mappings = house.services.mappings
    preset: MappingPreset | None = None
    if args.map is not None:
        preset = await mappings.read_file(Path(args.map))
    elif args.preset is not None:
        preset = await mappings.get(args.preset)
    if preset is not None and args.header_row is None:
        args.header_row = preset.header_row
    return preset


def lane_rule(args: argparse.Namespace, preset: MappingPreset | None) -> LaneOnDead:
    """What was said, else what the mapping says, else that a lane goes on."""
    if args.lane_on_dead is not None:
        return LaneOnDead(args.lane_on_dead)
    return preset.lane_on_dead if preset is not None else LaneOnDead.GO


async def keep(house: House, args: argparse.Namespace, plan: ImportPlan, say: Say) -> None:
    """Save the mapping of a run under the name that was given, if one was."""
    if args.save_preset is not None:
        preset = MappingPreset(
            args.save_preset, plan.mapping, plan.lane_on_dead, plan.info.header_row
        )
        saved = await house.services.mappings.save(preset, replaces=True)
        say.aside(say.tr("Saved: {file}", file=saved.name))


def mapping_of(
    args: argparse.Namespace, info: SheetInfo, known: Set[str], preset: MappingPreset | None
) -> SheetMapping:
    """``known`` are the parameters of the connection. What the arguments say comes before the
    preset; without one, what the names of the columns make likely. Raises OperatorError."""
    base = fitted(preset, info.columns).mapping if preset is not None else None
    params = dict(base.params) if base is not None else {}
    # The size column is the one that sheets really have and that no other word is mistaken for.
    if base is None and "size" in info.guess and "size" in known:
        params["size"] = "@" + info.guess["size"]
    for text in args.param:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise OperatorError(message("services.bad_param", text=text))
        params[name.strip()] = value
    params.update(zip(reference_names(), (f"@{column}" for column in args.reference), strict=False))
    params = {name: value for name, value in params.items() if value}
    column, template = args.prompt_column, args.template
    if base is not None and column is None and template is None:
        column, template = base.prompt_column, base.template
    if column is None and template is None:
        column = info.guess.get("prompt")
        if len(info.columns) == 1 and any(w.code == HEADER_DOUBT for w in info.warnings):
            # Its first prompt would be lost unseen: a terminal has nobody to look at a preview.
            raise OperatorError(message("services.no_header", first=info.columns[0][:SHOWN]))
        if column is None:
            raise OperatorError(message("services.no_prompt_column", columns=named(info.columns)))
    base = base or SheetMapping(key_column=info.guess.get("key"))

    def said(name: str) -> str | None:
        """An empty one takes back what the mapping says."""
        value = getattr(args, name)
        return getattr(base, name) if value is None else value or None

    return SheetMapping(
        prompt_column=column,
        template=template,
        params=params,
        lane_column=said("lane_column"),
        priority_column=said("priority_column"),
        key_column=said("key_column"),
        output_name=said("output_name"),
        subfolder=said("subfolder"),
    )
