"""From a collection to a report: on a part of the demo collection, with a small model and few settings to try."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commands import runner
from crossbow.datasets.collection import Collection, write_manifest, writing
from crossbow.datasets.demo.load import documents, qrels, queries
from crossbow.errors import CrossbowError
from crossbow.evaluation.report import run_digest
from crossbow.experiments.bowfd import driver, experiment, learned
from crossbow.experiments.bowfd.driver import compare_methods, reproduce
from crossbow.experiments.bowfd.learned import VARIANTS
from crossbow.experiments.bowfd.original import COMPARED
from crossbow.experiments.bowfd.report import markdown, text
from crossbow.experiments.bowfd.systems import BRIEF, SYSTEMS, translates_with_phrases
from crossbow.experiments.core.cache import Cache, slug
from crossbow.experiments.core.prepare import ReproduceConfig, freeze, open_collection
from crossbow.experiments.core.split import Split
from crossbow.experiments.core.systems import System
from crossbow.index import Index, build
from crossbow.learn.axes import Axis
from crossbow.model import Model
from crossbow.ranking.config import Decided, SearchConfig
from crossbow.records import Qrel, Query, read_run, write_docs, write_lines, write_qrels, write_queries
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.parallel import HIERARCHICAL, PHRASE
from training import corpus, phrase_model

CONFIG = ReproduceConfig(train_queries=5, trials=2000, queries=6)
# The paper's systems with two values for every field.
FEW = tuple(System(s.name, s.kind, s.base, s.changes, tuple(Axis(a.path, a.values[:2]) for a in s.axes[:2]),
                   s.source, s.choosing, s.rival) for s in SYSTEMS)
Data = dict[str, Any]


def write_part(folder: Path, train: bool = True) -> Path:
    """Queries of the demo collection: some of its test queries are training queries here."""
    asked, judged = {"dev": queries("dev"), "test": queries("test")[:12], "train": queries("test")[20:32]}, {
        "dev": qrels("dev"), "test": qrels("test"), "train": qrels("test")}
    with writing(folder) as fresh:
        write_docs(fresh / "docs.tsv", documents())
        for split in ("train", "dev", "test") if train else ("dev", "test"):
            write_queries(fresh / f"queries.{split}.tsv", asked[split])
            write_qrels(fresh / f"qrels.{split}.txt", (Qrel(query.id, doc, level) for query in asked[split]
                                                       for doc, level in judged[split][query.id].items()))
        write_lines(fresh / "queries.train.groups", (query.id for query in asked["train"]))
        write_manifest(fresh, {"name": "part", "source": "de", "target": "en"})
    return folder


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return corpus(tmp_path_factory) / "model"


@pytest.fixture(scope="module")
def part(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_part(tmp_path_factory.mktemp("part") / "collection")


@pytest.fixture(scope="module")
def quick(part: Path, model: Path) -> Callable[..., Data]:
    """Everything but learning, which takes a second."""
    def run(out: Path, work: Path, collection: Path = part, config: ReproduceConfig | None = None) -> Data:
        config = config or ReproduceConfig(trials=200, queries=5, learning=False)
        return reproduce(str(collection), out, config, work=work, model=model, threads=1, command="c", systems=FEW)

    return run


@pytest.fixture(scope="module")
def whole(part: Path, model: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Data, Path, Path]:
    """The data of a report with all systems, its folder and the work folder."""
    folder = tmp_path_factory.mktemp("whole")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learned, "DRAWS", ({"epochs": 1}, {"epochs": 2, "min_level": 2}))
        data = reproduce(str(part), folder / "report", CONFIG, work=folder / "work", model=model,
                         phrase_model=phrase_model(tmp_path_factory), command="crossbow x", systems=FEW,
                         variants=VARIANTS)
    return data, folder / "report", folder / "work"


def without_cost(folder: Path) -> Data:
    data = json.loads((folder / "report.json").read_text("utf8"))
    assert data.pop("cost")["rows"]
    return data


# --- the whole of it ---


def test_every_system_has_its_row_and_its_run(whole: tuple[Data, Path, Path]) -> None:
    data, _, work = whole
    names = [row["system"] for part in ("table1", "table2", "experiments") for row in data[part]["rows"]]
    assert sorted(names) == sorted([*(system.name for system in FEW), *(variant.name for variant in VARIANTS)])
    assert len({slug(name) for name in names}) == len(names)
    asked = {query.id for query in queries("test")[:6]}
    for name in names:
        (file,) = work.glob(f"runs/test-{slug(name)}-????????????/run.txt")
        assert 4 <= len(read_run(file).keys() & asked) == len(read_run(file))  # one may find nothing
    assert 0 < data["share"] < 1
    assert data["levels"][0]["system"] == "BOW-FD"
    assert len(data["figure1"]["difference"]) == 10
    assert all(row["decode ms"] > 0 and row["search ms"] > 0 for row in data["cost"]["rows"])
    assert data["decisions"]["learned"]["BOW-FD+LTR"]["queries"] == 5
    against = {row["system"]: row["against"] for row in data["experiments"]["rows"]}
    assert against["BOW-FD, phrase-based"] == "DT, phrase-based"
    assert len({row["AP"] for row in data["experiments"]["rows"] if "phrase" in row["system"]}) == 2


def test_the_markdown_shows_the_json(whole: tuple[Data, Path, Path]) -> None:
    _, folder, _ = whole
    stored = json.loads((folder / "report.json").read_text("utf8"))
    shown = (folder / "report.md").read_text("utf8")
    pictures = re.findall(r"^!\[.*\]\((?:bars|scatter.)\.png\)$", shown, re.M)
    assert shown == markdown(stored, pictures)
    for row in stored["table1"]["rows"]:
        cells = [f"{row[measure]:.4f}{row['marks'][measure]}" for measure in ("AP", "nDCG", "PRES")]
        assert f"| {row['system']} | {' | '.join(cells)} |" in shown
    assert "Made by `crossbow x`." in shown
    assert "only the first 6 queries of dev and test" in shown
    names = {file.name for file in folder.iterdir()}
    plots = {"bars.png", "figure1.png", "scatter1.png", "scatter2.png"} if pictures else set()
    assert names == {"report.md", "report.json", "configs"} | plots
    marked = any(mark for row in stored["table1"]["rows"] for mark in row["marks"].values())
    assert len(text(stored).splitlines()) == 1 + len(stored["table1"]["rows"]) + marked


# --- decided systems as configurations ---


def command(facts: Data, work: Path, asked: Path, out: Path) -> list[str]:
    """The arguments of the command that the report gives for a system, with folders for the words that stand for them.

    The collection's file has more queries than were searched here, so these are in a file of their own.
    """
    name, *words = shlex.split(facts["command"])
    assert name == "crossbow"
    given = {"COLLECTION/queries.test.tsv": str(asked), words[-1]: str(out)}
    return [given.get(word, f"{work}{word.removeprefix('WORK')}" if word.startswith("WORK/") else word)
            for word in words]


def test_every_system_runs_again_by_its_configuration(
    whole: tuple[Data, Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Baselines, expected terms, other translations, learned weights: the command gives the run that was measured."""
    data, report, work = whole
    monkeypatch.chdir(report)
    write_queries(tmp_path / "asked.tsv", queries("test")[:6])
    assert set(data["systems"]) == {row["system"] for row in data["cost"]["rows"]}
    for name, facts in data["systems"].items():
        done = runner(monkeypatch, capsys)(*command(facts, work, tmp_path / "asked.tsv", tmp_path / "run"), "--quiet")
        assert done == (0, "", ""), name
        assert run_digest(read_run(tmp_path / "run")) == facts["run"], name


