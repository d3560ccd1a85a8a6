"""Derivations word by word: units as small as links allow, nothing lost and nothing twice."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.explain.gloss import best_gloss, split, table_gloss
from crossbow.ranking.explain.records import Step, Unit, Word
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.structured.tables import PsqConfig, query_tables
from crossbow.records import Doc
from crossbow.weights import TermWeights
from reference.forests import Edge, forest_of, forests
from reference.ranking import TOKENS, Collection, collections, index_of, weights


def step(source: list[int], target: str, *links: tuple[int, int]) -> Step:
    return Step(source, target.split(), [list(link) for link in links], [], [])


def test_phrases_are_divided_at_their_links() -> None:
    assert split(step([0, 1], "room ceiling", (0, 0), (1, 1))) == [([0], [0]), ([1], [1])]
    assert split(step([0, 1], "b a", (0, 1), (1, 0))) == [([0], [1]), ([1], [0])]
    assert split(step([0, 1, 2], "a b", (0, 0), (1, 0), (2, 1))) == [([0, 1], [0]), ([2], [1])]
    assert split(step([0, 1], "a b c", (0, 0), (1, 1), (0, 2), (1, 2))) == [([0, 1], [0, 1, 2])]


def test_words_without_links() -> None:
    assert split(step([3, 4], "a b")) == [([3, 4], [0, 1])]
    assert split(step([3], "")) == [([3], [])]
    assert split(step([0], "the of room there", (0, 2))) == [([0], [0, 1, 2, 3])]
    assert split(step([0, 1], "a x b", (0, 0), (1, 2))) == [([0], [0, 1]), ([1], [2])]
    assert split(step([0, 1, 2], "a", (1, 0))) == [([0], []), ([1], [0]), ([2], [])]


@given(source=st.integers(1, 5), target=st.integers(0, 5), data=st.data())
def test_groups_are_the_connected_parts(source: int, target: int, data: st.DataObject) -> None:
    pairs = st.tuples(st.integers(0, source - 1), st.integers(0, target - 1))
    links = data.draw(st.lists(pairs, max_size=8)) if target else []
    groups = split(Step(list(range(source)), ["w"] * target, [list(link) for link in links], [], []))
    assert sorted(at for positions, _ in groups for at in positions) == list(range(source))
    assert sorted(at for _, places in groups for at in places) == list(range(target))
    for positions, places in groups:
        inside = [(i, j) for i, j in links if i in positions or j in places]
        assert all(i in positions and j in places for i, j in inside)
        reached = {positions[0]}  # everything hangs together by links
        for _ in range(len(inside)):
            reached |= {i for i, j in inside for k, m in inside if j == m and k in reached}
        assert not links or reached == set(positions)


@given(forest=forests(covering=True), collection=collections(), chosen=weights())
@settings(deadline=None, max_examples=100)
def test_units_of_forced_derivations(forest: Forest, collection: Collection, chosen: TermWeights) -> None:
    index, texts = collection
    config = SearchConfig(weights=chosen, bm25=texts.bm25)
    prepared = Searcher(None, index, config).prepare(forest)
    for doc in texts.bags:
        (sentence,) = prepared.explain(index.number(doc)).sentences
        units = sentence.units
        assert Counter(word.text for unit in units for word in unit.words) == Counter(sentence.target)
        assert sorted(at for unit in units for at in unit.source) == sorted(
            at for one in sentence.steps for at in one.source)
        for word in (word for unit in units for word in unit.words):
            assert word.match == any(texts.bags[doc][term] for term in texts.analyzer.terms(word.text))
        assert all(not Counter(unit.best) - Counter(sentence.best_target) for unit in units)
        if [step.target for step in sentence.steps] == [step.best for step in sentence.steps]:
            assert all(not unit.source or [word.text for word in unit.words] == unit.best for unit in units)


@given(forest=forests(covering=True))
@settings(deadline=None, max_examples=50)
def test_units_of_the_best_translation(forest: Forest) -> None:
    units = best_gloss(forest)
    assert Counter(word.text for unit in units for word in unit.words) == Counter(Model.best(forest))
    assert all(unit.best == [word.text for word in unit.words] for unit in units)


def test_tables_list_what_the_document_has() -> None:
    forest = forest_of([Edge(0, [], 0.0, ["house"], lex=(0,), align=((0, 0),)),
                        Edge(0, [], -1.0, ["home"], lex=(0,), align=((0, 0),)),
                        Edge(0, [], -9.0, ["sea"], lex=(0,), align=((0, 0),))], ["haus"])
    index = index_of([Doc("d1", "home house sea")], TOKENS)
    tables = query_tables([forest], index, PsqConfig(mix=1.0))
    present = {"home": "homes", "house": "house", "sea": "sea"}
    best = best_gloss(forest)
    likely = tables.likely(forest.source)
    assert table_gloss(forest.source, best, likely, present) == [
        Unit([0], [Word("house", True), Word("homes", True)], ["house"])]
    assert table_gloss(forest.source, best, likely, {"home": "home"}) == [
        Unit([0], [Word("home", True)], ["house"])]
    assert table_gloss(forest.source, best, likely, {}) == [Unit([0], [], ["house"])]
