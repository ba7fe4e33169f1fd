"""What a careful script is: httpx, a semaphore, a start every 1/rate s, the texts in a list, or
each in a file of its own where an empty folder is given. It knows no retry and waits for no disk.
Prints how many came."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import httpx


async def main(
    base_url: str, key: str, rows: int, concurrency: int, rate: float, out: Path | None
) -> list[str]:
    slots = asyncio.Semaphore(concurrency)
    texts: list[str] = []

    async def ask(client: httpx.AsyncClient, number: int) -> None:
        try:
            question = f"In one line: what is shoe number {number} made of?"
            answer = await client.post(
                f"{base_url}/chat/completions",
                headers={"Authorization": f"Bearer {key}"},
                json={
                    "model": "practice",
                    "messages": [{"role": "user", "content": question}],
                },
            )
            answer.raise_for_status()
            text = answer.json()["choices"][0]["message"]["content"]
            if out is None:
                texts.append(text)
            else:
                (out / f"{number:05d}.txt").write_text(text, encoding="utf-8")
        finally:
            slots.release()

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=concurrency)
    loop = asyncio.get_running_loop()
    async with (
        httpx.AsyncClient(trust_env=False, timeout=60, limits=limits) as client,
        asyncio.TaskGroup() as group,
    ):
        due = loop.time()
        for number in range(rows):
            await asyncio.sleep(due - loop.time())
            due += 1 / rate
            await slots.acquire()
            group.create_task(ask(client, number))
    return texts


if __name__ == "__main__":
    url, secret, many, at_once, each_s, *folders = sys.argv[1:]
    folder = Path(folders[0]) if folders else None
    in_list = asyncio.run(main(url, secret, int(many), int(at_once), float(each_s), folder))
    in_files = [] if folder is None else [file.stat().st_size for file in folder.iterdir()]
    print(sum(1 for came in (*in_list, *in_files) if came))
