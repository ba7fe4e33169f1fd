"""From a CSV to a sealed batch, as the window does it: prints seconds and rows as JSON.

Like the program's own ``__main__`` this imports nothing of the house before it is run: the process
that reads the sheet loads the main module once more.
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from pathlib import Path


async def main(data: Path, sheet: Path) -> dict[str, float]:
    from desktop_app.domain.batch import SheetMapping
    from desktop_app.services.import_batch import ImportPlan
    from desktop_app.wiring import HouseOptions, open_house

    async with open_house(HouseOptions(data_dir=data)) as house:
        connection = await house.services.connections.by_name("bench")
        if connection is None:
            raise SystemExit("no connection")
        began = time.monotonic()
        info = await house.services.imports.open(sheet)
        opened = time.monotonic()
        mapping = SheetMapping(
            prompt_column="prompt", params={"size": "@size"}, lane_column=None, key_column="sku"
        )
        plan = ImportPlan(
            info=info, mapping=mapping, connection_id=connection.id, out_dir=str(data / "out")
        )
        batch_id = await house.services.imports.run(plan)
        ended = time.monotonic()
        await house.services.imports.forget(info)
        summary = await house.services.queries.batch(batch_id)
        rows = summary.ledger.imported if summary is not None else 0
    # The process that reads the sheet has ended: what it took at most counts as well.
    helper = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {
        "open_s": opened - began,
        "import_s": ended - opened,
        "rows": rows,
        "helper_rss_mb": helper / (1024 * 1024 if sys.platform == "darwin" else 1024),
    }


if __name__ == "__main__":
    print(json.dumps(asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2])))))
