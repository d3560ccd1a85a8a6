"""Settings as data: limits, paths, JSON, and errors that name what is wrong."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import pytest

from crossbow.errors import CrossbowError
from crossbow.ranking.config import SearchConfig
from crossbow.settings import Settings, changed, described, parsed, section, setting, value_at


@dataclass(frozen=True)
class Inner(Settings):
    share: float = setting(0.5, "A share.", least=0, most=1)
    size: int | None = setting(None, "A size.", least=1)
    fast: bool = setting(False, "Faster.")


@dataclass(frozen=True)
class Outer(Settings):
    name: str = setting("one", "A name.", choices=("one", "two"))
    weight: float = setting(1.0, "A weight.", above=0)
    inner: Inner = section(Inner)


def test_values_by_path() -> None:
    outer = changed(Outer(), {"inner.share": 0.25, "name": "two", "inner.size": 3})
    assert outer == Outer("two", 1.0, Inner(0.25, 3))
    assert value_at(outer, "inner.size") == 3
    assert changed(outer, {"inner.size": None}).inner.size is None
    assert Outer() == Outer()


@pytest.mark.parametrize(("path", "value", "message"), [
    ("inner.share", 2, r"^inner.share is 2; it must be at least 0 and at most 1$"),
    ("inner.share", math.nan, r"^inner.share is nan; it must be a number$"),
    ("inner.share", "0.5", r"^inner.share is '0.5'; it must be a number$"),
    ("inner.share", True, r"^inner.share is True; it must be a number$"),
    ("inner.share", None, r"^inner.share is None; it must be a number$"),
    ("inner.size", 0, r"^inner.size is 0; it must be at least 1$"),
    ("inner.size", 1.0, r"^inner.size is 1.0; it must be a whole number or none$"),
    ("inner.fast", 1, r"^inner.fast is 1; it must be true or false$"),
    ("weight", 0, r"^weight is 0; it must be above 0$"),
    ("weight", 10**400, r"^weight is 10+; it must be a number$"),  # fits no float
    ("name", "tow", r"^name is 'tow'; it must be one of one, two; did you mean 'two'\?$"),
    ("name", ["one"], r"^name is \['one'\]; it must be text$"),
    ("inner.shar", 1, r"^there is no setting 'inner.shar'; did you mean 'share'\?$"),
    ("iner.share", 1, r"^there is no setting 'iner.share'; did you mean 'inner'\?$"),
    ("weight.x", 1, r"^there is no setting 'weight.x'$"),
])  # fmt: skip
def test_what_cannot_be(path: str, value: Any, message: str) -> None:
    with pytest.raises(CrossbowError, match=message):
        changed(Outer(), {path: value})


@pytest.mark.parametrize(("path", "text", "value"), [
    ("inner.share", " 0.25", 0.25), ("inner.share", "1", 1.0), ("inner.size", "7", 7), ("inner.size", "none", None),
    ("inner.size", "NULL", None), ("inner.fast", "true", True), ("inner.fast", "Off", False), ("name", "two", "two"),
])  # fmt: skip
def test_what_people_type(path: str, text: str, value: Any) -> None:
    found = parsed(Outer(), path, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(("path", "text", "message"), [
    ("inner.share", "much", "inner.share is 'much'; it must be a number"),
    ("inner.share", "", "inner.share is ''; it must be a number"),
    ("inner.size", "2.5", "inner.size is '2.5'; it must be a whole number or none"),
    ("inner.fast", "maybe", "inner.fast is 'maybe'; it must be true or false"),
    ("inner", "5", "inner is a group of settings; set one of inner.share, inner.size, inner.fast"),
    ("nothing", "5", "there is no setting 'nothing'"),
])  # fmt: skip
def test_what_people_mistype(path: str, text: str, message: str) -> None:
    with pytest.raises(CrossbowError, match=message):
        parsed(Outer(), path, text)


def test_json() -> None:
    for outer in (Outer(), Outer("two", 3, Inner(0.0, 5, True))):
        assert Outer.from_json(json.loads(json.dumps(outer.to_json()))) == outer
    assert Outer.from_json({"inner": {"size": 2}}) == Outer(inner=Inner(size=2))
    for wrong, message in (([], "expected settings by name"), ({"inner": 5}, "expected settings by name"),
                           ({"inner": {"share": 5}}, "share is 5"), ({"nam": "one"}, "did you mean 'name'")):
        with pytest.raises(CrossbowError, match=message):
            Outer.from_json(wrong)


def test_descriptions_have_what_a_person_must_know() -> None:
    found = {one.path: one for one in described(Outer(inner=Inner(0.75)))}
    assert list(found) == ["name", "weight", "inner.share", "inner.size", "inner.fast"]
    assert found["inner.share"][1:5] == ("number", False, 0.75, "A share.")
    assert found["inner.size"][1:4] == ("whole number", True, None)
    assert found["inner.share"].limits.sentence() == "at least 0 and at most 1"
    assert found["weight"].limits.sentence() == "above 0"
    assert found["name"].limits.choices is not None
    assert found["inner.fast"].limits.sentence() == ""


def test_whole_numbers_are_numbers_too() -> None:
    assert type(Outer(weight=2).weight) is float
    assert json.dumps(Outer(weight=2).to_json()) == json.dumps(Outer(weight=2.0).to_json())  # one signature


def test_a_group_is_not_a_value() -> None:
    with pytest.raises(CrossbowError, match=r"^inner is a group of settings; set one of inner\.share, inner\.size"):
        changed(Outer(), {"inner": 0.4})
    assert changed(Outer(), {"inner": Inner(0.4)}).inner.share == 0.4


def test_a_group_without_paths() -> None:
    for change in (lambda: changed(SearchConfig(), {"weights.learned": "x"}),
                   lambda: parsed(SearchConfig(), "weights.learned", "x")):
        with pytest.raises(CrossbowError, match=r"^weights\.learned is a group of settings; it is set in Python"):
            change()


def test_defaults_ask_nobody_for_the_choices() -> None:
    """They are made while modules are being imported, when those who would have to be asked are not there yet."""
    class Nobody(list[str]):
        def __contains__(self, name: object) -> bool:
            pytest.fail("asked too early")

    @dataclass(frozen=True)
    class Early(Settings):
        name: str = setting("one", "A name.", choices=Nobody())

    assert Early().name == "one"
