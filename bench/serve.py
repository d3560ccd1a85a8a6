"""The server under load from a second process: latency, throughput, errors, memory.

    python bench/serve.py MODEL INDEX QUERIES.tsv [--connections 64] [--seconds 60] [--explain] [--method bowfd]

Starts `crossbow serve`, and keeps that many connections busy: each sends its next query as soon as the answer is there,
or a second later if the answer was 429. Queries come in turn, their words rotated by one in each round, so that hardly
any of them is asked twice while its forests are kept. Ten seconds of the same come first and are not counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import numpy as np

from crossbow.records import read_queries
from crossbow.web.requests import LONGEST_QUERY

WARMING = 10.0


def bodies(path: Path, options: dict[str, object]) -> Iterator[bytes]:
    """Requests without end."""
    texts = [query.text[:LONGEST_QUERY].split() for query in read_queries(path)]
    for round in count():
        for words in texts:
            at = round % len(words)
            yield json.dumps({**options, "query": " ".join(words[at:] + words[:at])}).encode()


async def keep_busy(port: int, asked: Iterator[bytes], until: float, found: list[tuple[float, float, int]]) -> None:
    """One connection: when each request was sent, how long it took, and its status."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while (sent := time.perf_counter()) < until:
        body = next(asked)
        writer.write(b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(body) + body)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.I)
        assert length, head
        await reader.readexactly(int(length[1]))
        status = int(head.split(None, 2)[1])
        found.append((sent, time.perf_counter() - sent, status))
        if status == 429:
            await asyncio.sleep(1.0)
    writer.close()


async def memory(pid: int, until: float, seen: list[float]) -> None:
    """MB of the server's own memory, every second; mapped files, which come in page by page, are not counted."""
    while time.perf_counter() < until:
        status = Path(f"/proc/{pid}/status").read_text()
        seen.append(int(re.search(r"RssAnon:\s+(\d+)", status)[1]) / 1000)  # type: ignore[index]
        await asyncio.sleep(1.0)


async def load(port: int, pid: int, options: argparse.Namespace) -> tuple[list[tuple[float, float, int]], list[float]]:
    """All that was counted, and the memory from second to second."""
    start = time.perf_counter() + WARMING
    until = start + options.seconds
    asked = bodies(options.queries, {"method": options.method, "k": options.k, "explain": options.explain})
    found: list[tuple[float, float, int]] = []
    seen: list[float] = []
    await asyncio.gather(memory(pid, until, seen),
                         *(keep_busy(port, asked, until, found) for _ in range(options.connections)))
    return [row for row in found if row[0] >= start], seen


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("index", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--method", default="bowfd")
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--explain", action="store_true")
    options = parser.parse_args()
    command = [Path(sys.executable).with_name("crossbow"), "serve", options.model, options.index, "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout
        port = re.search(r":(\d+)/", server.stdout.readline())
        assert port, "the server did not start"
        found, memory_seen = asyncio.run(load(int(port[1]), server.pid, options))
    finally:
        server.terminate()
        server.wait()
    statuses = Counter(status for _, _, status in found)
    took = np.array([seconds for _, seconds, status in found if status == 200])
    median, high, highest = 1000 * np.quantile(took, (0.5, 0.95, 0.99))
    other = {status: number for status, number in statuses.items() if status not in (200, 429)}
    quarters = " ".join(f"{part.mean():.0f}" for part in np.array_split(np.array(memory_seen[int(WARMING):]), 4))
    print("| connections | answers a second | p50 ms | p95 ms | p99 ms | 429 | other errors | MB, quarter by quarter "
          "|\n|---|---|---|---|---|---|---|---|\n"
          f"| {options.connections} | {len(took) / options.seconds:.1f} | {median:.0f} | {high:.0f} | {highest:.0f} "
          f"| {statuses[429]:,} | {other or 'none'} | {quarters} |")


if __name__ == "__main__":
    main()
