"""Prometheus' text format: every family has its head, histograms add up."""

from __future__ import annotations

import re

from crossbow.web.metrics import Metrics

LINE = re.compile(r'([a-z_]+)(?:\{((?:[a-z]+="[^"\\]*",?)*)\})? (\d+(?:\.\d+)?(?:e[+-]?\d+)?)')


def samples(text: str) -> dict[tuple[str, str], float]:
    """Names and labels; and that each line is one that Prometheus can read."""
    found, typed = {}, {}
    for line in text.splitlines():
        if line.startswith("# TYPE "):
            typed[line.split()[2]] = line.split()[3]
        elif not line.startswith("# HELP "):
            match = LINE.fullmatch(line)
            assert match, line
            assert typed.get(re.sub("_(bucket|sum|count)$", "", match[1])) or match[1] in typed, line
            assert (match[1], match[2] or "") not in found
            found[match[1], match[2] or ""] = float(match[3])
    assert text.endswith("\n")
    return found


def test_requests_are_counted() -> None:
    metrics = Metrics()
    for seconds in (0.0005, 0.003, 0.003, 99.0):
        metrics.count("/search", 200, seconds)
    metrics.count("/search", 429, 0.0)
    metrics.count("/documents/{id:path}", 404, 0.02)
    metrics.reloads["ok"] += 1
    found = samples(metrics.text({"crossbow_index_documents": ("Documents.", 220)}))
    assert found["crossbow_requests_total", 'path="/search",status="200"'] == 4
    assert found["crossbow_requests_total", 'path="/search",status="429"'] == 1
    assert found["crossbow_request_seconds_bucket", 'path="/search",le="0.001"'] == 2
    assert found["crossbow_request_seconds_bucket", 'path="/search",le="0.005"'] == 4
    assert found["crossbow_request_seconds_bucket", 'path="/search",le="10.0"'] == 4
    assert found["crossbow_request_seconds_bucket", 'path="/search",le="+Inf"'] == 5
    assert found["crossbow_request_seconds_count", 'path="/search"'] == 5
    assert round(found["crossbow_request_seconds_sum", 'path="/search"'], 4) == 99.0065
    assert found["crossbow_reloads_total", 'result="ok"'] == 1
    assert found["crossbow_reloads_total", 'result="failed"'] == 0
    assert found["crossbow_index_documents", ""] == 220


def test_nothing_has_happened_yet() -> None:
    assert samples(Metrics().text({})) == {("crossbow_reloads_total", 'result="ok"'): 0,
                                           ("crossbow_reloads_total", 'result="failed"'): 0}
