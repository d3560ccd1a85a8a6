"""Shards: whatever is asked, the answer is that of one index with all documents."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.datasets.demo.load import documents, queries
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index, add, build, delete
from crossbow.index.manifest import shard_of
from crossbow.model import Model
from crossbow.ranking.asks import Ask
from crossbow.ranking.config import Forced, SearchConfig
from crossbow.ranking.explain.records import Explanation
from crossbow.ranking.feedback import Feedback
from crossbow.ranking.filters import Filter
from crossbow.ranking.forced import combine
from crossbow.ranking.methods import bowfd
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.shards import Holder, LocalShards, Missing, ShardedSearcher, ShardsMissing
from crossbow.ranking.shards.contract import Question, Reply, Round
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.weights import TermWeights
from reference.forests import forests
from reference.ranking import TOKENS, random_docs, weights
from training import corpus

ENGLISH = Analyzer(Settings("en"))
SHARDS = 3
QUERIES = [query.text for query in queries("test")][::12]
LONG = "Die Bank verleiht Geld. Der Zug ist kalt. Das Gericht schmeckt nach Kirschen."
FEEDBACK = Feedback(documents=4, terms=8)
JOINED = SearchConfig(bowfd=Forced(join=True))
CONFIGS = {
    "dt": SearchConfig("dt"), "psq": SearchConfig("psq"), "expected": SearchConfig("expected"),
    "bowfd": SearchConfig(), "unmatched": SearchConfig(bowfd=Forced(unmatched=True)), "joined": JOINED,
    "both": replace(JOINED, weights=TermWeights(0.8, 2.0)),
    "dt, feedback": SearchConfig("dt", feedback=FEEDBACK), "psq, feedback": SearchConfig("psq", feedback=FEEDBACK),
    "expected, feedback": SearchConfig("expected", feedback=FEEDBACK),
    "both, feedback": replace(JOINED, weights=TermWeights(0.8, 2.0), feedback=FEEDBACK),
}
FIELDED = [doc._replace(fields={"year": 1990 + n % 7, "lang": ["en", "de", "ja"][n % 3], **({"late": True} if n > 150
                                                                                     else {})})
           for n, doc in enumerate(documents())]


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The same documents in one index and in shards; some were added later, and some deleted."""
    place = tmp_path_factory.mktemp("shards")
    for name, shards in (("one", 1), ("several", SHARDS)):
        build(place / name, FIELDED[:180], ENGLISH, workers=1, shards=shards)
        add(place / name, FIELDED[170:], workers=1)
        delete(place / name, [doc.id for doc in FIELDED[::29]])
    return place / "one", place / "several"


@pytest.fixture(scope="session")
def shards(folders: tuple[Path, Path]) -> LocalShards:
    return LocalShards(folders[1])


def near(one: Explanation, other: Explanation) -> None:
    """The same but for the order in which numbers were added up."""
    assert (one.doc, one.method, one.score) == (other.doc, other.method, other.score)
    assert [part.label for part in one.parts] == [part.label for part in other.parts]
    assert [part.value for part in one.parts] == pytest.approx([part.value for part in other.parts], abs=1e-6)
    assert {match.term for match in one.matches()} == {match.term for match in other.matches()}
    assert [sentence.target for sentence in one.sentences] == [sentence.target for sentence in other.sentences]
    assert [lent.term for lent in one.feedback] == [lent.term for lent in other.feedback]
    assert [lent.docs for lent in one.feedback] == [lent.docs for lent in other.feedback]


@pytest.mark.parametrize("name", CONFIGS)
def test_hits_and_explanations(
    folders: tuple[Path, Path], shards: LocalShards, model: Model, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bowfd, "LIST_LENGTH", 20)
    one = Searcher(model, Index.load(folders[0]), CONFIGS[name])
    several = ShardedSearcher(model, shards, CONFIGS[name])
    for text in [*QUERIES, LONG]:
        for k in (3, 1000):
            hits = several.search(text, k=k)
            assert hits == one.search(text, k=k)
            assert hits.missing == {}
        for hit in [*hits[:2], *hits[-1:]]:
            near(several.explain(text, hit.doc), one.explain(text, hit.doc))
        some = [hit.doc for hit in hits[:9:2]]
        assert several.rerank(text, some) == one.rerank(text, some)
    found = dict(several.search_all([(f"q{n}", text) for n, text in enumerate(QUERIES)], threads=2, k=5))
    assert found == dict(one.search_all([(f"q{n}", text) for n, text in enumerate(QUERIES)], k=5))


