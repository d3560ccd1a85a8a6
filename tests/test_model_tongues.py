"""Which language a query is in, by the words and letters that models know."""

from __future__ import annotations

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.model.tongues import CHANGE, Guess, Piece, Tongue, Tongues
from crossbow.text.analyzer import Analyzer, Settings

WORDS = {
    "de": "das haus am see ist alt und die kirche steht auf dem berg wo liegt der garten eine brücke über den fluss",
    "en": "the house by the lake is old and the church stands on the hill where is the garden a bridge over the river",
    "zh": "老图 图书 书馆 有很 关于 海洋 的书 河流 花园",
}


def tongue(code: str) -> Tongue:
    counts: dict[str, float] = {}
    for word in WORDS[code].split():
        counts[word] = counts.get(word, 0.0) + 10.0
    return Tongue(code, Analyzer(Settings(code)), counts)


TONGUES = Tongues([tongue("de"), tongue("zh"), tongue("en")])


@pytest.mark.parametrize(("text", "code"), [
    ("das Haus am See", "de"), ("the house by the lake", "en"), ("海洋图书馆", "zh"), ("Gärten", "de"),
])
def test_known_words_and_letters_tell_the_language(text: str, code: str) -> None:
    assert TONGUES.guesses(text)[0].language == code
    assert TONGUES.pieces(text) == [Piece(code, text)]


def test_more_words_make_it_surer_and_numbers_say_nothing() -> None:
    one, four = TONGUES.guesses("haus")[0], TONGUES.guesses("das haus am see")[0]
    assert one.language == four.language == "de"
    assert one.probability < four.probability
    assert TONGUES.guesses("2007 – 2009") == [Guess(code, 1 / 3) for code in ("de", "zh", "en")]
    assert TONGUES.guesses("") == TONGUES.guesses("2007")


def test_a_name_that_nobody_knows_decides_little() -> None:
    """Letters speak, but not against two words of the sentence."""
    assert TONGUES.guesses("the house by Xhqwzzt-Nkjäöüß")[0].language == "en"
    assert TONGUES.pieces("the house by Xhqwzztnkjäöüß the river") == [
        Piece("en", "the house by Xhqwzztnkjäöüß the river")]


def test_a_query_is_cut_where_its_language_changes() -> None:
    assert TONGUES.pieces("das Haus am See 图书馆") == [Piece("de", "das Haus am See"), Piece("zh", "图书馆")]
    assert TONGUES.pieces("Haus图书馆") == [Piece("de", "Haus"), Piece("zh", "图书馆")]
    assert TONGUES.pieces("die Kirche auf dem Berg the bridge over the river") == [
        Piece("de", "die Kirche auf dem Berg"), Piece("en", "the bridge over the river")]


@given(st.text(alphabet="abé 图书 haus\n12-", max_size=30))
def test_pieces_are_the_text_and_probabilities_add_up(text: str) -> None:
    assert "".join("".join(piece.text for piece in TONGUES.pieces(text)).split()) == "".join(text.split())
    guesses = TONGUES.guesses(text)
    assert sum(guess.probability for guess in guesses) == pytest.approx(1.0)
    assert [guess.probability for guess in guesses] == sorted((guess.probability for guess in guesses), reverse=True)


SOME = ["das", "haus", "the", "house", "图书馆", "see", "lake", "xyz", "12"]


@given(st.lists(st.sampled_from(SOME), min_size=1, max_size=7))
def test_no_other_way_to_cut_is_better(words: list[str]) -> None:
    """Against all ways to give each word a language."""
    rows = [row for _, row in TONGUES._rows(" ".join(words))]

    def value(path: tuple[int, ...]) -> float:
        return sum(row[at] for row, at in zip(rows, path)) - CHANGE * sum(a != b for a, b in pairwise(path))

    best = max(map(value, product(range(3), repeat=len(rows))))
    codes = [tongue.code for tongue in TONGUES.tongues]
    path = tuple(codes.index(piece.language) for piece in TONGUES.pieces(" ".join(words))
                 for _ in TONGUES._chunk.findall(piece.text))
    assert value(path) == pytest.approx(best)
