"""The report of the poster's experiment as Markdown, made of nothing but what report.json holds, and its plot.

    write_report(out, data, lambda pictures: markdown(data, pictures), lambda folder: plot(folder, data))
    print(text(data))
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crossbow.evaluation import plots
from crossbow.evaluation.significance import LEVEL, POWER
from crossbow.evaluation.tables import markdown_table, text_table
from crossbow.experiments.poster.alternatives import LONG
from crossbow.experiments.poster.folds import DEVELOPMENT
from crossbow.experiments.poster.results import LEARNED, LIKELY, START, SYSTEMS

Data = Mapping[str, Any]
Rows = Sequence[Data]
PLOT = "objective.png"


def plot(folder: Path, data: Data) -> list[str]:
    """Draw the objective before and after each update, as on the poster; returns the lines that show the picture."""
    rounds = data["rounds"][1:]
    plots.lines(folder / PLOT, [one["number"] for one in rounds],
                {side: [one[side] for one in rounds] for side in ("before", "after")}, "round",
                "cross entropy, weighted by |ΔNDCG@10|", "before: with new parses; after: the same parses, updated")
    return [f"![The objective before and after each update]({PLOT})"]


def text(data: Data) -> str:
    """The poster's table for the terminal, and that of all folds below it."""
    tables = [("test queries", data["table"])]
    if data["folds"]:
        tables.append((f"all queries, in {data['folds']['count']} folds", data["folds"]["table"]))
    return "\n\n".join(f"{title}\n{text_table(*_table(rows))}\n{_legend(rows)}" for title, rows in tables)


def markdown(data: Data, pictures: list[str]) -> str:
    """The whole report."""
    parts = [
        f"# Parsing learned for retrieval, on {data['task']}", f"Made by `{data['command']}`.",
        "## NDCG@10 by length of query, test queries", *_measured(data),
        *(_folds(data["folds"]) if data["folds"] else []),
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
                  f"{LIKELY}-trained, one setting changed at a time, α chosen again for each.",
                  _signed(data, *_alternatives(data), labels=2)]
    parts += ["## BM25 on dev", _signed(data, ["k1", "b", "NDCG@10"], [
        [f"{row['k1']:g}", f"{row['b']:g}", f"{100 * row['ndcg']:.2f}"] for row in data["bm25"]], labels=2),
        "## Settings", f"```json\n{json.dumps({key: data[key] for key in ('config', 'learning')}, indent=1)}\n```"]
    return "\n\n".join(parts) + "\n"


def _measured(data: Data) -> list[str]:
    """The table by length, and the tests of its differences."""
    return [_signed(data, *_table(data["table"])), _legend(data["table"]),
            "Differences with their standard errors, and the paired randomization test, two-sided, not corrected for "
            "the number of comparisons:", _signed(data, *_tests(data["table"]), labels=3)]


def _table(rows: Rows) -> tuple[list[str], list[list[str]]]:
    cells = []
    for row in rows:
        gains = [_points(test["difference"]) + ("†" if test["p"] < LEVEL else "")
                 for test in row["tests"] if test["system"] == LEARNED and test["other"] in (LIKELY, START)]
        cells.append([row["length"], f"{row['queries']:,}", *(f"{100 * row[system]:.2f}" for system in SYSTEMS),
                      *gains])
    return ["query length", "queries", *SYSTEMS, f"{LEARNED} − {LIKELY}", f"{LEARNED} − {START}"], cells


def _legend(rows: Rows) -> str:
    mark = f"† p < {LEVEL:g}; " if any("†" in cell for row in _table(rows)[1] for cell in row) else ""
    return (f"{LIKELY}: maximum likelihood with the vocabulary that is best for it; {START}: with that of {LEARNED}, "
            f"which learned from there; {mark}the last two rows overlap with the others")


def _tests(rows: Rows) -> tuple[list[str], list[list[str]]]:
    cells = [[row["length"], test["system"], test["other"], _points(test["difference"]), _size(test["error"]),
              test["shown"]] for row in rows for test in row["tests"]]
    return ["query length", "system", "against", "difference", "standard error", "p"], cells


def _folds(data: Data) -> list[str]:
    """All queries, each tested once."""
    return [
        f"## NDCG@10 by length of query, all {data['queries']:,} queries, cross-fitted",
        f"The queries of all splits together, in {data['count']} folds, whole groups at random. Each fold is tested "
        f"once, by parsers trained on the others. Of these one query in {DEVELOPMENT} is kept for development: there "
        "everything is decided, for this fold alone: BM25's constants, the size of each parser's vocabulary, α, and "
        "the round that is kept.", *_measured(data),
        "### What could have been seen", *_power_text(data["power"]), _signed(data, *_power(data["power"])),
        f"Detectable: the smallest true difference that is found with probability {POWER:g} at p < {LEVEL:g}, "
        "two-sided. Rows that the poster does not have join some of its own, weighted by its queries.",
        "### Folds", _signed(data, *_each(data["each"])),
        f"The last two columns are the difference {LEARNED} − {LIKELY} on queries of {LONG} words or more, and its "
        "standard error."]


def _power_text(rows: Rows) -> list[str]:
    return [f"{LEARNED} − {LIKELY} on the {row['queries']:,} queries of {LONG} words or more: "
            f"{_points(row['difference'])}, standard error {_size(row['error'])}, 95 % interval "
            f"{' to '.join(map(_points, row['interval']))}, p {row['shown']}. A true difference of "
            f"{_size(row['detectable'])} would have been found with probability {POWER:g}; the poster's is "
            f"{_size(row['poster'])}." for row in rows if row["length"] == f"≥ {LONG}"]


def _power(rows: Rows) -> tuple[list[str], list[list[str]]]:
    cells = [[row["length"], f"{row['queries']:,}", _points(row["difference"]), _size(row["error"]),
              _size(row["detectable"]),
              *(["", ""] if row["poster"] is None else [_points(row["poster"]), f"{row['power']:.3f}"])]
             for row in rows]
    return ["query length", "queries", f"{LEARNED} − {LIKELY}", "standard error", "detectable", "the poster's",
            "probability to find that"], cells


def _each(rows: Rows) -> tuple[list[str], list[list[str]]]:
    cells = [[str(row["fold"]), *(f"{row['queries'][split]:,}" for split in ("train", "dev", "test")),
              f"{row['bm25']['k1']:g}, {row['bm25']['b']:g}",
              *(f"{row['chosen'][system]:,}; {row['alpha'][system]:g}" for system in (LIKELY, LEARNED)),
              f"{row['round']} of {row['rounds']}",
              "" if row["long"] is None else _points(row["long"]), _size(row["error"])] for row in rows]
    return ["fold", "train", "dev", "test", "k1, b", f"words; α of {LIKELY}", f"of {LEARNED}", "round kept",
            "difference", "standard error"], cells


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


def _points(difference: float) -> str:
    return f"{100 * difference:+.2f}"


def _size(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.2f}"


def _signed(data: Data, headers: list[str], rows: list[list[str]], labels: int = 1) -> str:
    return markdown_table(headers, rows, labels, data["signature"])
