"""Fields that are searched with weights: how they are written, what they make of postings, and BM25F by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow import build_index
from crossbow.errors import CrossbowError
from crossbow.index import Index, add, build
from crossbow.index.searched import STANDARD, Searched
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.feedback import document_vectors
from crossbow.ranking.weighted import matched, score_terms
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings
from reference.index import check_postings

ENGLISH = Analyzer(Settings("en", stopwords="none", stem=False))
WORDS = st.lists(st.sampled_from(["house", "lake", "tree", "sea"]), max_size=7).map(" ".join)
WEIGHTS = st.sampled_from([1, 2, 0.5, 1.5, 0.25, 3.33, 100, 0.01])


@pytest.mark.parametrize(("text", "names", "factors", "scale"), [
    ("title,text", ("title", "text"), (1, 1), 1), ("title^2, text", ("title", "text"), (2, 1), 1),
    ("a^1.5,b,c^0.25", ("a", "b", "c"), (6, 4, 1), 4), ("a^0.01", ("a",), (1,), 100),
])
def test_weights_become_whole_numbers(text: str, names: tuple[str], factors: tuple[int], scale: int) -> None:
    found = Searched.parse(text)
    assert found == (names, factors, scale)
    assert Searched.of(found.weights()) == found


@pytest.mark.parametrize(("text", "problem"), {
    "empty": ("", "not a list of fields"), "no name": ("^2", "not a list of fields"), "twice": ("a,b,a", "each once"),
    "zero": ("a^0", "must be above 0"), "negative": ("a^-1", "above 0"), "word": ("a^b", "not a list of fields"),
    "nan": ("a^nan", "above 0"), "large": ("a^101", "at most 100"), "fine": ("a^1.234", "at most 2 decimals"),
    "two": ("a^1^2", "not a list of fields"), "comma": ("a,,b", "not a list of fields"),
}.values())
def test_bad_weights(text: str, problem: str) -> None:
    with pytest.raises(CrossbowError, match=problem):
        Searched.parse(text)


def by_hand(docs: list[Doc], weights: dict[str, float], query: dict[str, float], bm25: Bm25) -> list[float]:
    """BM25F, one document after another, straight from the texts."""
    texts = [{"title": doc.title, "text": doc.text, "more": doc.fields.get("more", "")} for doc in docs]
    lengths = [sum(w * len(text[name].split()) for name, w in weights.items()) for text in texts]
    mean = sum(lengths) / len(docs) or 1.0
    scores = []
    for text, length in zip(texts, lengths):
        norm = bm25.k1 * ((1 - bm25.b) + bm25.b * length / mean)
        score = 0.0
        for term, weight in query.items():
            tf = sum(w * text[name].split().count(term) for name, w in weights.items())
            df = sum(any(term in other[name].split() for name in weights) for other in texts)
            score += weight * math.log(1 + (len(docs) - df + 0.5) / (df + 0.5)) * (tf / (norm + tf) if tf else 0.0)
        scores.append(score)
    return scores


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS), min_size=1, max_size=6), WEIGHTS, WEIGHTS, WEIGHTS)
def test_scores_are_those_of_bm25f(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str, str]], title: float, text: float, more: float
) -> None:
    docs = [Doc(f"d{n}", one, two, {"more": three or "none"}) for n, (one, two, three) in enumerate(texts)]
    weights = {"title": title, "text": text, "more": more}
    folder = tmp_path_factory.mktemp("index")
    build(folder, docs, ENGLISH, searched=Searched.of(weights))
    index, bm25, query = Index.load(folder), Bm25(idf="lucene"), {"house": 1.0, "lake": 0.5, "sea": 2.0}
    check_postings(index.segments[0].postings)
    expected = by_hand(docs, weights, query, bm25)
    found = score_terms(query, index, bm25).score
    assert found.tolist() == pytest.approx(expected)
    for number, score in enumerate(expected):
        assert sum(match.gain for match in matched(query, index, number, bm25)) == pytest.approx(score)
        vector = document_vectors(index, [number], bm25)[0]
        norm = sum(by_hand(docs, weights, {term: 1.0}, bm25)[number] ** 2 for term in vector)
        for term, part in vector.items():
            assert part * math.sqrt(norm) == pytest.approx(by_hand(docs, weights, {term: 1.0}, bm25)[number])


def test_frequencies_are_shown_as_they_count(tmp_path: Path) -> None:
    docs = [{"id": "d1", "title": "sea", "text": "sea lake"}, {"id": "d2", "text": "x"}]
    index = build_index(docs, tmp_path / "index", fields="title^1.5,text")
    assert [match.tf for match in matched({"sea": 1.0, "lake": 1.0}, index, 0, Bm25(idf="lucene"))] == [2.5, 1.0]


def test_without_fields_an_index_is_what_it_was(tmp_path: Path) -> None:
    docs = [Doc("d1", "a house", "Title"), Doc("d2", "by the lake")]
    build(tmp_path / "plain", docs, ENGLISH)
    build(tmp_path / "named", docs, ENGLISH, searched=Searched.parse("title,text"))
    one, two = ({file.relative_to(folder): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
                for folder in (tmp_path / "plain", tmp_path / "named"))
    assert one == two
    assert not any("fields" in path.parts for path in one)
    assert Index.load(tmp_path / "named").searched == STANDARD


def test_what_is_searched_stays_and_counts_in_the_signature(tmp_path: Path) -> None:
    docs = [Doc("d1", "a house", "lake", {"more": ["sea", 7]})]
    build(tmp_path / "index", docs, ENGLISH, searched=Searched.parse("more^2,title"))
    add(tmp_path / "index", [Doc("d2", "tree", "sea")])
    index = Index.load(tmp_path / "index")
    assert index.searched.weights() == {"more": 2, "title": 1}
    assert (index.df("house"), index.df("7"), index.df("sea"), index.df("tree")) == (0, 1, 2, 0)
    assert index.shown(0) == Doc("d1", "sea 7", "lake", {"more": ["sea", 7]})
    build(tmp_path / "other", [*docs, Doc("d2", "tree", "sea")], ENGLISH, searched=Searched.parse("more,title"))
    assert Index.load(tmp_path / "other").signature != index.signature


def test_a_field_that_no_document_has(tmp_path: Path) -> None:
    docs = [Doc("d1", "a", "", {"abstract": "b"})]
    with pytest.raises(CrossbowError, match=r"has the field 'abstrct', .*did you mean 'abstract'"):
        build(tmp_path / "index", docs, ENGLISH, searched=Searched.parse("title,abstrct"))
    assert not (tmp_path / "index").exists()
    with pytest.raises(CrossbowError, match="the field 'abstract' of document 'd1' is an object"):
        build(tmp_path / "index", [Doc("d1", "", "", {"abstract": {"deep": 1}})], ENGLISH,
              searched=Searched.parse("abstract"))


def test_weights_that_a_document_is_too_long_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from crossbow.index import postings

    monkeypatch.setattr(postings, "LONGEST", 1000)
    with pytest.raises(CrossbowError, match="'d1' is too long"):
        build(tmp_path / "index", [Doc("d1", "a " * 11)], ENGLISH, searched=Searched.parse("text^100"))