def test_configurations_say_where_they_come_from(whole: tuple[Data, Path, Path], model: Path) -> None:
    data, report, work = whole
    assert {path.name for path in (report / "configs").iterdir()} == {f"{slug(name)}.json" for name in data["systems"]}
    for name, facts in data["systems"].items():
        config = SearchConfig.load(report / facts["config"])
        assert config.signature == facts["signature"]
        note = "AP on dev, by crossbow reproduce collection"
        assert config.decided == Decided(facts["model"], data["index"]["dev"], note)
        assert facts["model"] == Model.load(facts["folder"].replace("WORK", str(work))).signature, name
    assert data["systems"]["DT"]["folder"] == model.as_posix()
    assert data["systems"]["BOW-FD −LM"]["folder"] == model.as_posix()
    learned = data["systems"]["BOW-FD+LTR, nothing pre-trained"]
    assert learned["folder"].startswith("WORK/learned-bow-fd-ltr-nothing-pre-trained-")
    stored = json.loads((report / learned["config"]).read_text("utf8"))["config"]
    tables = Model.load(learned["folder"].replace("WORK", str(work))).learned
    assert tables.terms
    assert stored["weights"]["learned"] == tables.signature  # the tables themselves stay in the model
    with pytest.raises(CrossbowError, match=r"uses the learned weights .* but the model has none; give"):
        SearchConfig.load(report / learned["config"]).resolved(Model.load(model))
    assert not SearchConfig.load(report / "configs" / "bow-fd-no-lm.json").translation.language_model


