"""The registry of languages: each says what it has and what it lacks, and its sentence becomes the terms it names."""

from __future__ import annotations

import json
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.store import digest
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import Splitter
from crossbow.text.language import language_name
from crossbow.text.languages import LANGUAGES, Language, language
from crossbow.text.languages.table import markdown, row, rows
from crossbow.text.located import located
from crossbow.text.segmenters import SEGMENTERS

ROOT = Path(__file__).parent.parent
EXTRAS = {"sudachi": "sudachipy", "jieba": "rjieba", "icu": "icu4py"}
CODES = sorted(LANGUAGES)


def analyzer(code: str, **settings: str) -> Analyzer:
    chosen = settings.get("segmenter") or language(code).segmenters[0]
    if chosen in EXTRAS:
        pytest.importorskip(EXTRAS[chosen])
    return Analyzer(Settings(code, **settings))


@pytest.mark.parametrize("code", CODES)
def test_the_sentence_of_a_language_becomes_its_terms(code: str) -> None:
    sentence, terms = LANGUAGES[code].example
    assert len(sentence.split()) > 3 or LANGUAGES[code].unspaced
    assert analyzer(code).analyze(sentence)[0] == terms.split()


@pytest.mark.parametrize("code", CODES)
def test_a_record_is_consistent(code: str) -> None:
    record = LANGUAGES[code]
    assert (record.code, language_name(code) != code) == (code, True)
    assert set(record.segmenters) <= set(SEGMENTERS)
    assert bool(record.unspaced) == (record.segmenters != ("spaces",))
    assert bool(record.light) == bool(record.stems)
    assert len(set(record.stopwords.split())) == len(record.stopwords.split()) or record.revision == 1
    assert not record.snowball or record.algorithm


@given(st.sampled_from(CODES), st.text(max_size=12))
def test_cleaning_twice_is_cleaning_once(code: str, text: str) -> None:
    record = LANGUAGES[code]
    text += "".join(record.folds) + record.example[0]
    once = record.clean(text)
    assert record.clean(once) == once
    assert unicodedata.is_normalized("NFC", once) or record.rewrites


def test_the_table_in_the_docs_is_that_of_the_registry() -> None:
    page = (ROOT / "docs/languages.md").read_text("utf8")
    assert markdown() in page, "run: crossbow languages --markdown"
    complete = [row for row in rows() if row.stems != "none" and row.stopwords != "none"]
    assert len(rows()) >= 50
    assert len(complete) >= 30


# --- looking up

@pytest.mark.parametrize(("given_code", "code"), [
    ("zh-Hans", "zh"), ("pt_BR", "pt"), ("eng", "en"), ("DE", "de"), ("no", "nb"), ("nn", "nb"), ("bs", "hr"),
    ("yue", "zh"), ("wuu", "zh"), ("nan", "zh"), ("lzh-TW", "zh"), ("ms", "id"), ("cmn", "zh"), ("iw", "he"),
    ("fil", "tl"),
])
def test_a_record_is_found_by_any_code(given_code: str, code: str) -> None:
    assert language(given_code) is LANGUAGES[code]


@pytest.mark.parametrize("code", ["tlh", "xx", "english", ""])
def test_what_has_no_record_gets_defaults_and_says_what_it_lacks(code: str) -> None:
    record = language(code)
    assert (record.code, record.is_known, record.snowball, record.stopwords) == (code, False, "", "")
    assert record.clean("Ёо ß") == "Ёо ß"
    assert [problem.partition(" for ")[0] for problem in record.lacks()] == ["no stemmer", "no list of function words"]
    assert record.lacks(stem=False, stopwords=False) == []
    assert LANGUAGES["de"].lacks() == []


