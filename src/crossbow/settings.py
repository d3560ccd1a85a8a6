"""Settings as data: frozen dataclasses whose fields say what they are for and within which limits.

    @dataclass(frozen=True)
    class Bm25(Settings):
        k1: float = setting(1.2, "How soon more occurrences of a term stop to matter.", above=0)

    changed(config, {"bm25.k1": 0.4}), value_at(config, "bm25.k1"), parsed(config, "bm25.k1", "0.4")
    config.to_json(), SearchConfig.from_json(data), described(config)

The command line, the server and the page take names, types, limits and help texts from here, so that a setting is
declared once. Dataclasses nest; a path such as `bm25.k1` names a field of a field.
"""

from __future__ import annotations

import math
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, NamedTuple, Self, TypeVar

from crossbow.errors import CrossbowError

Changed = TypeVar("Changed", bound="Settings")


class Limits(NamedTuple):
    """What a value must satisfy, and how a person is told."""

    least: float | None = None
    above: float | None = None
    most: float | None = None
    choices: Collection[str] | None = None  # may be a registry, to which names are added later

    def problem(self, value: Any) -> str:
        """What is wrong with a value, as `it must be …`; empty if nothing is."""
        if self.choices is not None:
            names = self.choices
            return "" if value in names else f"it must be one of {', '.join(names)}{suggestion(value, names)}"
        fits = ((self.least is None or value >= self.least) and (self.above is None or value > self.above)
                and (self.most is None or value <= self.most))
        return "" if fits else f"it must be {self.sentence()}"

    def sentence(self) -> str:
        """The limits in words."""
        low = f"at least {self.least:g}" if self.least is not None else f"above {self.above:g}" \
            if self.above is not None else ""
        high = f"at most {self.most:g}" if self.most is not None else ""
        return " and ".join(part for part in (low, high) if part)


class Described(NamedTuple):
    """A setting as the command line, the server and the page show it."""

    path: str
    kind: str  # number, whole number, true or false, text
    optional: bool
    default: Any
    help: str
    limits: Limits


def setting(default: Any, help: str, **limits: Any) -> Any:
    """A field with a default, a help text and limits."""
    return field(default=default, metadata={"help": help, "limits": Limits(**limits)})


def section(kind: Callable[[], Any], help: str = "") -> Any:
    """A field that holds further settings."""
    return field(default_factory=kind, metadata={"help": help})


@dataclass(frozen=True)
class Settings:
    """The base of all settings: checks its fields, and goes to JSON and back."""

    def __post_init__(self) -> None:
        for one in _declared(type(self)):
            value = getattr(self, one.name)
            if value is one.default:
                continue  # names among the choices may not be registered yet: modules have defaults while they load
            problem = _type_problem(value, one.kind, one.optional) or (
                "" if value is None else one.limits.problem(value))
            if problem:
                raise CrossbowError(f"{one.name} is {value!r}; {problem}")
            if one.kind is float and type(value) is int:
                object.__setattr__(self, one.name, float(value))  # 1 and 1.0 are one setting, and have one signature

    def to_json(self) -> dict[str, Any]:
        """Plain values, nested like the settings."""
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: value.to_json() if hasattr(value, "to_json") else value for name, value in values.items()}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        """Read what `to_json` wrote; what is left out keeps its default, what is unknown is an error."""
        if not isinstance(data, Mapping):
            raise CrossbowError(f"expected settings by name, found {data!r}")
        known = {one.name: one for one in fields(cls)}
        hints = typing.get_type_hints(cls)
        values = {}
        for name, value in data.items():
            if name not in known:
                raise CrossbowError(f"there is no setting {name!r}{suggestion(name, known)}")
            kind = hints[name]
            values[name] = kind.from_json(value) if hasattr(kind, "from_json") else value
        return cls(**values)


class _Field(NamedTuple):
    name: str
    kind: type
    optional: bool
    default: Any
    help: str
    limits: Limits


_DECLARED: dict[type[Settings], tuple[_Field, ...]] = {}
KINDS = {bool: "true or false", int: "whole number", float: "number", str: "text"}


