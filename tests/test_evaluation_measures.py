"""Measures: trec_eval's numbers, PRES by hand and by its formula, names and what is wrong with some."""

from __future__ import annotations

from collections import Counter

import ir_measures
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.evaluation import others
from crossbow.evaluation.measures import (
    DEFAULT_MEASURES,
    Values,
    measure_names,
    parse_measure,
    per_query,
    pres_curve,
    ranking,
    relevant_by_level,
)
from crossbow.records import Hit
from reference.evaluate import pres, trec_eval, trec_order

Qrels = dict[str, dict[str, int]]
Run = dict[str, list[Hit]]
TREC = {"AP": "map", "nDCG": "ndcg", "RR": "recip_rank", "R@5": "recall_5", "NumRelRet": "num_rel_ret", "P@3": "P_3",
        "nDCG@4": "ndcg_cut_4", "AP@3": "map_cut_3", "Rprec": "Rprec", "Success@5": "success_5", "NumRet": "num_ret",
        "NumRel": "num_rel", "Bpref": "bpref"}  # fmt: skip


def random_data(seed: int, digits: int) -> tuple[Qrels, Run]:
    """Judgments of levels 0 to 3 and a run: ties, queries in one of the two only, queries without anything relevant.

    With 8 digits, many scores differ in double precision only.
    """
    rng = np.random.default_rng(seed)
    docs = np.array([f"{prefix}{n}" for n in range(8) for prefix in ("d", "D", "é", "日")])
    qrels: Qrels = {"relevant": {"d1": 2}}
    run: Run = {}
    for query in (f"q{n}" for n in range(6)):
        if rng.random() < 0.8:
            chosen = rng.permutation(docs)[: rng.integers(1, 20)].tolist()
            qrels[query] = dict(zip(chosen, rng.choice([0, 0, 1, 2, 3], len(chosen)).tolist()))
        if rng.random() < 0.8:
            chosen = rng.permutation(docs)[: rng.integers(1, len(docs) + 1)].tolist()
            scores = np.round(rng.normal(0, 1 if digits < 8 else 3e-8, len(chosen)), digits) + (digits == 8)
            run[query] = [Hit(doc, score, 0) for doc, score in zip(chosen, scores.tolist())]
    return qrels, run


def judged(qrels: Qrels) -> list[str]:
    return sorted(query for query in qrels if max(qrels[query].values()) > 0)


@given(seed=st.integers(0, 10**6), digits=st.sampled_from([0, 1, 8]), depth=st.sampled_from([1, 4, 1000]))
@settings(deadline=None, max_examples=150)
def test_the_numbers_are_those_of_trec_eval(seed: int, digits: int, depth: int) -> None:
    qrels, run = random_data(seed, digits)
    values = per_query(qrels, run, TREC, depth)
    assert list(values.queries) == judged(qrels)
    assert list(values.by_measure) == list(TREC)
    cut = {query: [hit for hit in hits if hit.doc in trec_order(hits)[:depth]] for query, hits in run.items()}
    for name, theirs in TREC.items():
        expected = trec_eval(qrels, cut, theirs)
        assert values.by_measure[name].tolist() == [expected.get(query, 0.0) for query in values.queries], name
    assert values.missing == len(set(judged(qrels)) - run.keys())
    assert values.ignored == len(run.keys() - set(judged(qrels)))


@given(seed=st.integers(0, 10**6), digits=st.sampled_from([0, 1, 8]), rel=st.sampled_from([1, 2, 3]),
       only=st.booleans())
@settings(deadline=None, max_examples=100)
def test_levels_and_unjudged_documents_are_those_of_ir_measures(seed: int, digits: int, rel: int, only: bool) -> None:
    qrels, run = random_data(seed, digits)
    said = f"(rel={rel},judged_only={only})"
    names = [f"AP{said}", f"AP{said}@4", f"RR{said}", f"RR(rel={rel})@3", f"P{said}@5", f"R{said}@5", f"Rprec{said}",
             f"Success{said}@2", f"nDCG(judged_only={only})", f"nDCG(judged_only={only})@3", f"NumRet(rel={rel})"]
    values = per_query(qrels, run, names)
    rankings = {query: dict(zip(trec_order(hits), range(0, -len(hits), -1))) for query, hits in run.items()}
    parsed = [ir_measures.parse_measure(name) for name in names]
    theirs = {(metric.query_id, metric.measure): metric.value for metric in ir_measures.iter_calc(
        parsed, qrels, rankings)}
    for name, measure in zip(values.by_measure, parsed):
        expected = [theirs.get((query, measure), 0.0) if query in run else 0.0 for query in values.queries]
        assert values.by_measure[name].tolist() == expected, name


