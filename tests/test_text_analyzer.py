"""The analyzer: tokens, terms, settings; and Japanese."""

from __future__ import annotations

import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import CrossbowError, InputError
from crossbow.store import digest
from crossbow.text.analyzer import Analyzer, Settings, stopwords_from_file
from crossbow.text.compounds import Splitter
from crossbow.text.languages import language
from crossbow.text.normalize import normalize
from crossbow.text.tokenize import address_parts, tokenize
from test_text import messy_text

GERMAN_COUNTS = {"text": 50, "darstellung": 40, "bibliothek": 30, "laufzeit": 20}
ANALYZERS = {
    "en": Analyzer(Settings("en")),
    "de with compounds": Analyzer(Settings("de"), Splitter.learn(GERMAN_COUNTS, "de")),
    "fr cased": Analyzer(Settings("fr", lowercase=False, stem=False)),
    "tr unsplit": Analyzer(Settings("tr", split=False)),
    "zh": Analyzer(Settings("zh")),
    "tlh": Analyzer(Settings("tlh")),
    "tokens": Analyzer(Settings("en", kind="tokens")),
}
WORDS = st.sampled_from(["the", "Textdarstellung", "laufzeitbibliothek", "IĞDIR", "I\u0307\u0301", "U.S.", "don't",
                         "http://a.org/B-c", "ΟΔΟΣ-Α", "H\u0331"])
text = st.lists(messy_text | WORDS, max_size=4).map(" ".join)


def test_tokens_terms_and_length() -> None:
    english = ANALYZERS["en"]
    assert english.tokens("The text-mode libraries.") == ["the", "text", "mode", "libraries", "."]
    assert english.analyze("The text-mode libraries.") == (["text", "mode", "librari"], 5)
    assert english.terms("libraries") == ("librari",)
    assert english.terms("the") == english.terms("...") == english.terms("") == english.terms("🙂") == ()


@pytest.mark.parametrize(("token", "terms"), [
    ("Text-Mode", ("text", "mode")),
    ("don't", ()),
    ("two words", ("two", "word")),
    ("http://www.gnome.org/apps", ("http", "www", "gnome", "org", "app")),
    ("C++", ("c++",)),
    ("１,０００", ("1,000",)),
    ("\x00", ()),
    ("lone\ud800", ("lone",)),
])
def test_tokens_of_another_system_give_the_terms_of_the_index(token: str, terms: tuple[str, ...]) -> None:
    assert ANALYZERS["en"].terms(token) == terms


def test_compounds_are_split_in_tokens_and_in_terms() -> None:
    german = ANALYZERS["de with compounds"]
    assert german.tokens("Die Textdarstellung.") == ["die", "text", "darstellung", "."]
    assert german.terms("Laufzeitbibliothek") == ("laufzeit", "bibliothek")


def test_turkish_i() -> None:
    assert Analyzer(Settings("tr", stem=False)).tokens("IĞDIR İzmir") == ["ığdır", "izmir"]


@given(text, st.sampled_from(sorted(ANALYZERS)))
def test_terms_of_a_text_are_the_terms_of_its_tokens(text: str, name: str) -> None:
    analyzer = ANALYZERS[name]
    tokens = analyzer.tokens(text)
    terms = [term for token in tokens for term in analyzer.terms(token)]
    assert analyzer.analyze(text) == (terms, len(tokens))
    assert all(any(map(str.isalnum, term)) for term in terms)
    for token in tokens:
        assert analyzer.tokens(token) == [token]
        token.encode("utf8")


@given(text, st.booleans(), st.booleans(), st.booleans())
def test_analysis_is_its_steps_one_after_another(text: str, split: bool, lowercase: bool, stem: bool) -> None:
    analyzer = Analyzer(Settings("en", split=split, lowercase=lowercase, stem=stem))
    tokens = tokenize(normalize(text), "en", split)
    tokens = [normalize(token.lower()) for token in tokens] if lowercase else tokens
    assert analyzer.tokens(text) == tokens
    words = [word for token in tokens for word in (split and address_parts(token)) or [token]]
    words = [word for word in words if word.lower() not in language("en").function_words]
    words = [language("en").stemmer()(word) for word in words] if stem else words
    assert analyzer.analyze(text) == ([word for word in words if any(map(str.isalnum, word))], len(tokens))


def test_text_that_is_tokenized_already_is_left_alone(tmp_path) -> None:
    tokens = Analyzer(Settings("en", kind="tokens"))
    assert tokens.tokens("The Text-Mode ,  libraries's") == ["The", "Text-Mode", ",", "libraries's"]
    assert tokens.analyze("The Text-Mode , …") == (["The", "Text-Mode"], 4)
    assert tokens.tokens("a\ud800 b\x00") == ["a?", "b\x00"]
    stopped = Analyzer(Settings("en", kind="tokens", stopwords=("The",)))
    assert stopped.analyze("The the") == (["the"], 2)
    with pytest.raises(CrossbowError, match="compounds of 'de' do not go with tokens of 'de'"):
        Analyzer(Settings("de", kind="tokens"), Splitter.learn(GERMAN_COUNTS, "de"))


# --- settings

@pytest.mark.parametrize("wrong", [{"lang": ""}, {"kind": "letters"}, {"stopwords": "all"}, {"japanese": "D"}])
def test_wrong_settings_are_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(CrossbowError, match=repr(next(iter(wrong.values())))):
        Settings(**wrong)


@pytest.mark.parametrize("name", sorted(ANALYZERS))
def test_settings_survive_json_and_pickle(name: str) -> None:
    analyzer = ANALYZERS[name]
    recorded = json.loads(json.dumps(analyzer.to_json()))
    assert recorded == analyzer.to_json()
    again = Analyzer.from_json(recorded, analyzer.splitter)
    assert again.settings == analyzer.settings
    sample = "The Textdarstellung, l'eau: ILK-text."
    assert pickle.loads(pickle.dumps(analyzer)).analyze(sample) == again.analyze(sample) == analyzer.analyze(sample)