def test_a_plugin_adds_a_segmenter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LANGUAGES, "_entries", dict(LANGUAGES._entries))
    monkeypatch.setattr(SEGMENTERS, "_entries", dict(SEGMENTERS._entries))
    SEGMENTERS.add("halves", lambda code: lambda run: [run[:len(run) // 2], run[len(run) // 2:]])
    LANGUAGES.add("tlh", Language("tlh", segmenters=("halves", "spaces"), unspaced=r"\p{Latin}"))
    assert Analyzer(Settings("tlh")).tokens("juHmeyna' 12") == ["juhm", "eyna", "'", "12"]
    LANGUAGES.add("tlh", Language("tlh", segmenters=("thirds",), unspaced=r"\p{Latin}"))
    with pytest.raises(CrossbowError, match=r"there is no segmenter 'thirds'; there are spaces, sudachi, .*halves"):
        Analyzer(Settings("tlh"))
    LANGUAGES.add("tlh", Language("tlh", segmenters=("halves",)))
    with pytest.raises(CrossbowError, match="the segmenter is 'halves', but the record of 'tlh' names no script"):
        Analyzer(Settings("tlh"))


def test_what_is_not_known_is_not_said() -> None:
    for code in ("am", "bo", "mk"):
        assert row(language(code)).script == "not known"
    assert row(language("de")).script == "Latin"


def test_a_plugin_adds_a_language(tmp_path: Path) -> None:
    (tmp_path / "tlh.py").write_text(
        "from crossbow.text.languages import LANGUAGES, Language\n"
        "LANGUAGES.add('tlh', Language('tlh', stopwords='je joq', light=lambda word: word.removesuffix('mey'),\n"
        "                              also=('tlx',), stems='plurals'))\n")
    script = ("from crossbow.text.analyzer import Analyzer, Settings\n"
              "from crossbow.text.languages import language\n"
              "print(*Analyzer(Settings('tlh')).analyze('juHmey Dujmey je')[0], language('tlx').code)")
    done = subprocess.run([sys.executable, "-c", script], env={"CROSSBOW_PLUGINS": str(tmp_path / "tlh.py")},
                          capture_output=True, text=True)
    assert done.stdout.split() == ["juh", "duj", "tlh"], done.stderr


# --- spellings that meet

@pytest.mark.parametrize(("code", "one", "other"), [
    ("ar", "المدرسة", "المدرسه"), ("ar", "أحمد", "احمد"), ("ar", "كِتَابٌ", "كتاب"), ("ar", "عـــربي", "عربى"),
    ("ar", "والكتاب", "كتاب"), ("ar", "١٩٩٩", "1999"), ("ar", "\ufefb", "لا"),
    ("fa", "آزادی", "ازادی"), ("fa", "قرآن", "قران"), ("fa", "كتاب", "کتاب"),
    ("fa", "کتاب‌ها", "کتاب ها"), ("fa", "۱۳۹۹", "1399"),
    ("he", "צה\"ל", "צה״ל"), ("he", "סֵפֶר", "ספר"), ("hi", "हिन्दी", "हिंदी"), ("hi", "लड़का", "लडका"),
    ("hi", "चाँद", "चांद"),
    ("ru", "ёлка", "елка"), ("ro", "cărţi", "cărți"), ("sr", "књига", "knjiga"), ("de", "Straße", "Strasse"),
    ("de", "Häuser", "Haeuser"), ("tr", "IĞDIR", "ığdır"), ("th", "กำลังทำ", "กําลังทํา"), ("lo", "ໝູ", "ຫມູ"),
    ("fr", "cœurs", "coeurs"), ("fr", "Œuvre", "oeuvre"), ("fr", "curriculum vitæ", "curriculum vitae"),
    ("da", "Århus", "Aarhus"), ("da", "årene", "aarene"), ("nb", "Ålesund", "Aalesund"), ("nn", "håp", "haap"),
    ("vi", "hoà bình", "hòa bình"), ("vi", "khoẻ", "khỏe"), ("vi", "THUỲ", "Thùy"),
    ("ko", "도서관에서", "도서관을"), ("ko", "책은", "책을"), ("ko", "나무가", "나무를"),
])
def test_spellings_of_a_word_meet_in_the_index(code: str, one: str, other: str) -> None:
    terms = [analyzer(code, stopwords="none").analyze(text)[0] for text in (one, other)]
    assert terms[0] == terms[1] != []


@pytest.mark.parametrize("text", ["quý", "hoàn", "Quỳnh", "thuyền", "tuyết", "hoài", "của", "hoặc"])
def test_vietnamese_tones_stay_where_all_write_them(text: str) -> None:
    assert language("vi").clean(text) == text


def test_danish_compounds_keep_the_letters_where_they_meet() -> None:
    splitter = Splitter.learn({"data": 50, "adgang": 40, "dataadgang": 2}, "da")
    danish = Analyzer(Settings("da"), splitter)
    assert danish.tokens("Dataadgang i Aarhus") == ["data", "adgang", "i", "aarhus"]
    assert danish.analyze("i Aarhus")[0] == ["århus"]


@pytest.mark.parametrize("word", ["가을", "마을", "나무", "책", "linux", "우리는a"])
def test_korean_words_keep_what_only_looks_like_a_particle(word: str) -> None:
    assert language("ko").stemmer()(word) == word


# --- segmentation

@pytest.mark.parametrize(("code", "segmenter", "text", "tokens"), [
    ("zh", "bigrams", "我爱Linux系统,1.5版。", "我爱 linux 系统 , 1.5 版 。"),
    ("zh", "bigrams", "计算机科学", "计算 算机 机科 科学"),
    ("zh", "characters", "我爱Linux", "我 爱 linux"),
    ("zh-TW", "jieba", "我们在图书馆学习", "我们 在 图书馆 学习"),
    ("zh", "icu", "我们喜欢学习", "我们 喜欢 学习"),
    ("ja", "bigrams", "東京でLinux", "東京 京で linux"),
    ("gan", "bigrams", "图书馆", "图书 书馆"),
    ("shn", "bigrams", "ဢမလ 12 Linux", "ဢမ မလ 12 linux"),
    ("nod", "bigrams", "ภาษา", "ภา าษ ษา"), ("ryu", "bigrams", "スーパー", "スー ーパ パー"),
    ("am", "bigrams", "የድሮው ቤተ መጻሕፍት", "የድሮው ቤተ መጻሕፍት"), ("bo", "bigrams", "བོད་ཡིག", "བོད ་ ཡིག"),
    ("mk", "bigrams", "Старата библиотека", "старата библиотека"), ("shn", "spaces", "ဢမလ", "ဢမလ"),
    ("th", "icu", "กำลังทำงานกับ Linux", "กำลัง ทำงาน กับ linux"),
    ("th", "bigrams", "ภาษา", "ภา าษ ษา"),
    ("km", "icu", "ខ្ញុំស្រឡាញ់ភាសាខ្មែរ", "ខ្ញុំ ស្រឡាញ់ ភាសាខ្មែរ"),
    ("lo", "icu", "ຂ້ອຍຮັກພາສາລາວ", "ຂ້ອຍ ຮັກ ພາສາ ລາວ"),
    ("my", "icu", "မြန်မာဘာသာစကား", "မြန်မာဘာသာ စကား"),
])
def test_segmenters(code: str, segmenter: str, text: str, tokens: str) -> None:
    own = analyzer(code, segmenter=segmenter)
    assert own.tokens(text) == tokens.split()
    again = Analyzer.from_json(json.loads(json.dumps(own.to_json())))
    assert again.tokens(text) == tokens.split()


@given(st.text("图书馆学习abc,。 1", max_size=20))
def test_pairs_of_characters_hold_the_whole_text(text: str) -> None:
    tokens = Analyzer(Settings("zh")).tokens(text)
    assert all(Analyzer(Settings("zh")).tokens(token) == [token] for token in tokens)
    places = located(tokens, text)
    assert {at for begin, end in places for at in range(begin, end)} == {
        at for at, char in enumerate(text) if not char.isspace()}
    assert [text[begin:end] for begin, end in places] == tokens


def test_a_segmenter_that_does_not_fit_is_refused() -> None:
    with pytest.raises(CrossbowError, match="the segmenter is 'jieba'; for 'de' it must be 'spaces'"):
        Settings("de", segmenter="jieba")
    with pytest.raises(CrossbowError, match="'bigrams' or 'jieba' or 'icu' or 'characters'"):
        Settings("zh", segmenter="sudachi")


@pytest.mark.parametrize(("code", "segmenter", "package"), [
    ("th", "icu", "icu4py.breakers"), ("zh", "jieba", "rjieba"),
])
def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch, code: str, segmenter: str,
                                                   package: str) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    extra = {"jieba": "zh"}.get(segmenter, segmenter)
    remedy = rf"pip install 'crossbow-clir\[{extra}\]', or choose the segmenter 'bigrams'"
    with pytest.raises(CrossbowError, match=remedy):
        Analyzer(Settings(code, segmenter=segmenter))


# --- headers

def test_headers_of_languages_that_did_not_change_are_as_they_were() -> None:
    keys = ["rules", "lang", "kind", "split", "lowercase", "stem", "stopwords", "japanese", "stopwords_digest",
            "compounds"]
    for code in ("de", "en", "it", "es", "pt", "nl", "sv"):
        assert list(Analyzer(Settings(code)).to_json()) == keys
    assert list(Analyzer(Settings("zh", kind="tokens")).to_json()) == keys


@pytest.mark.parametrize("code", ["ru", "zh"])
def test_what_an_older_version_analyzed_otherwise_is_not_mistaken_for_the_same(code: str) -> None:
    mine = Analyzer(Settings(code, stopwords="none"))
    old = {key: value for key, value in mine.to_json().items() if key not in ("revision", "segmenter")}
    with pytest.raises(CrossbowError, match=r"revision = None \(here 2\)"):
        Analyzer.from_json(old)
    with pytest.raises(CrossbowError, match=r"revision = 2 \(here None\)"):
        Analyzer(Settings("de", stopwords="none")).check_matches({**mine.to_json(), "lang": "de"}, "the index")
    assert old["stopwords_digest"] == digest([])
