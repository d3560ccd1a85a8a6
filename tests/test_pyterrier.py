"""Crossbow in PyTerrier: its own checks of transformers, the results of our searcher, artifacts, and an experiment.

Without Java and without network: the example runs in a process that may open no connection.
"""

import json
import os
import pickle
import re
import subprocess
import sys
import tarfile
import unittest
from collections.abc import Callable
from pathlib import Path

import lz4.frame
import pandas as pd
import pyterrier as pt
import pytest
from pyterrier.testing import transformer_test_class
from pyterrier_caching import RetrieverCache, ScorerCache

import crossbow
from crossbow.datasets.demo.load import documents, qrels, queries
from crossbow.errors import CrossbowError
from crossbow.integrity import check_files
from crossbow.pyterrier import CrossbowFusion, CrossbowIndex, CrossbowModel
from crossbow.pyterrier.artifacts import META
from crossbow.pyterrier.datasets import CrossbowProvider
from crossbow.records.exchange import qrels_frame, queries_frame
from training import corpus

ROOT = Path(__file__).parent.parent
TOPICS = queries_frame(queries("test")[:4])
NO_NETWORK = """
import runpy, socket, sys

def refused(*_):
    raise OSError("this process may not open a connection")

socket.socket.connect = socket.socket.connect_ex = refused
runpy.run_path(sys.argv[1], run_name="__main__")
import pyterrier as pt
assert not pt.java.started()
"""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> CrossbowModel:
    return CrossbowModel(corpus(tmp_path_factory) / "model")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> CrossbowIndex:
    made = CrossbowIndex(tmp_path_factory.mktemp("pyterrier") / "index", lang="en")
    return made.index({"docno": doc.id, "title": doc.title, "text": doc.text} for doc in documents())


