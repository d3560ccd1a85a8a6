"""Characters, tokens, sentences, stopwords and stems."""

from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from crossbow.text import sentences
from crossbow.text.languages import LANGUAGES as RECORDS
from crossbow.text.languages import language
from crossbow.text.memo import ENTRIES, LONGEST_KEY, Memo
from crossbow.text.normalize import normalize
from crossbow.text.sentences import first_sentence, split_sentences
from crossbow.text.tokenize import address_parts, tokenize
from reference.text import is_letter, slow_tokens

LANGUAGES = ["en", "de", "fr", "it", "ca", "zh", "ja", "uk", "tr", "xx"]
# Pieces that meet every branch of the tokenizer when strung together at random.
PIECES = ["a", "B", "n't", "'s", "'", "can't", "l'", "qu'", "don", "x", "1", "23", ".", ",", "-", "--", "_", "/", ":",
          "#", "c#", "+", "++", "@", "http://", "www.", "ab.org", "...", "!", "(", ")", '"', "é", "I\u0307", "Σ", "ß",
          "東", "京", "か", "ー", "ह", "ि", "\u0301", "ש", "🙂", "½", "²", "\ufffd", " ", "\u3000", "\u200d", "ﬁ",
          "Ｗ", "´", "—"]
messy_text = st.lists(st.sampled_from(PIECES), max_size=14).map("".join) | st.text(max_size=30)


# --- normalize

@pytest.mark.parametrize(("raw", "clean"), [
    ("", ""),
    ("plain ASCII, 'quoted'", "plain ASCII, 'quoted'"),
    ("ﬁne\u00a0„Ｗords“", 'fine "Words"'),
    ("don´t don’t don`t", "don't don't don't"),
    ("«a» ‹b›", "\"a\" 'b'"),
    ("1999–2003, e‑mail, −5", "1999-2003, e-mail, -5"),
    ("word—word", "word - word"),
    ("soft\u00adhyphen zero\u200bwidth jo\u2060in\ufeff", "softhyphen zero width join"),
    ("nul\x00tab\tbell\x07", "nul tab bell "),
    ("a\r\nb\rc\u2028d\x85e", "a\nb\nc\nd\ne"),
    ("lone \ud800 surrogate", "lone \ufffd surrogate"),
    ("2³ ½ ① ™", "2³ ½ ① ™"),
    ("ｶﾞｽ ㍿ ①", "ガス 株式会社 ①"),
    ("e\u0301", "é"),
    ("葛\U000e0100", "葛"),
    ("ㅋㅋ", "ㅋㅋ"),
])
def test_normalize_gives_one_spelling(raw: str, clean: str) -> None:
    assert normalize(raw) == clean


@given(st.text(st.characters(codec=None)))
def test_normalize_twice_is_normalize_once_and_can_be_written(text: str) -> None:
    once = normalize(text)
    assert normalize(once) == once
    once.encode("utf8")


def test_every_character_normalizes_once_for_all_and_no_letter_is_lost() -> None:
    for code in range(sys.maxunicode + 1):
        char = chr(code)
        category = unicodedata.category(char)
        if category in ("Cn", "Co"):
            continue
        once = normalize(char)
        assert normalize(once) == once, f"U+{code:04X}"
        assert category[0] not in "LN" or char == "ʼ" or any(map(is_letter, once)), f"U+{code:04X}"


# --- tokenize

