"""The server under load from a second process: latency, throughput, errors, memory; beside another version of it.

    python bench/serve.py MODEL INDEX QUERIES.tsv [--connections 64] [--seconds 60] [--explain] [--method bowfd]
        [--workers 2] [--light] [--against OTHER/src]

Starts `crossbow serve`, and keeps that many connections busy: each sends its next query as soon as the answer is there,
or a second later if the answer was 429. Queries come in turn, their words rotated by one in each round, so that hardly
any of them is asked twice while its forests are kept. Five seconds of the same come first and are not counted. With
--light another client, at another address, asks four times a second meanwhile, and gets a row of its own. With
--against the server of another checkout is started too, and the two are asked in turn, ten seconds each, until each had
its time: what else the machine does then falls on both.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow.records import read_queries
from crossbow.web.requests import USUAL

WARMING, SLICE = 5.0, 10.0  # seconds
LIGHT_PAUSE = 0.25
Rows = list[tuple[float, float, int]]  # when a request was sent, how long it took, its status


def bodies(path: Path, options: dict[str, object]) -> Iterator[bytes]:
    """Requests without end."""
    texts = [query.text[:USUAL.longest_query].split() for query in read_queries(path)]
    for round in count():
        for words in texts:
            at = round % len(words)
            yield json.dumps({**options, "query": " ".join(words[at:] + words[:at])}).encode()


class Server(NamedTuple):
    """A running server, and what was found of it."""

    name: str
    process: subprocess.Popen[str]
    port: int
    asked: Iterator[bytes]
    heavy: Rows
    light: Rows
    memory: list[float]


def start(name: str, options: argparse.Namespace, source: Path | None, workers: int) -> Server:
    """`crossbow serve`, of this version or of the one whose sources are given."""
    command = [sys.executable, "-m", "crossbow", "serve", options.model, options.index, "--port", "0",
               *(["--workers", str(workers)] if workers > 1 else [])]
    cache = os.environ.get("CROSSBOW_CACHE")
    changed = {} if source is None else {"PYTHONPATH": str(source),
                                         **({"CROSSBOW_CACHE": f"{cache}-other"} if cache else {})}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **changed})
    assert process.stdout
    port = re.search(r":(\d+)/", process.stdout.readline())
    assert port, "the server did not start"
    asked = bodies(options.queries, {"method": options.method, "k": options.k, "explain": options.explain})
    return Server(name, process, int(port[1]), asked, [], [], [])


async def keep_busy(server: Server, until: float, found: Rows, address: str = "127.0.0.1", pause: float = 0.0) -> None:
    """One connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(address, 0))
    while (sent := time.perf_counter()) < until:
        body = next(server.asked)
        writer.write(b"POST /search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                     b"Content-Length: %d\r\n\r\n" % len(body) + body)
        head = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", head, re.I)
        assert length, head
        await reader.readexactly(int(length[1]))
        status = int(head.split(None, 2)[1])
        found.append((sent, time.perf_counter() - sent, status))
        await asyncio.sleep(max(pause, 1.0 if status == 429 and not pause else 0.0))
    writer.close()


async def watch_memory(server: Server, until: float) -> None:
    """MB of the processes' own memory, every second; mapped files, which come in page by page, are not counted."""
    while time.perf_counter() < until:
        server.memory.append(sum(_own_memory(pid) for pid in _family(server.process.pid)))
        await asyncio.sleep(1.0)


def _family(pid: int) -> list[int]:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(one for child in children for one in _family(int(child)))]


def _own_memory(pid: int) -> float:
    return int(re.search(r"RssAnon:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())[1]) / 1000  # type: ignore[index]


async def load(server: Server, seconds: float, options: argparse.Namespace) -> None:
    """A slice of load; what is under way at its end is waited for and counts."""
    begin = time.perf_counter() + (0.0 if server.heavy else WARMING)
    until, heavy, light = begin + seconds, Rows(), Rows()
    others = [keep_busy(server, until, light, "127.0.0.2", LIGHT_PAUSE)] if options.light else []
    await asyncio.gather(watch_memory(server, until), *others,
                         *(keep_busy(server, until, heavy) for _ in range(options.connections)))
    server.heavy.extend(row for row in heavy if row[0] >= begin)
    server.light.extend(row for row in light if row[0] >= begin)


def row(name: str, connections: int, rows: Rows, seconds: float, memory: list[float]) -> str:
    """A line of the table."""
    statuses = Counter(status for _, _, status in rows)
    took = np.array([took for _, took, status in rows if status == 200])
    median, high, highest = 1000 * np.quantile(took, (0.5, 0.95, 0.99)) if len(took) else (np.nan,) * 3
    other = {status: number for status, number in statuses.items() if status not in (200, 429)}
    quarters = " ".join(f"{part.mean():.0f}" for part in np.array_split(np.array(memory), 4)) if memory else ""
    return (f"| {name} | {connections} | {len(took) / seconds:.1f} | {median:.0f} | {high:.0f} | {highest:.0f} "
            f"| {statuses[429]:,} | {other or 'none'} | {quarters} |")


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
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--light", action="store_true")
    parser.add_argument("--against", type=Path)
    options = parser.parse_args()
    servers: list[Server] = []
    try:
        if options.against:
            servers.append(start("other", options, options.against, 1))
        servers.append(start("this", options, None, options.workers))
        left = options.seconds
        while left > 0:
            part = min(SLICE, left) if options.against else left
            for server in servers:
                asyncio.run(load(server, part, options))
            left -= part
    finally:
        for server in servers:
            server.process.terminate()
            server.process.wait()
    print("| | connections | answers per second | p50 ms | p95 ms | p99 ms | 429 | other errors | MB by quarters "
          "|\n|---|---|---|---|---|---|---|---|---|")
    for server in servers:
        print(row(server.name, options.connections, server.heavy, options.seconds, server.memory))
        if options.light:
            print(row(f"{server.name}, light client meanwhile", 1, server.light, options.seconds, []))


if __name__ == "__main__":
    main()