def test_the_report_says_how_to_run_a_system_again(whole: tuple[Data, Path, Path]) -> None:
    data, report, _ = whole
    part = (report / "report.md").read_text("utf8").partition("## Run it again")[2].partition("\n## ")[0]
    for name, facts in data["systems"].items():
        assert f"crossbow search MODEL INDEX --queries QUERIES --config configs/{slug(name)}.json -o run.txt\n" in part
        assert f"| {name} | `{facts['folder']}` | {facts['model']} | {facts['signature']} | {facts['run']} |" in part
    assert f"INDEX is `{data['again']['index']}`" in part
    assert "QUERIES is `COLLECTION/queries.test.tsv`, of which the first 6 were searched." in part


# --- decisions ---


def test_what_is_learned_on_top_of_a_variant_keeps_its_settings(whole: tuple[Data, Path, Path]) -> None:
    data, _, work = whole
    points = {name: {point["path"] for point in grid} for name, grid in data["grids"].items()}
    assert points["BOW-FD+LEX+LTR + expected terms"] == {"weights.expected"}  # the share is chosen again
    assert "BOW-FD+LEX+LTR" not in points
    for name in ("BOW-FD+LEX+LTR", "BOW-FD+LEX+LTR + expected terms"):
        (folder,) = work.glob(f"learned-{slug(name)}-????????????")
        assert SearchConfig.of(Model.load(folder)).weights.expected == 0.0  # learning looks at forced decoding alone


def test_decisions_do_not_depend_on_test_judgments(quick: Callable[..., Data], part: Path, tmp_path: Path) -> None:
    first = quick(tmp_path / "a", tmp_path / "work-a")
    other = write_part(tmp_path / "other")
    lines = (other / "qrels.test.txt").read_text().splitlines()
    docs = [doc.id for doc in documents()]
    write_lines(other / "qrels.test.txt", (f"{line.split()[0]} 0 {docs[n]} 1" for n, line in enumerate(lines)))
    second = quick(tmp_path / "b", tmp_path / "work-b", other)
    records = [(tmp_path / work / "decisions.json").read_bytes() for work in ("work-a", "work-b")]
    assert records[0] == records[1]
    assert first["decisions"] == second["decisions"]
    assert first["grids"] == second["grids"]
    assert first["table1"]["rows"] != second["table1"]["rows"]
    assert first["signature"] != second["signature"]  # the report tells the two apart


