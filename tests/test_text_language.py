"""Language codes: one spelling for all that means the same, and errors that help."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import CrossbowError
from crossbow.text.language import _table, is_common, language_code, language_name, same_language, spelled
from crossbow.text.languages import language

TWO = sorted(_table().names)


def test_the_table_is_whole() -> None:
    assert len(TWO) == 184
    assert len(_table().shorter) == 184 + 42
    assert set(_table().shorter.values()) <= set(TWO)
    assert len(_table().codes) > 184
    assert all(len(code) == 2 and code.isascii() and code.islower() for code in TWO)
    assert not set(_table().countries) & {*TWO, *_table().shorter}
    assert set(_table().countries.values()) <= set(TWO)


@pytest.mark.parametrize(("given_code", "code"), [
    ("de", "de"), ("DE", "de"), ("deu", "de"), ("GER", "de"), (" de ", "de"), ("de-AT", "de-AT"), ("de_at", "de-AT"),
    ("deu-at", "de-AT"), ("zh-Hans", "zh-Hans"), ("ZH_HANS_cn", "zh-Hans-CN"), ("es-419", "es-419"), ("iw", "he"),
    ("ca-ES-Valencia", "ca-ES-valencia"), ("de-1996", "de-1996"),
    ("yue", "yue"), ("tlh-latn", "tlh-Latn"), ("arb_Arab", "ar-Arab"),
])
def test_spellings(given_code: str, code: str) -> None:
    assert language_code(given_code) == code
    assert language_code(code) == code


@given(st.sampled_from([*TWO, *_table().shorter, "und", "yue"]), st.sampled_from(["", "-Latn"]),
       st.sampled_from(["", "-DE", "-419"]), st.sampled_from([str.lower, str.upper, str.title]),
       st.sampled_from("-_"))
def test_every_code_has_one_spelling(code: str, script: str, region: str, spelled: object, mark: str) -> None:
    expected = language_code(code) + script + region
    assert language_code(spelled((code + script + region).replace("-", mark))) == expected  # type: ignore[operator]


@pytest.mark.parametrize(("wrong", "message"), [
    ("english", "'english' is not a language code; did you mean 'en'?"),
    ("German", "'German' is not a language code; did you mean 'de'?"),
    ("norwegian  bokmål", "did you mean 'nb'?"), ("Farsi", "did you mean 'fa'?"),
    ("Swedisch", "did you mean 'sv' (Swedish)"), ("gr", "did you mean 'el' (Greek)?"),
    ("UA", "did you mean 'uk' (Ukrainian)?"), ("egn", "'en' (English)"),
    ("rs", "did you mean 'sr' (Serbian)?"), ("ed", "did you mean 'de' (German)?"),
    ("qwx", "is not a language code"),
    ("xx", "'xx' is not a language code; give two letters, such as 'de'"), ("q", "is not a language code"),
    ("de-", "is not a language code"), ("de-en-fr", "is not a language code"), ("de AT", "is not a language code"),
    ("../x", "is not a language code"), ("", "the language is ''"), (None, "the language is None"),
])
def test_what_is_no_code(wrong: str, message: str) -> None:
    with pytest.raises(CrossbowError) as caught:
        language_code(wrong)
    assert message in str(caught.value)


@pytest.mark.parametrize(("tag", "found"), [
    ("GER", "de"), ("zh_CN", "zh-cn"), ("zho-Hans", "zh-hans"), ("sr@latin", "sr@latin"), ("X_Y", "x-y"), ("", ""),
])
def test_tags_of_files_have_one_spelling(tag: str, found: str) -> None:
    assert spelled(tag) == found


def test_common_codes() -> None:
    assert all(map(is_common, ["de", "DE", "deu", "ger", "arb"]))
    assert not any(map(is_common, ["in", "mo", "yue", "txt", "tsv", "src", "xx", "jsonl", ""]))


def test_names_and_sameness() -> None:
    assert (language_name("de-AT"), language_name("fas"), language_name("yue")) == ("German", "Persian",
                                                                                           "Yue Chinese")
    assert (language_name("fil"), language_name("qaa-DE")) == ("Filipino", "qaa-DE")
    assert same_language("de", "DEU-at")
    assert same_language("no", "nb")
    assert not same_language("da", "nb")


def test_languages_that_have_stems_and_function_words_are_in_the_table() -> None:
    assert {code for code in TWO if language(code).has_stems} > {"en", "de", "da", "it"}
    assert language("de-AT").has_stems
    assert not language("tlh").has_stems
    assert {code for code in TWO if language(code).function_words} > {"en", "de", "it", "ru", "ar", "hi", "pl"}


def test_codes_of_three_letters_are_those_of_the_standard() -> None:
    assert language_code("tlh") == "tlh"
    assert language_code("qaa") == "qaa"  # for private use
