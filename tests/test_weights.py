"""Weights of terms: which counts first, what a file may hold, and how a wrong one is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from crossbow.errors import CrossbowError, InputError
from crossbow.weights import TermWeights
from reference.ranking import VOCABULARY, random_weights, weight_of

ALL = {"v": 0.5, "terms": {"hous": 1.3, "lake": 0}, "classes": {"lake": "N", "see": "N", "go": "V", "be": ""},
       "class_weights": {"N": -2.0, "": 7}, "lex": {"LEX:A:haus:house": 0.3, "LEX:I:the": 0}}  # fmt: skip


def test_a_term_goes_before_its_class_and_that_before_v() -> None:
    weights = TermWeights(**ALL)
    assert weights.of(["hous", "lake", "see", "go", "other", "be"]).tolist() == [1.3, 0.0, -2.0, 0.5, 0.5, 7.0]
    assert weights.of([]).tolist() == []
    assert TermWeights().of(["any"]).tolist() == [0.8]


def test_any_mixture() -> None:
    for seed in range(50):
        weights = random_weights(seed)
        assert weights.of(VOCABULARY).tolist() == [weight_of(weights, term) for term in VOCABULARY]


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "weights.json"
    for weights in (TermWeights(), TermWeights(**ALL), TermWeights(v=-1)):
        path.write_text(json.dumps(weights.to_json()), encoding="utf8")
        assert TermWeights.load(path) == weights
    path.write_text('{"terms": {"größe": 2}}', encoding="utf8")
    assert TermWeights.load(path).of(["größe", "x"]).tolist() == [2.0, 0.8]


def test_folders(tmp_path: Path) -> None:
    """Weights of 0 are weights too, and every number comes back to the last bit."""
    all_of_them = TermWeights(**ALL)
    odd = TermWeights(1 / 3, {"日本": 0.1 + 0.2, "a": 0.0, "b": -1e-300}, lex={"LEX:A:a%3Ab:c": 1e9})
    for number, weights in enumerate((TermWeights(), all_of_them, odd, TermWeights(0.0))):
        weights.save(tmp_path / str(number))
        assert TermWeights.stored(tmp_path / str(number)) == weights
    assert "a" in TermWeights.stored(tmp_path / "2").terms


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 1e10, 10**400, True, None, "1", [1.0]],
                         ids=lambda value: repr(value)[:9])
def test_weights_must_be_numbers_of_some_size(value: Any) -> None:
    for wrong in ({"v": value}, {"terms": {"x": 1.0, "hous": value}}, {"class_weights": {"N": value}},
                  {"lex": {"LEX:I:a": value}}):
        with pytest.raises(CrossbowError, match=r"the weight (v|hous|N|LEX:I:a) is .*; it must be a number"):
            TermWeights(**wrong)


DAMAGED = {
    "nothing": "", "half of it": '{"v": 0.8, "terms": {"a"', "not JSON": "v = 0.8", "a list": '["v"]', "a number": "5",
    "null": "null", "a string": '"v"', "another key": '{"w": 1}', "terms a list": '{"terms": ["a"]}',
    "terms a number": '{"terms": 3}', "a weight that is a string": '{"terms": {"a": "1"}}', "NaN": '{"v": NaN}',
    "infinite": '{"v": 1e999}', "huge": '{"v": 1' + "0" * 400 + "}", "classes a list": '{"classes": ["N"]}',
    "classes null": '{"classes": null}', "a class that is a list": '{"classes": {"a": ["N"]}}',
    "class weights a list": '{"class_weights": [1]}', "lex a list": '{"lex": [1]}', "nested too deeply": "[" * 100_000,
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGED)
def test_damaged_files_are_named(tmp_path: Path, case: str) -> None:
    path = tmp_path / "weights.json"
    path.write_text(DAMAGED[case], encoding="utf8")
    with pytest.raises(InputError, match="no weights in it") as caught:
        TermWeights.load(path)
    assert str(path) in str(caught.value)
    assert "expected" in str(caught.value)


def test_files_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "weights.json").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="no weights in it"):
        TermWeights.load(tmp_path / "weights.json")
    with pytest.raises(InputError, match="no such file"):
        TermWeights.load(tmp_path / "nowhere.json")