@pytest.mark.parametrize(("lang", "text", "tokens"), [
    ("en", "The user's libgtk-3.0 (1,000 files).", "The user 's libgtk 3.0 ( 1,000 files ) ."),
    ("en", "I don't, can't, won't; they're John's o'clock", "I do n't , can 't , wo n't ; they 're John 's o'clock"),
    ("en", "'quoted' and 's' and dogs' \"x\"", "' quoted ' and ' s ' and dogs ' \" x \""),
    ("en", "DON'T shout... ok?!", "DO N'T shout ... ok ? !"),
    ("en", "In the U.S. e.g. at 5 p.m. today.", "In the U.S. e.g. at 5 p.m. today ."),
    ("en", "text/plain foo_bar Foo::Bar 10:30 2004-05-01", "text plain foo bar Foo Bar 10 30 2004 05 01"),
    ("en", "see http://www.gnome.org/~x/a_b.html, or (www.debian.org).",
     "see http://www.gnome.org/~x/a_b.html , or ( www.debian.org ) ."),
    ("en", "<jo.e+x@mail.example.org>, @home", "< jo.e+x@mail.example.org > , @ home"),
    ("en", "C++-code in c#, g++ and C.", "C++ code in c# , g++ and C ."),
    ("en", "3D 1st 10.5MB 50% $5 -7 --help", "3D 1st 10.5 MB 50 % $ 5 - 7 -- help"),
    ("de", "Geht's? SDL-Anwendungen, z.B. 1.000,50 Euro", "Geht 's ? SDL Anwendungen , z.B. 1.000,50 Euro"),
    ("fr", "L'eau d'aujourd'hui qu'il n'a", "L' eau d' aujourd'hui qu' il n' a"),
    ("it", "dell'acqua, un'altra c'è", "dell' acqua , un' altra c' è"),
    ("uk", "п'ять об'єктів", "п'ять об'єктів"),
    ("en", "Tokyo (東京)", "Tokyo ( 東京 )"),
    ("hi", "नमस्ते दुनिया।", "नमस्ते दुनिया ।"),
    ("ar", "مرحبا، عالم؟", "مرحبا ، عالم ؟"),
    ("en-GB", "user's", "user 's"),
    ("en", "", ""),
    ("en", " \n ", ""),
])
def test_tokenize_examples(lang: str, text: str, tokens: str) -> None:
    assert tokenize(text, lang) == tokens.split()


@pytest.mark.parametrize(("text", "tokens"), [
    ("libgtk-3.0's text/plain, 1,000.", "libgtk-3.0 's text/plain , 1,000 ."),
    ("foo::bar -x a,b", "foo::bar - x a , b"),
])
def test_tokenize_without_splitting_keeps_technical_words_whole(text: str, tokens: str) -> None:
    assert tokenize(text, "en", split=False) == tokens.split()


@given(st.text("aZé1.2,'-_/:() \u0301!東½", max_size=25))
@example("a.b.c. x.y.z")
@example("1.2.3a.b.")
def test_tokenize_agrees_with_reading_letter_by_letter(text: str) -> None:
    assert tokenize(text, "xx") == slow_tokens(text)


@given(messy_text, st.sampled_from(LANGUAGES), st.booleans())
@example("http://東京", "en", True)
@example("東a.b...c", "zh", False)
def test_a_token_tokenized_again_is_itself(text: str, lang: str, split: bool) -> None:
    for token in tokenize(normalize(text), lang, split):
        assert tokenize(token, lang, split) == [token]


@given(messy_text, st.sampled_from(LANGUAGES), st.booleans())
def test_tokens_hold_every_letter_in_order(text: str, lang: str, split: bool) -> None:
    text = normalize(text)
    kept = "".join(tokenize(text, lang, split))
    assert [char for char in kept if is_letter(char)] == [char for char in text if is_letter(char)]


@pytest.mark.parametrize("unit", ["a", "a.", "a'", "a-", "1.", "1,", "!", "!)", "@", "a@", "a.a@", "http://", "www.",
                                  "n't", "can't", "'s", "l'", "東", "🙂", "++", "c#", "\u0301", "\n", "。", "a b. "])
