"""Weights of terms: a term's own before the default, and tables that a configuration refers to."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from crossbow.errors import CrossbowError
from crossbow.weights import Learned, TermWeights
from reference.ranking import VOCABULARY, random_weights, weight_of

TABLES = Learned({"hous": 1.3, "lake": 0}, {"LEX:A:haus:house": 0.3, "LEX:I:the": 0})
ODD = Learned({"日本": 0.1 + 0.2, "a": 0.0, "b": -1e-300}, {"LEX:A:a%3Ab:c": 1e9})


def test_a_term_of_its_own_goes_before_v() -> None:
    weights = TermWeights(0.5, learned=TABLES)
    assert weights.of(["hous", "lake", "other"]).tolist() == [1.3, 0.0, 0.5]
    assert weights.of([]).tolist() == []
    assert TermWeights().of(["any"]).tolist() == [0.8]


def test_any_mixture() -> None:
    for seed in range(50):
        weights = random_weights(seed)
        assert weights.of(VOCABULARY).tolist() == [weight_of(weights, term) for term in VOCABULARY]


def test_folders(tmp_path: Path) -> None:
    """Weights of 0 are weights too, and every number comes back to the last bit."""
    for number, tables in enumerate((Learned(), TABLES, ODD)):
        tables.save(tmp_path / str(number))
        again = Learned.load(tmp_path / str(number))
        assert again == tables
        assert again.signature == tables.signature
    assert "a" in Learned.load(tmp_path / "2").terms


def test_json_has_the_weights_or_their_signature() -> None:
    for weights in (TermWeights(), TermWeights(-1), TermWeights(2, 0.5, TABLES), TermWeights(learned=ODD)):
        plain = json.loads(json.dumps(weights.to_json()))
        assert TermWeights.from_json(plain) == weights
        referring = replace(weights, learned=weights.learned.referred())
        again = TermWeights.from_json(json.loads(json.dumps(referring.to_json())))
        assert again.learned.signature == weights.learned.signature
        assert replace(again, learned=again.learned.resolved(weights.learned)) == weights
    assert len({tables.signature for tables in (Learned(), TABLES, ODD)}) == 3
    assert Learned().signature == ""


def test_a_reference_needs_its_tables() -> None:
    referring = TermWeights(learned=TABLES.referred())
    with pytest.raises(CrossbowError, match="have to be taken from their model"):
        referring.of(["hous"])
    for available, has in ((Learned(), "has none"), (ODD, f"has {ODD.signature}")):
        with pytest.raises(CrossbowError, match=f"uses the learned weights {TABLES.signature}, but the model {has}"):
            referring.learned.resolved(available)
    assert TABLES.resolved(ODD) is TABLES


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e10, 10**400, True, None, "1", [1.0]],
                         ids=lambda value: repr(value)[:9])
def test_weights_must_be_numbers_of_some_size(value: Any) -> None:
    for wrong in ({"terms": {"x": 1.0, "hous": value}}, {"lex": {"LEX:I:a": value}}):
        with pytest.raises(CrossbowError, match=r"the weight (hous|LEX:I:a) is .*; it must be a number"):
            Learned(**wrong)
    for name in ("v", "expected"):
        with pytest.raises(CrossbowError, match=rf"{name} is .*; it must be"):
            TermWeights(**{name: value})


@pytest.mark.parametrize("data", [5, None, ["terms"], {"term": {}}, {"terms": ["a"]}, {"lex": 3}, {"terms": None}])
def test_tables_of_another_shape(data: Any) -> None:
    with pytest.raises(CrossbowError, match="learned weights are a signature, or"):
        Learned.from_json(data)