MAKERS: dict[str, Callable[[CrossbowModel, CrossbowIndex], pt.Transformer]] = {
    **{name: lambda model, index, name=name: index.retriever(model, name) for name in crossbow.METHODS},
    "without a model": lambda model, index: index.retriever(None, "dt"),
    "standard": lambda model, index: index.retriever(model),
    "feedback": lambda model, index: index.retriever(model, "psq").with_feedback(5, terms=10),
    "reranker": lambda model, index: index.reranker(model, "bowfd"),
    "explainer": lambda model, index: index.explainer(model, "bowfd"),
    "fusion": lambda model, index: CrossbowFusion(index.retriever(model, "dt"), index.retriever(model, "psq")),
    "translate": lambda model, index: model.translate(),
    "forests": lambda model, index: model.forests(),
    "texts": lambda model, index: index.text_loader(),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.filterwarnings("ignore")
def test_pyterriers_own_checks(
    model: CrossbowModel, index: CrossbowIndex, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Inputs and outputs can be inspected, and a pipeline be drawn, without the network."""
    monkeypatch.setattr("socket.getaddrinfo", None)
    transformer = MAKERS[name](model, index)
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(transformer_test_class(lambda: transformer))
    outcome = unittest.TestResult()
    suite.run(outcome)
    assert outcome.testsRun == 2
    assert outcome.failures + outcome.errors == []


@pytest.mark.parametrize("name", MAKERS)
def test_empty_frames_have_the_columns_of_full_ones(model: CrossbowModel, index: CrossbowIndex, name: str) -> None:
    transformer = MAKERS[name](model, index)
    wanted = next(columns for columns in pt.inspect.transformer_inputs(transformer) if "query_forests" not in columns)
    full = (index.retriever(model, "dt") % 3)(TOPICS)[wanted] if "docno" in wanted else TOPICS
    out, empty = transformer(full), transformer(full.iloc[:0])
    assert len(empty) == 0
    assert len(out)
    assert list(empty.columns) == list(out.columns) == pt.inspect.transformer_outputs(transformer, list(full.columns))
    numbers = [column for column in out.columns if column in ("score", "rank")]
    assert out[numbers].dtypes.equals(empty[numbers].dtypes)


@pytest.mark.parametrize("name", MAKERS)
def test_wrong_frames_are_refused(model: CrossbowModel, index: CrossbowIndex, name: str) -> None:
    with pytest.raises(pt.validate.InputValidationError):
        MAKERS[name](model, index)(pd.DataFrame({"text": ["a"]}))


@pytest.mark.parametrize("method", crossbow.METHODS)
def test_a_retriever_finds_what_the_searcher_finds(model: CrossbowModel, index: CrossbowIndex, method: str) -> None:
    found = index.retriever(model, method, num_results=7, threads=2)(TOPICS)
    searcher = crossbow.Searcher(model.model, index.opened, {"method": method})
    expected = [(query, hit.doc, hit.score, hit.rank - 1)
                for query, hits in searcher.search_all(TOPICS, k=7) for hit in hits]
    assert list(found[["qid", "docno", "score", "rank"]].itertuples(index=False, name=None)) == expected
    assert found["query"].tolist() == [dict(TOPICS.values.tolist())[name] for name in found["qid"]]


def test_without_a_model_queries_are_in_the_language_of_the_documents(index: CrossbowIndex) -> None:
    found = (index.retriever(None, "dt") % 3).search("brown stains on the ceiling")
    hits = crossbow.Searcher(None, index.opened, {"method": "dt"}).search("brown stains on the ceiling", 3)
    assert list(found["docno"]) == [hit.doc for hit in hits]
    assert hits[0].doc == "ceiling-leak"
    explained = index.explainer(None, "dt")(index.reranker(None, "dt")(found))
    assert explained["score"].tolist() == found["score"].tolist()
    assert next(iter(explained["matches"][0])) in ("ceil", "stain")


def test_feedback_and_settings_are_the_searchers(model: CrossbowModel, index: CrossbowIndex) -> None:
    found = index.retriever(model, "bowfd").with_feedback(5, terms=10) % 5
    config = {"method": "bowfd", "bowfd.join": True, "feedback.documents": 5, "feedback.terms": 10}
    hits = crossbow.Searcher(model.model, index.opened, config).search(TOPICS["query"][0], 5)
    assert found(TOPICS.iloc[:1])["score"].tolist() == [hit.score for hit in hits]
    assert index.retriever(model, config=config, num_results=5)(TOPICS.iloc[:1])["docno"].tolist() == [
        hit.doc for hit in hits]


def test_indexes_are_drawn_without_the_network(index: CrossbowIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.getaddrinfo", None)
    assert "Index" in pt.schematic.draw(index)


def test_a_cutoff_becomes_part_of_the_search(model: CrossbowModel, index: CrossbowIndex) -> None:
    retriever = index.retriever(model, "bowfd", num_results=50)
    plain, fused = retriever % 5, (retriever % 5).compile()
    assert fused.num_results == 5
    pd.testing.assert_frame_equal(plain(TOPICS), fused(TOPICS))
    assert (retriever % 100).compile() == retriever


def test_a_reranker_gives_the_scores_of_the_retriever(model: CrossbowModel, index: CrossbowIndex) -> None:
    """Its candidates come from another method, in any order; other columns stay with their documents."""
    candidates = (index.retriever(model, "dt") % 8)(TOPICS).sample(frac=1, random_state=1)
    candidates["note"] = "of " + candidates["docno"]
    out = index.reranker(model, "bowfd", threads=2)(candidates)
    assert sorted(out["docno"] + out["qid"]) == sorted(candidates["docno"] + candidates["qid"])
    assert (out["note"] == "of " + out["docno"]).all()
    full = index.retriever(model, "bowfd")(TOPICS).set_index(["qid", "docno"])["score"]
    for row in out.itertuples():
        assert row.score == full.get((row.qid, row.docno), row.score)
    for _, group in out.groupby("qid", sort=False):
        assert group["rank"].tolist() == list(range(len(group)))
        assert group["score"].is_monotonic_decreasing


def test_explanations_are_columns(model: CrossbowModel, index: CrossbowIndex) -> None:
    found = (index.retriever(model, "bowfd") % 2 >> index.explainer(model, "bowfd", threads=2))(TOPICS)
    searcher = crossbow.Searcher(model.model, index.opened, {"method": "bowfd"})
    for row in found.itertuples():
        explanation = searcher.explain(row.query, row.docno)
        assert row.translation == " ".join(word for one in explanation.sentences for word in one.target)
        assert row.best_translation == " ".join(word for one in explanation.sentences for word in one.best_target)
        assert sum(row.matches.values()) == pytest.approx(sum(match.gain for match in explanation.matches()))
    other = found.assign(docno="bogus")
    with pytest.raises(CrossbowError, match="no document 'bogus'"):
        index.explainer(model, "bowfd")(other)


def test_translations_and_forests(model: CrossbowModel, index: CrossbowIndex) -> None:
    translated = model.translate()(TOPICS)
    assert translated["query_0"].tolist() == TOPICS["query"].tolist()
    assert translated["query"].tolist() == [model.model.translate(text)[0].text for text in TOPICS["query"]]
    plain = index.retriever(model, "psq")
    pd.testing.assert_frame_equal((model.forests() >> plain)(TOPICS).drop(columns="query_forests"), plain(TOPICS))
    alone = index.retriever(None, "bowfd")  # forests need no model
    assert pt.inspect.transformer_inputs(alone) == [["qid", "query"], ["qid", "query_forests"]]
    assert len((model.forests() >> alone % 3)(TOPICS)) == 12
    assert model.translate()(pd.DataFrame({"qid": ["q"], "query": [""]}))["query"].tolist() == [""]
    assert len(plain(pd.DataFrame({"qid": ["q"], "query": [" "]}))) == 0


def test_a_query_without_text_is_named(model: CrossbowModel, index: CrossbowIndex) -> None:
    bad = pd.DataFrame({"qid": ["q1", "q2"], "query": ["Haus", float("nan")]})
    for transformer in (index.retriever(model, "dt"), model.translate(), model.forests()):
        with pytest.raises(CrossbowError, match="query 'q2' has no text"):
            transformer(bad)


def test_fusion_is_ours(model: CrossbowModel, index: CrossbowIndex) -> None:
    both = index.retriever(model, "dt"), index.retriever(model, "psq")
    found = CrossbowFusion(*both, method="combsum", weights=[1, 0.5], num_results=6)(TOPICS)
    expected = crossbow.fuse([one(TOPICS) for one in both], "combsum", [1, 0.5], 6)
    assert list(zip(found["qid"], found["docno"], found["score"])) == [
        (query, hit.doc, hit.score) for query, hits in expected.items() for hit in hits]
    with pytest.raises(CrossbowError, match="1 weights for 2 runs"):
        CrossbowFusion(*both, weights=[1.0])


def test_pyterrier_can_tune_settings(model: CrossbowModel, index: CrossbowIndex) -> None:
    bowfd = index.retriever(model, "bowfd", num_results=20)
    scanned = pt.GridScan(bowfd, {bowfd: {"weights.v": [0.01, 1.0]}}, TOPICS, qrels_frame(qrels("test")), ["map"])
    for (_, row), v in zip(scanned.iterrows(), (0.01, 1.0)):
        searcher = crossbow.Searcher(model.model, index.opened, {"method": "bowfd", "weights.v": v})
        run = dict(searcher.search_all(TOPICS, k=20))
        assert row["map"] == pytest.approx(crossbow.evaluate(qrels("test"), {"v": run}, ["AP"]).runs["v"].total("AP"))
    assert scanned["map"].nunique() == 2
    assert bowfd.get_parameter("weights.v") == 1.0
    assert bowfd.get_parameter("num_results") == 20
    with pytest.raises(ValueError, match="psq"):
        bowfd.set_parameter("psq.bogus", 1)


def test_results_can_be_cached(
    model: CrossbowModel, index: CrossbowIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By PyTerrier's own package for it; the second time nothing is searched."""
    retriever, reranker = index.retriever(model, "bowfd", num_results=5), index.reranker(model, "bowfd")
    with RetrieverCache(str(tmp_path / "retriever"), retriever) as cache:
        first = cache(TOPICS)
        monkeypatch.setattr(retriever.searcher, "prepare", None)
        pd.testing.assert_frame_equal(cache(TOPICS)[first.columns], first)
    candidates = first.drop(columns=["score", "rank"])
    with ScorerCache(str(tmp_path / "scorer"), reranker) as cache:
        scored = cache(candidates)
        monkeypatch.setattr(reranker.searcher, "prepare", None)
        assert cache(candidates)["score"].tolist() == scored["score"].tolist() == pytest.approx(first["score"].tolist())


def test_equal_transformers_are_the_same_to_an_experiment(model: CrossbowModel, index: CrossbowIndex) -> None:
    one, same, other = (index.retriever(model, name) for name in ("psq", "psq", "dt"))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other
    assert one != one.fuse_rank_cutoff(3)
    assert model.forests() == model.forests() != model.translate()
    copied = pickle.loads(pickle.dumps(one))
    pd.testing.assert_frame_equal(copied(TOPICS), one(TOPICS))


def test_folders_are_artifacts(model: CrossbowModel, index: CrossbowIndex, tmp_path: Path) -> None:
    """With pt_meta.json as without, packed and unpacked, and still folders of ours."""
    assert pt.inspect.artifact_type_format(index) == ("sparse_index", "crossbow")
    assert json.loads((index.folder / META).read_text())["type"] == "sparse_index"
    check_files(index.folder)
    loaded = pt.Artifact.load(str(index.folder))
    assert isinstance(loaded, CrossbowIndex)
    assert len(loaded) == len(index)
    assert not (model.folder / META).exists()
    assert isinstance(pt.Artifact.load(str(model.folder)), CrossbowModel)
    package = index.build_package(str(tmp_path / "index.tar.lz4"), verbose=False)
    with lz4.frame.open(package) as stream, tarfile.open(fileobj=stream) as archive:
        archive.extractall(tmp_path / "unpacked", filter="data")
    assert pt.Artifact.load(str(tmp_path / "unpacked")).opened.signature == index.opened.signature
    crossbow.build_index([("d", "a house")], tmp_path / "plain")
    assert pt.Artifact.load(str(tmp_path / "plain")).built()
    (tmp_path / "plain" / "header.json").write_text("{")
    with pytest.raises(ValueError, match="No implementation found"):
        pt.Artifact.load(str(tmp_path / "plain"))


def test_documents_of_any_fields(tmp_path: Path) -> None:
    made = CrossbowIndex(tmp_path / "index", lang="en", text_attrs=["title", "abstract"], stem=False)
    assert pt.inspect.indexer_inputs(made) == [["docno", "title", "abstract"]]
    assert not made.built()
    made.index([{"docno": 1, "title": "Houses", "abstract": "by the lake"}])
    assert made.opened["1"].text == "Houses by the lake"
    assert made.opened.df("houses") == 1
    made.index([{"docno": "2", "title": "Boats", "abstract": "on the lake"}])
    assert [doc.id for doc in made.opened] == ["2"]
    with pytest.raises(CrossbowError, match="document 1 has no 'abstract'"):
        made.index([{"docno": "3", "title": "Trees"}])
    made.index(pd.DataFrame({"docno": ["2"], "title": ["Boats"], "abstract": ["on the lake"]}))
    assert made.opened["2"].text == "Boats on the lake"
    texts = pt.text.get_text(made, "text")(pd.DataFrame({"docno": ["2"]}))
    assert texts["text"].tolist() == ["Boats on the lake"]
    with pytest.raises(CrossbowError, match="no field 'body'"):
        made.text_loader("body")


def test_a_method_and_a_whole_configuration_are_too_much(index: CrossbowIndex) -> None:
    with pytest.raises(CrossbowError, match="has its method already"):
        index.retriever(None, "dt", config=crossbow.SearchConfig())


def test_datasets_have_their_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTERRIER_HOME", str(tmp_path))
    dataset = pt.get_dataset("crossbow:demo")
    assert CrossbowProvider().list_dataset_names() == ["demo"]
    assert (dataset.get_topics_lang(), dataset.get_corpus_lang()) == ("de", "en")
    assert dataset.get_topics().values.tolist() == [list(query) for query in queries("test")]
    assert len(dataset.get_qrels("dev")) == sum(map(len, qrels("dev").values()))
    assert {doc["docno"] for doc in dataset.get_corpus_iter()} == {doc.id for doc in documents()}
    same = pt.get_dataset(f"crossbow:{tmp_path / 'crossbow' / 'demo'}")
    assert same.collection.name == "demo"


def test_the_example_runs_without_java_and_without_network(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    (tmp_path / "crossbow-demo").mkdir()
    (tmp_path / "crossbow-demo/model").symlink_to(corpus(tmp_path_factory) / "model")
    environment = {**os.environ, "PYTERRIER_HOME": str(tmp_path / "home"), "PATH": "", "JAVA_HOME": ""}
    done = subprocess.run([sys.executable, "-c", NO_NETWORK, ROOT / "examples" / "pyterrier_experiment.py"],
                          cwd=tmp_path, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    table = dict(re.findall(r"^ *(\S.*?) (0\.\d{4}) 0\.", done.stdout, re.MULTILINE))
    assert list(table) == ["DT", "PSQ", "BOW-FD", "BOW-FD + feedback", "PSQ + BOW-FD fused"]
    model, index = tmp_path / "crossbow-demo" / "model", tmp_path / "crossbow-demo" / "pyterrier-index"
    run = crossbow.Searcher(model, index, {"method": "psq"}).search_all(queries("test"))
    value = crossbow.evaluate(qrels("test"), {"psq": dict(run)}, ["AP"]).runs["psq"].total("AP")
    assert float(table["PSQ"]) == pytest.approx(value, abs=1e-4)
    assert "best translation: " in done.stdout
