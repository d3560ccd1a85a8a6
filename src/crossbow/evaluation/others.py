"""Measures that we leave to ir_measures, which is optional: it brings SciPy, and we need neither for the usual ones.

    measure = parsed("Bpref", largest=10**9)
    values([measure], judgments, rankings)                  # [(query, measure, value), …]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any

from crossbow.errors import CrossbowError


@dataclass(frozen=True)
class Other:
    """A measure of ir_measures. Equal ones have the same name."""

    name: str
    cutoff: int | None
    counts: bool  # it is summed over queries
    theirs: Any = field(compare=False, repr=False)

    def __str__(self) -> str:
        return self.name


@cache
def _package() -> Any:
    """The package, or None if it is not installed."""
    try:
        import ir_measures
    except ImportError:
        return None
    return ir_measures


@cache
def _provider() -> Any:
    """What computes. gdeval is a Perl script that fails on most queries' names."""
    package = _package()
    return package.providers.FallbackProvider(
        [known for known in package.DefaultPipeline.providers if known.NAME != "gdeval"])


def known() -> Iterable[str]:
    """The names of their measures; none if the package is not installed."""
    return _package().measures.registry if _package() else ()


def can_parse(name: str) -> bool:
    """Whether they know what is meant."""
    try:
        return _package() is not None and bool(_package().parse_measure(name))
    except (ValueError, AssertionError, NameError):
        return False


def parsed(name: str, largest: int) -> Other | None:
    """The measure of this name, or None if something is wrong with the name; an error if nothing can compute it."""
    if not can_parse(name):
        return None
    measure = _package().parse_measure(name)
    required = getattr(measure.SUPPORTED_PARAMS.get("cutoff"), "required", False)
    if "cutoff" not in measure.params and required:
        raise CrossbowError(f"the measure {name} needs a cutoff: {name}@10")
    numbers = [measure.params[key] for key in ("cutoff", "rel") if key in measure.params]
    try:
        measure.validate_params()
    except AssertionError:
        return None
    if not all(type(number) is int and 1 <= number <= largest for number in numbers):
        return None
    if not _provider().supports(measure):
        raise CrossbowError(f"nothing that is installed can compute the measure {name}; ir_measures lists what can")
    return Other(str(measure), measure.params.get("cutoff"), isinstance(measure.aggregator(), _package().SumAgg),
                 measure)


def values(
    measures: Iterable[Other], judged: Mapping[str, Mapping[str, int]], rankings: Mapping[str, Iterable[str]]
) -> Iterator[tuple[str, Other, float]]:
    """The value of each measure for each query that has a ranking."""
    asked = {measure.theirs: measure for measure in measures}
    if not asked:
        return
    # Providers differ in what they do with equal scores, so they get the order as scores without any.
    scores = {query: dict(zip(docs, count(0.0, -1.0))) for query, docs in rankings.items()}
    for metric in _provider().iter_calc(asked, {query: dict(levels) for query, levels in judged.items()}, scores):
        yield metric.query_id, asked[metric.measure], metric.value
