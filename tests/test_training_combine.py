"""Models combined: both translate, each document picks from whichever, expected terms are averaged, names are told."""

from __future__ import annotations

import json
import pickle
import re
from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest

from commands import Run, failure, good, runner
from crossbow import Forest, Index, Model, SearchConfig, Searcher, build_index
from crossbow.datasets.collection import write_manifest
from crossbow.decode.contract import Sentence
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.experiments.bowfd.driver import reproduce
from crossbow.experiments.bowfd.learned import LTR, VARIANTS
from crossbow.experiments.bowfd.systems import BESIDE, BOWFD, BRIEF, STANDARD_SETTINGS, SYSTEMS, WITH_EXPECTED
from crossbow.experiments.core.prepare import ReproduceConfig
from crossbow.forest.compose import parts_of, systems_of
from crossbow.forest.infer import inside
from crossbow.learn.axes import shown
from crossbow.model.combined import _laid_over
from crossbow.ranking.expected import Expected, expected_by
from crossbow.records import Doc, Qrel, Query, write_docs, write_qrels, write_queries
from crossbow.text.analyzer import Settings
from crossbow.training.combine import combine
from crossbow.training.neural import from_neural
from toy_neural import toy_system
from training import corpus

TEXT = "Die Bank verleiht Geld"
DOCS = [Doc("cash", "", "cash from a bench"), Doc("money", "", "a bank lends money"), Doc("park", "", "in the park"),
        Doc("sea", "", "a lake and the sea"), Doc("none", "", "nothing of it")]


class Place:
    """Two models, both in one, and an index."""

    def __init__(self, folder: Path, trained: Path):
        self.folder, self.trained, self.neural, self.both = folder, trained, folder / "neural", folder / "both"
        from_neural(toy_system(folder / "toy"), self.neural, Settings("de"), Settings("en"))
        combine([trained, self.neural], self.both)
        build_index(DOCS, folder / "index", lang="en")
        self.index = Index.load(folder / "index")
        self.models = [Model.load(one) for one in (trained, self.neural, self.both)]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp("combined"), corpus(tmp_path_factory) / "model")


def test_the_forest_is_what_either_makes(place: Place) -> None:
    trained, neural, both = place.models
    forest = both.forest(TEXT)
    assert forest.source == trained.forest(TEXT).source
    ours, theirs = systems_of(forest, 2)
    assert ours.edges == trained.forest(TEXT).edges
    assert theirs.score.min() == pytest.approx(0.3 * neural.forest(TEXT).score.min())
    assert inside(forest)[-1] == pytest.approx(0.0)  # each system's best
    tops = forest.score[forest.first[-2] :]
    np.testing.assert_allclose(tops, [-inside(ours)[-1], -inside(theirs)[-1]])


def test_what_the_model_is(place: Place) -> None:
    both = place.models[2]
    assert (both.kind, [model.kind for model in both.systems]) == ("combined", ["hierarchical", "neural"])
    assert both.lexicon is not None
    assert pickle.loads(pickle.dumps(both)).forest(TEXT) == both.forest(TEXT)
    assert combine([place.trained, place.neural], place.folder / "again")["signature"] == both.signature
    other = combine([place.trained, place.neural], place.folder / "again", scales=(1.0, 0.5))
    assert other["signature"] != both.signature


def test_scale_and_prior_are_settings_of_translation(place: Place) -> None:
    forest = place.models[2].with_translation(Translation(scale=1.0, prior=-2.0, nbest=1, pop_limit=10)).forest(TEXT)
    assert inside(systems_of(forest, 2)[1])[-1] == pytest.approx(log(0.6 * 0.9), abs=1e-4)
    plain = place.models[2].with_translation(Translation(scale=0.6)).forest(TEXT)
    tops = forest.score[forest.first[-2] :] + [inside(one)[-1] for one in systems_of(forest, 2)]
    assert tops == pytest.approx([0.0, -2.0])
    assert len(parts_of(systems_of(forest, 2)[1])) == 0
    assert systems_of(forest, 2)[1].edges < systems_of(plain, 2)[1].edges  # a list of one
    assert systems_of(forest, 2)[0].edges < systems_of(plain, 2)[0].edges  # a pop limit of 10
    assert inside(systems_of(plain, 2)[1])[-1] == pytest.approx(0.6 * log(0.6 * 0.9), abs=1e-4)


