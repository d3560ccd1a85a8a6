"""The report of the poster's experiment as Markdown, made of nothing but what report.json holds, and its plot.

    write_report(out, data, lambda pictures: markdown(data, pictures), lambda folder: plot(folder, data))
    print(text(data))
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crossbow.evaluation import plots
from crossbow.evaluation.tables import markdown_table, text_table

BASE, LIKELY, START, LEARNED = "BM25", "ML", "start", "end-to-end"  # START: ML with the vocabulary of LEARNED
Data = Mapping[str, Any]
SYSTEMS = (BASE, LIKELY, START, LEARNED)
LEVEL = 0.05
PLOT = "objective.png"


def plot(folder: Path, data: Data) -> list[str]:
    """Draw the objective before and after each update, as on the poster; returns the lines that show the picture."""
    rounds = data["rounds"][1:]
    plots.lines(folder / PLOT, [one["number"] for one in rounds],
                {side: [one[side] for one in rounds] for side in ("before", "after")}, "round",
                "cross entropy, weighted by |ΔNDCG@10|", "before: with new parses; after: the same parses, updated")
    return [f"![The objective before and after each update]({PLOT})"]


def text(data: Data) -> str:
    """The poster's table for the terminal."""
    return text_table(*_table(data)) + "\n" + _legend(data)


def markdown(data: Data, pictures: list[str]) -> str:
    """The whole report."""
    parts = [
        f"# Parsing learned for retrieval, on {data['task']}", f"Made by `{data['command']}`.",
        "## NDCG@10 by length of query, test queries", _signed(data, *_table(data)), _legend(data),
        "Paired randomization test, two-sided, not corrected for the number of comparisons:",
        _signed(data, *_tests(data), labels=3),
        "## The objective of end-to-end learning", *pictures, _signed(data, *_rounds(data)),
        f"{data['queries']['train']:,} training queries. The round with the highest NDCG@10 on dev is kept; round 0 is "
        f"{LIKELY} with the same vocabulary.",
        "## Size of the vocabulary, on dev",
        f"Chosen by NDCG@10: {data['chosen'][LIKELY]:,} words for {LIKELY}, {data['chosen'][LEARNED]:,} for {LEARNED}.",
        _signed(data, *_sizes(data), labels=2),
        "## Viterbi EM", "Log likelihood and log prior before each update: "
        + ", ".join(f"{value:,.0f}" for value in data["likelihood"]) + "."]
    if data["alternatives"]:
        parts += ["## Choices that the poster leaves open, on dev",
                  f"{LIKELY}-trained, one setting changed at a time, α chosen anew for each.",
                  _signed(data, *_alternatives(data), labels=2)]
    parts += ["## BM25 on dev", _signed(data, ["k1", "b", "NDCG@10"], [
        [f"{row['k1']:g}", f"{row['b']:g}", f"{100 * row['ndcg']:.2f}"] for row in data["bm25"]], labels=2),
        "## Settings", f"```json\n{json.dumps({key: data[key] for key in ('config', 'learning')}, indent=1)}\n```"]
    return "\n\n".join(parts) + "\n"


def _table(data: Data) -> tuple[list[str], list[list[str]]]:
    rows = []
    for row in data["table"]:
        gains = [f"{100 * test['difference']:+.2f}" + ("†" if test["p"] < LEVEL else "")
                 for test in row["tests"] if test["system"] == LEARNED and test["other"] in (LIKELY, START)]
        rows.append([row["length"], f"{row['queries']:,}", *(f"{100 * row[system]:.2f}" for system in SYSTEMS), *gains])
    return ["query length", "queries", *SYSTEMS, f"{LEARNED} − {LIKELY}", f"{LEARNED} − {START}"], rows


def _legend(data: Data) -> str:
    mark = f"† p < {LEVEL:g}; " if any("†" in cell for row in _table(data)[1] for cell in row) else ""
    return (f"{LIKELY}: maximum likelihood with the vocabulary that is best for it; {START}: with that of {LEARNED}, "
            f"which learned from there; {mark}the last two rows overlap with the others")


def _tests(data: Data) -> tuple[list[str], list[list[str]]]:
    rows = [[row["length"], test["system"], test["other"], f"{100 * test['difference']:+.2f}", test["shown"]]
            for row in data["table"] for test in row["tests"]]
    return ["query length", "system", "against", "difference", "p"], rows


def _rounds(data: Data) -> tuple[list[str], list[list[str]]]:
    rows = [[str(one["number"]), *(f"{one[side]:,.1f}" if one["number"] else "" for side in ("before", "after")),
             f"{one['step']:.2g}" if one["number"] else "", f"{100 * one['ndcg']:.2f}", f"{one['alpha']:g}",
             f"{one['seconds']:.1f}"] for one in data["rounds"]]
    return ["round", "before", "after", "step", "NDCG@10 on dev", "α", "seconds"], rows


def _sizes(data: Data) -> tuple[list[str], list[list[str]]]:
    rows = [[f"{row['words']:,}", row["system"], f"{row['alpha']:g}", f"{100 * row['ndcg']:.2f}",
             f"{100 * row['long']:.2f}"] for row in data["sizes"]]
    return ["words", "system", "α", "NDCG@10", "of 7 words or more"], rows


def _alternatives(data: Data) -> tuple[list[str], list[list[str]]]:
    rows = [[row["field"], row["value"], f"{row['alpha']:g}", f"{100 * row['ndcg']:.2f}", f"{100 * row['long']:.2f}"]
            for row in data["alternatives"]]
    return ["setting", "value", "α", "NDCG@10", "of 7 words or more"], rows


def _signed(data: Data, headers: list[str], rows: list[list[str]], labels: int = 1) -> str:
    return markdown_table(headers, rows, labels, data["signature"])
