"""Snippets: the heaviest stretch of a document, its matches marked, and nothing that upsets a terminal."""

from __future__ import annotations

import random

import pytest

from crossbow.ranking.explain.snippet import LONGER, LONGEST, snippet, spellings
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings

ENGLISH = Analyzer(Settings("en"))


def shown(text: str, title: str = "", words: int = 30, analyzer: Analyzer = ENGLISH, **terms: float) -> str:
    return "".join(f"[{piece}]" if marked else piece for piece, marked in snippet(
        Doc("d", text, title), analyzer, terms, words))  # fmt: skip


def test_short_documents_are_shown_whole() -> None:
    assert shown("House of houses, in  text-mode.", hous=2.0, mode=1.0) == "[House] of [houses], in [text-mode]."
    assert shown("The house.", "House", hous=1.0) == "[House]. The [house]."
    assert shown("Nothing", hous=1.0) == "Nothing"
    assert shown("", "House", hous=1.0) == "[House]."
    assert shown("") == shown(" \n ") == ""


def test_the_heaviest_stretch_of_a_long_one() -> None:
    words = [f"w{n}" for n in range(100)]
    words[10] = words[50] = words[53] = "house"
    words[80] = "lake"
    assert shown(" ".join(words), words=8, hous=1.6, lake=1.5) == \
        "… w46 w47 w48 w49 [house] w51 w52 [house] …"
    assert shown(" ".join(words), words=8, hous=1.0, lake=1.5) == "… w75 w76 w77 w78 w79 [lake] w81 w82 …"
    assert shown(" ".join(words), words=8, hous=1.0, lake=-1.0).count("[house]") == 2
    assert shown(" ".join(words), words=8) == "w0 w1 w2 w3 w4 w5 w6 w7 …"


def test_a_match_is_marked_whatever_it_weighs() -> None:
    assert shown("A house (by the lake!)", hous=0.0, lake=-1.0) == "A [house] (by the [lake]!)"
    words = ["x"] * 40
    words[30] = "house"
    assert "[house]" in shown(" ".join(words), words=4, hous=0.0)


def test_at_the_ends() -> None:
    words = ["x"] * 40
    assert shown(" ".join(["house", *words]), words=4, hous=1.0) == "[house] x x x …"
    assert shown(" ".join([*words, "house"]), words=4, hous=1.0) == "… x x x [house]"
    assert shown(" ".join([*words, "house"]), words=41, hous=1.0).endswith("x [house]")


def test_random_documents() -> None:
    """The stretch has as much of the query as the heaviest there is, each term counted once, and its matches are
    marked."""
    rng = random.Random(5)
    for _ in range(100):
        words = rng.choices(["x", "y", "z", "house", "lake"], [9, 9, 9, 1, 1], k=rng.randint(0, 60))
        gain, size = {"house": 1.0, "lake": 2.5}, rng.randint(1, 12)
        pieces = snippet(Doc("d", " ".join(words)), ENGLISH, {"hous": 1.0, "lake": 2.5}, size)
        plain = "".join(piece for piece, _ in pieces).strip("… ").split()
        heaviest = max((sum(gain.get(word, 0.0) for word in {*words[at : at + size]}) for at in range(len(words))),
                       default=0.0)
        assert sum(gain[piece] for piece in {piece for piece, marked in pieces if marked}) >= heaviest
        assert min(size, len(words)) <= len(plain) <= size + int(LONGER * size)
        assert all(marked == (word in gain) for piece, marked in pieces for word in piece.strip("… ").split())


def test_distinct_terms_count_more_than_repeated_ones() -> None:
    text = f"The house is a house and a house. {'Nothing. ' * 20}A house stands at the lake. {'More. ' * 30}"
    assert shown(text, words=8, hous=3.0, lake=1.0).startswith("A [house] stands at the [lake].")


def test_snippets_begin_with_a_sentence() -> None:
    """Also if a word or two more must be shown; abbreviations end none; what is left out before it is no sentence's."""
    filler = "Some words stand here. " * 12
    assert shown(f"{filler}The old park of Dr. Smith has a house in it. {filler}", words=9, hous=1.0) == \
        "The old park of Dr. Smith has a [house] …"
    assert shown(f"{filler}Yes. It is in the house. {filler}", words=6, hous=1.0) == "It is in the [house]. Some …"
    assert shown(f"{filler}No end is {'very ' * 30}near to the house. {filler}", words=9, hous=1.0) == \
        "… very very near to the [house]. Some words stand …"
    assert shown(f"{filler}In the last house.", words=6, hous=1.0) == "Some words stand here. In the last [house]."


def test_sentences_without_spaces() -> None:
    text = "老人说话。" * 30 + "图书馆在海边。" + "老人说话。" * 30
    assert shown(text, words=10, analyzer=Analyzer(Settings("zh")), **{"海边": 1.0}) == "图书馆在[海边]。老人说话。 …"


