"""The settings that a model is to be searched with, chosen on the development queries and saved in a copy of the model.

    summary = choose_settings(model, index, development, LearnConfig(), folder=Path("m"), out=Path("m2"))
    summary = choose_v(model, index, development, GRID, LearnConfig(), folder=Path("m"), out=Path("m2"))
    search, tried = best_settings(development_set, standard(weights), Hands(2))

`crossbow learn` ends this way too, with the weights that it has learned.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.learn.axes import K1, Axis, Point, shown, tune
from crossbow.learn.config import LearnConfig
from crossbow.learn.develop import Development
from crossbow.learn.hands import HERE, Hands
from crossbow.model import MODEL, SEARCH, Model, ModelParts, write_model
from crossbow.pipeline import Report, Stages, stages_beside
from crossbow.ranking.config import STANDARD, SearchConfig
from crossbow.ranking.searcher import check_languages
from crossbow.records.judged import JudgedQuery
from crossbow.settings import changed
from crossbow.weights import Learned, TermWeights

GRID = (0.1, 0.2, 0.3, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 1.8, 2.0, 2.3, 2.6, 3.0)

V = Axis("weights.v", (0.0, *GRID), limits=(0.0,))
BM25_K1 = Axis(K1, (0.2, 0.4, 0.6, 0.9, 1.2, 1.6, 2.0, 3.0))
B = Axis("bm25.b", (0.2, 0.4, 0.6, 0.75, 0.9))
SHARE = Axis("weights.expected", (0.0, 1.0, 2.0, 4.0, 8.0), limits=(0.0,))
POWER = Axis("expected.power", (0.5, 0.7, 0.85, 1.0), limits=(1.0,))
FEEDBACK = (
    Axis("feedback.weight", (0.0, 0.25, 0.5, 1.0, 1.5), limits=(0.0,)),
    Axis("feedback.sharpness", (0.0, 2.0, 4.0, 8.0, 16.0), limits=(0.0,)),
    Axis("feedback.documents", (5, 10, 20)), Axis("feedback.terms", (30, 100)))
AXES = (*FEEDBACK, SHARE, BM25_K1, B, POWER, V)  # what may gain most comes first: the budget may end


def standard(weights: TermWeights) -> SearchConfig:
    """The standard settings with other weights."""
    return changed(SearchConfig(weights=weights), STANDARD)


def best_settings(
    development: Development, start: SearchConfig, hands: Hands = HERE, report: Report | None = None
) -> tuple[SearchConfig, list[Point]]:
    """The best settings that were found from where tuning starts; and all that was tried."""
    return tune(lambda search: development.measure(search, hands), start, AXES, "choosing settings", report)


def best_translation(
    model: Model, index: Index, development: Sequence[JudgedQuery], config: LearnConfig, start: SearchConfig,
    stages: Stages, hands: Hands = HERE,
) -> tuple[Development, SearchConfig, list[Point]]:
    """The queries translated in the best of the ways that the model's translator proposes, with the settings otherwise
    as they start; those settings; and what was tried. Of equally good ways the first is taken."""
    found = []
    for translation in model.decoder.candidates:
        search = replace(start, translation=translation)
        one = Development(development, model.with_translation(translation), index, config)
        one.prepare(stages, hands)
        found.append((one, search, Point("translation", shown(translation), one.measure(search, hands))))
    best, search, _ = max(found, key=lambda row: row[2].measure)
    return best, search, [point for _, _, point in found]


def choose_settings(
    model: Model, index: Index, development: Sequence[JudgedQuery], config: LearnConfig, *, folder: Path, out: Path,
    hands: Hands = HERE, report: Report | None = None,
) -> dict[str, Any]:
    """Choose settings and write `out`, a copy of the model in `folder` that has them; returns a summary."""
    usual = checked(None, model, config)
    check_languages(model, index)
    store.check_replaceable(out, MODEL)
    with stages_beside(out, report) as stages:
        translated, start, ways = best_translation(model, index, development, config, standard(usual.weights), stages,
                                                   hands)
        search, tried = best_settings(translated, start, hands, report)
        facts = {"development queries": len(development), **choice(search, [*ways, *tried], config.measure)}
        signature = save(model, folder, out, search, model.decoder.weights,
                         {**facts, "index": index.signature, "v": usual.weights.v})
    return {**facts, **sizes(search.weights), "signature": signature}


def choose_v(
    model: Model, index: Index, development: Sequence[JudgedQuery], grid: Sequence[float], config: LearnConfig, *,
    folder: Path, out: Path, search: SearchConfig | None = None, hands: Hands = HERE, report: Report | None = None,
    each: Callable[[float, float], None] | None = None,
) -> dict[str, Any]:
    """Measure each v of the grid and write `out`, a copy of the model in `folder` with the best; returns a summary.

    Other settings are those of `search`, or else the paper's. Of equally good values the first is taken. `each` is
    called with every v and its measure.
    """
    search = checked(search, model, config)
    check_languages(model, index)
    store.check_replaceable(out, MODEL)
    with stages_beside(out, report) as stages:
        development_set = Development(development, model.with_translation(search.translation), index, config)
        development_set.prepare(stages, hands)
        found: dict[float, float] = {}
        for v in grid:
            found[v] = development_set.measure(search.set("weights.v", v), hands)
            if each:
                each(v, found[v])
        weights = replace(search.weights, v=max(found, key=lambda v: found[v]))
        facts = {"development queries": len(development), config.measure: round(found[weights.v], 4)}
        signature = save(model, folder, out, replace(search, weights=weights), model.decoder.weights,
                         {**facts, "index": index.signature, "grid": list(found.items()), "v": weights.v})
    return {**facts, **sizes(weights), "signature": signature}


def checked(search: SearchConfig | None, model: Model, config: LearnConfig) -> SearchConfig:
    """The configuration that learning starts from: the given one, or the paper's."""
    found = (search or SearchConfig.of(model, "bowfd")).resolved(model)
    if found.method != "bowfd":
        raise CrossbowError(f"the method is {found.method!r}; weights are learned for forced decoding, so it must be "
                            "'bowfd'")
    if config.dense and found.weights.learned.terms:
        raise CrossbowError("the model already has weights of single terms, so one weight for all terms cannot be "
                            "learned; learn from the model that these weights were learned from")
    return found


