"""What is said of all documents that match, by every method: how many, which values they have, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.facets import Sort
from crossbow.ranking.feedback import Feedback
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import Prepared, WeightedTerms
from crossbow.ranking.searcher import Searcher
from crossbow.records import Doc
from reference.fields import VALUES, counted, ordered, passes, random_fields
from reference.forests import Edge, forest_of, forests
from reference.ranking import TOKENS, Texts, index_of, random_docs
from searching import everything

METHODS = st.sampled_from(["dt", "psq", "expected", "bowfd"])


@given(forest=forests(), seed=st.integers(0, 10**6), size=st.sampled_from([0, 1, 6, 30]), segments=st.integers(1, 3),
       method=METHODS, filtered=st.booleans(), feedback=st.booleans(), name=st.sampled_from(list(VALUES)),
       descending=st.booleans(), k=st.integers(1, 9), offset=st.integers(0, 9))
@settings(deadline=None, max_examples=150)
def test_all_that_match(
    forest: Forest, seed: int, size: int, segments: int, method: str, filtered: bool, feedback: bool, name: str,
    descending: bool, k: int, offset: int,
) -> None:
    """Documents that match nothing are kept here, so all that match are hits if there is no limit."""
    docs = random_fields(random_docs(seed, size), seed)
    dead = frozenset(doc.id for doc in docs if seed % 3 == 0 and doc.id.endswith("3"))
    index = index_of(docs, segments=segments, dead=dead)
    if name not in index.kinds or "year" not in index.kinds:
        return
    config = everything(join=True, method=method, feedback=Feedback(2 if feedback else 0))
    wanted = Filter(where=("year>=1999",)) if filtered else None
    searcher = Searcher(None, index, config)
    found = searcher.search(forest, 1000, wanted)
    listed = {hit.doc: hit.score for hit in found}
    matches = [doc for doc in docs if doc.id in listed]
    assert found.total == len(found)
    assert not filtered or all(passes(doc, "year", ">=", [1999]) for doc in matches)
    if method == "bowfd" and not feedback:
        terms = {term for word in forest.words for term in TOKENS.terms(word)}
        assert listed.keys() == {doc.id for doc in docs if terms & Texts([doc]).bags[doc.id].keys()
                                 and doc.id not in dead and (not filtered or passes(doc, "year", ">=", [1999]))}
    counts = counted(matches, name)
    assert found.counts(name, 1000) == sorted(counts.items(), key=lambda one: (-one[1], one[0].encode()))
    assert found.counts(name, 2) == found.counts(name, 1000)[:2]
    assert list(searcher.search(forest, k, wanted, offset=offset)) == found[offset : offset + k]
    by_field = searcher.search(forest, k, wanted, offset=offset, sort=f"{'-' * descending}{name}")
    expected = ordered(matches, listed, name, descending)[offset : offset + k]
    assert [(hit.doc, hit.score, hit.rank) for hit in by_field] == [
        (doc, listed[doc], offset + rank) for rank, doc in enumerate(expected, 1)]


@given(forest=forests(), seed=st.integers(0, 10**6), method=METHODS)
@settings(deadline=None, max_examples=50)
def test_no_hit_does_not_match(forest: Forest, seed: int, method: str) -> None:
    found = Searcher(None, index_of(random_docs(seed, 30)), SearchConfig(method)).search(forest, 1000)
    assert all(found.matching[found.documents.number(hit.doc)] for hit in found)


def test_bad_requests() -> None:
    searcher = Searcher(None, index_of([Doc("d1", "a", "", {"year": 1, "deep": {"x": 1}})]), SearchConfig("dt"))
    with pytest.raises(CrossbowError, match="the offset is -1"):
        searcher.search([], offset=-1)
    with pytest.raises(CrossbowError, match="is not a field to sort by"):
        Sort.parse("-")
    for name, problem in (("yaer", "did you mean 'year'"), ("deep", "is only stored")):
        with pytest.raises(CrossbowError, match=problem):
            searcher.search([], sort=name)
        with pytest.raises(CrossbowError, match=problem):
            searcher.search([]).counts(name)


def test_a_method_that_does_not_say_what_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a search for everything says it."""
    docs = random_fields(random_docs(3, 30), 3)
    searcher = Searcher(None, index_of(docs), SearchConfig("dt"))
    forest = forest_of([Edge(0, [], 0.0, ["a", "b"], lex=(0,))], ["s"])
    told = searcher.search(forest, 2)
    assert 2 <= told.total < len(docs)
    monkeypatch.setattr(WeightedTerms, "matching", Prepared.matching)
    found = searcher.search(forest, 2)
    assert (found.total, found.counts("year")) == (told.total, told.counts("year"))
    assert searcher.search([], 2).total == 0


def test_a_sorted_search_leaves_explanations_alone() -> None:
    docs = random_fields(random_docs(1, 20), 1)
    searcher = Searcher(None, index_of(docs), replace(SearchConfig("dt"), k=5))
    assert searcher.search([], sort="year") == []
