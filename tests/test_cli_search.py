"""`crossbow search` and `crossbow explain` as a user meets them: tables, JSON, runs, and errors of one line.

Most commands run inside this process, which saves loading everything each time; the ways into and out of a process of
its own are tested at the end.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from commands import Run, failure, good, runner
from crossbow.datasets.demo.load import documents, queries
from crossbow.decode.translation import Translation
from crossbow.forest.hypergraph import Forest, forest_line, write_jsonl
from crossbow.index import Index, build
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.config import Forced, SearchConfig
from crossbow.ranking.searcher import Searcher, search
from crossbow.ranking.structured.tables import PsqConfig
from crossbow.records import Doc, Hit, Query, read_run, write_queries
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.weights import TermWeights
from reference.forests import Edge, forest_of
from training import corpus, crossbow

TEXT = "Räuber überfällt eine Bank in Tessenbruck"
SENTENCES = ["Das Schloss ist alt.", "Die Bank verleiht Geld.", "Der Zug hat Verspätung."]
SOME = queries("test")[38:46]  # four of them have several sentences


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a model, an index and queries; nobody changes these."""
    folder = tmp_path_factory.mktemp("search")
    (folder / "model").symlink_to(corpus(tmp_path_factory) / "model")
    build(folder / "index", documents(), Analyzer(Settings("en")), workers=1)
    build(folder / "french", documents()[:2], Analyzer(Settings("fr")), workers=1)
    write_queries(folder / "queries.tsv", SOME)
    return folder


@pytest.fixture(scope="module")
def model(place: Path) -> Model:
    return Model.load(place / "model")


@pytest.fixture(scope="module")
def index(place: Path) -> Index:
    return Index.load(place / "index")