def choice(search: SearchConfig, tried: Sequence[Point], measure: str) -> dict[str, Any]:
    """What a summary says about chosen settings: what they gain on the development queries, and which they are."""
    best = max(point.measure for point in tried)
    return {"settings tried": len(tried), f"{measure} with standard settings": round(tried[0].measure, 4),
            f"{measure} with chosen settings": round(best, 4),
            "chosen": {path: value for path, value in search.differences_to(SearchConfig()).items()
                       if path != "weights.learned"}}


def sizes(weights: TermWeights) -> dict[str, Any]:
    """How much was learned, for a summary."""
    return {"v": round(weights.v, 6), "term weights": len(weights.learned.terms),
            "LEX weights": len(weights.learned.lex)}


def save(
    model: Model, folder: Path, out: Path, search: SearchConfig, smt: dict[str, float], facts: dict[str, Any]
) -> str:
    """Write the model in `folder` with other weights; returns its signature. The large parts are shared, not copied."""
    parts, learned = ModelParts.of_folder(folder), search.weights.learned
    plain = replace(search, weights=replace(search.weights, learned=Learned())).to_json()  # the tables go beside it
    signature = store.digest(model.signature, plain, learned.signature, smt)
    meta = {**parts.meta, "weights": smt, "learned": facts, SEARCH: plain, "signature": signature}
    write_model(out, replace(parts, meta=meta, learned=learned))
    return signature
