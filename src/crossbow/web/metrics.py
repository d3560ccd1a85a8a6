"""Numbers for Prometheus, in its text format.

    metrics = Metrics()
    metrics.count("/search", 200, seconds=0.012)
    metrics.text(gauges)
    metrics.plus(state)             # with what another process counted, as its own `state` says
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds


class Metrics:
    """Requests by path and status, and how long those of each path took. Used by the event loop alone."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, int]] = Counter()
        self.reloads: Counter[str] = Counter(ok=0, failed=0)
        self._buckets: dict[str, list[int]] = {}
        self._seconds: dict[str, float] = {}

    def count(self, path: str, status: int, seconds: float) -> None:
        """One request that was answered. Paths are those of routes: what clients make up would never end."""
        self.requests[path, status] += 1
        self._buckets.setdefault(path, [0] * (len(BOUNDS) + 1))[bisect_left(BOUNDS, seconds)] += 1
        self._seconds[path] = self._seconds.get(path, 0.0) + seconds

    def state(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {"requests": [[*key, count] for key, count in self.requests.items()], "reloads": dict(self.reloads),
                "buckets": self._buckets, "seconds": self._seconds}

    def plus(self, states: Iterable[Mapping[str, Any]]) -> Metrics:
        """The sums of this and of what others counted."""
        total = Metrics()
        for state in (self.state(), *states):
            for path, status, count in state["requests"]:
                total.requests[path, status] += count
            total.reloads.update(state["reloads"])
            for path, buckets in state["buckets"].items():
                there = total._buckets.get(path, [0] * len(buckets))
                total._buckets[path] = [one + other for one, other in zip(there, buckets)]
                total._seconds[path] = total._seconds.get(path, 0.0) + state["seconds"][path]
        return total

    def text(self, gauges: Mapping[str, tuple[str, float]]) -> str:
        """All of it, with gauges given as {name: (help, value)}."""
        lines = _head("crossbow_requests_total", "counter", "Requests that were answered.")
        lines += [f'crossbow_requests_total{{path="{path}",status="{status}"}} {count}'
                  for (path, status), count in sorted(self.requests.items())]
        lines += _head("crossbow_reloads_total", "counter", "How often a changed model or index was opened, or could "
                                                            "not be opened.")
        lines += [f'crossbow_reloads_total{{result="{result}"}} {count}' for result, count in self.reloads.items()]
        name = "crossbow_request_seconds"
        lines += _head(name, "histogram", "Time from the first byte of a request to the end of its answer.")
        for path, buckets in sorted(self._buckets.items()):
            sums = list(accumulate(buckets))
            lines += [f'{name}_bucket{{path="{path}",le="{bound}"}} {total}'
                      for bound, total in zip((*map(str, BOUNDS), "+Inf"), sums)]
            lines += [f'{name}_sum{{path="{path}"}} {self._seconds[path]:.6f}',
                      f'{name}_count{{path="{path}"}} {sums[-1]}']
        for gauge, (explained, value) in gauges.items():
            lines += [*_head(gauge, "gauge", explained), f"{gauge} {value:.17g}"]
        return "\n".join(lines) + "\n"


def _head(name: str, kind: str, explained: str) -> list[str]:
    return [f"# HELP {name} {explained}", f"# TYPE {name} {kind}"]
