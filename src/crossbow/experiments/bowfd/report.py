"""The report as Markdown, made of nothing but the data that report.json holds, and its plots.

    text = markdown(data, pictures)
    pictures = plot(folder, data, values)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from crossbow.evaluation import plots
from crossbow.evaluation.measures import Values, is_count
from crossbow.evaluation.tables import markdown_table, text_table
from crossbow.experiments.bowfd.systems import BOWFD, FULL, LACKING, STRONGEST
from crossbow.experiments.bowfd.tables import (
    ALL_MEASURES,
    BETTER,
    BETTER_LEVEL,
    LEARNING,
    LEARNING_LEVEL,
    MEASURES,
    TESTED,
)

NAMES = {"AP": "MAP", "nDCG": "NDCG", "RR": "MRR", "R@1000": "recall"}
Row = Mapping[str, Any]


def markdown(data: Mapping[str, Any], pictures: Sequence[str] = ()) -> str:
    """The whole report."""
    parts = [f"# BOW-FD on {data['collection']['name']}", f"Made by `{data['command']}`.", *_notes(data),
             "## Table 1: test queries", _table_one(data), *pictures,
             f"Forced decoding scores {100 * data['share']:.1f} % of the documents: those that have a term of the "
             "query's forest (the paper: 64 %).",
             _table(data, ["system", *map(_name, ALL_MEASURES)],
                    [[row["system"], *(_number(m, row[m]) for m in ALL_MEASURES)] for row in data["table1"]["rows"]]),
             "Differences to the baselines and to BOW-FD, by the paired randomization test (two-sided, not corrected "
             "for the number of comparisons):", _tests(data, "table1")]
    if "models" in data:
        parts += ["## The same systems with other models", "In parentheses the difference to the other model.",
                  _losses(data, "models"), _tests(data, "models"),
                  "Forced decoding against direct translation with the same model:", _gains(data)]
    if "ablation" in data:
        parts += ["## What each part gives", "In parentheses the difference to the system with all parts.",
                  _ablation(data), _tests(data, "ablation")]
    if "original" in data:
        parts += ["## The yardstick: the queries in the language of the documents", *_original(data)]
    if "table2" in data:
        parts += ["## Table 2: without the language model",
                  "In parentheses the difference to the system with it, in Table 1.", _losses(data, "table2"),
                  _tests(data, "table2"), "## Figure 1: PRES with and without it, on dev",
                  _figure(data, bool(pictures))]
    if "experiments" in data:
        parts += ["## Smaller experiments", "In parentheses the difference to the other system.",
                  _losses(data, "experiments"), _tests(data, "experiments")]
    if "several" in data:
        parts += ["## Queries of several sentences", *_several(data)]
    parts += ["Relevant documents retrieved, by level:", _levels(data), "## What it costs",
              "CPU milliseconds of the median query on one core, of decoding and of the search itself." + _memory(data),
              _cost(data), "## Run it again", *_again(data), "## Decisions", *_decisions(data),
              "## Data", *_digests(data)]
    return "\n\n".join(parts) + "\n"


def text(data: Mapping[str, Any]) -> str:
    """Table 1 for the terminal."""
    return "\n".join([text_table(*_table_one_cells(data)), *_legend(data)])


def plot(folder: Path, data: Mapping[str, Any], values: Mapping[str, Values]) -> list[str]:
    """Write the plots, and return the lines that show them in Markdown."""
    shown = {row["system"]: values[row["system"]] for row in data["table1"]["rows"]}
    plots.bars(folder / "bars.png", shown, f"{data['queries']['test']:,} test queries, 95 % confidence intervals")
    pictures = ["![The systems' measures with 95 % confidence intervals](bars.png)"]
    for number, other in enumerate(STRONGEST, 1):
        name = f"scatter{number}.png"
        plots.scatter(folder / name, values[other].by_measure["AP"], values[BOWFD].by_measure["AP"], (other, BOWFD),
                      "AP")
        pictures.append(f"![AP of each query, {BOWFD} against {other}]({name})")
    if "figure1" in data:
        figure = data["figure1"]
        plots.curve(folder / "figure1.png", figure["n_max"], figure["difference"], "N_max", "PRES(+LM) − PRES(−LM)")
    return pictures


def _notes(data: Mapping[str, Any]) -> list[str]:
    return [f"- {note}" for note in data["notes"]]


def _table_one_cells(data: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    return ["system", *map(_name, MEASURES)], [
        [row["system"], *(_number(m, row[m]) + row["marks"][m] for m in MEASURES)] for row in data["table1"]["rows"]]


def _legend(data: Mapping[str, Any]) -> list[str]:
    """A line that explains the marks of Table 1, if it has any."""
    others = "; systems with other models have no marks" if "models" in data else ""
    meanings = {BETTER: f"better than {' and '.join(STRONGEST)} (p < {BETTER_LEVEL:g})",
                LEARNING: f"better than before learning (p < {LEARNING_LEVEL:g})"}
    found = {mark for row in data["table1"]["rows"] for marks in row["marks"].values() for mark in marks}
    explained = ", ".join(f"{mark} {meaning}" for mark, meaning in meanings.items() if mark in found)
    return [explained + others] if explained else []


def _table_one(data: Mapping[str, Any]) -> str:
    return "\n\n".join([_table(data, *_table_one_cells(data)), *_legend(data)])


def _tests(data: Mapping[str, Any], part: str) -> str:
    """A row for each pair of systems."""
    pairs: dict[tuple[str, str], dict[str, str]] = {}
    for test in data[part]["tests"]:
        cells = pairs.setdefault((test["system"], test["other"]), {})
        cells[test["measure"]] = f"{test['difference']:+.4f} (p {test['shown']})"
    rows = [[*names, *(cells[m] for m in TESTED)] for names, cells in pairs.items()]
    return _table(data, ["system", "against", *map(_name, TESTED)], rows, labels=2)


def _losses(data: Mapping[str, Any], part: str) -> str:
    rows = [[row["system"], row["against"], *(f"{row[m]:.4f} ({row['losses'][m]:+.4f})" for m in MEASURES)]
            for row in data[part]["rows"]]
    return _table(data, ["system", "against", *map(_name, MEASURES)], rows, labels=2)


def _gains(data: Mapping[str, Any]) -> str:
    """What forced decoding gains in MAP, also in percent."""
    own = data["models"]["own"]
    shown = {(test["system"], test["other"]): test["shown"] for test in own["tests"] if test["measure"] == "AP"}
    rows = []
    for row in own["rows"]:
        gain, pair = row["losses"]["AP"], (row["system"], row["against"])
        before = row["AP"] - gain
        percent = f"{100 * gain / before:+.1f} %" if before > 0 else "–"
        rows.append([*pair, f"{before:.4f}", f"{row['AP']:.4f}", f"{gain:+.4f}", percent, shown[pair]])
    headers = ["system", "against", "its MAP", "MAP", "difference", "in percent", "p"]
    return _table(data, headers, rows, labels=2)


def _ablation(data: Mapping[str, Any]) -> str:
    full = next(row for row in data["table1"]["rows"] if row["system"] == FULL)
    rows = [[FULL, "nothing", *(_number(m, full[m]) for m in TESTED)]]
    rows += [[row["system"], LACKING[row["system"]], *(f"{row[m]:.4f} ({row['losses'][m]:+.4f})" for m in TESTED)]
             for row in data["ablation"]["rows"]]
    return _table(data, ["system", "lacks", *map(_name, TESTED)], rows, labels=2)


def _original(data: Mapping[str, Any]) -> list[str]:
    found = {row["system"]: row for row in data["original"]["originals"]}
    shares = [[row["system"], row["against"], *(f"{100 * row[m] / found[row['against']][m]:.1f} %" for m in TESTED)]
              for row in data["original"]["rows"]]
    rows = [[name, *(_number(m, row[m]) for m in ALL_MEASURES)] for name, row in found.items()]
    return [_table(data, ["system", *map(_name, ALL_MEASURES)], rows),
            "Which share of these the systems reach that translate:",
            _table(data, ["system", "of", *map(_name, TESTED)], shares, labels=2), _tests(data, "original")]


def _several(data: Mapping[str, Any]) -> list[str]:
    several = data["several"]
    alone = "" if several["alone"] is None else (
        f"; of the documents that the sentences of a query list, {100 * several['alone']:.1f} % are in one list only")
    return [f"{several['queries']:,} long queries have {several['sentences']:.1f} sentences on average, and "
            f"{several['several']:,} of them more than one{alone}. A sentence's list has 1,000 documents. v was chosen "
            "for each system; in parentheses the difference to the other one.",
            _losses(data, "several"), _tests(data, "several")]


def _figure(data: Mapping[str, Any], drawn: bool) -> str:
    figure = data["figure1"]
    rows = [[str(n), *(f"{value:.4f}" for value in values)]
            for n, *values in zip(*(figure[key] for key in ("n_max", "with", "without", "difference")))]
    picture = ["![Difference of PRES over N_max](figure1.png)"] if drawn else []
    table = _table(data, ["N_max", "BOW-FD", "BOW-FD −LM", "difference"], rows, split="dev")
    return "\n\n".join([*picture, table])


def _levels(data: Mapping[str, Any]) -> str:
    rows = [[row["system"], str(row["level"]), f"{row['retrieved']:,}", f"{row['of']:,}"] for row in data["levels"]]
    return _table(data, ["system", "level", "retrieved", "of"], rows)


def _memory(data: Mapping[str, Any]) -> str:
    peak = data["cost"]["peak MB"]
    return f" Memory: at most {peak:,.0f} MB, in the process that wrote this." if peak else ""


def _cost(data: Mapping[str, Any]) -> str:
    rows = [[row["system"], f"{row['decode ms']:.1f}", f"{row['search ms']:.1f}"] for row in data["cost"]["rows"]]
    return _table(data, ["system", "decoding", "search"], rows)


def _again(data: Mapping[str, Any]) -> list[str]:
    """A command for each system, what its words stand for, and the digest of the run that it writes."""
    first = data["config"]["queries"]
    rows = [[name, f"`{one['folder']}`", one["model"], one["signature"], one["run"]]
            for name, one in data["systems"].items()]
    commands = [f"crossbow search MODEL INDEX --queries QUERIES --config {one['config']} -o run.txt"
                for one in data["systems"].values()]
    return ["Every system is a configuration file in the folder `configs` beside this report.",
            "\n".join(["```", *commands, "```"]),
            f"INDEX is `{data['again']['index']}`. QUERIES is `{data['again']['queries']}`"
            + (f", of which the first {first:,} were searched" if first else "")
            + ". MODEL is the folder that the table names for the system; learned weights stay in the model that has "
            "learned them, so these systems have folders of their own. WORK is the folder that was given by `--work`, "
            "or else the hidden one beside the report. `crossbow evaluate QRELS run.txt` prints the digest of a run in "
            "its last line.",
            _table(data, ["system", "MODEL", "its signature", "configuration", "run"], rows, labels=5)]


def _decisions(data: Mapping[str, Any]) -> list[str]:
    decisions = data["decisions"]
    chosen = [[name, ", ".join(f"{path} {value}" for path, value in fields.items()), f"{decisions['AP'][name]:.4f}"]
              for name, fields in decisions["chosen"].items() if name in decisions["AP"]]
    parts = [f"All are made on the dev queries, by AP, before the test queries are searched (record "
             f"{decisions['digest']}). Fields are tuned one after the other with the others at their best so far, in "
             f"rounds, with at most {data['budget']} settings for each system. Before them comes the translation, with "
             "the other settings as they start: the factor of the language model's weight (`lm_scale`) and how far the "
             "weights go from those before tuning for BLEU to those after it (`tuned`), or how long a neural system's "
             "lists are (`nbest`) and what their scores are multiplied by (`scale`).",
             _table(data, ["system", "chosen", "AP"], chosen, labels=2, split="dev")]
    learned = {name: facts for name, facts in decisions["learned"].items() if isinstance(facts, dict) and "AP" in facts}
    if learned:
        rows = [[name, f"{facts['queries']:,}", f"{facts['left out']:,}", f"{facts['terms']:,}", f"{facts['lex']:,}",
                 str(facts["best epoch"]), " ".join(f"{value:.4f}" for value in facts["AP"])]
                for name, facts in learned.items()]
        draws = [[", ".join(f"{key} {value}" for key, value in one["settings"].items()) or "as by default",
                  f"{one['AP']:.4f}"] for one in decisions["learned"]["draws"]]
        parts += ["Learning: how pairs of documents are drawn was chosen for BOW-FD+LTR, by AP on dev:",
                  _table(data, ["pairs", "AP"], draws, split="dev"), "AP on dev after each epoch, from epoch 0:",
                  _table(data, ["system", "queries", "left out", "terms", "LEX", "best", "AP"], rows, split="dev")]
    parts.append("Everything that was tried:")
    for name, points in data["grids"].items():
        rows = [[point["path"], point["value"], f"{point['AP']:.4f}"] for point in points]
        parts += [f"### {name}", _table(data, ["field", "value", "AP"], rows, labels=2, split="dev")]
    return parts


def _digests(data: Mapping[str, Any]) -> list[str]:
    """What was measured with, and what the model was trained on."""
    rows = [[split, *files.values()] for split, files in data["collection"]["splits"].items()]
    summary = {name: data["training"][name] for name in ("pairs", "lm_tokens", "perplexity", "bleu")
               if name in data["training"]}
    trained = [[name, f"{value[-1] if isinstance(value, list) else value:,}"] for name, value in summary.items()]
    return [markdown_table(["split", "docs", "queries", "qrels"], rows, labels=4),
            *([markdown_table(["model", data["model"]], trained)] if trained else [])]


def _table(
    data: Mapping[str, Any], headers: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 1, split: str = "test"
) -> str:
    signature = f"{data['signature']} | {data['queries'][split]:,} {split} queries | {data['chance']}"
    return markdown_table(headers, rows, labels, signature)


def _name(measure: str) -> str:
    return NAMES.get(measure, measure)


def _number(measure: str, value: float) -> str:
    return format(value, ",.0f" if is_count(measure) else ".4f")
