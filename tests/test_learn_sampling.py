"""Pairs of documents: margins, where negatives come from, and the same ones for the same seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.learn.config import LearnConfig
from crossbow.learn.sampling import Pairs, alive_documents, sample
from reference.ranking import index_of, random_docs

NONE = np.empty(0, np.int64)
ALL = np.arange(60)


def listed(pairs: Pairs) -> list[tuple[int, int, float]]:
    """Document numbers and margin of each pair."""
    docs = pairs.docs.tolist()
    return [(docs[pairs.positive[p]], docs[pairs.negative[k]], float(pairs.margin[k]))
            for p in range(len(pairs.positive)) for k in range(pairs.starts[p], pairs.starts[p + 1])]  # fmt: skip


@given(levels=st.dictionaries(st.integers(0, 59), st.integers(-1, 3), max_size=30), negatives=st.integers(1, 80),
       hard=st.integers(0, 80), margin=st.integers(1, 4), seed=st.integers(0, 9),
       ranking=st.lists(st.integers(0, 59), unique=True))
@settings(deadline=None, max_examples=200)
def test_margins(levels: dict[int, int], negatives: int, hard: int, margin: int, seed: int, ranking: list[int]) -> None:
    config = LearnConfig(negatives=negatives, hard=min(hard, negatives), min_margin=margin, seed=seed)
    pairs = sample("q", levels, ALL, np.array(ranking, np.int64), config)
    assert pairs.docs.tolist() == sorted(set(pairs.docs.tolist()))
    found = listed(pairs)
    assert len(set(found)) == len(found)
    for plus, minus, difference in found:
        assert difference == levels[plus] - max(0, levels.get(minus, 0))
        assert difference >= min(margin, levels[plus]) > 0
    relevant = [number for number, level in levels.items() if level > 0]
    assert sorted(pairs.docs[pairs.positive].tolist()) == sorted(relevant)
    order = [levels[number] for number in pairs.docs[pairs.positive].tolist()]
    assert order == sorted(order, reverse=True)
    if negatives >= len(ALL) and not config.hard:  # then all are drawn, and only the margin decides
        assert len(found) == sum(level - max(0, levels.get(number, 0)) >= min(margin, level)
                                 for level in order for number in range(60))  # fmt: skip


def test_the_seed_and_the_name_decide() -> None:
    levels = {3: 3, 7: 1}
    def drawn(name: str, seed: int) -> list[tuple[int, int, float]]:
        return listed(sample(name, levels, ALL, NONE, LearnConfig(negatives=5, seed=seed)))

    assert drawn("q", 1) == drawn("q", 1)
    assert drawn("q", 1) != drawn("q", 2)
    assert drawn("q", 1) != drawn("p", 1)
    assert {minus for _, minus, _ in drawn("q", 1)[:4]} != {minus for _, minus, _ in drawn("q", 1)[4:]}


def test_hard_negatives_are_from_the_top_of_the_ranking() -> None:
    ranking = np.arange(59, -1, -1)
    config = LearnConfig(negatives=4, hard=4, hard_depth=6)
    found = {minus for _, minus, _ in listed(sample("q", {0: 2, 1: 2, 59: 1}, ALL, ranking, config))}
    assert found <= {59, 58, 57, 56, 55, 54}
    few = sample("q", {0: 2}, ALL, ranking[:1], LearnConfig(negatives=5, hard=3))
    assert len(listed(few)) >= 4  # what the ranking lacks is drawn from everywhere; at most one of them is dropped


def test_lower_levels_can_be_negatives() -> None:
    pairs = listed(sample("q", {0: 3, 1: 2, 2: 1}, np.arange(3), NONE, LearnConfig(negatives=3)))
    assert sorted(pairs) == [(0, 1, 1.0), (0, 2, 2.0), (1, 2, 1.0)]


def test_only_high_levels_are_to_be_ranked_before_others() -> None:
    pairs = listed(sample("q", {0: 3, 1: 2, 2: 1}, np.arange(4), NONE, LearnConfig(negatives=4, min_level=2)))
    assert sorted(pairs) == [(0, 1, 1.0), (0, 2, 2.0), (0, 3, 3.0), (1, 2, 1.0), (1, 3, 2.0)]


def test_deleted_documents_are_not_drawn() -> None:
    docs = random_docs(1, 20)
    dead = frozenset(doc.id for doc in docs[::2])
    index = index_of(docs, segments=3, dead=dead)
    assert {index.id(number) for number in alive_documents(index).tolist()} == {doc.id for doc in docs} - dead
    assert alive_documents(index_of([])).tolist() == []


@pytest.mark.parametrize("wrong", [{"negatives": 0}, {"hard": -1}, {"hard": 11}, {"shards": 0}, {"epochs": 0},
                                   {"min_margin": 0}, {"seed": -1}], ids=str)
def test_settings_that_make_no_sense(wrong: dict[str, int]) -> None:
    with pytest.raises(CrossbowError, match=f"{next(iter(wrong))}|negatives"):
        LearnConfig(**wrong)  # type: ignore[arg-type]


def test_what_is_frozen() -> None:
    assert [LearnConfig().frozen(name) for name in ("IR:a", "LEX:I:a", "Glue")] == [False, False, True]
    joint = LearnConfig(joint=True, freeze=("Language*", "IR:?"))
    assert [joint.frozen(name) for name in ("IR:a", "IR:ab", "Glue", "LanguageModel_OOV")] == [True, False, False, True]
