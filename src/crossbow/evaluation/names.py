"""Measures by name, spelled as ir_measures spells them: AP, nDCG@10, AP(rel=2)@100, R@1000, PRES@50.

    measure = parse_measure("MAP@100")
    str(measure), measure.cutoff, measure.counts                # "AP@100", 100, False
    measure_names(["MAP", "AP", "NDCG@10"])                     # ["AP", "nDCG@10"]

What formulas.py does not have is left to ir_measures (others.py), if that package is installed.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from crossbow.errors import CrossbowError
from crossbow.evaluation import others
from crossbow.evaluation.formulas import ALIASES, FORMULAS

LARGEST = 10**9  # cutoff or level: trec_eval ends the whole process if it is 0, and counts wrongly far beyond this
_FORM = re.compile(r"(\w+)(?:\(([^()]*)\))?(?:@(\w+))?")


@dataclass(frozen=True)
class Measure:
    """A measure of ours. Equal ones have the same name."""

    kind: str  # in FORMULAS
    cutoff: int | None = None
    rel: int = 1
    judged_only: bool = False  # documents that nobody has judged are left out of the ranking first

    @property
    def counts(self) -> bool:
        """Whether it counts documents, so that it is summed over queries."""
        return FORMULAS[self.kind].counts

    def __str__(self) -> str:
        said = [f"rel={self.rel}"] * (self.rel != 1) + ["judged_only=True"] * self.judged_only
        return self.kind + (f"({','.join(said)})" if said else "") + (f"@{self.cutoff}" if self.cutoff else "")


@cache
def parse_measure(name: str) -> Measure | others.Other:
    """The measure of this name; a readable error if there is none, or none that can be computed."""
    form = _FORM.fullmatch(name)
    if form is None and not others.can_parse(name):
        raise _malformed(name)
    bare = ALIASES.get(form[1], form[1]) if form else ""
    if bare not in FORMULAS or form is None:
        return _other(name, bare)
    given = dict(_parameters(form[2] or ""), **({"cutoff": form[3]} if form[3] else {}))
    if bare == "NumRet" and "rel" in given:
        bare = "NumRelRet"  # what ir_measures calls it
    if set(given) <= set(FORMULAS[bare].parameters):
        return _ours(name, bare, given)
    if bare != "PRES" and others.can_parse(name):
        return _other(name, bare)
    raise _malformed(name)


def _ours(name: str, kind: str, given: dict[str, str]) -> Measure:
    if "cutoff" not in given and FORMULAS[kind].needs_cutoff:
        raise CrossbowError(f"the measure {name} needs a cutoff: {name}@10")
    numbers = {key: given[key] for key in ("cutoff", "rel") if key in given}
    if not all(re.fullmatch("[0-9]{1,10}", text) and 1 <= int(text) <= LARGEST for text in numbers.values()):
        raise _malformed(name)
    if given.get("judged_only", "False") not in ("True", "False"):
        raise _malformed(name)
    return Measure(kind, judged_only=given.get("judged_only") == "True",
                   **{key: int(text) for key, text in numbers.items()})


def _parameters(text: str) -> dict[str, str]:
    """The parameters `rel=2, judged_only=True` as a dict; anything else becomes a key that no measure has."""
    pairs = (part.partition("=") for part in text.split(",") if part.strip())
    return {name.strip(): value.strip() for name, _, value in pairs}


def _other(name: str, bare: str) -> others.Other:
    known = {*FORMULAS, *ALIASES, *others.known()}
    if bare and bare not in known and not bare.isdigit():
        folded = {one.casefold(): one for one in sorted(known)}
        near = difflib.get_close_matches(bare.casefold(), folded, 1)
        hint = f" (did you mean {folded[near[0]]}?)" if near else ""
        more = "more of ir_measures" if others.known() else "more if the package ir_measures is installed"
        raise CrossbowError(f"no measure {bare!r}{hint}; known are AP, nDCG, PRES, RR, P@10, R@1000, NumRelRet and "
                            f"{more}")
    measure = others.parsed(name, LARGEST)
    if measure is None:
        raise _malformed(name)
    return measure


def _malformed(name: str) -> CrossbowError:
    return CrossbowError(f"the measure {name!r} is not well formed; write it like AP, nDCG@10 or AP(rel=2)@100")


def measure_names(measures: Iterable[str]) -> list[str]:
    """The names that results carry, each once: AP for MAP, nDCG for NDCG, RR for MRR."""
    names = [str(parse_measure(name)) for name in measures]
    if not names:
        raise CrossbowError("no measure was given; try AP")
    return list(dict.fromkeys(names))


def is_count(measure: str) -> bool:
    """Whether a measure counts, so that it is summed over queries."""
    return parse_measure(measure).counts
