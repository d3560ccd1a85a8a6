"""Indexing and learning by tasks of a Ray cluster: the same bytes as without it, also when a node or worker is lost."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from crossbow.cluster import cpus, in_tasks
from crossbow.datasets.demo.load import documents
from crossbow.errors import CrossbowError
from crossbow.index import Index, build, sharding
from crossbow.index.analysis import How
from crossbow.learn.config import LearnConfig
from crossbow.learn.driver import learn
from crossbow.learn.hands import Hands
from crossbow.learn.shards import Counts, Round, Shard, learn_shard
from crossbow.ranking.config import SearchConfig
from crossbow.text.analyzer import Analyzer, Settings
from learning import demo_place

pytest.importorskip("ray", reason="Ray is not installed: TASKS OF A CLUSTER ARE NOT TESTED")
pytestmark = pytest.mark.xdist_group("ray")  # one cluster, so one process

ENGLISH = Analyzer(Settings("en"))


def slow(task: sharding.Task, how: How) -> Any:
    time.sleep(0.5)
    return sharding.analyze_chunk(task, how)


def test_a_node_is_removed_during_indexing(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharding, "CHUNK_DOCS", 10)
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()
    build(tmp_path / "calm", documents(), ENGLISH, workers=1, shards=3)
    calm = {path.name: path.read_bytes() for path in (tmp_path / "calm").rglob("*.npy")}
    threading.Timer(3.0, lambda: cluster.remove_node(node, allow_graceful=False)).start()

    def spread(work: Any, chunks: Any, state: Any, workers: int, doing: str) -> Any:
        return in_tasks(slow if work is sharding.analyze_chunk else work, chunks, state, workers, doing)

    build(tmp_path / "index", documents(), ENGLISH, workers=cpus(), shards=3, spread=spread)
    assert {path.name: path.read_bytes() for path in (tmp_path / "index").rglob("*.npy")} == calm
    assert Index.load(tmp_path / "index").signature == Index.load(tmp_path / "calm").signature


def slow_shard(given: tuple[int, Shard], epoch: Round) -> tuple[Shard, list[Counts]]:
    time.sleep(1.5)
    return learn_shard(given, epoch)


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("config", [
    LearnConfig(lex=True, hard=2, epochs=2, shards=3), LearnConfig(joint=True, epochs=1)])
def test_learning_ends_with_the_same_bytes(
    cluster: Any, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch,
    config: LearnConfig,
) -> None:
    """Forests, pairs, epochs and measures from a cluster, one node of which is lost during an epoch."""
    for module in ("rows", "forests", "develop"):
        monkeypatch.setattr(f"crossbow.learn.{module}.CHUNK", 4)
    place, epochs = demo_place(tmp_path_factory), []
    node = cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes()

    def spread(work: Any, chunks: Any, state: Any, workers: int, doing: str) -> Any:
        if work is learn_shard and not epochs:
            epochs.append(threading.Timer(1.0, lambda: cluster.remove_node(node, allow_graceful=False)))
            epochs[0].start()
        return in_tasks(slow_shard if work is learn_shard else work, chunks, state, workers, doing)

    def run(name: str, hands: Hands) -> dict[str, Any]:
        return learn(place.model, place.index, place.training, place.development, config, folder=place.folder,
                     out=tmp_path / name, hands=hands, search=SearchConfig())

    assert run("here", Hands(2)) == run("there", Hands(cpus(), spread))
    epochs[0].join()
    assert files(tmp_path / "here") == files(tmp_path / "there")


def failing(chunk: int, state: None) -> int:
    if chunk == 2:
        raise CrossbowError("cannot do this")
    return chunk


def dying(chunk: int, state: None) -> int:
    os._exit(1)


def test_errors_of_tasks(cluster: Any) -> None:
    with contextlib.closing(in_tasks(failing, range(5), None, 2, "count")) as results, \
            pytest.raises(CrossbowError, match="cannot do this"):
        list(results)
    with pytest.raises(CrossbowError, match="a worker of the cluster that was to count died 4 times"):
        list(in_tasks(dying, range(1), None, 2, "count"))


def hungry(chunk: int, place: Path) -> int:
    """Have no memory so many times."""
    (place / str(len(list(place.iterdir())))).touch()
    if len(list(place.iterdir())) <= chunk:
        raise MemoryError
    return chunk


def test_a_task_without_memory_is_done_again(cluster: Any, tmp_path: Path) -> None:
    assert list(in_tasks(hungry, [2], tmp_path, 2, "count")) == [2]
    with pytest.raises(CrossbowError, match="a worker of the cluster that was to count ran out of memory 4 times"):
        list(in_tasks(hungry, [99], tmp_path, 2, "count"))
    assert len(list(tmp_path.iterdir())) == 3 + 4
