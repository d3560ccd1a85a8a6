"""Filters take documents out of the ranking, by every method, and change nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.explain.derivation import explain
from crossbow.ranking.filters import Filter
from crossbow.ranking.search import METHODS, SearchConfig, search_forests
from crossbow.records import Doc
from reference.forests import forests
from reference.ranking import TOKENS, VOCABULARY, Collection, Texts, collections, index_of

words = st.lists(st.sampled_from(VOCABULARY), max_size=2).map(tuple)


def passes(doc: str, texts: Texts, chosen: Filter) -> bool:
    bag = texts.bags[doc]
    return (doc.startswith(chosen.id_prefix) and all(bag[term] for term in texts.terms(chosen.having))
            and not any(bag[term] for term in texts.terms(chosen.lacking)))


@given(forest=forests(), collection=collections(), having=words, lacking=words, prefix=st.sampled_from(["", "d", "d1"]),
       method=st.sampled_from(METHODS))
@settings(deadline=None, max_examples=150)
def test_what_is_left_keeps_its_score(
    forest: Forest, collection: Collection, having: tuple[str, ...], lacking: tuple[str, ...], prefix: str, method: str
) -> None:
    index, texts = collection
    chosen, config = Filter(having, lacking, prefix), SearchConfig(method, k=1000)
    everything = search_forests([forest], index, None, config)
    found = search_forests([forest], chosen.apply(index), None, config)
    assert [hit[:2] for hit in found] == [hit[:2] for hit in everything if passes(hit.doc, texts, chosen)]
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    if found:
        few = search_forests([forest], chosen.apply(index), None, SearchConfig(method, k=1))
        assert few == found[:1]


def test_ids_with_a_prefix() -> None:
    names = ["a", "ab", "abc", "abd", "b", "ü", "üb", "日本"]
    index = index_of([Doc(name, "x") for name in names], TOKENS)

    def left(prefix: str) -> list[str]:
        wanted = Filter(id_prefix=prefix).apply(index).wanted
        assert wanted is not None
        return sorted(index.id(number) for number in wanted.nonzero()[0].tolist())

    for prefix in ["a", "ab", "abc", "abcd", "b", "ü", "日", "日本", "z", "\ud800", " "]:
        assert left(prefix) == [name for name in names if name.startswith(prefix)]


def test_words_that_ask_for_nothing() -> None:
    index = index_of([Doc("d1", "a b"), Doc("d2", "b")], TOKENS)
    assert Filter().apply(index) is index
    for chosen in (Filter(having=("c", "")), Filter(lacking=("c",))):  # c is a function word there
        assert chosen.apply(index).wanted.all()  # type: ignore[union-attr]
    assert not Filter(having=("nowhere",)).apply(index).wanted.any()  # type: ignore[union-attr]


def test_a_view_is_the_index_in_all_else() -> None:
    index = index_of([Doc("d1", "a b"), Doc("d2", "b")], TOKENS)
    view = Filter(having=("a",)).apply(index)
    again = Filter(having=("nowhere",)).apply(view)
    assert view.whole is again.whole is index.whole is index
    assert (len(view), view.df("b"), view.number("d2"), view.signature) == (2, 2, index.number("d2"), index.signature)
    assert index.wanted is None


def test_what_is_filtered_out_can_be_explained() -> None:
    from reference.forests import Edge, forest_of

    index = index_of([Doc("d1", "a b"), Doc("d2", "b")], TOKENS)
    forest = forest_of([Edge(0, [], -1.0, ["a"], lex=(0,))], ["s"])
    view = Filter(lacking=("a",)).apply(index)
    assert explain([forest], view, "d1") == explain([forest], index, "d1")
    with pytest.raises(Exception, match="no document 'd3'"):
        explain([forest], view, "d3")
