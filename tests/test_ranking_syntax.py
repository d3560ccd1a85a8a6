"""Quotes and minus signs in queries: how they are read, and which documents they leave, by listing derivations."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.forest.nbest import nbest_forest
from crossbow.ranking.searcher import Searcher
from crossbow.ranking.syntax import Asked, parse, restriction
from crossbow.records import Doc
from reference.forests import forests
from reference.ranking import TOKENS, Collection, collections, index_of
from reference.structured import linked


@pytest.mark.parametrize(("query", "expected"), [
    ("Haus am See", Asked("Haus am See")), ('das "alte Haus" am See', Asked("das alte Haus am See", ("alte Haus",))),
    ("Bank -Geld", Asked("Bank", (), ("Geld",))), ('Bank -"viel Geld" -Park', Asked("Bank", (), ("viel Geld", "Park"))),
    ('"a" "b c"', Asked("a b c", ("a", "b c"))), ("-a b", Asked("b", (), ("a",))),
    ("E-Mail – x - y", Asked("E-Mail – x - y")),
    ('5" Rohr', Asked('5" Rohr')), ('offen "ohne Ende', Asked('offen "ohne Ende')), ('leer "" -""', Asked("leer")),
    ("--help", Asked("--help")), ("", Asked("")), ('"  "', Asked("")), ("Größe -5", Asked("Größe", (), ("5",))),
])
def test_how_queries_are_read(query: str, expected: Asked) -> None:
    assert parse(query) == expected


@given(st.text('ab -"\n„ü', max_size=20))
def test_any_text_can_be_read(query: str) -> None:
    asked = parse(f"x {query}")
    assert {*"".join(asked.text.split())} <= {*query, "x"}
    assert all(part.strip() == part != "" for part in (*asked.required, *asked.removed))


def posteriors(forest: Forest, word: str, least: float, collection: Collection) -> set[str] | None:
    """The terms linked to a word; None if it is mostly function words. Not decided if it is too close to tell."""
    row = linked([forest]).get(word, {word: 1.0})
    blank = sum(p for other, p in row.items() if not TOKENS.terms(other))
    sums: dict[str, float] = {}
    for other, p in row.items():
        for term in set(TOKENS.terms(other)):
            sums[term] = sums.get(term, 0.0) + p
    if abs(blank - 0.8) < 1e-9 or any(abs(p - least) < 1e-9 for p in sums.values()):
        raise ArithmeticError
    return None if blank > 0.8 else {term for term, p in sums.items() if p >= least}


@given(forest=forests(), other=forests(), collection=collections(), data=st.data())
@settings(deadline=None, max_examples=150)
def test_which_documents_are_left(forest: Forest, other: Forest, collection: Collection, data: st.DataObject) -> None:
    index, texts = collection
    required = data.draw(st.lists(st.sampled_from(forest.source), max_size=2))
    removed = data.draw(st.lists(st.sampled_from(other.source), max_size=2))
    if not all(len(one.align) for one in (forest, other)):
        return
    asked = Asked("", (" ".join(required),) if required else (), (" ".join(removed),) if removed else ())
    wanted = restriction(asked, [forest], lambda text: [other], str.split, index).passing(index)
    if not required and not removed:
        assert wanted is None
        return
    try:
        keeping = [terms for word in required if (terms := posteriors(forest, word, 0.05, collection)) is not None]
        removing = [terms for word in removed if (terms := posteriors(other, word, 0.2, collection)) is not None]
    except ArithmeticError:
        return
    if wanted is None:
        assert not keeping
        assert not removing
        return
    for doc in texts.docs:
        bag = texts.bags[doc.id].keys()
        expected = all(terms & bag for terms in keeping) and not (removing and all(terms & bag for terms in removing))
        assert wanted[index.number(doc.id)] == expected, (doc, keeping, removing)


def test_a_word_that_the_query_spells_otherwise_is_translated_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    index, translated = index_of([Doc("d1", "a"), Doc("d2", "b")]), list[str]()

    def translate(text: str) -> Sequence[Forest]:
        translated.append(text)
        return []

    assert restriction(Asked("x", ("y",)), [], translate, str.split, index).passing(index) is None
    assert translated == ["y"]


def test_forests_have_no_syntax_and_lists_no_links() -> None:
    searcher = Searcher(None, index_of([Doc("d1", "a")]))
    with pytest.raises(CrossbowError, match="only a text has a syntax"):
        searcher.search([], syntax=True)
    with pytest.raises(CrossbowError, match="only says what must not be found"):
        parse("-a -b")


def test_without_links() -> None:
    plain = nbest_forest("q1", [(["the", "house"], -0.3)])
    with pytest.raises(CrossbowError, match="do not say which word stands for which"):
        restriction(Asked("", ("x",)), [plain], lambda text: [], str.split, index_of([Doc("d1", "a")]))