def test_a_document_names_the_system_that_it_picked(place: Place) -> None:
    """Only the neural system knows the word cash; the prior decides where both know everything."""
    searcher = Searcher(place.models[2], place.index, SearchConfig().set("weights.v", 9.0))
    cash = searcher.explain(TEXT, "cash")
    assert (cash.sentences[0].systems, cash.sentences[0].target) == (["neural"], ["the", "bench", "lends", "cash"])
    for prior, name in ((50.0, "neural"), (-50.0, "hierarchical")):
        chosen = Searcher(place.models[2], place.index, SearchConfig().set("translation.prior", prior))
        assert chosen.explain(TEXT, "money").sentences[0].systems == [name]
    several = Searcher(place.models[2], place.index, SearchConfig().set("weights.v", 9.0).set("bowfd.join", True))
    assert several.explain(f"{TEXT}. Das Haus am See.", "cash").sentences[0].systems[0] == "neural"
    assert len(several.explain(f"{TEXT}. Das Haus am See.", "cash").sentences[0].systems) == 2
    assert Searcher(place.models[0], place.index).explain(TEXT, "money").sentences[0].systems == []


@pytest.mark.parametrize("method", ["dt", "psq", "expected", "bowfd"])
def test_every_method_searches(place: Place, method: str) -> None:
    searcher = Searcher(place.models[2], place.index, SearchConfig(method))
    for hit in searcher.search(f"{TEXT}. Das Haus am See."):
        explanation = searcher.explain(f"{TEXT}. Das Haus am See.", hit.doc)
        assert sum(part.value for part in explanation.parts) == pytest.approx(hit.score, abs=2e-6)


def test_expected_terms_are_those_of_the_systems_on_average(place: Place) -> None:
    trained, neural, both = place.models
    scaled = neural.with_translation(Translation(scale=0.3))
    alone = [expected_by([one.forest(TEXT)], place.index, Expected(), [one.lexicon]) for one in (trained, scaled)]
    found = expected_by([both.forest(TEXT)], place.index, Expected(), [model.lexicon for model in both.systems])
    assert found == pytest.approx({term: (alone[0].get(term, 0) + alone[1].get(term, 0)) / 2
                                   for term in {**alone[0], **alone[1]}})


@pytest.fixture
def tiny(tmp_path: Path) -> Path:
    """A collection for experiments."""
    write_docs(tmp_path / "docs.tsv", DOCS)
    for split in ("train", "dev", "test"):
        write_queries(tmp_path / f"queries.{split}.tsv", [Query("q1", "Bank verleiht Geld"), Query("q2", "Haus am See"),
                                                          Query("q3", "im Park")])
        write_qrels(tmp_path / f"qrels.{split}.txt", [Qrel("q1", "money", 2), Qrel("q1", "cash", 1),
                                                      Qrel("q2", "sea", 1), Qrel("q3", "park", 1)])
    write_manifest(tmp_path, {"name": "tiny", "source": "de", "target": "en"})
    return tmp_path


@pytest.mark.parametrize("which", ["neural", "both"])
def test_the_experiments_can_be_repeated_with_it(place: Place, tiny: Path, which: str) -> None:
    """All but those that need a language model or weights of features, with the translations that it can choose."""
    few = [replace(system, axes=tuple(axis._replace(values=axis.values[:2]) for axis in system.axes[:1]))
           for system in SYSTEMS]
    data = reproduce(str(tiny), tiny / "report", ReproduceConfig(trials=50), work=tiny / "work",
                     model=getattr(place, which), threads=1, systems=few, variants=[VARIANTS[0], *VARIANTS[-2:]])
    rows = {row["system"]: row for row in data["table1"]["rows"]}
    assert {"DT", "PSQ tuned", BOWFD, STANDARD_SETTINGS, LTR} <= rows.keys()
    assert rows["BOW-FD tuned"]["AP"] > rows["DT tuned"]["AP"]  # a document may pick what is less probable
    assert ("table2" in data) == (which == "both")
    tried = {point["value"] for point in data["grids"]["DT tuned"] if point["path"] == "translation"}
    assert tried == {shown(translation) for translation in place.models[1 + (which == "both")].decoder.candidates}
    assert not [row for row in data.get("experiments", {}).get("rows", ()) if "SMT" in row["system"]]