def test_text_without_spaces() -> None:
    """Japanese is cut at its words, also after a title or next to a space; nothing of it is lost."""
    pytest.importorskip("sudachipy")
    pytest.importorskip("sudachidict_core")
    japanese = Analyzer(Settings("ja"))
    text = "東京都は日本の首都であり、世界最大の都市の一つである。" * 8
    for title, before in (("", ""), ("東京", ""), ("", "Linux ")):
        pieces = snippet(Doc("d", before + text, title), japanese, {"首都": 1.0})
        assert [piece for piece, marked in pieces if marked] == ["首都"] * 2
        assert len(pieces) < 40
        assert "".join(piece for piece, _ in pieces).strip("… ") in f"{title}. {before}{text}"
    whole = "".join(piece for piece, _ in snippet(Doc("d", text), japanese, {}, words=1000))
    assert whole == text


def test_long_words_are_cut_and_keep_their_letters() -> None:
    address = "https://www.Example.org/Some/very/long-path_to/the/House.html?x=1"
    text = shown(address, hous=1.0)
    assert text.replace("[", "").replace("]", "") == address
    assert "House" in text[text.index("[") : text.index("]")]


def test_control_characters_go() -> None:
    assert shown("a\x1b[31mred\x07 house\x00\x9b", hous=1.0) == "a [31mred [house]"
    assert shown("שלום \u200fhouse 👨\u200d👩", hous=1.0) == "שלום \u200f[house] 👨\u200d👩"


def test_only_the_beginning_of_endless_documents_is_read() -> None:
    assert shown("x " * LONGEST + "house", hous=1.0).startswith("x x")
    assert shown("x " * (LONGEST - 1) + "house", hous=1.0).endswith("x [house]")


def test_how_a_document_spells_terms() -> None:
    doc = Doc("d", "Houses and a house at the Lake-side.", "The Streets")
    assert spellings(doc, ENGLISH, {"hous", "lake", "street", "sea"}) == {
        "street": "streets", "hous": "houses", "lake": "lake"}
    assert spellings(doc, ENGLISH, set()) == spellings(Doc("d", ""), ENGLISH, {"hous"}) == {}


def test_pairs_of_characters_are_marked_where_they_stand() -> None:
    chinese = Analyzer(Settings("zh"))
    text = "老图书馆有很多关于海洋的书,也有Linux系统。"
    pieces = snippet(Doc("d", text), chinese, {"图书": 1.0, "海洋": 2.0, "系统": 1.0})
    assert "".join(piece for piece, _ in pieces) == text
    assert [text for text, marked in pieces if marked] == ["图书", "海洋", "系统"]


@pytest.mark.parametrize(("lang", "segmenter", "package", "text", "term", "marked"), [
    ("zh", "bigrams", "", "我们喜欢河流", "河流", "河流"),
    ("zh", "jieba", "rjieba", "我们喜欢河流", "河流", "河流"),
    ("th", "icu", "icu4py", "เราชอบนที", "นที", "นที"),
    ("km", "icu", "icu4py", "ទន្លេស្ងប់ស្ងាត់", "ស្ងប់ស្ងាត់", "ស្ងប់ស្ងាត់"),
    ("my", "icu", "icu4py", "သေးငယ်သောမြစ်", "သေး", "သေး"),
    ("hi", "spaces", "", "यह नदी।", "नद", "नदी"),
])
def test_a_mark_has_the_word_alone_and_all_of_its_letters(lang: str, segmenter: str, package: str, text: str,
                                                          term: str, marked: str) -> None:
    """Also if a text without spaces is short; and vowel signs, which are no letters, belong to the word."""
    if package:
        pytest.importorskip(package)
    pieces = snippet(Doc("d", text), Analyzer(Settings(lang, segmenter=segmenter)), {term: 1.0})
    assert "".join(piece for piece, _ in pieces) == text
    assert [piece for piece, found in pieces if found] == [marked]


@pytest.mark.parametrize(("lang", "text", "term", "marked"), [
    ("ar", "في المكتبة القديمة كتب كثيرة عن البحر.", "مكتب", "المكتبة"),
    ("he", 'ספרים על צה"ל.', "צהל", 'צה"ל'),
    ("fa", "کتاب‌های قدیمی", "کتاب", "کتاب‌های"),
])
def test_words_written_from_right_to_left_are_marked_as_they_are_spelled(lang: str, text: str, term: str,
                                                                       marked: str) -> None:
    pieces = snippet(Doc("d", text), Analyzer(Settings(lang)), {term: 1.0})
    assert [piece for piece, found in pieces if found] == [marked]
    assert "".join(piece for piece, _ in pieces) == text
