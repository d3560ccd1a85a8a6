"""Shards on a Ray cluster of several nodes: the answers of one index, and what happens when processes and nodes die."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commands import good, runner
from crossbow.cli.clustering import RayOptions
from crossbow.cluster import RayShards, actors, connect
from crossbow.cluster.connect import imported
from crossbow.cluster.packing import Packed
from crossbow.datasets.demo.load import documents
from crossbow.errors import CrossbowError
from crossbow.index import Index, add, build
from crossbow.model import Model
from crossbow.ranking.asks import Ask
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.filters import Filter
from crossbow.ranking.methods.contract import Prepared
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.shards import Question, ShardedSearcher, ShardsMissing
from crossbow.records import Doc, Qrel, Query, write_qrels, write_queries
from crossbow.text.analyzer import Analyzer, Settings
from learning import demo_place
from serving import call, serving
from training import corpus

ray = pytest.importorskip("ray", reason="Ray is not installed: THE CLUSTER IS NOT TESTED")
pytestmark = pytest.mark.xdist_group("ray")  # one cluster, so one process

ENGLISH = Analyzer(Settings("en"))
TEXT = "the band plays in the park"
SHARDS = 2
COUNTER = itertools.count()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("cluster") / "index"
    build(place, documents(), ENGLISH, workers=1, shards=SHARDS)
    return place


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


@pytest.fixture(scope="module")
def shards(cluster: Any, folder: Path) -> Iterator[RayShards]:
    made = RayShards(folder)
    yield made
    made.close()


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.1)


@dataclass(frozen=True)
class Do(Ask[int, list[int]]):
    """What a shard is made to do: end its process in some way, take long, or use up its memory."""

    what: str
    shard: int = 0

    def here(self, prepared: Prepared, index: Index) -> int:
        if index.shard == self.shard:
            if self.what == "exit":
                os._exit(1)
            if self.what == "killed":  # as the system does it when memory runs out
                os.kill(os.getpid(), signal.SIGKILL)
            if self.what == "memory":
                raise MemoryError
            if self.what == "sleep":
                time.sleep(10)
        return os.getpid()

    def merged(self, parts: Sequence[int]) -> list[int]:
        return list(parts)


def test_answers_are_those_of_one_index(shards: RayShards, folder: Path, model: Model) -> None:
    whole = Index.load(folder)
    for config in (None, SearchConfig(), SearchConfig("psq"), {"method": "dt", "feedback.documents": 5}):
        one, several = Searcher(model, whole, config), ShardedSearcher(model, shards, config)
        for text in ("Die Bank verleiht Geld.", "Der Zug ist kalt. Das Gericht schmeckt nach Kirschen."):
            hits = several.search(text, k=20)
            assert hits == one.search(text, k=20)
            assert list(hits.shown()) == list(one.search(text, k=20).shown())
            assert several.explain(text, hits[0].doc).score == one.explain(text, hits[0].doc).score
    assert ShardedSearcher(None, shards).search(TEXT).total == Searcher(None, whole).search(TEXT).total
    with pytest.raises(CrossbowError, match="yeer"):
        ShardedSearcher(None, shards).search(TEXT, filter=Filter(where=("yeer>1",)))


def test_the_command_line(
    cluster: Any, model: Model, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    """Within this process, which is connected already."""
    run = runner(monkeypatch, capsys)
    (tmp_path / "docs.tsv").write_text("".join(f"{doc.id}\t{doc.text}\n" for doc in documents()), "utf8")
    (tmp_path / "queries.tsv").write_text("q1\tDie Bank verleiht Geld.\nq2\tDer Zug ist kalt.\n", "utf8")
    index, folder, text = tmp_path / "index", str(model.folder), "Die Bank verleiht Geld."
    made = run("index", tmp_path / "docs.tsv", "-o", index, "--shards", "2", "--ray", cluster.address, "--quiet")
    assert "shards           2" in good(made)
    for command, more in (
        (("search", folder, index, "--queries", tmp_path / "queries.tsv", "-k", "30", "--quiet"), ()),
        (("search", folder, index, "-q", text, "-k", "2", "--json"), ("--partial",)),
    ):
        assert good(run(*command, "--ray", cluster.address, "--shard-cpus", "0", *more)) == good(run(*command))
    explaining = ("explain", folder, index, "-q", text, next(doc.id for doc in documents()))
    assert good(run(*explaining, "--ray", cluster.address, "--shard-cpus", "0")) == good(run(*explaining))
    demo = demo_place(tmp_path_factory)
    write_queries(tmp_path / "dev.tsv", [Query(query.id, query.text) for query in demo.development])
    write_qrels(tmp_path / "dev.txt", [Qrel(query.id, doc, level) for query in demo.development
                                       for doc, level in query.levels.items()])
    learning = ("learn", demo.folder, demo.index_folder, "--dev-queries", tmp_path / "dev.tsv", "--dev-qrels",
                tmp_path / "dev.txt", "--only-v", "--grid", "0.4 1.6", "--quiet", "-o")
    assert good(run(*learning, tmp_path / "there", "--ray", cluster.address)) == good(run(*learning, tmp_path / "here"))
    assert "leave --rerank out" in run("search", index, "-q", "x", "--ray", "auto", "--model", "de=x").err


def test_a_server_goes_on_with_a_replica(cluster: Any, folder: Path, model: Model, tmp_path: Path) -> None:
    """And takes up a commit."""
    shutil.copytree(folder, tmp_path / "index")
    before = {one["ActorID"] for one in actors_alive()}
    with serving(tmp_path, str(model.folder), "index", "--ray", cluster.address, "--replicas", "2", "--shard-cpus",
                 "0", "--seconds", "60") as (process, port):
        query = {"query": "Die Bank verleiht Geld.", "method": "dt", "k": 3}
        first = call(port, "POST", "/search", query)
        assert (first.status, len(first.json["hits"]), first.json["missing"]) == (200, 3, [])
        victim = next(one for one in actors_alive() if one["ActorID"] not in before)
        os.kill(victim["Pid"], signal.SIGKILL)
        replies = [call(port, "POST", "/search", {**query, "query": f"Die Bank Nummer {n}"}) for n in range(6)]
        assert [reply.status for reply in replies] == [200] * 6
        add(tmp_path / "index", [Doc("new", "Lending money is what a bank does.")], workers=1)
        wait_until(lambda: call(port, "GET", "/info").json["documents"] == len(Index.load(folder)) + 1)
        assert call(port, "GET", "/documents/new").json["text"].startswith("Lending")
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def actors_alive() -> list[dict[str, Any]]:
    """The processes of shards that live, as Ray knows them."""
    from ray._private.state import actors

    return [one for one in actors().values() if one["State"] == "ALIVE"]


def do(shards: RayShards, text: str, what: Do) -> list[int]:
    """What all shards do while they work on a query."""
    searcher = ShardedSearcher(None, shards)._untranslated
    return searcher.ask(searcher.question(searcher.forests(text)), what)[0]


def answers(shards: RayShards) -> bool:
    """Whether all shards answer, always to another query: one that meets a process as it dies is refused for long."""
    try:
        return bool(ShardedSearcher(None, shards).search(f"{TEXT} {next(COUNTER)}"))
    except ShardsMissing:
        return False


@pytest.mark.parametrize("what", ["exit", "killed"])
def test_a_query_that_kills_is_refused_after_one_death(shards: RayShards, what: str) -> None:
    first = do(shards, "a query", Do("nothing"))
    with pytest.raises(ShardsMissing, match="shard 0: its process died while it worked on this query") as error:
        do(shards, f"by this one it is {what}", Do(what))
    assert list(error.value.missing) == [0]
    wait_until(lambda: answers(shards))
    second = do(shards, "a query", Do("nothing"))
    assert (first[0] != second[0], first[1] == second[1]) == (True, True)
    with pytest.raises(CrossbowError, match="which may be the reason; it is refused for 10 minutes"):
        do(shards, f"by this one it is {what}", Do(what))
    assert do(shards, "a query", Do("nothing")) == second  # nobody died of it a second time


@pytest.mark.parametrize(("replicas", "pause"), [(2, 0.0), (2, 0.2), (2, 1.0), (1, 0.0)])
def test_a_query_is_not_blamed_for_a_process_that_died_before(
    cluster: Any, folder: Path, replicas: int, pause: float
) -> None:
    """Another replica answers instead; without one the query may be asked again."""
    shards, text = RayShards(folder, replicas=replicas, cpus=0.0), f"a query {next(COUNTER)}"
    before = do(shards, "a query", Do("nothing"))
    os.kill(before[0], signal.SIGKILL)
    time.sleep(pause)  # Ray learns of the death before or after the question is sent
    if replicas > 1:
        assert do(shards, text, Do("nothing"))[0] != before[0]
    else:
        wait_until(lambda: replied(shards, text))
    assert not shards._suspects
    shards.close()


def test_a_note_is_there_while_a_call_is_worked_on(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    actor, seen = actors.ShardActor(str(folder), 0), []
    monkeypatch.setattr(actor.holder, "reply", lambda *_: seen.append(actors.note("one").exists()))
    actor.reply("one", Packed(Question("", [], {}, None, "", ""), []), [], None)
    assert (seen, list(tmp_path.iterdir())) == ([True], [])
    actors.note("two").touch()
    assert (actors.begun("two"), actors.begun("two")) == (True, False)


def replied(shards: RayShards, text: str) -> bool:
    """Whether a query is answered; if not, it is not refused either."""
    try:
        return bool(do(shards, text, Do("nothing")))
    except ShardsMissing:
        assert not shards._suspects
        return False


def test_too_slow_or_out_of_memory(shards: RayShards, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shards, "timeout", 2.0)
    do(shards, "a query", Do("nothing"))
    with pytest.raises(ShardsMissing, match="shard 1: it ran out of memory"):
        do(shards, "a query", Do("memory", shard=1))
    with pytest.raises(ShardsMissing, match="shard 0: it did not answer within 2 s"):
        do(shards, "a query", Do("sleep"))


def test_a_folder_that_is_gone_and_comes_back(shards: RayShards, folder: Path) -> None:
    wait_until(lambda: answers(shards))
    away = folder.with_name("away")
    folder.rename(away)
    try:
        assert answers(shards)  # what is mapped stays
        ray.kill(shards._replicas[1][0].actor, no_restart=False)
        reasons: list[str] = []

        def named() -> bool:
            hits = ShardedSearcher(None, shards, partial=True).search(f"park number {next(COUNTER)}")
            reasons.extend(hits.missing.values())
            return hits.missing.keys() == {1} and "no such folder" in reasons[-1]

        wait_until(named)
    finally:
        away.rename(folder)
    wait_until(lambda: answers(shards))


def test_nodes_are_removed_and_replicas_go_on(cluster: Any, folder: Path) -> None:
    nodes = [cluster.add_node(num_cpus=3) for _ in range(2)]
    cluster.wait_for_nodes()
    expected = Searcher(None, Index.load(folder)).search(TEXT)
    shards = RayShards(folder, replicas=2)
    partial = ShardedSearcher(None, shards, partial=True)
    untranslated = partial._untranslated
    _, missing = untranslated.ask(untranslated.question(untranslated.forests("kills")), Do("exit"))
    assert list(missing) == [0]
    hits = partial.search(TEXT)  # the other replica has it
    assert (hits, hits.missing) == (expected, {})
    seen: list[object] = []

    def search() -> None:
        try:
            seen.append(do(shards, "a long search", Do("sleep")))
        except ShardsMissing as error:
            seen.append(error)

    thread = threading.Thread(target=search)
    thread.start()
    time.sleep(1.0)
    cluster.remove_node(nodes[0], allow_graceful=False)
    thread.join(60)
    assert len(seen) == 1  # an exact answer, or the shards that are missing
    wait_until(lambda: answers(shards))
    assert ShardedSearcher(None, shards).search(TEXT) == expected
    shards.close()
    cluster.remove_node(nodes[1])


def test_a_shard_that_cannot_be_held(
    cluster: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(actors, "START", 3.0)
    with pytest.raises(CrossbowError, match="it did not start within 3 s; does the cluster have a free processor"):
        RayOptions(cluster.address, cpus=100.0).shards(folder)
    asked = rf"the shards ask for {100 * SHARDS} processors, and the cluster has \d+;"  # it may just have lost a node
    assert re.search(asked, capsys.readouterr().err)


@pytest.mark.parametrize(("replicas", "each", "there", "given"), [(40, 1.5, 120, 120), (40, 0.0, 3, os.cpu_count())])
def test_a_cluster_that_is_started_here_has_room_for_all_shards(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], replicas: int, each: float,
    there: int, given: int,
) -> None:
    started: list[Any] = []
    monkeypatch.setattr("crossbow.cluster.connect", lambda address, **options: started.append((address, options)))
    monkeypatch.setattr("crossbow.cluster.cpus", lambda: there)
    monkeypatch.setattr("crossbow.cluster.RayShards", lambda *given: started.append(given))
    RayOptions("local", replicas, each).shards(folder, 5.0)
    assert started == [("local", {"num_cpus": given}), (folder, replicas, each, 5.0)]
    assert capsys.readouterr().err == ""


def test_a_cluster_that_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **options: Any) -> None:
        raise ConnectionError("nobody is there\nstack")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", refused)
    with pytest.raises(CrossbowError, match=r"at '10.0.0.1:1' \(nobody is there\); .* token, set RAY_AUTH_MODE=token$"):
        connect("10.0.0.1:1")


def test_without_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "ray", None)
    with pytest.raises(CrossbowError, match=r"install crossbow-clir\[ray\]"):
        imported()
