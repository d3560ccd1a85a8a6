"""One index, queries in several languages: each by the model of its language, or by several."""

from __future__ import annotations

from itertools import product

import pytest

import crossbow
from crossbow.errors import CrossbowError
from crossbow.index import Index
from crossbow.model import Model
from crossbow.model.tongues import Piece
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.methods import METHODS
from crossbow.ranking.polyglot import Polyglot
from crossbow.ranking.searcher import Searcher
from training import corpus

NOUNS = {"图书馆": "library", "高山": "mountain", "银行": "bank", "河流": "river", "市场": "market",
         "自行车": "bicycle"}
ADJECTIVES = {"古老": "old", "小型": "small", "著名": "famous", "安静": "quiet"}
DOCS = [("robbery", "A masked man robbed the bank and escaped with a bicycle."),
        ("library", "The old library by the sea."),
        ("castle", "The lock of the castle is broken."), ("market", "A famous market near the river."),
        ("loan", "The bank lends money for a house.")]


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> Model:
    return Model.load(corpus(tmp_path_factory) / "model")


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Model:
    pairs = [(f"{adjective}的{noun}", f"the {ADJECTIVES[adjective]} {NOUNS[noun]}")
             for noun, adjective in product(NOUNS, ADJECTIVES)] + [(noun, NOUNS[noun]) for noun in NOUNS]
    return crossbow.train([pair[0] for pair in pairs], [pair[1] for pair in pairs],
                          tmp_path_factory.mktemp("chinese") / "model", source_lang="zh", target_lang="en")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    docs = [{"id": name, "text": text} for name, text in DOCS]
    return crossbow.build_index(docs, tmp_path_factory.mktemp("polyglot") / "index", lang="en")


@pytest.fixture(scope="module")
def polyglot(german: Model, chinese: Model, index: Index) -> Polyglot:
    return Polyglot([german, chinese], index)


def test_each_query_is_searched_by_the_model_of_its_language(
    polyglot: Polyglot, german: Model, chinese: Model, index: Index
) -> None:
    for text, model, code in (("Das Schloss ist alt", german, "de"), ("著名的市场", chinese, "zh"),
                              ("the old library is quiet", None, "en")):
        heard = polyglot.heard(text)
        assert (heard.language, heard.pieces) == (code, [Piece(code, text)])
        assert heard.probability > 0.8
        alone = Searcher(model, index)
        assert polyglot.search(text, k=3) == alone.search(text, k=3)
        doc = alone.search(text)[0].doc
        assert polyglot.explain(text, doc) == alone.explain(text, doc)
    asked = [("1", "Das Schloss ist alt"), ("2", "著名的市场")]
    assert dict(polyglot.search_all(asked, threads=2)) == {name: polyglot.search(text) for name, text in asked}


def test_whoever_knows_better_says_so(polyglot: Polyglot, german: Model, index: Index) -> None:
    text = "bank"
    assert polyglot.search(text, language="DE") == Searcher(german, index).search(text)
    assert polyglot.search(text, language="eng") == Searcher(None, index).search(text)
    assert polyglot.heard(text, "de-AT") == ("de", 1.0, [("de", text)])
    with pytest.raises(CrossbowError, match="there is no model for 'fr'; there are de, zh, en"):
        polyglot.search(text, language="fr")
    with pytest.raises(CrossbowError, match="two models translate from 'de'"):
        Polyglot([german, german], index)


@pytest.mark.parametrize("method", [None, *METHODS])
def test_pieces_of_a_mixed_query_are_translated_each_by_its_model(
    german: Model, chinese: Model, index: Index, method: str | None
) -> None:
    """What it finds is what their forests find; and the explanation has the words of all."""
    polyglot = Polyglot([german, chinese], index, {"method": method} if method else None)
    text = "Das Geld der Bank 自行车"
    heard = polyglot.heard(text)
    assert (heard.language, heard.pieces) == ("de+zh", [Piece("de", "Das Geld der Bank"), Piece("zh", "自行车")])
    hits = polyglot.search(text)
    searcher = polyglot.searcher(heard)
    forests = [*german.forests("Das Geld der Bank"), *chinese.forests("自行车")]
    config = SearchConfig.of(searcher.model, method)
    assert hits == Searcher(None, index, config).search(forests)
    assert {hit.doc for hit in hits} >= {"robbery", "loan"}
    explanation = polyglot.explain(text, "robbery")
    assert [word for sentence in explanation.sentences for word in sentence.source][-2:] == ["自行", "行车"]
    assert explanation.score == pytest.approx(next(hit.score for hit in hits if hit.doc == "robbery"), abs=1e-5)


def test_quotes_and_minus_signs_work_in_every_piece(polyglot: Polyglot) -> None:
    hits = polyglot.search('Das Geld der Bank "自行车"', syntax=True)
    assert [hit.doc for hit in hits] == ["robbery"]
    without = polyglot.search("Das Geld der Bank 河流 -自行车", syntax=True)
    assert "robbery" not in {hit.doc for hit in without}


def test_an_index_alone_and_settings_for_all(german: Model, index: Index) -> None:
    alone = Polyglot([], index)
    assert alone.heard("whatever") == ("en", 1.0, [("en", "whatever")])
    assert alone.search("old library") == Searcher(None, index).search("old library")
    own = Polyglot([german], index, lambda model: SearchConfig.of(model, "psq"))
    assert own.search("Das Schloss ist alt") == Searcher(german, index, {"method": "psq"}).search("Das Schloss ist alt")
    translated = Polyglot([german], index, {"method": "bowfd", "translation.pop_limit": 10})
    assert translated.search("Das Schloss ist alt bank library")