@pytest.fixture
def run(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line, in the folder."""
    monkeypatch.chdir(place)
    return runner(monkeypatch, capsys)


def as_run(found: Iterable[tuple[str, list[Hit]]]) -> dict[str, list[Hit]]:
    """What is read back from a run: queries that found nothing are not in it."""
    return {name: hits for name, hits in found if hits}


# --- one query ---


def test_a_table_for_a_person(run: Run, model: Model, index: Index) -> None:
    lines = good(run("search", "model", "index", "-q", TEXT)).splitlines()
    hits = search(TEXT, index, model, k=10)
    (forest,) = model.forests(TEXT)
    assert lines[0] == f"best translation: {' '.join(model.best(forest))}"
    assert lines[1].split() == ["rank", "score", "document", "text"]
    rows = [line.split() for line in lines[2:] if line.split()[0].isdigit()]
    assert [row[:3] for row in rows] == [[str(hit.rank), f"{hit.score:.4f}", hit.doc] for hit in hits]
    assert all(len(line) <= 100 for line in lines)
    first = " ".join("\n".join(lines[2:]).partition("\n   2")[0].split())
    assert "*bank*" in first
    assert "*Tessenbruck" in first
    titles = {hit.doc: index.doc(index.number(hit.doc)).title for hit in hits}
    starred = " ".join("\n".join(lines[2:]).replace("*", "").split())
    assert all(f"{hit.doc} {titles[hit.doc]} " in starred for hit in hits)
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("method", ["dt", "psq"])
def test_tables_of_the_other_methods(run: Run, model: Model, index: Index, method: str) -> None:
    shown = good(run("search", "model", "index", "-q", TEXT, "--method", method, "-k", "3"))
    assert [line.split()[2] for line in shown.splitlines() if line.split()[0].isdigit()] == [
        hit.doc for hit in search(TEXT, index, model, method=method, k=3)]  # fmt: skip
    assert "*bank" in shown


def test_json_lines(run: Run, model: Model, index: Index) -> None:
    rows = [json.loads(line) for line in good(run(
        "search", "model", "index", "-q", TEXT, "--json", "-k", "4")).splitlines()]  # fmt: skip
    assert [Hit(row["doc"], row["score"], row["rank"]) for row in rows] == search(TEXT, index, model, k=4)
    assert [Doc(row["doc"], row["text"], row["title"]) for row in rows] == [
        index.doc(index.number(row["doc"])) for row in rows]  # fmt: skip


OPTIONS = {
    "--method dt": SearchConfig("dt"),
    "--method psq --set psq.nbest=5 --set psq.mix=.9 --set psq.lowest=.01 --set psq.cumulative=.9":
        SearchConfig("psq", psq=PsqConfig(nbest=5, mix=0.9, lowest=0.01, cumulative=0.9)),
    "--method psq --set psq.forest=true": SearchConfig("psq", psq=PsqConfig(forest=True)),
    "--set method=expected": SearchConfig("expected"),
    "--v 2.5": SearchConfig(weights=TermWeights(v=2.5)),
    "--v -1": SearchConfig(weights=TermWeights(v=-1.0)),
    "--v 0 --unmatched": SearchConfig(weights=TermWeights(v=0.0), bowfd=Forced(unmatched=True)),
    "--set bm25.k1=.4 --set bm25.b=0": SearchConfig(bm25=Bm25(0.4, 0.0)),
    "--set bm25.idf=lucene": SearchConfig(bm25=Bm25(idf="lucene")),
    "--set bowfd.beam=2": SearchConfig(bowfd=Forced(beam=2)),
    "--set bowfd.beam=2 --set bowfd.sort_edges=no": SearchConfig(bowfd=Forced(beam=2, sort_edges=False)),
    "--set weights.expected=1.5": SearchConfig(weights=TermWeights(expected=1.5)),
    "--set translation.language_model=false --set translation.pop_limit=5":
        SearchConfig(translation=Translation(language_model=False, pop_limit=5)),
}  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
def test_options(run: Run, model: Model, index: Index, options: str) -> None:
    paper = () if "method" in options else ("--config", "paper")  # a method that is named means the same
    shown = good(run("search", "model", "index", "-q", TEXT, "--json", *paper, *options.split()))
    expected = search(TEXT, index, model, config=OPTIONS[options])[:10]
    assert expected
    assert [Hit(row["doc"], row["score"], row["rank"]) for row in map(json.loads, shown.splitlines())] == expected


def test_a_later_setting_wins_and_flags_win_over_all(run: Run) -> None:
    def scores(*options: str) -> str:
        return good(run("search", "model", "index", "-q", TEXT, "--json", *options))

    assert scores("--set", "weights.v=3", "--set", "weights.v=0.4") == scores("--v", "0.4")
    assert scores("--set", "weights.v=3", "--v", "0.4") == scores("--v", "0.4") != scores("--v", "3")


def test_one_query_into_a_run(run: Run, model: Model, index: Index, tmp_path: Path) -> None:
    assert good(run("search", "model", "index", "-q", TEXT, "-o", tmp_path / "run", "--quiet")) == ""
    assert read_run(tmp_path / "run") == {"1": search(TEXT, index, model, k=10)}


ODD = {
    "nothing": "", "spaces": " \t ", "a long word": "x" * 10_000, "a long text": "Bank " * 2000, "an option": "--zzq",
    "emoji": "\U0001f600 \U0001f468\u200d\U0001f469 Bank", "from right to left": "שלום עולם",
    "control characters": "\x01Bank \x1b[31m\x7f\x85", "markup": "[bold]Bank[/] :smile: [/nope]",
    "half a character": "Bank \udcff",
}  # fmt: skip


@pytest.mark.parametrize("case", ODD)
def test_odd_queries(run: Run, case: str) -> None:
    for method in ("bowfd", "psq"):
        shown = good(run("search", "model", "index", "-k", "2", "--method", method, "-q", ODD[case]))
        assert shown.startswith("best translation: ")
        assert ("no document has any of the query's terms" in shown) == ("Bank" not in ODD[case])
        assert "\x1b" not in shown
    good(run("search", "model", "index", "-k", "2", "--json", "-q", ODD[case]))
    done = run("explain", "model", "index", "bank-fees", "--method", "bowfd", "-q", ODD[case])
    if ODD[case].strip():
        assert re.search(r"^score +-[\d.]+  bank-fees, by bowfd$", good(done), re.M)
    else:
        assert "the query is empty" in failure(done)


# --- runs ---


@pytest.mark.parametrize("threads", ["1", "3"])
def test_a_run_of_queries(run: Run, model: Model, index: Index, tmp_path: Path, threads: str) -> None:
    path = tmp_path / "run.txt"
    done = run("search", "model", "index", "--queries", "queries.tsv", "-o", path, "--threads", threads)
    assert done == (0, "", "searching …\n")
    expected = as_run(Searcher(model, index).search_all(SOME))
    assert list(read_run(path).items()) == list(expected.items())  # ranks follow scores, and ties the ids
    rows = [line.split() for line in path.read_text().splitlines()]
    assert {(row[1], row[5]) for row in rows} == {("Q0", "crossbow-bowfd")}
    assert [(row[0], row[2], int(row[3]), float(row[4])) for row in rows] == [
        (name, hit.doc, hit.rank, hit.score) for name, hits in expected.items() for hit in hits]  # fmt: skip
    shown = good(run("search", "model", "index", "--queries", "queries.tsv", "--quiet"))
    assert shown == path.read_text()


def test_a_run_keeps_its_order_when_it_is_sorted_again(run: Run, tmp_path: Path) -> None:
    """As trec_eval does: by score, equal scores by descending id."""
    good(run("search", "model", "index", "--queries", "queries.tsv", "--v", "0.001", "-o", tmp_path / "run", "--quiet"))
    rows = [line.split() for line in (tmp_path / "run").read_text().splitlines()]
    ties = 0
    for name in {row[0] for row in rows}:
        own = [(float(row[4]), row[2]) for row in rows if row[0] == name]
        assert own == sorted(own, reverse=True)
        ties += len(own) - len({score for score, _ in own})
    assert ties > 10


def test_settings_of_runs(run: Run, model: Model, index: Index, tmp_path: Path) -> None:
    (tmp_path / "queries.jsonl").write_text(json.dumps({"id": 7, "text": TEXT}))
    shown = good(run("search", "model", "index", "--queries", tmp_path / "queries.jsonl", "-k", "2", "--method", "dt",
                     "--tag", "mine", "--quiet"))  # fmt: skip
    expected = search(TEXT, index, model, method="dt", k=2)
    assert shown.splitlines() == [f"7 Q0 {hit.doc} {hit.rank} {hit.score!r} mine" for hit in expected]


def test_forests_instead_of_queries(run: Run, tmp_path: Path) -> None:
    """What `crossbow translate --forest` writes finds what the sentences find, and needs no model."""
    forests, path = tmp_path / "forests.jsonl", tmp_path / "queries.tsv"
    text = "".join(f"{sentence}\n" for sentence in SENTENCES)
    assert crossbow("translate", "model", "--forest", forests, text=text).returncode == 0
    write_queries(path, [Query(str(n), sentence) for n, sentence in enumerate(SENTENCES, 1)])
    expected = good(run("search", "model", "index", "--queries", path, "--quiet", "--method", "bowfd"))
    assert len(expected.splitlines()) > 50
    assert good(run("search", "index", "--forests", forests, "--quiet")) == expected
    (tmp_path / "run").write_text(expected)
    best = read_run(tmp_path / "run")["2"][0]
    explained = good(run("explain", "index", best.doc, "--forests", forests, "--id", "2"))
    assert explained == good(run("explain", "model", "index", best.doc, "-q", SENTENCES[1], "--config", "paper"))
    assert f"{best.score:.6f}  {best.doc}, by bowfd" in explained
    assert good(run("explain", "index", best.doc, "--forests", forests)) == good(
        run("explain", "model", "index", best.doc, "-q", SENTENCES[0], "--config", "paper"))  # fmt: skip


def test_forests_with_one_id_are_sentences_of_one_query(run: Run, model: Model, index: Index, tmp_path: Path) -> None:
    first, second, third = (model.forest(sentence, name) for sentence, name in zip(SENTENCES, ("q", "q", "r")))
    write_jsonl(tmp_path / "forests.jsonl", [first, second, third])
    good(run("search", "index", "--forests", tmp_path / "forests.jsonl", "-o", tmp_path / "run", "--quiet"))
    assert read_run(tmp_path / "run") == {"q": search([first, second], index), "r": search(third, index)}
    assert good(run("search", "model", "index", "-q", " ".join(SENTENCES[:2]), "-k", "1000", "-o", tmp_path / "text",
                    "--method", "bowfd", "--quiet")) == ""  # fmt: skip
    assert read_run(tmp_path / "text")["1"] == read_run(tmp_path / "run")["q"]
    write_jsonl(tmp_path / "apart.jsonl", [first, third, second])
    assert "forests of query 'q' are in two places" in failure(run("search", "index", "--forests",
                                                                     tmp_path / "apart.jsonl", "--quiet"))  # fmt: skip


NBEST = """\
a ||| the bank was robbed ||| ||| -1.0
a ||| the bench was robbed ||| ||| -1.5
b ||| the train is late ||| ||| -0.5
"""


def test_nbest_lists_instead_of_queries(run: Run, index: Index, tmp_path: Path) -> None:
    """The same as forests with these translations; sentences of a query are told by --ids."""
    (tmp_path / "lists").write_text(NBEST)
    forests = list(Forest.read_nbest(tmp_path / "lists"))
    write_jsonl(tmp_path / "forests.jsonl", forests)
    expected = good(run("search", "index", "--forests", tmp_path / "forests.jsonl", "--quiet"))
    assert len(expected.splitlines()) > 10
    assert good(run("search", "index", "--nbest", tmp_path / "lists", "--quiet")) == expected
    shown = good(run("explain", "index", "bank-robbery", "--nbest", tmp_path / "lists"))
    assert shown == good(run("explain", "index", "bank-robbery", "--forests", tmp_path / "forests.jsonl"))
    assert "this document's   the bank was robbed" in shown
    assert good(run("explain", "index", "bank-robbery", "--nbest", tmp_path / "lists", "--id", "b")) != shown
    (tmp_path / "ids").write_text("q\nq\n")
    good(run("search", "index", "--nbest", tmp_path / "lists", "--ids", tmp_path / "ids", "-o", tmp_path / "run",
             "--quiet"))  # fmt: skip
    assert read_run(tmp_path / "run") == {"q": search(forests, index)}
    good(run("search", "index", "--nbest", tmp_path / "lists", "--scale", "3", "-o", tmp_path / "run", "--quiet"))
    assert read_run(tmp_path / "run") == {forest.id: search(forest.scaled(3.0), index) for forest in forests}
    good(run("search", "index", "--nbest", tmp_path / "lists", "--method", "dt", "-o", tmp_path / "run", "--quiet"))
    assert read_run(tmp_path / "run")["b"] == search(forests[1], index, method="dt")


def test_lattices_instead_of_queries(run: Run, index: Index, tmp_path: Path) -> None:
    (tmp_path / "plf").write_text("q\t((('bank',.5,1),('bench',.5,1),),(('robbed',1.,1),),)\n"
                                  "((('train',1.,1),),)\n")  # fmt: skip
    forests = list(Forest.read_lattices(tmp_path / "plf"))
    good(run("search", "index", "--lattices", tmp_path / "plf", "-o", tmp_path / "run", "--quiet"))
    assert read_run(tmp_path / "run") == {"q": search(forests[0], index), "2": search(forests[1], index)}
    assert "this document's   bank robbed" in good(
        run("explain", "index", "bank-robbery", "--lattices", tmp_path / "plf"))  # fmt: skip


# --- explanations ---


def test_explain(run: Run, model: Model, index: Index) -> None:
    expected = Searcher(model, index, "paper").explain(TEXT, "bank-robbery")
    arguments = ("explain", "model", "index", "bank-robbery", "-q", TEXT, "--config", "paper")
    assert json.loads(good(run(*arguments, "--json"))) == json.loads(json.dumps(expected.to_json()))
    shown = good(run(*arguments))
    (sentence,) = expected.sentences
    for line in (f"query             {' '.join(sentence.source)}", f"this document's   {' '.join(sentence.target)}",
                 f"best translation  {' '.join(sentence.best_target)}"):
        assert line in shown.splitlines()
    sums = [("score", expected.score), *((part.label, part.value) for part in expected.parts)]
    rows = [line.split()[:2] for line in shown.splitlines() if line.split()]
    assert [label for label, _ in sums] == ["score", "best", "cost", "gain"]
    assert all([label, f"{round(value, 6) + 0.0:.6f}"] in rows for label, value in sums)
    matches = list(expected.matches())
    assert {match.term for match in matches} >= {"bank", "tessenbruck"}
    assert all(f"{match.term} {match.gain:.4f} = " in shown for match in matches)


@pytest.mark.parametrize("options", [options for options in OPTIONS if "unmatched" not in options])
def test_an_explanation_has_the_score_of_the_hit(run: Run, options: str) -> None:
    """Under the same options, by every method."""
    hits = good(run("search", "model", "index", "-q", TEXT, "--json", "-k", "3", *options.split()))
    for row in map(json.loads, hits.splitlines()):
        told = json.loads(good(run("explain", "model", "index", row["doc"], "-q", TEXT, "--json", *options.split())))
        assert (told["doc"], told["score"]) == (row["doc"], row["score"])
        assert sum(part["value"] for part in told["parts"]) == pytest.approx(row["score"], abs=1e-6)
        shown = good(run("explain", "model", "index", row["doc"], "-q", TEXT, *options.split()))
        assert f"{row['score']:.6f}  {row['doc']}, by {told['method']}" in shown


def test_explain_several_sentences(run: Run, model: Model, index: Index) -> None:
    """A sentence in whose list the document is not says so."""
    text = f"{TEXT}. Xyzzy Verspätung."
    expected = Searcher(model, index, "paper").explain(text, "bank-robbery")
    shown = good(run("explain", "model", "index", "bank-robbery", "-q", text, "--config", "paper"))
    assert len(expected.sentences) == shown.count("\nquery  ") + 1 == 2
    (missing,) = (part for part in expected.parts if part.label == "not listed")
    assert f"  not listed {missing.value:12.6f}  {missing.note}" in shown


# --- languages ---


def test_an_index_alone_is_searched_in_its_own_language(run: Run, index: Index) -> None:
    text = "robber with a bicycle"
    lines = good(run("search", "index", "-q", text)).splitlines()
    assert lines[0].split() == ["rank", "score", "document", "text"]
    assert [line.split()[2] for line in lines if line[:4].strip().isdigit()] == [
        hit.doc for hit in search(text, index, k=10)]
    assert "robber" in good(run("explain", "index", "bank-robbery", "-q", text))
    assert good(run("search", "index", "--queries", "queries.tsv", "--method", "dt", "--quiet")).endswith(
        " crossbow-dt\n")


@pytest.mark.parametrize("method", ["dt", "psq", "expected", "bowfd"])
def test_explanations_name_the_word_that_was_read(run: Run, model: Model, index: Index, method: str) -> None:
    settings = {"method": method, "translation.spellings": 2}
    asked = ("explain", "model", "index", "bank-robbery", "-q", "Der Räubr", "--method", method)
    assert "räubr (read as räuber)" in good(run(*asked, "--set", "translation.spellings=2"))
    assert "read as" not in good(run(*asked))
    explanation = Searcher(model, index, settings).explain("Der Räubr", "bank-robbery")
    assert explanation.to_json()["sentences"][0]["read"] == {"räubr": "räuber"}


def test_models_by_language(run: Run, model: Model, index: Index) -> None:
    """A query is searched by the model of its language, unless somebody says which one that is."""
    asked = ("search", "index", "--model", "de=model", "-k", "3", "-q")
    language, *german = good(run(*asked, "Räuber mit dem Fahrrad")).splitlines()
    assert language == "language: de (100% sure)"
    assert german == good(run("search", "model", "index", "-k", "3", "-q", "Räuber mit dem Fahrrad")).splitlines()
    language, *english = good(run(*asked, "the robber with a bicycle")).splitlines()
    assert language == "language: en (100% sure)"
    assert english == good(run("search", "index", "-k", "3", "-q", "the robber with a bicycle")).splitlines()
    chosen = good(run(*asked, "the robber with a bicycle", "--language", "de"))
    assert chosen == good(run("search", "model", "index", "-k", "3", "-q", "the robber with a bicycle"))
    assert "Räuber".lower() in good(run("explain", "index", "bank-robbery", "--model", "de=model", "-q", "Räuber"))
    assert good(run(*asked, "the robber with a bicycle", "--set", "translation.spellings=2")).startswith("language: en")
    assert good(run("search", "index", "--model", "de=model", "--queries", "queries.tsv", "--quiet")
                ).endswith(" crossbow-polyglot\n")


# --- errors ---


@pytest.mark.parametrize(("arguments", "message"), [
    ("model nowhere -q x", "nowhere: no such folder"),
    ("nowhere index -q x", "nowhere: no such folder"),
    ("model model -q x", "model: of kind 'model', expected 'index'"),
    ("index index -q x", "index: of kind 'index', expected 'model'"),
    ("index model -q x", "model: of kind 'model', expected 'index'"),
    ("model index index -q x", "INDEX alone for queries in the documents' language, found model index index; see"),
    ("model index --forests x", "expected INDEX alone"),
    ("index -q x --set translation.spellings=2", "translation.spellings has no effect on queries that are not transl"),
    ("index --model model -q x", "--model model: write CODE=FOLDER, such as de=model.de-en"),
    ("index --model fr=model -q x", "--model fr=model: this model translates from 'de'"),
    ("index --model de=model --model de=model -q x", "two models translate from 'de'; give one for each language"),
    ("index --model de=model --language ja -q x", "there is no model for 'ja'; there are de, en"),
    ("-q x", "missing argument"),
    ("model index", "give one of -q, --queries, --forests, --nbest and --lattices"),
    ("model index -q x --queries queries.tsv", "give one of -q, --queries, --forests, --nbest and --lattices"),
    ("model index -q x --forests x", "give one of -q, --queries, --forests, --nbest and --lattices"),
    ("model index -q x --v nan", "weights.v is nan; it must be a number"),
    ("model index -q x --v inf", "weights.v is inf; it must be a number"),
    ("model index -q x --v 1e300", "weights.v is 1e+300; it must be at least -1e+09"),
    ("model index -q x --v much", "--v"),
    ("model index -q x --set bm25.k1=0", "bm25.k1 is 0.0; it must be above 0"),
    ("model index -q x --set bm25.b=2", "bm25.b is 2.0; it must be at least 0 and at most 1"),
    ("model index -q x -k 0", "-k"),
    ("model index -q x --set bowfd.beam=0", "bowfd.beam is 0; it must be at least 1"),
    ("model index -q x --threads 0", "--threads"),
    ("model index -q x --method bm25", "method is 'bm25'; it must be one of dt, psq, expected, bowfd"),
    ("model index -q x --method psq --set psq.mix=2", "psq.mix is 2.0; it must be at least 0 and at most 1"),
    ("model index -q x --config nowhere.json", "nowhere.json: no such file; is this the right path?"),
    ("model index -q x --config queries.tsv", "queries.tsv: no search configuration"),
    ("model index -q x --config index", "index"),
    ("model index --queries nowhere.tsv", "nowhere.tsv: no such file"),
    ("model index --queries empty", "empty: the file is empty"),
    ("model index --queries blank.tsv", "blank.tsv:2: query 'q2' is empty"),
    ("model index --queries twice.tsv", "twice.tsv:2: query id 'q1' was already used"),
    ("model index --queries latin.tsv", "latin.tsv:1: not UTF-8"),
    ("model index --queries index", "index"),
    ("index --forests nowhere", "nowhere: no such file"),
    ("index --forests empty", "empty: the file is empty"),
    ("index --forests bad.jsonl", "bad.jsonl:3: edge 0: score"),
    ("index --forests queries.tsv", "queries.tsv:1: not a forest"),
    ("index --forests spaced.jsonl", "'q 1' cannot be written"),
    ("index --forests bad.jsonl --nbest lists", "give one of -q, --queries, --forests, --nbest and --lattices"),
    ("model index --nbest lists", "expected INDEX alone"),
    ("index --nbest nowhere", "nowhere: no such file"),
    ("index --nbest 5", "how many translations psq looks at is --set psq.nbest=N"),
    ("index --nbest lists --method psq", "'psq' as it is configured needs to know which word translates"),
    ("index --nbest lists --ids queries.tsv", "queries.tsv:2: expected as many lines as lists has sentences"),
    ("index --nbest lists --ids empty", "empty:1: expected as many lines"),
    ("index --nbest lists --scale 0", "the scale of scores is 0.0"),
    ("index --nbest lists --scale nan", "the scale of scores is nan"),
    ("index --nbest apart", "forests of query '1' are in two places"),
    ("index --lattices lists", "lists:1: column 1: '1', expected '('"),
    ("model index -q x --scale 2", "--ids and --scale go with --forests, --nbest and --lattices"),
    ("model index --queries queries.tsv --tag two\N{NO-BREAK SPACE}words", "cannot be written"),
    ("model french -q x", "translates into 'en', but the documents are in 'fr'"),
    ("model french --queries queries.tsv", "translates into 'en', but the documents are in 'fr'"),
])  # fmt: skip
def test_errors_of_search(run: Run, place: Path, tmp_path: Path, arguments: str, message: str) -> None:
    bad_files(place)
    assert message in failure(run("search", *arguments.split(" "), "--quiet"))
    failure(run("search", *arguments.split(" "), "--quiet", "-o", tmp_path / "run"))
    assert list(tmp_path.iterdir()) == []


def bad_files(place: Path) -> None:
    """Queries and forests with something wrong in them."""
    (place / "empty").touch()
    (place / "blank.tsv").write_text("q1\tHaus\nq2\t  \n")
    (place / "twice.tsv").write_text("q1\tHaus\nq1\tSee\n")
    (place / "latin.tsv").write_bytes(b"q1\tM\xfcller\n")
    line = forest_line(forest_of([Edge(0, [], -1.0, ["bank"])], ["s"]))
    (place / "bad.jsonl").write_text(f"{line}\n\n{line.replace('-1.0', 'NaN')}\n")
    (place / "lists").write_text("1 ||| bank ||| -1\n")
    (place / "apart").write_text("1 ||| bank\n2 ||| bank\n1 ||| bench\n")
    (place / "spaced.jsonl").write_text(line.replace('"q"', '"q 1"'))


@pytest.mark.parametrize(("arguments", "message"), [
    ("model index bank-fees", "give one of -q, --forests, --nbest and --lattices"),
    ("model index bank-fees -q x --forests x", "give one of -q, --forests, --nbest and --lattices"),
    ("bank-fees -q x", "expected MODEL INDEX, or INDEX alone for queries in the documents' language, found nothing"),
    ("index bank-fees -q x --language de", "--language chooses between models; give them with --model"),
    ("model index bank-fees -q x --model de=model", "expected INDEX alone, as --model names the models, found model"),
    ("model index nowhere -q Bank", "the index has no document 'nowhere'"),
    ("model french bank-fees -q Bank", "translates into 'en', but the documents are in 'fr'"),
    ("model index bank-fees -q Bank --v nan", "weights.v is nan; it must be a number"),
    ("model index bank-fees -q Bank --set bowfd.beam=0", "bowfd.beam is 0; it must be at least 1"),
    ("index bank-fees --forests empty", "empty: the file is empty"),
    ("index bank-fees --forests bad.jsonl --id other", "bad.jsonl:3: edge 0: score"),
    ("index bank-fees --forests spaced.jsonl --id other", "no forest with the id 'other'"),
])  # fmt: skip
def test_errors_of_explain(run: Run, place: Path, arguments: str, message: str) -> None:
    bad_files(place)
    assert message in failure(run("explain", *arguments.split(" ")))


def test_a_wide_beam_and_a_large_k(run: Run) -> None:
    plain = good(run("search", "model", "index", "-q", TEXT))
    assert good(run("search", "model", "index", "-q", TEXT, "--set", f"bowfd.beam={'9' * 30}")) == plain
    many = ("search", "model", "index", "-q", TEXT, "-k", "9" * 30)
    assert len(good(run(*many))) > len(plain)
    assert good(run(*many, "--unmatched")).count("\n") > good(run(*many)).count("\n")


# --- processes of their own ---


def test_the_command(place: Path, run: Run) -> None:
    """A process of its own prints the same, also for bytes that are no text."""
    done = crossbow("search", "model", "index", "-q", os.fsdecode(b"Bank \xff\xfe"), cwd=place)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == good(run("search", "model", "index", "-q", "Bank \udcff\udcfe"))
    failed = crossbow("search", "model", "-q", "x", cwd=place)
    assert (failed.returncode, failed.stdout) == (2, "")
    assert failed.stderr == failure(run("search", "model", "-q", "x"))


def test_a_reader_that_goes_away_is_no_error_message(place: Path, tmp_path: Path) -> None:
    write_jsonl(tmp_path / "forests.jsonl", (forest_of([Edge(0, [], 0.0, ["bank", "the", "house"])], ["s"], f"q{n}")
                                             for n in range(3000)))  # fmt: skip
    command = f"{crossbow('--version').args[0]} search index --forests {tmp_path / 'forests.jsonl'} --quiet"
    done = subprocess.run(["bash", "-c", f"{command} | head -n 1"], capture_output=True, text=True, cwd=place,
                          timeout=120)  # fmt: skip
    assert done.stdout.startswith("q0 Q0 ")
    assert done.stderr == ""


def test_tables_on_a_terminal(place: Path) -> None:
    """Matches are bold there, without stars, and lines fit."""
    script = "import pty, sys; sys.exit(pty.spawn(sys.argv[1:]) >> 8)"
    command = [crossbow("--version").args[0], "search", "model", "index", "-q", "Bank", "-k", "2"]
    environment = {**os.environ, "COLUMNS": "70", "TERM": "xterm"}
    done = subprocess.run([sys.executable, "-c", script, *command], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, cwd=place, env=environment, timeout=120)  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "\x1b[1mbank\x1b[0m" in done.stdout
    assert "*" not in done.stdout
