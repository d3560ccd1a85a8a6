"""Configurations on the command line: files and single settings, what is refused, and methods that others bring."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from commands import Run, failure, good, runner
from crossbow.datasets.demo.load import queries
from crossbow.forest.hypergraph import write_jsonl
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.methods import METHODS
from crossbow.records import read_run, write_lines, write_queries
from crossbow.weights import Learned
from learning import Place, demo_place
from plugins import write_toy
from training import crossbow

LONG = "Die Bank in der alten Stadt verleiht Geld an die Leute"
TEXT = "Räuber überfällt eine Bank in Tessenbruck"
SOME = queries("test")[38:44]  # some of them have several sentences


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


@pytest.fixture
def folder(place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder: a model, an index and queries."""
    (tmp_path / "model").symlink_to(place.folder)
    (tmp_path / "index").symlink_to(place.index_folder)
    write_queries(tmp_path / "queries.tsv", SOME)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    return runner(monkeypatch, capsys)


def found(run: Run, *options: str) -> str:
    """The run of the queries."""
    return good(run("search", "model", "index", "--queries", "queries.tsv", "--quiet", *options))


# --- files and single settings ---


SETTINGS = {
    "dt": ["bm25.k1=0.5", "repeats.power=0.5", "k=20"],
    "psq": ["psq.mix=0.8", "psq.lowest=0.01", "translation.language_model=false"],
    "expected": ["expected.power=0.85", "expected.tables.mix=0.25", "bm25.idf=lucene"],
    "bowfd": ["weights.v=1.6", "weights.expected=2", "bowfd.join=true", "repeats.k3=2", "translation.lm_scale=0.5",
              "translation.pop_limit=10"],
}


@pytest.mark.parametrize("method", SETTINGS)
def test_a_saved_configuration_finds_what_its_settings_find(run: Run, method: str) -> None:
    options = [word for one in SETTINGS[method] for word in ("--set", one)]
    shown = good(run("methods", method, *options, "--save", "mine.json"))
    assert shown.startswith(f"{method}: {METHODS[method].help}\n")
    expected = found(run, "--method", method, *options)
    assert found(run, "--config", "mine.json") == expected
    assert len(expected.splitlines()) > 50
    for left_out in SETTINGS[method]:  # each of them matters
        fewer = [word for one in SETTINGS[method] if one != left_out for word in ("--set", one)]
        assert found(run, "--method", method, *fewer) != expected, left_out


def test_single_settings_change_those_of_the_file(run: Run) -> None:
    good(run("methods", "bowfd", "--set", "weights.v=1.6", "--set", "bm25.k1=0.5", "--save", "mine.json"))
    both = found(run, "--config", "paper", "--set", "bm25.k1=0.5", "--v", "3")
    assert found(run, "--config", "mine.json", "--v", "3") == both
    assert found(run, "--config", "mine.json", "--set", "weights.v=3") == both
    good(run("methods", "--config", "mine.json", "--set", "weights.v=3", "--save", "other.json"))
    assert found(run, "--config", "other.json") == both != found(run, "--config", "mine.json")
    dt = found(run, "--config", "mine.json", "--method", "dt")
    assert dt == found(run, "--method", "dt", "--set", "bm25.k1=0.5")


def test_explanations_take_the_same_configuration(run: Run) -> None:
    good(run("methods", "bowfd", "--set", "weights.v=1.6", "--set", "weights.expected=2", "--save", "mine.json"))
    row = json.loads(good(run("search", "model", "index", "-q", TEXT, "--config", "mine.json", "--json", "-k", "1")))
    explained = ("explain", "model", "index", row["doc"], "-q", TEXT, "--json")
    told = json.loads(good(run(*explained, "--config", "mine.json")))
    assert told["score"] == row["score"]
    assert told == json.loads(good(run(*explained, "--config", "paper", "--v", "1.6", "--set",
                                             "weights.expected=2")))


def test_info_says_what_a_configuration_is(run: Run, place: Place, folder: Path) -> None:
    config = SearchConfig("dt").set("bm25.k1", 0.5).decided_for(place.model, place.index, "by hand")
    config.save(folder / "mine.json")
    rows = {line[:16].strip(): line[17:] for line in good(run("info", "mine.json")).splitlines()}
    assert (rows["method"], rows["signature"], rows["bm25.k1"]) == ("dt", config.signature, "0.5")
    assert (rows["decided, model"], rows["decided, note"]) == (place.model.signature, "by hand")
    assert json.loads(good(run("info", "mine.json", "--json"))) == config.record()