@pytest.mark.parametrize("changes", [
    {"filter": Filter(where=("year>=1993",))}, {"filter": Filter(having=("water",))}, {"offset": 4},
    {"filter": Filter(where=("lang:en,de",), lacking=("bank",), id_prefix="b")}, {"sort": "year"}, {"sort": "-year"},
    {"sort": "lang"}, {"sort": "-lang", "offset": 3, "filter": Filter(where=("year<1995",))}, {"sort": "late"},
    {"filter": Filter(where=("year>3000",))},
])
@pytest.mark.parametrize("name", ["dt", "both, feedback"])
def test_filters_orders_and_counts(
    folders: tuple[Path, Path], shards: LocalShards, model: Model, name: str, changes: dict[str, Any]
) -> None:
    one = Searcher(model, Index.load(folders[0]), CONFIGS[name])
    several = ShardedSearcher(model, shards, CONFIGS[name])
    for text in QUERIES:
        hits, expected = several.search(text, k=7, **changes), one.search(text, k=7, **changes)
        assert hits == expected
        assert hits.total == expected.total
        for field in ("year", "lang", "late"):
            assert hits.counts(field) == expected.counts(field)
            assert hits.counts(field, best=2) == expected.counts(field, best=2)
        assert list(hits.shown()) == list(expected.shown())
        assert hits.translation() == expected.translation()


def test_syntax(folders: tuple[Path, Path], shards: LocalShards, model: Model) -> None:
    one, several = Searcher(model, Index.load(folders[0])), ShardedSearcher(model, shards)
    for text in ('Die "Bank" im Park', "Bank -Geld", 'Die "Bank" -Park -"viel Geld"'):
        assert several.search(text, syntax=True) == one.search(text, syntax=True)
        assert several.search(text, k=1, syntax=True).total == one.search(text, k=1, syntax=True).total


def test_texts_in_the_language_of_the_documents(folders: tuple[Path, Path], shards: LocalShards) -> None:
    one, several = Searcher(None, Index.load(folders[0])), ShardedSearcher(None, shards)
    text = "the band plays in the park"
    assert several.search(text) == one.search(text)
    assert several.rerank(text, ["band-brass"]) == one.rerank(text, ["band-brass"])
    near(several.explain(text, "band-brass"), one.explain(text, "band-brass"))


@given(forest=forests(), second=forests(), weights=weights(), seed=st.integers(0, 999), size=st.integers(0, 14),
       parts=st.integers(2, 4), k=st.integers(1, 5), name=st.sampled_from(sorted(CONFIGS)))
@settings(deadline=None, max_examples=60)
def test_any_forests_and_documents(
    forest: Forest, second: Forest, weights: TermWeights, seed: int, size: int, parts: int, k: int, name: str
) -> None:
    config = replace(CONFIGS[name], weights=replace(weights, expected=CONFIGS[name].weights.expected))
    docs = random_docs(seed, size)
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        patch.setattr(bowfd, "LIST_LENGTH", 3)
        assert combine.LIST_LENGTH == 1000
        build(f"{place}/one", docs, TOKENS, workers=1)
        build(f"{place}/several", docs, TOKENS, workers=1, shards=parts)
        several = ShardedSearcher(None, LocalShards(f"{place}/several", threads=1), config)
        one = Searcher(None, Index.load(f"{place}/one"), config)
        for asked in ([forest], [forest, second]):
            assert several.search(asked, k) == one.search(asked, k)


class Losing(LocalShards):
    """Shards of which some do not answer, from some round on."""

    def __init__(self, folder: Path, lost: Sequence[int], since: int = 0):
        super().__init__(folder, threads=1)
        self.lost, self.since = lost, since

    def ask(
        self, homes: Sequence[int], question: Question, before: Sequence[Round], ask: Ask[Any, Any] | None
    ) -> dict[int, Reply]:
        there = [home for home in homes if home not in self.lost or len(before) < self.since]
        gone: dict[int, Reply] = {home: Missing("it is gone") for home in homes if home not in there}
        return super().ask(there, question, before, ask) | gone


@pytest.mark.parametrize("since", [0, 1, 2])
def test_missing_shards_are_named(folders: tuple[Path, Path], model: Model, since: int) -> None:
    config, text = CONFIGS["both, feedback"], QUERIES[0]
    losing = Losing(folders[1], [1], since)
    with pytest.raises(ShardsMissing, match=r"1 of the index's shards did not answer \(shard 1: it is gone\); ask"):
        ShardedSearcher(model, losing, config).search(text)
    hits = ShardedSearcher(model, losing, config, partial=True).search(text)
    assert hits.missing == {1: "it is gone"}
    assert hits
    assert {shard_of(hit.doc.encode(), SHARDS) for hit in hits} == {0, 2}
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))