def test_without_ir_measures(monkeypatch: pytest.MonkeyPatch) -> None:
    """The usual measures need nothing; others say what to install."""
    monkeypatch.setattr(others, "_package", lambda: None)
    parse_measure.cache_clear()
    try:
        names = [*DEFAULT_MEASURES, "P@5", "Success@5", "Rprec", "AP(rel=2)@7"]
        assert measure_names(names) == names
        with pytest.raises(CrossbowError, match="more if the package ir_measures is installed"):
            parse_measure("Bpref")
        with pytest.raises(CrossbowError, match="is not well formed"):
            parse_measure("nDCG(gains={1: 5})")
    finally:
        parse_measure.cache_clear()


@given(seed=st.integers(0, 10**6), digits=st.sampled_from([0, 1, 8]), n_max=st.sampled_from([1, 2, 5, 30, 1000]))
@settings(deadline=None, max_examples=150)
def test_pres_is_its_formula(seed: int, digits: int, n_max: int) -> None:
    qrels, run = random_data(seed, digits)
    values = per_query(qrels, run, [f"PRES@{n_max}"])
    expected = [pres(trec_order(run.get(query, [])), qrels[query], n_max) for query in values.queries]
    assert values.by_measure[f"PRES@{n_max}"].tolist() == pytest.approx(expected, abs=1e-12)
    sizes = [max(1, n_max // 2), n_max]
    assert pres_curve(qrels, run, sizes).tolist() == pytest.approx(
        [per_query(qrels, run, [f"PRES@{size}"]).total(f"PRES@{size}") for size in sizes])


def hits(*docs: str) -> list[Hit]:
    return [Hit(doc, -float(place), place) for place, doc in enumerate(docs, 1)]


def test_pres_by_hand() -> None:
    """N_max = 10 and n = 4: a is first, b fourth, c only twelfth, d not there. So r = 1, 4, 10 + 3, 10 + 4;
    Σ r / n = 32 / 4 = 8; (n + 1) / 2 = 2.5; PRES = 1 − (8 − 2.5) / 10 = 0.45."""
    qrels = {"q": {"a": 1, "b": 3, "c": 1, "d": 2, "x1": 0}}
    run = {"q": hits("a", "x1", "x2", "b", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "c")}
    assert per_query(qrels, run, ["PRES@10"]).by_measure["PRES@10"].tolist() == pytest.approx([0.45])
    # With N_max = 1000, c is retrieved: r = 1, 4, 12, 1004; 1 − (255.25 − 2.5) / 1000.
    assert per_query(qrels, run, ["PRES"]).total("PRES") == pytest.approx(0.74725)
    assert per_query(qrels, run, ["PRES", "PRES@1000"]).by_measure.keys() == {"PRES", "PRES@1000"}


@pytest.mark.parametrize("n_max", [3, 50, 1000])
def test_pres_of_perfect_and_of_empty_runs(n_max: int) -> None:
    """Exactly 1 and exactly 0."""
    qrels = {"q": {"a": 1, "b": 1, "c": 2, "d": 0}, "r": {"e": 1}}
    name = f"PRES@{n_max}"
    assert per_query(qrels, {"q": hits("c", "a", "b", "d"), "r": hits("e")}, [name]).by_measure[name].tolist() == [1, 1]
    assert per_query(qrels, {"q": [], "r": hits("x")}, [name]).by_measure[name].tolist() == [0, 0]


def test_missing_and_ignored_queries() -> None:
    qrels = {"b": {"x": 1}, "a": {"x": 1, "y": 0}, "none": {"x": 0}, "c": {"z": 3}}
    values = per_query(qrels, {"a": hits("x"), "c": [], "none": hits("x"), "new": hits("x")}, ["RR", "NumRelRet"])
    assert values.queries == ("a", "b", "c")
    assert {name: array.tolist() for name, array in values.by_measure.items()} == {
        "RR": [1, 0, 0], "NumRelRet": [1, 0, 0]}
    assert (values.missing, values.ignored) == (2, 2)
    with pytest.raises(CrossbowError, match="no relevant document"):
        per_query({"none": {"x": 0}, "less": {"y": -1}}, {"none": hits("x")})


def test_means_and_sums() -> None:
    values = Values(("a", "b"), {"AP": np.array([0.5, 0.25]), "NumRelRet": np.array([3.0, 4.0])}, 0, 0)
    assert (values.total("AP"), values.total("NumRelRet")) == (0.375, 7.0)


def test_the_order_of_ties() -> None:
    """Equal scores by falling id; and what differs only beyond single precision is equal."""
    found = [Hit("d1", 1.0, 1), Hit("d3", 1.0 + 1e-9, 2), Hit("d2", 1.0, 3), Hit("d0", 1.001, 4), Hit("d9", 0.5, 5)]
    assert ranking(found, 1000) == ["d0", "d3", "d2", "d1", "d9"]
    assert ranking(found, 2) == ["d0", "d3"]
    assert ranking([Hit("a", 1e300, 1), Hit("b", 1e200, 2)], 9) == ["b", "a"]
    assert ranking([], 9) == []
    assert per_query({"q": {"d2": 1}}, {"q": found}, ["RR@10"]).total("RR@10") == pytest.approx(1 / 3)


def test_relevant_documents_by_level() -> None:
    qrels = {"q": {"a": 3, "b": 1, "c": 1, "d": 0}, "r": {"a": 1, "e": 2}, "none": {"a": 0}}
    run = {"q": hits("a", "d", "b", "c"), "none": hits("a")}
    assert list(relevant_by_level(qrels, run, 3).items()) == [(3, (1, 1)), (2, (0, 1)), (1, (1, 3))]
    qrels, run = random_data(5, 1)
    counts = relevant_by_level(qrels, run)
    assert sum(found for found, _ in counts.values()) == per_query(qrels, run, ["NumRelRet"]).total("NumRelRet")
    levels = Counter(level for judgments in qrels.values() for level in judgments.values() if level > 0)
    assert {level: known for level, (_, known) in counts.items()} == levels


def test_names_of_measures() -> None:
    assert measure_names(["MAP", "NDCG", "MRR", "AP", "nDCG@10", "NumRelRet", "PRES"]) == [
        "AP", "nDCG", "RR", "nDCG@10", "NumRelRet", "PRES"]
    assert measure_names(DEFAULT_MEASURES) == list(DEFAULT_MEASURES)
    # A name that results carry can be given again.
    names = measure_names(["PRES(cutoff=50)", "AP(judged_only=True, rel=2)@7", "nDCG(gains={1: 5})", "NumRet(rel=2)"])
    assert names[0] == "PRES@50"
    assert measure_names(names) == names


@pytest.mark.parametrize(("name", "message"), [
    ("NDGC@10", r"no measure 'NDGC' \(did you mean nDCG\?\); known are AP, nDCG, PRES"),
    ("prse", r"no measure 'prse' \(did you mean PRES\?\)"),
    ("xyzzy", "no measure 'xyzzy'; known are AP"),
    ("P", "the measure P needs a cutoff: P@10"),
    ("P@0", "'P@0' is not well formed"),
    ("PRES@0", "'PRES@0' is not well formed"),
    ("PRES@-1", "'PRES@-1' is not well formed"),
    ("PRES@2.5", "'PRES@2.5' is not well formed"),
    ("PRES(n=3)", "is not well formed"),
    ("AP(rel=0)", "is not well formed"),
    ("AP(cutoff=True)", "is not well formed"),
    (f"AP@{10**20}", "is not well formed"),
    ("AP;RR", "is not well formed"),
    ("AP@", "is not well formed"),
    ("10", "is not well formed"),
    ("", "is not well formed"),
    ("RBP", "nothing that is installed can compute the measure RBP"),
])  # fmt: skip
def test_bad_names_of_measures(name: str, message: str) -> None:
    with pytest.raises(CrossbowError, match=message):
        per_query({"q": {"d": 1}}, {"q": hits("d")}, ["AP", name])


def test_no_measures() -> None:
    with pytest.raises(CrossbowError, match="no measure was given"):
        per_query({"q": {"d": 1}}, {"q": hits("d")}, [])
