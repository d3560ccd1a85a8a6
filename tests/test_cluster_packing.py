"""Questions as they are sent: forests come back as they were, or as far as the method needs them."""

from __future__ import annotations

import pickle
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.cluster.packing import Packed, narrow
from crossbow.forest.compose import joined
from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.methods import METHODS
from crossbow.ranking.shards import Question
from reference.forests import forests
from reference.ranking import random_collection

SOME = random_collection(4, 40, segments=2)
SENTENCES = st.lists(forests(), min_size=1, max_size=3)


def sent(sentences: list[Forest], method: str) -> list[Forest]:
    """The forests of a question on the other side."""
    packed = Packed.of(Question("key", sentences, SearchConfig(method).to_json(), None, "", "index"))
    question = pickle.loads(pickle.dumps(packed)).question()
    assert (question.key, question.index) == ("key", "index")
    return list(question.forests)


@given(sentences=SENTENCES, method=st.sampled_from(sorted(METHODS)))
@settings(max_examples=100)
def test_forests_come_back(sentences: list[Forest], method: str) -> None:
    for one, other in zip([*sentences, joined(sentences)], sent([*sentences, joined(sentences)], method)):
        if method == "dt":
            assert forest_line(parse_forest(forest_line(other))) == forest_line(other)  # the reader finds nothing wrong
            assert (other.source, best_derivation(other)[1]) == (one.source, best_derivation(one)[1])
            assert other.edges == len(set(best_derivation(one)[0]))
        else:
            assert (other, other.digest()) == (one, one.digest())
        for field in fields(Forest):
            value = getattr(other, field.name)
            if isinstance(value, np.ndarray):
                assert (value.dtype, value.flags.writeable) == (getattr(one, field.name).dtype, True)


@given(sentences=SENTENCES, method=st.sampled_from(sorted(METHODS)))
@settings(max_examples=50)
def test_the_answer_is_the_same(sentences: list[Forest], method: str) -> None:
    one, other = (METHODS[method].prepare(given, SOME.index, None, SearchConfig(method))
                  for given in (sentences, sent(sentences, method)))
    hits = one.search(20)
    assert other.search(20) == hits
    for hit in hits[:3]:
        number = SOME.index.number(hit.doc)
        assert other.explain(number) == one.explain(number)


@pytest.mark.parametrize(("low", "high", "kind"), [
    (0, 255, np.uint8), (-1, 127, np.int8), (0, 256, np.uint16), (-1, 128, np.int16), (-1, 40_000, np.int32)])
def test_numbers_in_few_bytes(low: int, high: int, kind: type[np.generic]) -> None:
    numbers = np.array([low, high], np.int32)
    assert narrow(numbers).dtype == kind
    assert narrow(numbers).tolist() == [low, high]
    assert narrow(numbers[:0]).dtype == np.uint8