def test_the_test_queries_come_after_the_decisions(
    quick: Callable[..., Data], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before: list[tuple[str, bool]] = []
    search, forests = Cache._search, Cache.forests

    def watched(self: Cache, split: Split, *rest: Any) -> Any:
        before.append((split.name, (self.work / "decisions.json").exists()))
        return search(self, split, *rest)

    def also_watched(self: Cache, split: Split, *rest: Any) -> Any:
        before.append((split.name, (self.work / "decisions.json").exists()))
        return forests(self, split, *rest)

    monkeypatch.setattr(Cache, "_search", watched)
    monkeypatch.setattr(Cache, "forests", also_watched)
    quick(tmp_path / "out", tmp_path / "work")
    assert set(before) == {("dev", False), ("test", True)}


# --- resuming ---


def test_an_interrupted_run_goes_on(
    quick: Callable[..., Data], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quick(tmp_path / "smooth", tmp_path / "work-smooth")
    search, searched = Cache._search, 0

    def breaking(limit: int) -> Callable[..., Any]:
        def count(*arguments: Any) -> Any:
            nonlocal searched
            if searched == limit:
                raise KeyboardInterrupt
            searched += 1
            return search(*arguments)

        return count

    for limit in (4, 15):  # while tuning, and among the test runs
        monkeypatch.setattr(Cache, "_search", breaking(limit))
        with pytest.raises(KeyboardInterrupt):
            quick(tmp_path / "rough", tmp_path / "work-rough")
        assert not (tmp_path / "rough").exists()
    monkeypatch.setattr(Cache, "_search", breaking(1000))
    quick(tmp_path / "rough", tmp_path / "work-rough")
    total = searched
    assert without_cost(tmp_path / "rough") == without_cost(tmp_path / "smooth")
    for name in ("bars.png", "figure1.png"):
        files = [(tmp_path / kind / name) for kind in ("rough", "smooth")]
        if files[0].exists():
            assert files[0].read_bytes() == files[1].read_bytes()
    quick(tmp_path / "rough", tmp_path / "work-rough")
    assert searched == total  # nothing was searched again


# --- settings and collections ---


def test_documents_are_cut_and_models_without_training_text_say_so(
    quick: Callable[..., Data], model: Path, tmp_path: Path
) -> None:
    folder = write_part(tmp_path / "collection", train=False)
    config = ReproduceConfig(trials=200, queries=4, doc_words=12)
    data = quick(tmp_path / "out", tmp_path / "work", folder, config)
    assert data["notes"][1:] == [
        "Documents are cut to their first 12 words.",
        "A model was given, but no phrase-based one beside it, so there are no phrase-based systems.",
        "Nothing was learned: the collection has no training queries."]
    assert not [row for row in data["experiments"]["rows"] if "phrase" in row["system"]]
    (place,) = (tmp_path / "work").glob("index-*")
    index = Index.load(place)
    assert index.doc(0).text == " ".join(next(Collection.open(folder).docs()).text.split()[:12])


def test_a_phrase_based_model_is_trained_only_if_a_system_translates_with_it(
    part: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grammars: list[str] = []

    def trained(*given: Any) -> Path:
        grammars.append(given[6] if len(given) > 6 else HIERARCHICAL)
        return model

    monkeypatch.setattr(experiment, "model_folder", trained)
    for systems, expected in ((BRIEF, [HIERARCHICAL]), (SYSTEMS, [HIERARCHICAL, PHRASE])):
        grammars.clear()
        wanted = experiment.prepare(str(part), CONFIG, tmp_path, phrases=translates_with_phrases(systems)).notes
        assert grammars == expected
        assert any("phrase" in note for note in wanted) == (systems is SYSTEMS)


def test_splits_with_their_own_documents_have_their_own_index(
    part: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The layout of WikiCLIR."""
    folder = tmp_path / "wiki"
    collection = Collection.open(part)
    for split in ("train", "dev", "test"):
        judged = collection.qrels(split)
        wanted = {doc for levels in judged.values() for doc in levels}
        write_lines(folder / f"{split}.queries", (f"{q.id}\t{q.text}" for q in collection.queries(split)))
        write_lines(folder / f"{split}.docs", (f"{d.id}\t{d.text}" for d in collection.docs() if d.id in wanted))
        write_lines(folder / f"{split}.qrels", (f"{q}\t{d}\t{n}" for q, levels in judged.items()
                                                for d, n in levels.items()))
    monkeypatch.setattr(learned, "DRAWS", ({"epochs": 1},))
    data = reproduce(str(folder), tmp_path / "out", CONFIG, work=tmp_path / "work", model=model, systems=FEW,
                     variants=VARIANTS[:1])
    assert data["index"]["dev"] != data["index"]["test"]
    assert len(list((tmp_path / "work").glob("index-*"))) == 3
    assert data["table1"]["rows"][-1]["system"] == "BOW-FD+LTR"
    with pytest.raises(CrossbowError, match=r"no parallel text to train on; give a model .* with --model"):
        reproduce(str(folder), tmp_path / "x", CONFIG, work=tmp_path / "work")


def test_table_one_alone(part: Path, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the demo shows it: with a model and an index that are there."""
    monkeypatch.setattr(driver, "BRIEF", [system for system in FEW if system.name in {one.name for one in BRIEF}])
    build(tmp_path / "index", documents(), Analyzer(Settings("en")), workers=1)
    data = compare_methods(Collection.open(part), model, Index.load(tmp_path / "index"), tmp_path / "work",
                           config=ReproduceConfig(trials=100))
    assert [row["system"] for row in data["table1"]["rows"]] == [
        "DT", "DT tuned", "PSQ", "PSQ tuned", "expected terms", "BOW-FD", "BOW-FD tuned", "BOW-FD + expected terms",
        "BOW-FD + expected terms + feedback, standard settings"]
    assert text(data).splitlines()[0].split() == ["system", "MAP", "NDCG", "PRES"]


def test_the_demo_is_a_collection(tmp_path: Path) -> None:
    collection = open_collection("demo", tmp_path)
    written = (tmp_path / "collection" / "docs.tsv").stat()
    assert open_collection("demo", tmp_path).folder == collection.folder
    assert (tmp_path / "collection" / "docs.tsv").stat() == written
    assert set(freeze(collection)) == {"dev", "test"}
    assert len(list(collection.queries("dev"))) == 24
    frozen = freeze(collection)
    write_queries(collection.splits["test"].queries, [Query("q", "Text")])
    changed = freeze(collection)
    assert changed["dev"] == frozen["dev"]
    assert changed["test"]["queries"] != frozen["test"]["queries"]


def test_problems_have_readable_messages(part: Path, model: Path, tmp_path: Path) -> None:
    with pytest.raises(CrossbowError, match="no such folder"):
        open_collection(str(tmp_path / "none"), tmp_path)
    half = write_part(tmp_path / "half")
    (half / "queries.dev.tsv").unlink()
    with pytest.raises(CrossbowError, match="no queries and judgments of dev; settings are chosen on dev"):
        open_collection(str(half), tmp_path)
    (half / "collection.json").write_text('{"name": "half", "source": "it", "target": "en"}')
    write_queries(half / "queries.dev.tsv", queries("dev"))
    with pytest.raises(CrossbowError, match=r"from 'de' to 'en', the collection needs 'it' to 'en'"):
        reproduce(str(half), tmp_path / "x", CONFIG, work=tmp_path / "work", model=model)
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "text").write_text("precious")
    with pytest.raises(CrossbowError, match="will not be overwritten"):
        reproduce(str(part), tmp_path / "thesis", CONFIG, work=tmp_path / "work", model=model)


# --- several sentences ---


def test_queries_of_several_sentences(tmp_path: Path, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    collection = write_part(tmp_path / "collection", train=False)
    for split in ("dev", "test"):
        asked = queries(split)[:12]
        write_queries(collection / f"queries-long.{split}.tsv", [
            one._replace(text=f"{one.text.rstrip('.?!')}. Nun {two.text}")
            for one, two in zip(asked, asked[1:] + asked[:1])])
    config = ReproduceConfig(trials=200, queries=5, learning=False)
    data = reproduce(str(collection), tmp_path / "report", config, work=tmp_path / "work", model=model, threads=2,
                     command="c", systems=FEW)
    several = data["several"]
    assert [row["system"] for row in several["rows"]] == [
        "product of experts", "sentences joined", "product of experts −LM", "sentences joined −LM"]
    assert (several["queries"], several["several"], several["sentences"]) == (5, 5, 2.0)
    assert 0 < several["alone"] < 1
    assert len({row["AP"] for row in several["rows"]}) > 1
    assert "weights.v" in data["decisions"]["chosen"]["sentences joined −LM"]
    page = (tmp_path / "report" / "report.md").read_text("utf8")
    assert "5 long queries have 2.0 sentences on average, and 5 of them more than one; of the documents" in page
    assert "| sentences joined | product of experts | " in page


# --- the yardstick ---


def test_queries_in_the_language_of_the_documents(tmp_path: Path, model: Path) -> None:
    """Searched by BM25 and tuned as DT is; queries that are documents find these first."""
    collection = write_part(tmp_path / "collection", train=False)
    texts = {doc.id: doc.text for doc in documents()}
    for split in ("dev", "test"):
        best = {name: max(levels, key=levels.__getitem__) for name, levels in qrels(split).items()}
        write_queries(collection / f"queries-original.{split}.tsv", [
            one._replace(text=texts[best[one.id]]) for one in queries(split)])
    config = ReproduceConfig(trials=200, queries=5, learning=False)
    data = reproduce(str(collection), tmp_path / "report", config, work=tmp_path / "work", model=model, threads=2,
                     command="c", systems=FEW)
    found = {row["system"]: row for row in data["original"]["originals"]}
    assert list(found) == ["the original queries, DT tuned", "the original queries, DT + feedback"]
    assert found["the original queries, DT tuned"]["RR"] == 1.0
    pairs = [(row["system"], row["against"]) for row in data["original"]["rows"]]
    assert pairs == [(name, original) for original in found for name in COMPARED]
    page = (tmp_path / "report" / "report.md").read_text("utf8")
    share = 100 * data["original"]["rows"][0]["RR"]
    assert "| DT tuned | the original queries, DT tuned | " in page
    assert f"{share:.1f} %" in page