def test_what_is_left_scores_as_ever(folders: tuple[Path, Path], model: Model) -> None:
    for name in ("dt", "psq", "expected", "both"):
        hits = ShardedSearcher(model, Losing(folders[1], [0]), CONFIGS[name], partial=True).search(QUERIES[1])
        whole = Searcher(model, Index.load(folders[0]), CONFIGS[name]).search(QUERIES[1])
        assert [hit[:2] for hit in hits] == [hit[:2] for hit in whole if shard_of(hit.doc.encode(), SHARDS)]


def test_a_document_of_a_shard_that_is_missing(folders: tuple[Path, Path], model: Model) -> None:
    doc = next(doc.id for doc in Index.load(folders[0]) if shard_of(doc.id.encode(), SHARDS) == 2)
    searcher = ShardedSearcher(model, Losing(folders[1], [2]), CONFIGS["dt"], partial=True)
    with pytest.raises(ShardsMissing, match="shard 2"):
        searcher.explain(QUERIES[0], doc)


def test_unknown_documents_and_fields(shards: LocalShards, model: Model) -> None:
    searcher = ShardedSearcher(model, shards)
    with pytest.raises(CrossbowError, match="no document 'nowhere'"):
        searcher.explain("Bank", "nowhere")
    with pytest.raises(CrossbowError, match="no document 'nowhere'"):
        searcher.rerank("Bank", ["nowhere"])
    with pytest.raises(CrossbowError, match="yeer"):
        searcher.search("Bank", filter=Filter(where=("yeer>2",)))
    with pytest.raises(CrossbowError, match="offset"):
        searcher.search("Bank", offset=-1)
    with pytest.raises(CrossbowError, match="prepared where the shards are"):
        searcher.prepare("Bank")
    with pytest.raises(CrossbowError, match="nothing to explain"):
        searcher.explain("", "band-brass")


def test_a_holder_that_was_started_anew_answers_any_round(
    folders: tuple[Path, Path], model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Forgetful(LocalShards):
        def ask(
            self, homes: Sequence[int], question: Question, before: Sequence[Round], ask: Ask[Any, Any] | None
        ) -> dict[int, Reply]:
            self._holders = [Holder(folders[1], number) for number in range(self.count)]
            return super().ask(homes, question, before, ask)

    monkeypatch.setattr(bowfd, "LIST_LENGTH", 20)
    for name in ("both, feedback", "bowfd"):
        one = Searcher(model, Index.load(folders[0]), CONFIGS[name])
        assert ShardedSearcher(model, Forgetful(folders[1]), CONFIGS[name]).search(LONG) == one.search(LONG)


def test_after_a_commit(tmp_path: Path) -> None:
    build(tmp_path / "index", [Doc(f"d{n}", "a house by the sea") for n in range(9)], ENGLISH, workers=1, shards=2)
    old = LocalShards(tmp_path / "index")
    before = ShardedSearcher(None, old)
    assert len(before.search("boats")) == 0
    for n in range(4):  # holders open the new state when they are asked about it, and keep the one before
        add(tmp_path / "index", [Doc(f"e{n}", "boats")], workers=1)
        fresh = LocalShards(tmp_path / "index")
        fresh._holders = old._holders
        assert len(ShardedSearcher(None, fresh).search("boats")) == n + 1
        if n == 0:
            assert len(before.search("boats by the sea")) == 9
    with pytest.raises(CrossbowError, match="the index was changed meanwhile"):
        before.search("sea")


def test_a_model_that_shards_cannot_open(shards: LocalShards, model: Model) -> None:
    made = replace_origin(model)
    with pytest.raises(CrossbowError, match="must be one that was opened from a folder"):
        ShardedSearcher(made, shards).search("Bank")
    question = ShardedSearcher(model, shards).question(model.forests("Bank"))
    with pytest.raises(CrossbowError, match="every machine must see the same folder"):
        shards.ask([0], replace(question, signature="other", key="x"), [], None)


def replace_origin(model: Model) -> Model:
    other = Model.load(model.folder)  # type: ignore[arg-type]
    other.origin = None
    return other


def test_what_is_sent_is_plain(shards: LocalShards, model: Model) -> None:
    question = ShardedSearcher(model, shards).question(model.forests("Bank"))
    assert question.key == ShardedSearcher(model, shards).question(model.forests("Bank")).key
    assert question.key != ShardedSearcher(model, shards).question(model.forests("Bänke")).key
    assert question.key != ShardedSearcher(model, shards, CONFIGS["dt"]).question(model.forests("Bank")).key
    assert SearchConfig.from_json(question.config).resolved(model).signature == ShardedSearcher(
        model, shards).config.signature