def _declared(cls: type[Settings]) -> tuple[_Field, ...]:
    """The fields that hold a single value and were declared by `setting`."""
    if cls in _DECLARED:
        return _DECLARED[cls]
    hints = typing.get_type_hints(cls)
    found = []
    for one in fields(cls):
        if "limits" in one.metadata:
            members = [kind for kind in typing.get_args(hints[one.name]) if kind is not types.NoneType]
            kind = members[0] if members else hints[one.name]
            found.append(_Field(one.name, kind, bool(members), one.default, one.metadata["help"],
                                one.metadata["limits"]))
    return _DECLARED.setdefault(cls, tuple(found))


def _type_problem(value: Any, kind: type, optional: bool) -> str:
    if value is None and optional:
        return ""
    if kind is float:
        fits = isinstance(value, int | float) and not isinstance(value, bool) and _finite(value)
    else:
        fits = type(value) is kind
    return "" if fits else f"it must be {_article(KINDS[kind])}{' or none' if optional else ''}"


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number that no float holds
        return False


def _article(kind: str) -> str:
    return kind if kind in ("text", "true or false") else f"a {kind}"


def suggestion(name: Any, known: Any) -> str:
    """The nearest name, as the end of a sentence; empty if none is near."""
    near = get_close_matches(str(name), [str(one) for one in known], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def described(settings: Settings, prefix: str = "") -> Iterator[Described]:
    """All settings below these, with their present values as defaults."""
    single = {one.name: one for one in _declared(type(settings))}
    for one in fields(settings):
        value = getattr(settings, one.name)
        if one.name in single:
            own = single[one.name]
            yield Described(prefix + one.name, KINDS[own.kind], own.optional, value, own.help, own.limits)
        elif isinstance(value, Settings):
            yield from described(value, f"{prefix}{one.name}.")


def value_at(settings: Any, path: str) -> Any:
    """The value at a path."""
    for name in path.split("."):
        settings = getattr(settings, _known(settings, name, path))
    return settings


def changed(settings: Changed, changes: Mapping[str, Any]) -> Changed:
    """Settings with other values at these paths."""
    for path, value in changes.items():
        value_at(settings, path)  # raises if there is no such path
        name, _, rest = path.partition(".")
        current = getattr(settings, name)
        if not rest and hasattr(current, "to_json") and not isinstance(value, type(current)):
            raise _is_group(settings, path)
        try:
            inner = changed(current, {rest: value}) if rest else value
            settings = replace(settings, **{name: inner})
        except CrossbowError as error:
            raise CrossbowError(_with_path(str(error), name, path)) from None
    return settings


def parsed(settings: Settings, path: str, text: str) -> Any:
    """A value for the path as a person types it: 0.4, true, none."""
    *parents, name = path.split(".")
    owner = value_at(settings, ".".join(parents)) if parents else settings
    _known(owner, name, path)
    one = next((one for one in _declared(type(owner)) if one.name == name), None)
    if one is None:
        raise _is_group(settings, path)
    word = text.strip().lower()
    if one.optional and word in ("none", "null", ""):
        return None
    try:
        if one.kind is bool:
            return {"true": True, "yes": True, "on": True, "1": True,
                    "false": False, "no": False, "off": False, "0": False}[word]
        return one.kind(text.strip())
    except (KeyError, ValueError):
        raise CrossbowError(f"{path} is {text!r}; {_type_problem(object(), one.kind, one.optional)}") from None


def _known(settings: Any, name: str, path: str) -> str:
    names = list(getattr(settings, "__dataclass_fields__", {}))
    if name not in names:
        raise CrossbowError(f"there is no setting {path!r}{suggestion(name, names)}")
    return name


def _is_group(settings: Settings, path: str) -> CrossbowError:
    inside = [item.path for item in described(settings) if item.path.startswith(f"{path}.")]
    return CrossbowError(f"{path} is a group of settings; "
                         + (f"set one of {', '.join(inside)}" if inside else "it is set in Python or by a file"))


def _with_path(message: str, name: str, path: str) -> str:
    """An error about a field says its whole path: `k1 is -1; …` becomes `bm25.k1 is -1; …`."""
    last = path.rpartition(".")[2]
    return path + message[len(last):] if message.startswith(f"{last} is ") and name != last else message

