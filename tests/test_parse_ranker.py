"""Ranking by trees: scores add up, trees are kept, translations of their own, parsers come back from disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from crossbow.arrays import F64, I64, Bools
from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, build
from crossbow.parse import ranker as module
from crossbow.parse.display import drawing
from crossbow.parse.endtoend import trees_and_scripts
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.pool import bm25_hits, make_pool, ndcg, opening
from crossbow.parse.ranker import Ranker, reordered
from crossbow.parse.rerank import by_trees
from crossbow.parse.train import pool_of
from crossbow.ranking.explain.records import Explanation, Part, Sentence
from crossbow.ranking.methods import Prepared
from crossbow.records import Doc, Hit
from crossbow.text.analyzer import Analyzer, Settings
from parsing import Place, parse_place

TEXT = "Draughts and health, or how to keep the cold out"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return parse_place(tmp_path_factory)


def test_scores_are_base_minus_alpha_times_distance(place: Place) -> None:
    parser = place.trained.likely.replace(alpha=2.5)
    ranker = Ranker(parser, place.index)
    base = {hit.doc: hit.score for hit in bm25_hits(TEXT, place.index, 15, parser.config.bm25)}
    hits = ranker.rank(TEXT)
    assert {hit.doc for hit in hits} == set(base)
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        shown = drawing(parser, TEXT, opening(place.index.doc(place.index.number(hit.doc))))[0]
        distance = float(shown.rpartition(" ")[2])
        assert hit.score == pytest.approx(base[hit.doc] - 2.5 * distance, abs=1e-3)


def test_a_pool_ranks_as_the_ranker_does(place: Place) -> None:
    parser, judged = place.trained.parser, place.judged["test"]
    pool = pool_of(judged, parser, place.index)
    score = pool.base - parser.config.alpha * trees_and_scripts(parser, pool)[1].distance
    ranker = Ranker(parser, place.index)
    for q, query in enumerate(judged[:10]):
        here = slice(pool.starts[q], pool.starts[q + 1])
        ours = dict(zip((pool.names[d] for d in pool.doc[here]), score[here]))
        for hit in ranker.rank(query.text):
            assert hit.score == pytest.approx(ours[hit.doc], abs=1e-5)


def test_a_pool(place: Place) -> None:
    judged, reader = place.judged["train"], place.trained.parser.reader
    pool = make_pool(judged, place.index, reader, 15)
    assert pool.ids == tuple(query.id for query in judged)
    assert np.diff(pool.starts).max() == 15
    for q, query in enumerate(judged):
        here = slice(pool.starts[q], pool.starts[q + 1])
        hits = bm25_hits(query.text, place.index, 15)
        assert [pool.names[d] for d in pool.doc[here]] == [hit.doc for hit in hits]
        assert pool.base[here].tolist() == [hit.score for hit in hits]
        assert pool.gain[here].tolist() == [query.levels.get(hit.doc, 0) for hit in hits]
    assert 0 < ndcg(pool, pool.base).mean() <= 1
    with pytest.raises(CrossbowError, match="belong together"):
        make_pool([query._replace(levels={}) for query in judged], place.index, reader, 15)
    elsewhere = [query._replace(levels={"no such document": 2}) for query in judged]
    with pytest.raises(CrossbowError, match="judgments and index belong together"):
        make_pool(elsewhere, place.index, reader, 15)


def test_trees_are_kept_and_forgotten(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [hit.doc for hit in bm25_hits(TEXT, place.index, 10)]
    ranker = Ranker(place.trained.likely, place.index)
    first = ranker.documents([*names, names[0]])
    assert first[0] is first[-1] is ranker.documents(names[:1])[0]
    monkeypatch.setattr(module, "KEPT", 3)
    again = ranker.documents(names[:2])
    more = ranker.documents([f.id for f in map(place.index.doc, range(8))])
    assert [len(tree.form) for tree in again] == [len(tree.form) for tree in first[:2]]
    assert len(more) == 8


class Fixed(Prepared):
    """A query that finds these hits, each with a translation of its own."""

    def __init__(self, hits: list[Hit], translations: dict[str, list[list[str]]], index: Index):
        self.hits, self.translations, self.index, self.forests = hits, translations, index, []

    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        kept = [hit for hit in self.hits if wanted is None or wanted[self.index.number(hit.doc)]]
        return [Hit(hit.doc, hit.score, rank) for rank, hit in enumerate(kept[:k], 1)]

    def score(self, docs: I64) -> F64:
        scores = {hit.doc: hit.score for hit in self.hits}
        return np.array([scores[name] for name in self.index.ids(docs)])

    def terms(self, doc: int) -> dict[str, float]:
        return {"draught": 1.0}

    def explain(self, doc: int) -> Explanation:
        name = self.index.id(doc)
        words = self.translations.get(name, [[]])
        return Explanation.of(name, "fixed", [Part("all", float(self.score(np.array([doc]))[0]))],
                              [Sentence([], target, [], []) for target in words])


def test_each_hit_with_its_own_translation(place: Place) -> None:
    words = TEXT.lower().replace(",", "").split()
    hits = bm25_hits(TEXT, place.index, 12)
    ranker = Ranker(place.trained.likely.replace(alpha=1.0, depth=5), place.index)
    translations = {hit.doc: [words] for hit in hits} | {hits[1].doc: [words[:2], words[2:]], hits[2].doc: [[]]}
    prepared = by_trees(ranker)(Fixed(hits, translations, place.index), [])
    plain = {hit.doc: hit.score for hit in ranker.rank(TEXT)}
    found = prepared.search(12)
    scores = {hit.doc: hit.score for hit in found}
    assert [hit.score for hit in found] == sorted(scores.values(), reverse=True)
    assert {hit.doc for hit in found[:5]} == {hit.doc for hit in hits[:5]}
    for hit in (hits[0], hits[3], hits[4]):
        assert scores[hit.doc] == pytest.approx(plain[hit.doc], abs=1e-6)
    assert scores[hits[2].doc] == hits[2].score  # no words, no distance
    assert [hit.doc for hit in found[5:]] == [hit.doc for hit in hits[5:]]  # behind those that were compared
    for hit in found:
        number = place.index.number(hit.doc)
        told = prepared.explain(number)
        assert told.score == hit.score == pytest.approx(sum(part.value for part in told.parts), abs=1e-6)
        assert round(float(prepared.score(np.array([number]))[0]), 6) == hit.score
    assert prepared.terms(0) == {"draught": 1.0}


def test_fewer_hits_or_a_filter_change_no_score(place: Place) -> None:
    hits = bm25_hits(TEXT, place.index, 12)
    words = TEXT.lower().replace(",", "").split()
    prepared = by_trees(Ranker(place.trained.likely.replace(alpha=1.0, depth=5), place.index))(
        Fixed(hits, {hit.doc: [words] for hit in hits}, place.index), [])
    whole = prepared.search(12)
    assert prepared.search(3) == whole[:3]
    assert prepared.search(7) == whole[:7]
    kept = {hit.doc for hit in whole[1::2]}
    wanted = np.array([place.index.id(number) in kept for number in range(place.index.slots)])
    assert [hit[:2] for hit in prepared.search(12, wanted)] == [hit[:2] for hit in whole[1::2]]
    unmoved = by_trees(Ranker(place.trained.likely.replace(alpha=0.0), place.index))(
        Fixed(hits, {}, place.index), [])
    assert unmoved.search(12) == hits


def test_no_hits_and_no_words(place: Place) -> None:
    ranker = Ranker(place.trained.likely, place.index)
    assert ranker.rank("xyzzy") == []
    assert ranker.rank("") == []


def test_equal_scores_come_by_descending_id() -> None:
    hits = [Hit("a", 1.0, 1), Hit("b", 1.0, 2), Hit("c", 2.0, 3)]
    assert [hit.doc for hit in reordered(hits, np.array([0.5, 0.5, 0.1]))] == ["b", "a", "c"]


def test_a_title_is_the_opening(tmp_path: Path, place: Place) -> None:
    build(tmp_path / "index", [Doc("d", "Clams are opened by otters.", "Rocks")], Analyzer(Settings("en")), workers=1)
    ranker = Ranker(place.trained.likely, Index.load(tmp_path / "index"))
    assert len(ranker.documents(["d"])[0].form) == 1


def test_parsers_on_disk(place: Place, tmp_path: Path) -> None:
    parser = place.trained.parser
    parser.save(tmp_path / "parser", place.trained.facts())
    again = Parser.load(tmp_path / "parser")
    assert (again.signature, again.config) == (parser.signature, parser.config)
    assert Ranker(again, place.index).rank(TEXT) == Ranker(parser, place.index).rank(TEXT)
    (tmp_path / "parser" / "value.npy").write_bytes(b"")
    with pytest.raises(InputError, match="damaged"):
        Parser.load(tmp_path / "parser")


def test_languages_must_fit(tmp_path: Path, place: Place) -> None:
    build(tmp_path / "index", [Doc("d", "Muscheln")], Analyzer(Settings("de")), workers=1)
    with pytest.raises(CrossbowError, match=r"'en'.*'de'"):
        Ranker(place.trained.likely, Index.load(tmp_path / "index"))


def test_bad_settings() -> None:
    for wrong in ({"depth": 0}, {"alpha": -1.0}, {"alpha": float("nan")}):
        with pytest.raises(CrossbowError):
            ParserConfig(**wrong)