def test_models_are_compared_in_one_report(
    place: Place, tiny: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = runner(monkeypatch, capsys, "reproduce")(
        tiny, "-o", tiny / "report", "--model", place.trained, "--also", f"neural={place.neural}",
        "--also", f"both={place.both}", "--brief", "--threads", "1", "--quiet")
    assert (code, err) == (0, "")
    data = json.loads((tiny / "report" / "report.json").read_text("utf8"))
    rows = {row["system"]: row for row in data["table1"]["rows"]}
    assert rows.keys() == {*(system.name for system in BRIEF),
                           *(f"{name}, {model}" for name in BESIDE for model in ("neural", "both"))}
    assert [(row["system"], row["against"]) for row in data["models"]["rows"] if row["system"].startswith("DT,")] == [
        ("DT, neural", "DT"), ("DT, both", "DT"), ("DT, both", "DT, neural")]
    signatures = [model.signature for model in place.models]
    assert [data["systems"][name]["model"] for name in ("DT", "DT, neural", "DT, both")] == signatures
    assert f"'both' in their names translate with the model {signatures[2]} (combined)" in " ".join(data["notes"])
    page = (tiny / "report" / "report.md").read_text("utf8")
    assert "## The same systems with other models" in page
    own = {(row["system"], row["against"]): row for row in data["models"]["own"]["rows"]}
    assert own.keys() == {(f"{system}{model}", f"{baseline}{model}") for model in ("", ", neural", ", both")
                          for system in (WITH_EXPECTED, STANDARD_SETTINGS) for baseline in ("DT", "DT tuned")}
    pair = (f"{WITH_EXPECTED}, neural", "DT, neural")
    assert own[pair]["losses"]["AP"] == pytest.approx(rows[pair[0]]["AP"] - rows[pair[1]]["AP"])
    gain = 100 * (rows[pair[0]]["AP"] / rows[pair[1]]["AP"] - 1)
    (line,) = re.findall(rf"^\| {re.escape(pair[0])} \| {pair[1]} \| .* %.*$", page, re.M)
    assert f" | {gain:+.1f} % | " in line
    assert "## Table 2" not in page


def test_forests_of_other_tokens_are_laid_over() -> None:
    """One token for two, two for one; positions follow the text."""
    from crossbow.forest.nbest import Hypothesis, nbest_forest

    made = nbest_forest("q", [Hypothesis(["human", "rights", "today"], 0.0, [(0, 0), (0, 1), (1, 2)])],
                        ["menschenrechte", "heute"])
    moved = _laid_over(made, Sentence("Menschenrechte heute", ["menschen", "rechte", "heute"]))
    assert moved.source == ["menschen", "rechte", "heute"]
    assert moved.align.tolist() == [[0, 0], [1, 0], [0, 1], [1, 1], [2, 2]]
    assert moved.lex.tolist() == [0, 1, 2]
    back = _laid_over(moved, Sentence("Menschenrechte heute", made.source))
    assert back.lex.tolist() == made.lex.tolist()
    assert Forest.union([made, back]).source == made.source


def test_what_cannot_be_combined(place: Place, tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="two models at least"):
        combine([place.trained], tmp_path / "out")
    with pytest.raises(CrossbowError, match="combined already"):
        combine([place.both, place.neural], tmp_path / "out")
    with pytest.raises(CrossbowError, match="3 scales for 2 models"):
        combine([place.trained, place.neural], tmp_path / "out", scales=(1, 2, 3))
    with pytest.raises(CrossbowError, match="a scale is 0; it must be above 0"):
        combine([place.trained, place.neural], tmp_path / "out", scales=(1, 0))
    from_neural(place.folder / "toy", tmp_path / "other", Settings("nl"), Settings("en"))
    with pytest.raises(CrossbowError, match="source language is de, another's nl"):
        combine([place.trained, tmp_path / "other"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_on_the_command_line(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                             capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    run: Run = runner(monkeypatch, capsys)
    shown = good(run("combine", place.trained, place.neural, "-o", "both", "--scale", "1", "--scale", "0.5"))
    assert "hierarchical, neural" in shown
    assert "scales [1.0, 0.5]" in good(run("info", "both"))
    assert run("info", "both", "--check").code == 0
    assert "(by the neural system)" in good(run("explain", "both", place.folder / "index", "-q", TEXT, "cash", "--set",
                                                "weights.v=9"))
    assert "two models at least" in failure(run("combine", place.trained, "-o", "both2"))
