"""The configuration of a search: everything that decides what a query finds, apart from model and index.

    config = SearchConfig.load("decided.json")
    config = config.set("bm25.k1", 0.4)              # or changed(config, {"bm25.k1": 0.4, "method": "dt"})
    config.signature; config.save("mine.json")
    SearchConfig.of(model)                           # the default configuration of a model
    SearchConfig.of(model, "psq")                    # the paper's settings of a method; SearchConfig() are all of them

A configuration is a JSON file, and travels with a model as its default. A model for which none was decided is searched
with STANDARD, which was best over all our development collections (docs/experiments.md). Learned tables stay in the
model; the file has their signature. `decided` says for which model and index it was decided, and `differences` where
one has others now.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from crossbow import __version__, store
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.expected import Expected
from crossbow.ranking.feedback import Feedback
from crossbow.ranking.methods.contract import METHODS, Method
from crossbow.ranking.repeats import Repeats
from crossbow.ranking.structured.tables import PsqConfig
from crossbow.records import write_lines
from crossbow.settings import Described, Settings, changed, described, parsed, section, setting
from crossbow.weights import Learned, TermWeights

KIND = "search configuration"
PAPER = "paper"  # instead of a file: the settings of the paper
STANDARD: Mapping[str, Any] = {"bowfd.join": True, "bm25.b": 0.4, "weights.expected": 2.0, "feedback.documents": 10}
COMMON = ("feedback",)  # settings that hold for every method


@dataclass(frozen=True)
class Forced(Settings):
    """Settings of forced decoding that other methods do not have."""

    join: bool = setting(False, "Take the sentences of a query as one, instead of multiplying their rankings.")
    beam: int | None = setting(None, "Look at only this many edges per node, as an approximation; None looks at all "
                                     "edges.", least=1)
    sort_edges: bool = setting(True, "With a beam, look at the best edges rather than the first ones.")
    unmatched: bool = setting(
        False, "Keep documents that gain nothing and have no word of the best translation at the end of the list.")


@dataclass(frozen=True)
class Decided:
    """Where a configuration comes from."""

    model: str = ""  # signatures
    index: str = ""
    note: str = ""  # as "AP on dev, by crossbow reproduce debian:de"


@dataclass(frozen=True)
class SearchConfig(Settings):
    """Everything that decides what a query finds, apart from model and index."""

    method: str = setting("bowfd", "How documents are ranked.", choices=METHODS)
    k: int = setting(1000, "How many documents to find per query.", least=1)
    bm25: Bm25 = section(Bm25)
    repeats: Repeats = section(Repeats)
    translation: Translation = section(Translation)
    weights: TermWeights = section(TermWeights)
    psq: PsqConfig = section(PsqConfig)
    expected: Expected = section(Expected)
    bowfd: Forced = section(Forced)
    feedback: Feedback = section(Feedback)
    own: Mapping[str, Settings] = field(default_factory=dict)  # settings of methods that others have added, by name
    decided: Decided = field(default=Decided(), compare=False)

    @classmethod
    def of(cls, model: Model | None, method: str | None = None) -> Self:
        """The default configuration for a model, with the weights that the model has learned.

        If a method is named, or there is no model, these are the paper's settings. Otherwise they are those that were
        decided for the model, or else the standard ones.
        """
        if model is None:
            return cls(method or cls.method)
        if method is not None:
            return cls(method, weights=TermWeights(v=model.learned_v, learned=model.learned))
        found = cls.from_json(model.search) if model.search else changed(cls(), STANDARD)
        return replace(found, weights=replace(found.weights, learned=model.learned))

    # --- files ---

    def to_json(self) -> dict[str, Any]:
        own = {name: settings.to_json() for name, settings in self.own.items()}
        plain = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("own", "decided")}
        return {**{name: value.to_json() if isinstance(value, Settings) else value for name, value in plain.items()},
                **own}

    @classmethod
    def from_json(cls, data: Any) -> Self:
        if not isinstance(data, Mapping):
            return super().from_json(data)
        ours = {one.name for one in fields(cls)} - {"own", "decided"}
        own = {name: kind.settings.from_json(data[name]) for name, kind in METHODS.items()
               if name in data and name not in ours and kind.settings is not None}
        config = super().from_json({name: value for name, value in data.items() if name not in own})
        return replace(config, own=own)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a configuration file."""
        try:
            data = json.loads(Path(path).read_text(encoding="utf8"))
            if not isinstance(data, dict) or data.get("kind") != KIND:
                raise ValueError(f'there is no "kind": "{KIND}"')
            config = cls.from_json(data["config"])
            return replace(config, decided=Decided(**data.get("decided", {})))
        except FileNotFoundError:
            raise InputError(path, None, "no such file", "is this the right path?") from None
        except (ValueError, TypeError, KeyError, RecursionError, CrossbowError) as error:
            raise InputError(path, None, f"no search configuration ({error})", f'expected {{"kind": "{KIND}", '
                             '"config": {"method": "bowfd", "bm25": {"k1": 0.9}, …}}') from None

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a configuration file."""
        write_lines(path, json.dumps(self.record(), ensure_ascii=False, indent=1).split("\n"))

    def record(self) -> dict[str, Any]:
        """The content of a configuration file: the settings, their signature, and where they come from."""
        return {"kind": KIND, "crossbow": __version__, "signature": self.signature, "config": self.to_json(),
                "decided": self.decided.__dict__}

    @cached_property
    def signature(self) -> str:
        """A digest of all settings. It does not depend on whether learned tables are given in full or by reference.

        Only what differs from the paper's settings counts, so that a signature stays when settings are added later.
        """
        weights = replace(self.weights, learned=self.weights.learned.referred())  # tables may be too large to be copied
        feedback = self.feedback if self.feedback.documents else Feedback()  # idle
        return store.digest(_differing(replace(self, weights=weights, feedback=feedback).to_json(), _PLAIN))

    def differences_to(self, other: SearchConfig) -> dict[str, Any]:
        """The settings that differ from those of another configuration, by path."""
        return dict(_flat(_differing(self.to_json(), other.to_json())))

    # --- changes ---

    def set(self, path: str, value: Any) -> Self:
        """The configuration with another value at a path."""
        name, _, rest = path.partition(".")
        if not self._is_added(name):
            return changed(self, {path: value})
        return replace(self, own={**self.own, name: changed(self.settings_of(name), {rest: value})})

    def set_text(self, path: str, text: str) -> Self:
        """The configuration with another value at a path, given as text."""
        name, _, rest = path.partition(".")
        if self._is_added(name) and rest:
            return self.set(path, parsed(self.settings_of(name), rest, text))
        return self.set(path, parsed(self, path, text))

    def _is_added(self, name: str) -> bool:
        """Whether a group of settings belongs to a plugin's method."""
        return name not in self.__dataclass_fields__ and name in METHODS and METHODS[name].settings is not None

    def settings_of(self, name: str) -> Settings:
        """The settings of a plugin's method."""
        kind = METHODS[name].settings
        if kind is None:
            raise CrossbowError(f"the method {name!r} has no settings of its own")
        return self.own.get(name) or kind()

    def described(self) -> list[Described]:
        """All settings that the method reads, with their present values."""
        method = METHODS[self.method]
        found = [one for one in described(self) if one.path == "k" or is_read(method, one.path)]
        if method.settings is not None:
            found += described(self.settings_of(method.name), f"{method.name}.")
        return found

    def check_read(self, paths: Iterable[str]) -> None:
        """Raise an error if the method would ignore one of these settings."""
        method = METHODS[self.method]
        for path in paths:
            if path not in ("method", "k") and not is_read(method, path):
                users = [name for name, other in METHODS.items() if is_read(other, path)]
                raise CrossbowError(f"the method {method.name!r} does not look at {path}; leave it out, or use "
                                    f"{' or '.join(users) or 'another method'}")

    # --- what it belongs to ---

    def resolved(self, model: Model | None) -> Self:
        """The configuration with the learned tables of a model, if it refers to them."""
        available = model.learned if model else Learned()
        return replace(self, weights=replace(self.weights, learned=self.weights.learned.resolved(available)))

    def decided_for(self, model: Model | None, index: Index, note: str) -> Self:
        """The configuration with a record of what it was decided on; learned tables become a reference."""
        weights = self.weights
        if model is not None and weights.learned and weights.learned.signature == model.learned.signature:
            weights = replace(weights, learned=weights.learned.referred())
        return replace(self, weights=weights,
                       decided=Decided(model.signature if model else "", index.signature, note))

    def differences(self, model: Model | None, index: Index) -> list[str]:
        """Sentences that say how model and index differ from those that the configuration was decided on."""
        found = []
        if model is not None and self.decided.model not in ("", model.signature):
            found.append(f"the configuration was decided with the model {self.decided.model}, this one is "
                         f"{model.signature}")
        if self.decided.index not in ("", index.signature):
            found.append(f"the configuration was decided on the index {self.decided.index}, this one is "
                         f"{index.signature}")
        return found


def is_read(method: Method, path: str) -> bool:
    """Whether a method looks at a setting."""
    return any(path == one or path.startswith(f"{one}.") for one in (*method.reads, method.name, *COMMON))


def _differing(data: Mapping[str, Any], plain: Mapping[str, Any]) -> dict[str, Any]:
    """The part of the data that differs from the plain data."""
    found = {}
    for name, value in data.items():
        other = plain.get(name)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            value = _differing(value, other)
            other = {}
        if value != other:
            found[name] = value
    return found


def _flat(data: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Nested values by path."""
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


_PLAIN = SearchConfig().to_json()