@pytest.mark.parametrize(("code", "lang"), [("DE", "de"), ("deu", "de"), ("de_at", "de-AT"), ("zh-hans", "zh-Hans")])
def test_codes_come_in_any_spelling(code: str, lang: str) -> None:
    assert Settings(code) == Settings(lang)
    assert Settings(code).lang == lang


@pytest.mark.parametrize("lang", ["english", "DE", "xx"])
def test_a_code_that_was_recorded_before_codes_were_checked_stays_as_it_is(lang: str) -> None:
    splitter = Splitter.learn(GERMAN_COUNTS, lang)
    recorded = {**ANALYZERS["en"].to_json(), "lang": lang, "stopwords": "none", "stopwords_digest": digest([]),
                "compounds": splitter.digest()}
    analyzer = Analyzer.from_json(recorded, splitter)
    assert analyzer.to_json() == recorded
    assert pickle.loads(pickle.dumps(analyzer)).to_json() == recorded
    assert analyzer.tokens("Houses") == ["houses"]


@pytest.mark.parametrize(("changed", "named"), [
    ({"stem": False}, "stem"), ({"lang": "de"}, "lang"), ({"split": False}, "split"), ({"kind": "tokens"}, "kind"),
    ({"lowercase": False}, "lowercase"), ({"stopwords": ("foo",)}, "stopwords_digest"),
    ({"stopwords": "none"}, "stopwords_digest"),
])
def test_a_mismatch_names_the_setting(changed: dict, named: str) -> None:
    other = Analyzer(Settings(**{"lang": "en", **changed})).to_json()
    with pytest.raises(CrossbowError, match=rf"^the index i: .*\b{named} = "):
        ANALYZERS["en"].check_matches(other, "the index i")


def test_the_same_words_match_whatever_they_are_called() -> None:
    listed = Analyzer(Settings("en", stopwords=language("en").function_words))
    ANALYZERS["en"].check_matches(listed.to_json(), "the index")


def test_missing_compounds_and_damaged_headers_are_noticed() -> None:
    recorded = ANALYZERS["de with compounds"].to_json()
    with pytest.raises(CrossbowError, match="compounds = '"):
        Analyzer.from_json(recorded)
    with pytest.raises(CrossbowError, match="rules = 0"):
        Analyzer.from_json({**ANALYZERS["en"].to_json(), "rules": 0})
    for damaged in ({"lang": "en"}, {**ANALYZERS["en"].to_json(), "lang": 7}):
        with pytest.raises(CrossbowError, match="damaged analyzer settings"):
            Analyzer.from_json(damaged)


def test_stopwords_from_file(tmp_path) -> None:
    file = tmp_path / "stop.txt"
    file.write_bytes("\ufeffThe\n# a comment\n\n don’t \r\nfoo".encode())
    words = stopwords_from_file(file)
    assert words == {"The", "don’t", "foo"}
    analyzer = Analyzer(Settings("en", stopwords=words))
    assert analyzer.analyze("The foo does n't don't Bar")[0] == ["doe", "bar"]


@pytest.mark.parametrize(("content", "problem"), [
    (b"the\nb\xe4r\n", ":2: not UTF-8"), (b"the\nof the\n", ":2: more than one word"), (b"\n# x\n", "has no words"),
])
def test_bad_stopword_files(tmp_path, content: bytes, problem: str) -> None:
    file = tmp_path / "stop.txt"
    file.write_bytes(content)
    with pytest.raises(InputError, match=problem):
        stopwords_from_file(file)
    with pytest.raises(InputError, match="cannot be read"):
        stopwords_from_file(tmp_path / "missing.txt")


# --- Japanese

def test_japanese_without_sudachi_says_what_to_install(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sudachipy", None)
    with pytest.raises(CrossbowError, match=r"pip install 'crossbow-clir\[ja\]'"):
        Analyzer(Settings("ja"))
    assert Analyzer(Settings("ja", kind="tokens")).tokens("東京 で") == ["東京", "で"]


@pytest.fixture(scope="module")
def japanese() -> Analyzer:
    pytest.importorskip("sudachipy")
    pytest.importorskip("sudachidict_core")
    return Analyzer(Settings("ja"))


def test_japanese_words(japanese: Analyzer) -> None:
    assert japanese.tokens("東京でLinux-2.6を使う。") == ["東京", "で", "linux", "2.6", "を", "使う", "。"]
    assert japanese.analyze("東京でLinuxを使う。") == (["東京", "linux", "使う"], 6)
    whole = Analyzer(Settings("ja", japanese="C"))
    assert whole.tokens("選挙管理委員会") == ["選挙管理委員会"]
    assert len(japanese.tokens("選挙管理委員会")) > 2


@given(st.text("東京都でをはカタナー々々゛Linux1。、（ ﾞｶ", max_size=20))
def test_japanese_terms_do_not_depend_on_segmenting_a_word_again(japanese: Analyzer, text: str) -> None:
    tokens = japanese.tokens(text)
    assert "".join(tokens) == "".join(normalize(text).lower().split())
    for token in tokens:
        assert japanese.terms(token) in ((token,), ())


def test_long_japanese_and_several_threads(japanese: Analyzer) -> None:
    assert "".join(japanese.tokens("東京都" * 30_000)) == "東京都" * 30_000
    texts = [f"国会議事堂{number}と金閣寺" for number in range(200)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(Analyzer(Settings("ja")).tokens, texts)) == [japanese.tokens(text) for text in texts]
