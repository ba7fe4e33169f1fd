"""``mapping``: how columns become requests, kept under names and handed on as files."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from desktop_app.cli.exits import Exit
from desktop_app.cli.say import Say
from desktop_app.domain.mapping_file import MappingPreset, to_json, written
from desktop_app.services.mappings import Mappings
from desktop_app.wiring import HouseOptions, open_house


async def mapping(args: argparse.Namespace, options: HouseOptions, say: Say) -> Exit:
    """One of list, show, import, export, rename, remove. Raises OperatorError."""
    async with open_house(options, shared=True) as house:
        mappings = house.services.mappings
        match args.act:
            case "list":
                await _list(mappings, say)
            case "show":
                found = await mappings.get(args.name)
                say.document(to_json(found))
                say.line(written(found).decode().rstrip("\n"))
            case "import":
                found = await mappings.read_file(Path(args.file))
                named = replace(found, name=args.as_name or found.name)
                _said(say, await mappings.save(named, replaces=False))
            case "export":
                preset, target = await mappings.get(args.name), Path(args.file)
                saved = await mappings.write_file(preset, target, replaces=False)
                say.document({"saved": str(saved.absolute()), "renamed": saved != target})
                if saved != target:
                    say.aside(say.tr("{name} is there already: saved beside it.", name=target.name))
                say.line(say.tr("Saved: {file}", file=saved))
            case "rename":
                _said(say, await mappings.rename(args.name, args.new_name))
            case "remove":
                await mappings.remove(args.name)
                say.document({"removed": args.name})
    return Exit.OK


async def _list(mappings: Mappings, say: Say) -> None:
    presets = await mappings.presets()
    say.document([to_json(preset) for preset in presets])
    say.table(
        [say.tr("Name"), say.tr("Prompt")],
        [(p.name, p.mapping.template or p.mapping.prompt_column) for p in presets],
    )


def _said(say: Say, preset: MappingPreset) -> None:
    say.document(to_json(preset))
    say.line(say.tr("Saved: {file}", file=preset.name))
