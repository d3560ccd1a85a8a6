"""Runs and judgments in the forms of other tools, which then compute what we compute."""

import json
import os
import subprocess
import sys
from pathlib import Path

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.evaluation.measures import per_query
from crossbow.records import Hit, rank
from crossbow.records.exchange import qrels_frame, queries_frame, run_frame, run_scores
from crossbow.records.sources import as_qrels, as_queries, as_run
from crossbow.records.trec import write_run
from crossbow.records.types import Query

RANX = """
import json, ranx, sys
qrels, run = json.load(sys.stdin)
values = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), ["map", "ndcg@2"])
print(json.dumps({name: float(value) for name, value in values.items()}))
"""
NAMES = st.sampled_from(["d1", "d2", "d3", "d4", "d5", "d6"])
SCORES = st.integers(-50, 50).map(lambda number: number / 4)
RUNS = st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), st.dictionaries(NAMES, SCORES, min_size=1), min_size=1)


@given(RUNS)
def test_a_frame_holds_a_run(scores: dict[str, dict[str, float]]) -> None:
    run = {query: rank(found) for query, found in scores.items()}
    frame = run_frame(run)
    assert as_run(frame) == run
    assert run_scores(run) == scores
    assert frame.groupby("qid")["rank"].min().eq(0).all()


def test_frames_without_rows_have_types() -> None:
    assert run_frame({}).dtypes.astype(str).to_dict()["score"] == "float64"
    assert list(qrels_frame({}).columns) == ["qid", "docno", "label"]
    assert list(queries_frame([]).columns) == ["qid", "query"]


def test_queries_and_judgments_come_back() -> None:
    queries, qrels = [Query("q1", "Haus"), Query("q2", "See")], {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
    assert list(as_queries(queries_frame(queries))) == queries
    assert as_qrels(qrels_frame(qrels)) == qrels


def test_others_measure_what_we_measure(tmp_path: Path) -> None:
    qrels = {"q1": {"d1": 2, "d3": 1}, "q2": {"d2": 1}}
    run = {"q1": rank({"d1": 0.5, "d2": 3.0, "d3": 2.5}), "q2": rank({"d2": -1.0, "d4": -0.5})}
    write_run(tmp_path / "run.txt", run.items(), "mine")
    ours = {name: per_query(qrels, run, [name]).total(name) for name in ("AP", "nDCG@2")}
    for given_run in (run, tmp_path / "run.txt", iter(run.items())):
        scores = run_scores(given_run)
        theirs = ir_measures.calc_aggregate([ir_measures.AP, ir_measures.nDCG @ 2], qrels, scores)
        assert {str(measure): value for measure, value in theirs.items()} == pytest.approx(ours)
    # ranx compiles for a minute, so it runs as plain Python here.
    done = subprocess.run([sys.executable, "-c", RANX], input=json.dumps([qrels, scores]), capture_output=True,
                          text=True, check=True, env={**os.environ, "NUMBA_DISABLE_JIT": "1"})
    ranked = json.loads(done.stdout)
    assert {"AP": ranked["map"], "nDCG@2": ranked["ndcg@2"]} == pytest.approx(ours)


def test_frames_need_pandas_and_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(CrossbowError, match="install it, or use run_scores"):
        run_frame({"q": [Hit("d", 1.0, 1)]})