def test_a_person_sees_few_hits_unless_asking_for_more(run: Run) -> None:
    def shown(*options: str) -> int:
        return good(run("search", "model", "index", "-q", LONG, "--json", *options)).count("\n")

    good(run("methods", "bowfd", "--save", "many.json"))
    good(run("methods", "bowfd", "--set", "k=4", "--save", "few.json"))
    assert (shown(), shown("--config", "many.json"), shown("--config", "few.json")) == (10, 10, 4)
    assert (shown("-k", "13"), shown("--set", "k=13"), shown("--config", "few.json", "-k", "13")) == (13, 13, 13)
    assert good(run("search", "model", "index", "-q", LONG, "--config", "few.json", "-o", "run", "--quiet")) == ""
    assert len(read_run("run")["1"]) == 4


# --- what is refused, and what is only said ---


@pytest.mark.parametrize(("options", "message"), [
    ("--set bm25.k2=1", "there is no setting 'bm25.k2'; there are k1, b, idf"),
    ("--set bowfd.joined=1", "there is no setting 'bowfd.joined'; did you mean 'join'?"),
    ("--set bm52.k1=1", "there is no setting 'bm52'; did you mean 'bm25'?"),
    ("--set k1=1", "there is no setting 'k1'; did you mean 'bm25.k1'?"),
    ("--set join=true", "there is no setting 'join'; did you mean 'bowfd.join'?"),
    ("--set mix=1", "there is no setting 'mix'; did you mean 'psq.mix' or 'expected.tables.mix'?"),
    ("--set bm25=1", "bm25 is a group of settings; set one of bm25.k1, bm25.b, bm25.idf"),
    ("--set bm25.k1", "--set bm25.k1: write PATH=VALUE, such as bm25.k1=0.4"),
    ("--set bm25.k1=much", "bm25.k1 is 'much'; it must be a number"),
    ("--set bowfd.join=perhaps", "bowfd.join is 'perhaps'; it must be true or false"),
    ("--set bm25.idf=lucen", "bm25.idf is 'lucen'; it must be one of rsj, lucene; did you mean 'lucene'?"),
    ("--method bowdf", "it must be one of dt, psq, expected, bowfd; did you mean 'bowfd'?"),
    ("--method dt --v 2", "the method 'dt' does not look at weights.v; leave it out, or use bowfd"),
    ("--set method=psq --unmatched", "the method 'psq' does not look at bowfd.unmatched; leave it out, or use bowfd"),
    ("--set psq.mix=0.5", "the method 'bowfd' does not look at psq.mix; leave it out, or use psq"),
    ("--config typo.json", "typo.json: no search configuration (there is no setting 'bm26'; did you mean 'bm25'?)"),
    ("--config wrong.json", 'wrong.json: no search configuration (there is no "kind": "search configuration")'),
    ("--config bad.json", "bad.json: no search configuration (k1 is 0; it must be above 0)"),
    ("--config half.json", "half.json: no search configuration"),
])  # fmt: skip
def test_bad_settings_say_what_is_meant(run: Run, folder: Path, options: str, message: str) -> None:
    kind = '"kind": "search configuration"'
    write_lines(folder / "typo.json", [f'{{{kind}, "config": {{"bm26": {{"k1": 1}}}}}}'])
    write_lines(folder / "wrong.json", ['{"method": "dt"}'])
    write_lines(folder / "bad.json", [f'{{{kind}, "config": {{"bm25": {{"k1": 0}}}}}}'])
    write_lines(folder / "half.json", [f'{{{kind}, "conf'])
    for command in (("search", "model", "index", "-q", TEXT), ("explain", "model", "index", "bank-fees", "-q", TEXT)):
        if "--unmatched" not in options or command[0] == "search":
            assert message in failure(run(*command, *options.split()))


def test_a_configuration_decided_elsewhere_says_so_and_works(run: Run, place: Place, folder: Path) -> None:
    config = SearchConfig().set("weights.v", 1.6)
    config.decided_for(place.model, place.index, "by hand").save(folder / "here.json")
    here = found(run, "--config", "here.json")  # nothing is said about where it belongs
    assert here == found(run, "--method", "bowfd", "--v", "1.6")
    decided = config.decided_for(place.model, place.index, "by hand").decided
    replace(config, decided=replace(decided, model="anothermodel", index="anotherindex")).save(folder / "there.json")
    said = (f"crossbow: the configuration was decided with the model anothermodel, this one is "
            f"{place.model.signature}\ncrossbow: the configuration was decided on the index anotherindex, this one is "
            f"{place.index.signature}\n")
    asked = ("search", "model", "index", "--queries", "queries.tsv", "--quiet")
    assert run(*asked, "--config", "there.json") == (0, here, said)
    plain = good(run("explain", "model", "index", "bank-fees", "-q", TEXT, "--config", "paper", "--v", "1.6"))
    assert run("explain", "model", "index", "bank-fees", "-q", TEXT, "--config", "there.json") == (0, plain, said)


