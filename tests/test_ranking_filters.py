"""Filters take documents out of the ranking, by every method, and change nothing else."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods import bowfd
from crossbow.ranking.searcher import Searcher
from crossbow.records import Doc
from reference.forests import forests
from reference.ranking import TOKENS, VOCABULARY, Collection, Texts, collections, index_of, random_collection
from searching import search_forests

words = st.lists(st.sampled_from(VOCABULARY), max_size=2).map(tuple)


def passes(doc: str, texts: Texts, chosen: Filter) -> bool:
    bag = texts.bags[doc]
    return (doc.startswith(chosen.id_prefix) and all(bag[term] for term in texts.terms(chosen.having))
            and not any(bag[term] for term in texts.terms(chosen.lacking)))


@given(forest=forests(), collection=collections(), having=words, lacking=words, prefix=st.sampled_from(["", "d", "d1"]),
       method=st.sampled_from(["dt", "psq", "expected", "bowfd"]))
@settings(deadline=None, max_examples=150)
def test_what_is_left_keeps_its_score(
    forest: Forest, collection: Collection, having: tuple[str, ...], lacking: tuple[str, ...], prefix: str, method: str
) -> None:
    index, texts = collection
    chosen, config = Filter(having, lacking, prefix), SearchConfig(method, k=1000)
    everything = search_forests([forest], index, None, config)
    found = Searcher(None, index, config).search(forest, filter=chosen)
    assert [hit[:2] for hit in found] == [hit[:2] for hit in everything if passes(hit.doc, texts, chosen)]
    assert [hit.rank for hit in found] == list(range(1, len(found) + 1))
    if found:
        few = Searcher(None, index, config).search(forest, k=1, filter=chosen)
        assert few == found[:1]


def test_ids_with_a_prefix() -> None:
    names = ["a", "ab", "abc", "abd", "b", "ü", "üb", "日本"]
    index = index_of([Doc(name, "x") for name in names], TOKENS)

    def left(prefix: str) -> list[str]:
        wanted = Filter(id_prefix=prefix).passing(index)
        assert wanted is not None
        return sorted(index.id(number) for number in wanted.nonzero()[0].tolist())

    for prefix in ["a", "ab", "abc", "abcd", "b", "ü", "日", "日本", "z", "\ud800", " "]:
        assert left(prefix) == [name for name in names if name.startswith(prefix)]


def test_words_that_ask_for_nothing() -> None:
    index = index_of([Doc("d1", "a b"), Doc("d2", "b")], TOKENS)
    assert Filter().passing(index) is None
    for chosen in (Filter(having=("c", "")), Filter(lacking=("c",))):  # c is a function word there
        assert chosen.passing(index).all()  # type: ignore[union-attr]
    assert not Filter(having=("nowhere",)).passing(index).any()  # type: ignore[union-attr]


@given(sentences=st.lists(forests(max_nodes=4, max_derivations=40), min_size=2, max_size=3), having=words)
@settings(deadline=None, max_examples=50)
def test_a_filter_changes_no_score_of_several_sentences(sentences: list[Forest], having: tuple[str, ...]) -> None:
    """Though the lists of sentences are cut: they are those of the whole index."""
    some = random_collection(4, 30, segments=2)
    chosen, searcher = Filter(having), Searcher(None, some.index)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bowfd, "LIST_LENGTH", 5)
        found = searcher.search(sentences, filter=chosen)
        everything = searcher.search(sentences)
    assert [hit[:2] for hit in found] == [hit[:2] for hit in everything if passes(hit.doc, some.texts, chosen)]
