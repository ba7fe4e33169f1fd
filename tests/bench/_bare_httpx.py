"""The least a client can be: httpx, a semaphore, a start every 1/rate s. Prints how many came."""

from __future__ import annotations

import asyncio
import sys

import httpx


async def main(base_url: str, key: str, rows: int, concurrency: int, rate: float) -> int:
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
            texts.append(answer.json()["choices"][0]["message"]["content"])
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
    return len(texts)


if __name__ == "__main__":
    url, secret, *numbers = sys.argv[1:]
    print(asyncio.run(main(url, secret, int(numbers[0]), int(numbers[1]), float(numbers[2]))))