def test_learned_weights_come_from_the_model_that_has_them(run: Run, place: Place, folder: Path) -> None:
    learned = Learned({"rope": 3.0}, {"LEX:I:the": 0.5})
    weights = replace(SearchConfig().weights, learned=learned.referred())
    SearchConfig(weights=weights).save(folder / "learned.json")
    message = (f"the configuration uses the learned weights {learned.signature}, but the model has none; give the "
               "model that they were learned for")
    write_jsonl(folder / "forests.jsonl", place.model.forests(TEXT, "q"))
    for command in (("search", "model", "index", "-q", TEXT), ("search", "index", "--forests", "forests.jsonl"),
                    ("explain", "model", "index", "bank-fees", "-q", TEXT)):
        assert message in failure(run(*command, "--config", "learned.json"))
    SearchConfig(weights=replace(weights, learned=learned)).save(folder / "tables.json")  # given by hand, they go along
    assert found(run, "--config", "tables.json") != found(run)


# --- methods ---


def test_methods_and_their_settings_are_listed(run: Run) -> None:
    shown = good(run("methods"))
    for name, method in METHODS.items():
        assert f"{name}: {method.help}\n" in shown
    one = good(run("methods", "dt"))
    assert "  bm25.k1 " in one
    assert "weights.v" not in one
    assert one in shown
    told = json.loads(good(run("methods", "--json")))
    assert [record["name"] for record in told] == list(METHODS)
    (k1,) = (setting for setting in told[0]["settings"] if setting["path"] == "bm25.k1")
    assert (k1["kind"], k1["value"], k1["limits"]) == ("number", 1.2, "above 0")
    assert "it must be one of dt, psq" in failure(run("methods", "bm25"))
    assert re.search(r"^  weights.v +1.6  How much", good(run("methods", "bowfd", "--set", "weights.v=1.6")), re.M)


@pytest.mark.parametrize("command", ["search", "explain"])
def test_the_help_lists_the_methods(run: Run, command: str) -> None:
    shown = " ".join(good(run(command, "--help")).split())
    assert all(f"{name} {method.help}" in shown for name, method in METHODS.items())


def test_a_method_in_a_file_of_its_own(folder: Path, run: Run) -> None:
    """A plugin is found by every command, with its help and its settings; in processes, for it stays loaded."""
    toy = write_toy(folder)

    def plugged(*arguments: str) -> str:
        done = crossbow(*arguments, env={"CROSSBOW_PLUGINS": str(toy)}, cwd=folder)
        assert (done.returncode, done.stderr) == (0, ""), done
        return done.stdout

    shown, help = plugged("methods"), "BM25 with every word that a translation of the query could have."
    assert f"toy: {help}\n" in shown
    assert "bowfd: " in shown
    assert re.search(r"^  toy.weight +1.0  How much every word counts. \(above 0 and at most 10\)$", shown, re.M)
    assert f"toy {help}" in " ".join(plugged("search", "--help").split())
    asked = ("model", "index", "-q", TEXT)
    one, two = (plugged("search", *asked, "--method", "toy", "--json", "--set", f"toy.weight={weight}", "-k", "3")
                for weight in (1, 2))
    assert one != two
    best = json.loads(two.splitlines()[0])
    told = plugged("explain", *asked, best["doc"], "--method", "toy", "--set", "toy.weight=2")
    assert f"{best['score']:.6f}  {best['doc']}, by toy" in told
    plugged("methods", "toy", "--set", "toy.weight=2", "--save", "toy.json")
    assert plugged("search", *asked, "--config", "toy.json", "--json", "-k", "3") == two
    assert "toy.json: no search configuration" in failure(run("search", *asked, "--config", "toy.json"))
    assert "it must be one of dt, psq, expected, bowfd" in failure(run("search", *asked, "--method", "toy"))


def test_a_plugin_that_cannot_be_loaded_is_named(folder: Path) -> None:
    (folder / "broken.py").write_text("import nothing_of_this_name")
    done = crossbow("methods", env={"CROSSBOW_PLUGINS": str(folder / "broken.py")}, cwd=folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"crossbow: the plugin {folder / 'broken.py'} could not be loaded: ModuleNotFound")
    assert done.stderr.count("\n") == 1
