"""Learning as a whole on the demo collection: what it writes, what it learns, and that only its inputs decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from crossbow.errors import CrossbowError
from crossbow.index import Index, build
from crossbow.learn.choose import choose_v
from crossbow.learn.config import LearnConfig
from crossbow.learn.develop import Development
from crossbow.learn.driver import Epoch, learn
from crossbow.learn.hands import Hands
from crossbow.learn.training import TrainingSet
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.forced.lexical import rescored
from crossbow.ranking.searcher import search
from crossbow.records import Doc, write_lines
from crossbow.records.judged import JudgedQuery
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.parallel import train
from crossbow.weights import Learned, TermWeights
from learning import Place, demo_place, judged_queries
from reference.ranking import Texts, check_hits, forest_terms, inside_scores, ranked, sharing
from searching import everything, search_forests, weighing
from training import QUICK, contents, litter, real_pairs, write_pairs

QUICKLY = LearnConfig(epochs=2, negatives=8, hard=4)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


def weights_of(model: Model) -> TermWeights:
    return SearchConfig.of(model, None if model.search else "bowfd").weights


def starting(model: Model, weights: TermWeights) -> Model:
    """The model with a default configuration that has these weights."""
    return model.with_search(SearchConfig(weights=replace(weights, learned=Learned())).to_json(), weights.learned)


def learned(place: Place, out: Path, config: LearnConfig = QUICKLY, **options: Any) -> tuple[Model, list[Epoch]]:
    """A learned model and how its epochs went; with the configuration that it starts from."""
    history: list[Epoch] = []
    model = options.pop("model", place.model)
    options.setdefault("search", SearchConfig.of(model, None if model.search else "bowfd"))
    summary = learn(model, place.index, place.training, place.development, config, folder=place.folder, out=out,
                    each=history.append, **options)
    made = Model.load(out)
    assert made.signature == summary["signature"]
    assert [epoch.number for epoch in history] == list(range(len(history)))
    assert litter(out.parent) == []
    return made, history


@pytest.fixture
def improving(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[float]], None]:
    """Make the measure say these values, one after another."""
    def change(values: list[float]) -> None:
        left = iter(values)
        monkeypatch.setattr(Development, "measure", lambda *arguments: next(left))

    return change


# --- what comes out ---


def test_a_learned_model_searches_exactly_with_its_weights(
    place: Place, tmp_path: Path, improving: Callable[[list[float]], None]
) -> None:
    """Also where terms count against a document, and translations too."""
    improving([0.1, 0.2, 0.3])
    start = starting(place.model, weighing(0.7, {"bank": -0.5, "castl": 0.0, "never-seen": 3.0}))
    model, history = learned(place, tmp_path / "out", replace(QUICKLY, lex=True), model=start)
    weights = weights_of(model)
    assert weights.v == 0.7
    assert weights.learned.terms["never-seen"] == 3.0
    assert weights.learned.terms["castl"] != 0.0
    assert len(weights.learned.lex) > 10
    assert min(weights.learned.lex.values()) < 0 < max(weights.learned.lex.values())
    assert all(name.startswith("LEX:") for name in weights.learned.lex)
    assert history[-1].features <= len(weights.learned.terms) + len(weights.learned.lex)
    texts = Texts([place.index.doc(n) for n in range(place.index.slots)], place.index.analyzer)
    for task in place.development[:3]:
        (forest,) = model.forests(task.text)
        hits = search(task.text, place.index, model, k=20, config={"bowfd.unmatched": True})
        docs = sharing(forest_terms(forest, texts), texts)
        scores = inside_scores(rescored(forest, weights.learned.lex), texts, weights, docs)
        check_hits(hits, ranked(scores, 20))
        assert hits == search_forests([forest], place.index, None, everything(k=20, weights=weights))


def test_everything_else_stays_as_it_was(place: Place, tmp_path: Path) -> None:
    before = contents(place.folder)
    model, _ = learned(place, tmp_path / "out")
    after = contents(tmp_path / "out")
    assert {name: data for name, data in after.items() if not name.startswith("learned/")} == before
    assert contents(place.folder) == before
    shared = (tmp_path / "out/bitext/source.npy").stat().st_ino == (place.folder / "bitext/source.npy").stat().st_ino
    assert shared
    assert model.decoder.weights == place.model.decoder.weights
    assert model.decoder.config == place.model.decoder.config
    assert model.signature != place.model.signature


def test_a_model_can_be_replaced_by_what_it_learned(place: Place, tmp_path: Path) -> None:
    choose_v(place.model, place.index, place.development, [0.5], LearnConfig(), folder=place.folder, out=tmp_path / "m")
    model = Model.load(tmp_path / "m")
    summary = learn(model, place.index, place.training, place.development, QUICKLY, folder=tmp_path / "m",
                    out=tmp_path / "m")
    again = Model.load(tmp_path / "m")
    assert (again.learned_v, again.signature) == (0.5, summary["signature"])
    assert again.best(again.forest("Das Schloss")) == place.model.best(place.model.forest("Das Schloss"))


def test_models_from_before_there_was_learning(place: Place) -> None:
    assert not (place.folder / "learned").exists()
    assert weights_of(place.model) == TermWeights()
    assert weights_of(place.model.with_settings(pop_limit=5)) == TermWeights()


def test_settings_and_weights_stay_with_changed_models(place: Place) -> None:
    model = starting(place.model, TermWeights(2.0))
    assert weights_of(model.with_settings(pop_limit=5)).v == 2.0
    other = model.with_weights({"Glue": 1.0})
    assert (weights_of(other).v, other.decoder.weights) == (2.0, {"Glue": 1.0})
    assert weights_of(place.model).v == 0.8


# --- nothing but the inputs decides ---


def test_neither_threads_nor_another_run_change_a_bit(
    place: Place, tmp_path: Path, improving: Callable[[list[float]], None]
) -> None:
    def run(name: str, config: LearnConfig, threads: int = 1) -> tuple[Model, list[Epoch]]:
        improving([0.1, 0.2, 0.3])  # so that the last epoch is kept
        return learned(place, tmp_path / name, config, hands=Hands(threads))

    config = replace(QUICKLY, lex=True, shards=3)
    runs = [run(f"out{n}", config, threads) for n, threads in enumerate((1, 2, 2))]
    for model, history in runs[1:]:
        assert model.signature == runs[0][0].signature
        assert [epoch._replace(seconds=0) for epoch in history] == [epoch._replace(seconds=0) for epoch in runs[0][1]]
    for n in (1, 2):
        assert contents(tmp_path / f"out{n}") == contents(tmp_path / "out0")
    other, _ = run("other", replace(config, seed=2))
    assert weights_of(other).learned.terms != weights_of(runs[0][0]).learned.terms


@pytest.mark.parametrize("config", [replace(QUICKLY, lex=True), LearnConfig(joint=True, epochs=2, negatives=2, hard=1)],
                         ids=["frozen", "joint"])
def test_interrupted_and_resumed(
    place: Place, tmp_path: Path, config: LearnConfig, improving: Callable[[list[float]], None]
) -> None:
    """At the forests, in the middle of an epoch, between two."""
    improving([0.1, 0.2, 0.3])
    if config.joint:
        place = place._replace(training=place.training[:4])
    expected, _ = learned(place, tmp_path / "straight", config)
    improving([0.1, 0.2, 0.3])
    for moment in (("pairs" if config.joint else "examples", 1), ("epoch-1", 2), ("epoch-2", 1), ("epoch-2", 3)):
        reached = False

        def stop(what: str, done: int, total: int, at: tuple[str, int] = moment) -> None:
            nonlocal reached
            if (what, done) == at and total > 1:
                reached = True
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            learned(place, tmp_path / "out", config, report=stop)
        assert reached
        assert not (tmp_path / "out").exists()
        assert litter(tmp_path) == [".out.stages"]
    learned(place, tmp_path / "out", config)
    assert contents(tmp_path / "out") == contents(tmp_path / "straight")
    assert Model.load(tmp_path / "out").signature == expected.signature


# --- what is learned ---


def test_the_training_loss_falls(place: Place, tmp_path: Path) -> None:
    _, history = learned(place, tmp_path / "out", replace(QUICKLY, epochs=6, patience=6, lex=True))
    losses = [epoch.loss for epoch in history[1:]]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < 0.95 * losses[0]
    assert history[0][2:6] == (0.0, 0, 0, 0)
    assert len({epoch.pairs for epoch in history[1:]}) == 1


@pytest.mark.parametrize(("values", "epochs", "kept"), [
    ([0.5, 0.6, 0.7, 0.65, 0.7, 0.66], 6, 2), ([0.5, 0.4, 0.4, 0.5], 4, 0), ([0.1, 0.2, 0.3, 0.4], 4, 3),
    ([0.5, 0.4, 0.3, 0.6], 4, 3)])  # fmt: skip
def test_the_best_epoch_is_kept(
    place: Place, tmp_path: Path, improving: Callable[[list[float]], None], values: list[float], epochs: int, kept: int
) -> None:
    config = replace(QUICKLY, epochs=len(values) - 1 if kept == 3 else 9, patience=3)
    place = place._replace(training=place.training[:3])
    improving(values)
    model, history = learned(place, tmp_path / "out", config)
    assert [epoch.measure for epoch in history] == values[:epochs]
    improving(values)
    fewer, _ = learned(place, tmp_path / "fewer", replace(config, epochs=max(1, kept)))
    if kept:
        assert weights_of(model) == weights_of(fewer)
        assert weights_of(model).learned.terms
    else:
        assert weights_of(model) == weights_of(place.model)


def test_one_weight_for_all_terms(place: Place, tmp_path: Path, improving: Callable[[list[float]], None]) -> None:
    improving([0.1, 0.2, 0.3])
    model, history = learned(place, tmp_path / "out", replace(QUICKLY, dense=True))
    assert weights_of(model).v not in (0.8, 0.0)
    assert weights_of(model) == TermWeights(weights_of(model).v)
    assert history[-1].features == 1
    with pytest.raises(CrossbowError, match="weights of single terms"):
        learned(place, tmp_path / "no", replace(QUICKLY, dense=True),
                model=starting(place.model, weighing(terms={"a": 1.0})))


def test_from_nothing(place: Place, tmp_path: Path, improving: Callable[[list[float]], None]) -> None:
    """With v = 0 all terms start at 0, and what is learned lifts some of them."""
    improving([0.1, 0.2, 0.3])
    model, _ = learned(place, tmp_path / "out", model=starting(place.model, TermWeights(0.0)))
    assert weights_of(model).v == 0.0
    assert max(weights_of(model).learned.terms.values()) > 0.0
    assert np.mean(list(weights_of(model).learned.terms.values())) < 0.2


def test_translation_weights_too(place: Place, tmp_path: Path, improving: Callable[[list[float]], None]) -> None:
    improving([0.1, 0.2])
    place = place._replace(training=place.training[:4])
    config = LearnConfig(joint=True, epochs=1, negatives=4, hard=2, freeze=("Language*",))
    model, _ = learned(place, tmp_path / "out", config)
    old, new = place.model.decoder.weights, model.decoder.weights
    assert {name for name in old if old[name] == new[name]} >= {"LanguageModel", "LanguageModel_OOV"}
    assert {name for name in old if old[name] != new[name]} >= {"WordPenalty", "CountEF"}
    assert weights_of(model).learned.terms
    assert not any(name.startswith("IR:") for name in new)


# --- leave-one-out ---


def test_a_query_is_not_translated_by_its_own_training_text(tmp_path: Path) -> None:
    """A sentence stands once: without its group neither its rules nor what it does to lexical probabilities is left."""
    pairs = [*real_pairs(50), ("Der Wombat gräbt tief.", "The wombat digs deep."), ("Der Hund gräbt.", "The dog digs.")]
    write_lines(tmp_path / "groups", [*(f"g{n}" for n in range(50)), "wombats", "dogs"])
    train(write_pairs(tmp_path, "train", pairs), tmp_path / "model", QUICK, groups=tmp_path / "groups")
    build(tmp_path / "index", [Doc("w", "The wombat digs deep."), Doc("d", "The dog digs.")],
          Analyzer(Settings("en")), workers=1)
    model, index = Model.load(tmp_path / "model"), Index.load(tmp_path / "index")
    text = "Der Wombat gräbt tief."
    queries = [JudgedQuery("q", text, {"w": 3}, group) for group in ("wombats", "dogs", "unknown")]
    training = TrainingSet(queries, model, index, LearnConfig(), SearchConfig())
    assert (training.exclude, training.left_out) == ([50, 51, -1], 2)
    own, other, all_of_it = ({word for forest in training._forests(at, model) for word in forest.words}
                             for at in range(3))
    assert {"wombat", "deep"} <= other & all_of_it
    assert "deep" not in own  # a word that only this sentence could have taught
    assert "tief" in own
    rules = model.decoder.rules(model.source.tokens(text), exclude=50)
    assert len(rules.counts) < len(model.decoder.rules(model.source.tokens(text)).counts)


# --- what is wrong ---


def test_problems_are_found_before_the_work_begins(place: Place, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.txt").write_text("mine")
    with pytest.raises(CrossbowError, match="not a Crossbow folder"):
        learned(place, tmp_path / "taken")
    build(tmp_path / "french", [Doc("a", "une maison")], Analyzer(Settings("fr")), workers=1)
    with pytest.raises(CrossbowError, match="translates into 'en', but the documents are in 'fr'"):
        learned(place._replace(index=Index.load(tmp_path / "french")), tmp_path / "out")
    with pytest.raises(CrossbowError, match="no measure"):
        learned(place, tmp_path / "out", LearnConfig(measure="nonsense"))
    assert litter(tmp_path) == []


# --- whether it is worth it ---


def test_learning_carries_over_to_queries_that_it_has_not_seen(place: Place, tmp_path: Path) -> None:
    """From nothing, v is learned on half of the test queries; the other half is found as well as with the usual v."""
    judged = judged_queries("test", 62)
    place = place._replace(training=judged[::2], development=judged_queries("dev", 24))
    config = LearnConfig(dense=True, hard=5, shards=1, epochs=4, patience=2)
    start = SearchConfig(weights=TermWeights(v=0.0))
    model, _ = learned(place, tmp_path / "out", config, search=start)
    unseen = Development(judged[1::2], place.model, place.index, LearnConfig())
    searches = start, SearchConfig.of(model), SearchConfig()
    before, after, usual = (unseen.measure(search, Hands(2)) for search in searches)
    assert after > before + 0.3
    assert after > usual - 0.02
