"""Tables, and the comparison of runs that fills them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from crossbow import __version__
from crossbow.errors import CrossbowError
from crossbow.evaluation.measures import per_query
from crossbow.evaluation.report import compare, evaluate, qrels_digest, run_digest
from crossbow.evaluation.significance import BLOCK, randomization
from crossbow.evaluation.tables import markdown_table, text_table
from crossbow.records import Hit, rank
from crossbow.records.sources import as_run

QRELS = {f"q{n}": {"a": 1, "b": 2, "c": 0} for n in range(8)}
ROWS = [["dt", ".3", "1"], ["long|name", "0.25 ᵃ", "1,000"]]


def run(first: str, *queries: int) -> dict[str, list[Hit]]:
    """For these queries one document first, the others behind it."""
    return {f"q{n}": rank({doc: 1.0 + (doc == first) for doc in ("a", "b", "c", "d", "e", "f")}) for n in queries}


def test_text_table() -> None:
    assert text_table(["run", "AP", "documents"], ROWS) == (
        "run            AP  documents\n"
        "dt             .3          1\n"
        "long|name  0.25 ᵃ      1,000")
    assert text_table(["a", "b", "c"], [["x", "yy", "1"]], labels=2) == "a  b   c\nx  yy  1"
    assert text_table(["name", "note"], [["x", ""]], labels=2) == "name  note\nx"
    assert text_table(["a"], []) == "a"


def test_markdown_table() -> None:
    assert markdown_table(["run", "AP", "documents"], ROWS, signature="crossbow 1 | x") == (
        "| run | AP | documents |\n"
        "| --- | ---: | ---: |\n"
        "| dt | .3 | 1 |\n"
        "| long\\|name | 0.25 ᵃ | 1,000 |\n"
        "\n"
        "`crossbow 1 | x`")
    assert markdown_table(["a", "b"], [["x", "y"]], labels=2) == "| a | b |\n| --- | --- |\n| x | y |"


def test_comparison() -> None:
    """b is first everywhere, or c; the third run lacks two queries, and has one that nobody judged."""
    runs = {"bad": run("c", *range(8)), "good": run("b", *range(8)), "short": run("b", *range(6), 99)}
    result = compare(QRELS, runs, ["RR", "NumRelRet", "PRES"], depth=4, trials=500, seed=3)
    values = {name: per_query(QRELS, hits, ["RR", "NumRelRet", "PRES"], 4) for name, hits in runs.items()}
    digests = " ".join(run_digest(hits) for hits in runs.values())
    signature = (f"crossbow {__version__} | qrels {qrels_digest(QRELS)} | runs {digests} | 8 queries | "
                 "RR NumRelRet PRES over the top 4 | 500 trials, seed 3")
    assert result.signature == signature
    # In trec_eval's order f, e, d follow the first, so nothing else relevant is in the top 4.
    pres = [f"{values[name].total('PRES'):.4f}" for name in runs]
    lines = result.text().splitlines()
    assert lines[:5] == [
        "run        RR  NumRelRet    PRES",
        f"bad    0.0000          0  {pres[0]}",
        f"good   1.0000          8  {pres[1]}",
        f"short  0.7500          6  {pres[2]}",
        ""]
    tests = {(a, b): randomization(values[b].by_measure["RR"], values[a].by_measure["RR"], 500, 3)
             for a, b in (("bad", "good"), ("bad", "short"), ("good", "short"))}
    assert [pair.test for pair in result.pairs[:3]] == list(tests.values())
    assert [line.split() for line in lines[5:9]] == [
        ["measure", "runs", "difference", "relative", "p"],
        ["RR", "good", "−", "bad", "+1.0000", "–", *tests["bad", "good"].shown.split()],
        ["RR", "short", "−", "bad", "+0.7500", "–", *tests["bad", "short"].shown.split()],
        ["RR", "short", "−", "good", "-0.2500", "-25.0", "%", *tests["good", "short"].shown.split()]]
    assert [line.split()[4:-1] for line in lines[11:12]] == [["-2", "-25.0", "%"]]
    assert lines[-5:] == [
        "p values are not corrected for the number of comparisons",
        "short: 2 of 8 judged queries are missing from the run and count 0",
        "short: 1 of its queries ignored: no relevant document is known",
        "", signature]


def test_the_same_in_markdown_and_json() -> None:
    result = compare(QRELS, {"a": run("c", *range(8)), "b": run("b", *range(7))}, ["RR", "NumRelRet"], trials=99)
    shown = result.markdown()
    assert shown.count(f"`{result.signature}`") == 2
    assert "| b | 0.9000 | 14 |" in shown.replace(f"{result.runs['b'].total('RR'):.4f}", "0.9000")
    assert "| NumRelRet | b − a | -2 | -12.5 % | 1.0000 |" in shown
    assert "b: 1 of 8 judged queries are missing" in shown
    assert "not corrected" not in shown
    told = json.loads(json.dumps(result.to_json()))
    assert told["crossbow"] == __version__
    assert told["runs"][1] == {"name": "b", "digest": run_digest(run("b", *range(7))), "missing": 1, "ignored": 0,
                               "values": {"RR": result.runs["b"].total("RR"), "NumRelRet": 14.0}}
    pair = told["pairs"][1]
    assert (pair["run"], pair["baseline"], pair["measure"]) == ("b", "a", "NumRelRet")
    assert (pair["difference"], pair["relative"], pair["p"]) == (-2.0, -0.125, 1.0)
    assert [told[key] for key in ("queries", "depth", "trials", "seed", "signature", "qrels", "measures")] == [
        8, 1000, 99, 1, result.signature, qrels_digest(QRELS), ["RR", "NumRelRet"]]


def test_one_run_has_no_pairs() -> None:
    told: list[str] = []
    result = compare(QRELS, {"a": run("b", *range(8))}, ["RR"], report=lambda what, done, total: told.append(what))
    assert told == ["measuring runs"]
    assert result.text() == f"run      RR\na    1.0000\n\n{result.signature}"
    assert "trials" not in result.signature
    assert result.to_json()["pairs"] == []


def test_per_query_lines() -> None:
    result = compare(QRELS, {"x": run("b", 0), "y": run("d", *range(8))}, ["RR", "NumRelRet"])
    lines = list(result.per_query_lines())
    assert lines[0] == "run\tquery\tRR\tNumRelRet"
    assert lines[1:3] == ["x\tq0\t1\t2", "x\tq1\t0\t0"]
    assert lines[9] == "y\tq0\t0.2\t2"
    assert len(lines) == 17


def test_runs_that_do_not_belong_to_the_judgments() -> None:
    with pytest.raises(CrossbowError, match=r"b: none of its queries \(q90\) .* are q0, q1, q2, …: do the two belong"):
        compare(QRELS, {"a": run("b", 0), "b": run("b", 90)})
    with pytest.raises(CrossbowError, match=r"a: none of its queries \(z\)"):
        compare({**QRELS, "z": {"a": 0}}, {"a": {"z": run("b", 0)["q0"]}})


def test_reports_of_progress() -> None:
    told: list[tuple[str, int, int]] = []
    compare(QRELS, {"a": run("b", 0), "b": run("c", 0)}, ["RR"], trials=20_000, report=lambda *what: told.append(what))
    assert told == [("measuring runs", 1, 2), ("measuring runs", 2, 2), ("testing differences", BLOCK, 20_000),
                    ("testing differences", 20_000, 20_000)]


def test_digests() -> None:
    """Of what is said, not of how it is written down."""
    mixed = {query: dict(reversed(levels.items())) for query, levels in reversed(QRELS.items())}
    assert qrels_digest(mixed) == qrels_digest(QRELS)
    assert qrels_digest({**QRELS, "q0": {"a": 1, "b": 1, "c": 0}}) != qrels_digest(QRELS)
    one = run("b", *range(8))
    assert run_digest(dict(reversed(one.items()))) == run_digest(one)
    others = [run("b", *range(7)), {**one, "q3": one["q3"][:-1]}, {**one, "q3": one["q3"][::-1]},
              {**one, "q3": [hit._replace(score=float(np.nextafter(hit.score, 9))) for hit in one["q3"]]}]
    assert run_digest(one) not in {run_digest(other) for other in others}
    assert len({run_digest(other) for other in others}) == 4


def test_evaluation_of_whatever_one_has(tmp_path: Path) -> None:
    """Files, hits and scores by query; one run or several."""
    (tmp_path / "qrels.txt").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "run.txt").write_text("q1 Q0 d1 1 2.0 x\nq2 Q0 d1 1 2.0 x\nq2 Q0 d2 2 1.0 x\n")
    scores = {"q1": {"d1": 2.0}, "q2": {"d1": 2.0, "d2": 1.0}}
    for run in (tmp_path / "run.txt", scores, as_run(scores)):
        found = evaluate(str(tmp_path / "qrels.txt"), run, ["AP", "RR"])
        assert found["run"] == {"AP": 0.75, "RR": 0.75}
    both = evaluate(tmp_path / "qrels.txt", {"one": scores, "two": {"q1": {"d2": 1.0}, "q2": {"d2": 1.0}}}, "AP",
                    trials=100)
    assert (both["one"]["AP"], both["two"]["AP"]) == (0.75, 0.5)
    assert [(pair.earlier, pair.later) for pair in both.pairs] == [("one", "two")]
    assert str(both) == both.text()
    assert both._repr_html_().startswith("<pre>")
