"""Compile all kernels now, in parallel processes, rather than one by one when each is first needed.

    warm(report)                    # report("kernels", compiled so far, of how many)

Kernels are compiled for the types of arrays that they are called with, so each process does a small piece of real work
on the demo's text: one trains a model and searches with it, one translates with phrases, one learns to parse.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, wait
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path

from crossbow.datasets.demo.load import documents, qrels, queries, train_pairs, tune_pairs
from crossbow.decode.decoder import DecodeConfig
from crossbow.decode.phrases import PhraseConfig
from crossbow.decode.tune import TuneConfig
from crossbow.forest.nbest import read_nbest
from crossbow.index import Index, build
from crossbow.jit import kernel_sources, numba_config
from crossbow.learn.config import LearnConfig
from crossbow.learn.driver import learn
from crossbow.learn.hands import Hands
from crossbow.model import Model
from crossbow.parse.em import EmConfig
from crossbow.parse.endtoend import LearningConfig
from crossbow.parse.parser import ParserConfig
from crossbow.parse.ranker import Ranker
from crossbow.parse.similarity import Pivot
from crossbow.parse.texts import TextConfig
from crossbow.parse.train import train as train_parser
from crossbow.pipeline import Report
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.methods import METHODS
from crossbow.ranking.searcher import Searcher
from crossbow.records import ParallelText, write_lines
from crossbow.records.judged import JudgedQuery
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.parallel import TrainConfig, train

PAIRS, TUNING, QUERIES = 300, 12, 8
PAUSE = 0.5  # seconds between two looks at what has been compiled


def warm(report: Report | None = None, processes: int | None = None) -> int:
    """Compile what is not compiled yet; returns how many kernels there are in the cache folder then."""
    total = len(kernels())
    with (tempfile.TemporaryDirectory() as folder,
          ProcessPoolExecutor(processes or min(len(WORK), os.cpu_count() or 1), get_context("spawn")) as pool):
        running = {pool.submit(_work, name, folder) for name in WORK}
        while running:
            done, running = wait(running, PAUSE)
            for one in done:
                one.result()
            if report:
                report("kernels", min(len(compiled()), total), total)
    return len(compiled())


def kernels() -> set[str]:
    """The names of all kernels, as module.function."""
    package, names = Path(__file__).parent, set()
    for path in kernel_sources(package):
        lines = path.read_text("utf8").splitlines()
        names |= {f"{path.stem}.{after.split()[1].partition('(')[0]}" for before, after in pairwise(lines)
                  if before in ("@kernel", "@loop")}
    return names


def compiled() -> set[str]:
    """The names of the kernels that the cache folder has."""
    return {file.name.rpartition("-")[0] for file in Path(numba_config.CACHE_DIR).rglob("*.nbi")}


def _work(name: str, folder: str) -> None:
    place = Path(folder) / name
    place.mkdir()
    WORK[name](place)


def _train(place: Path, decode: DecodeConfig) -> Model:
    parts = {"train": train_pairs()[:PAIRS], "tune": tune_pairs()[:TUNING]}
    for name, pairs in parts.items():
        for side, suffix in enumerate(("de", "en")):
            write_lines(place / f"{name}.{suffix}", (pair[side] for pair in pairs))
    text, tuning = (ParallelText(place / f"{name}.de", place / f"{name}.en") for name in parts)
    config = TrainConfig(Settings("de"), Settings("en"), decode=decode, tune=TuneConfig(passes=1, k=20, pop_limit=20))
    train(text, place / "model", config, tuning=tuning)
    model = Model.load(place / "model")
    model.translate(queries("dev")[0].text, 2)
    return model


def _index(place: Path) -> Index:
    build(place / "index", documents(), Analyzer(Settings("en")), workers=1)
    return Index.load(place / "index")


def _judged(split: str) -> list[JudgedQuery]:
    levels = qrels(split)
    return [JudgedQuery(query.id, query.text, levels[query.id], query.id) for query in queries(split)[:QUERIES]]


def _search(place: Path) -> None:
    """A model, all methods, explanations, feedback, learning."""
    model, index = _train(place, DecodeConfig(pop_limit=30)), _index(place)
    text = " ".join(query.text for query in queries("dev")[:2])
    configs = [*(SearchConfig.of(model, method) for method in METHODS), SearchConfig.of(model)]
    for config in (*configs, SearchConfig.of(model, "bowfd").set("bowfd.beam", 5)):
        searcher = Searcher(model, index, config)
        hits = searcher.search(text, 3)
        for hit in hits:
            searcher.explain(text, hit.doc)
        assert hits.total >= len([*hits.shown()])
        searcher.rerank(text, [hit.doc for hit in searcher.search(queries("dev")[0].text, 3)])
    learn(model, index, _judged("test"), _judged("dev"), LearnConfig(epochs=1, lex=True), folder=place / "model",
          out=place / "after", hands=Hands(1))
    model.forest(text, exclude=0)
    if model.lexicon is not None:
        Pivot.of(model.lexicon)


def _phrases(place: Path) -> None:
    _train(place, PhraseConfig(pop_limit=100))


def _parse(place: Path) -> None:
    """Forests of another system, and parsing."""
    index = _index(place)
    write_lines(place / "lists", ["q ||| the band is playing ||| ||| -0.9", "q ||| the chapel plays ||| ||| -0.4"])
    forests = list(read_nbest(place / "lists"))
    for method in ("dt", "bowfd"):
        Searcher(None, index, {"method": method}).search(forests, 3)
    config = ParserConfig(TextConfig(sentences=2, words=20), EmConfig(words=300, rounds=2), depth=15)
    docs = documents()
    judged = [JudgedQuery(doc.id, doc.text[:60], {doc.id: 1}, doc.id) for doc in docs[: 4 * QUERIES]]
    found = train_parser(index, judged[::2], judged[1::2], config, LearningConfig(candidates=8, rounds=2))
    Ranker(found.parser, index).rank(judged[0].text)


WORK: dict[str, Callable[[Path], None]] = {"search": _search, "phrases": _phrases, "parse": _parse}
