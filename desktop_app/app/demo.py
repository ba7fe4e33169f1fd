"""The sample batch, for who wants to see it run before anything else."""

from __future__ import annotations

from desktop_app.domain.batch import SheetMapping
from desktop_app.ui.context import UiContext
from desktop_app.wiring import House

SAMPLE_LANE = "customer"


async def run_demo(house: House, context: UiContext) -> None:
    """The sample, imported and running against the practice server."""
    from desktop_app.services.import_plan import ImportPlan

    imports = house.services.imports
    sheet = house.services.preferences.sample_sheet()
    connection = await house.services.connections.practice()
    info = await imports.open(sheet)
    guess = info.guess
    plan = ImportPlan(
        info=info,
        mapping=SheetMapping(
            prompt_column=guess["prompt"],
            params={"size": "@" + guess["size"]} if "size" in guess else {},
            key_column=guess.get("key"),
            lane_column=SAMPLE_LANE if SAMPLE_LANE in info.columns else None,
        ),
        connection_id=connection.id,
        out_dir=str(house.data_dir / "pictures" / sheet.stem),
    )
    batch_id = await imports.run(plan)
    context.signals.batch_selected.emit(batch_id)
    await house.services.runs.start(batch_id)