@pytest.mark.parametrize("lang", ["en", "fr", "zh"])
def test_a_long_text_without_spaces_takes_linear_time(unit: str, lang: str) -> None:
    text = unit * (100_000 // len(unit))  # quadratic time here would be minutes, not a slow test
    assert sum(map(len, tokenize(text, lang))) <= len(text)
    assert sum(map(len, split_sentences(text, lang))) <= len(text)
    assert [first_sentence(text, lang)] == (split_sentences(text, lang) or [""])[:1]


def test_address_parts() -> None:
    assert address_parts("http://www.gnome.org/a") == ["http", "www", "gnome", "org", "a"]
    assert address_parts("jo@example.org") == ["jo", "example", "org"]
    assert address_parts("example") is None


# --- sentences

@pytest.mark.parametrize(("lang", "text", "expected"), [
    ("de", "Er kam am 3. Mai. Dr. Roth auch. Das war 1990. Und heute?",
     ["Er kam am 3. Mai.", "Dr. Roth auch.", "Das war 1990.", "Und heute?"]),
    ("de", "Das ist z.B. Unsinn. Siehe Abb. 3.", ["Das ist z.B. Unsinn.", "Siehe Abb. 3."]),
    ("en", "He said no. See no. 5 by Mr. J. Smith, etc. and go.",
     ["He said no.", "See no. 5 by Mr. J. Smith, etc. and go."]),
    ("en", '"Really?" she asked. "Yes." Pi is 3.14!', ['"Really?" she asked.', '"Yes."', "Pi is 3.14!"]),
    ("en", "Wait... what? Now", ["Wait... what?", "Now"]),
    ("en", "One line\nwrapped. Two:\n * item one\n * item two\n\nNew",
     ["One line wrapped.", "Two:", "* item one", "* item two", "New"]),
    ("fr", "M. Dupont est là. Mme. Roy aussi.", ["M. Dupont est là.", "Mme. Roy aussi."]),
    ("it", "Il sig. Rossi ecc. È qui. Ciao!", ["Il sig. Rossi ecc. È qui.", "Ciao!"]),
    ("da", "Den 4. juni kl. 8. Så gik han. Nej.", ["Den 4. juni kl. 8. Så gik han.", "Nej."]),
    ("ja", "今日は。「元気！」はい？そう", ["今日は。", "「元気！」", "はい？", "そう"]),
    ("ja", "装置No. 3に関する。図Fig. 2参照。型式A. 次", ["装置No. 3に関する。", "図Fig. 2参照。", "型式A. 次"]),
    ("zh", "你好。再见!走", ["你好。", "再见!", "走"]),
    ("hi", "यह है। वह है।", ["यह है।", "वह है।"]),
    ("xx", "Abc. Def", ["Abc.", "Def"]),
    ("el", "Πού είναι; Εδώ· εκεί. Ναι\u037e Όχι; ίσως", ["Πού είναι;", "Εδώ· εκεί.", "Ναι\u037e", "Όχι; ίσως"]),
    ("de", "Hier; Dort", ["Hier; Dort"]),
    ("bo", "དེབ་ཡོད། ཁང་པ་ཡོད།། འདི", ["དེབ་ཡོད།", "ཁང་པ་ཡོད།།", "འདི"]),
    ("ar", "أين؟ هنا", ["أين؟", "هنا"]), ("ur", "یہ ہے۔ وہ ہے", ["یہ ہے۔", "وہ ہے"]), ("hy", "Այո։ Ոչ", ["Այո։", "Ոչ"]),
    ("am", "ነው። የት ነው፧ እዚህ", ["ነው።", "የት ነው፧", "እዚህ"]), ("my", "ရှိသည်။ မရှိ", ["ရှိသည်။", "မရှိ"]),
    ("km", "មាន។ ទេ៕ ហើយ", ["មាន។", "ទេ៕", "ហើយ"]),
    ("en", "", []),
    ("en", " \n\n ", []),
])
def test_sentences_examples(lang: str, text: str, expected: list[str]) -> None:
    assert split_sentences(text, lang) == expected


@given(st.text("aB .!?\n。)*\"é1", max_size=40), st.sampled_from(["en", "de", "ja", "xx"]))
def test_sentences_lose_nothing_but_white_space(text: str, lang: str) -> None:
    found = split_sentences(text, lang)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(sentence == " ".join(sentence.split()) and sentence for sentence in found)


def test_abbreviations_can_be_found() -> None:
    for record in RECORDS.values():
        assert all(word == word.lower() and len(word) < sentences._LONGEST_ABBREVIATION for word in record.not_last)


# --- stopwords, stems, memo

@pytest.mark.parametrize("lang", sorted(RECORDS))
def test_a_function_word_is_spelled_as_a_token(lang: str) -> None:
    words = language(lang).function_words
    assert not words or len(words) > 50
    for word in words:
        assert tokenize(language(lang).clean(word), lang) == [word] == [word.lower()]


def test_function_words_of_a_language_without_a_list() -> None:
    assert language("xx").function_words == frozenset()
    assert language("en-US").function_words == language("en").function_words
    assert not {"c", "r", "x", "not-a-word", "search"} & language("en").function_words


def test_stems() -> None:
    english, german = language("en").stemmer(), language("de").stemmer()
    assert english("libraries") == english("library") == "librari"
    assert german("anwendungen") == german("anwendung")
    assert language("ja").stemmer()("東京") == "東京"
    assert english("a" * 100_000) == "a" * 100_000


def test_memo_is_bounded_and_forgets_long_keys() -> None:
    calls = []
    memo = Memo(lambda key: calls.append(key) or len(key))
    long = "x" * (LONGEST_KEY + 1)
    assert [memo["ab"], memo["ab"], memo[long], memo[long]] == [2, 2, len(long), len(long)]
    assert calls == ["ab", long, long]
    for number in range(ENTRIES + 5):
        memo[str(number)]
    assert len(memo) <= ENTRIES
