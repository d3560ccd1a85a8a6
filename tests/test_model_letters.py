"""Names in another script: mined from aligned text, learned, and spelled as words that there are."""

from __future__ import annotations

from pathlib import Path

import pytest

import crossbow
from crossbow.decode.translation import Translation
from crossbow.model import Model
from crossbow.model.letters import Letters, Names, Pair, Prefixes, is_foreign, name_pairs
from crossbow.ranking.searcher import Searcher
from training import corpus

KANA = dict(zip("かきさしたなまやらも", ("ka", "ki", "sa", "shi", "ta", "na", "ma", "ya", "ra", "mo")))
NAMES = [
    "かさ", "さかな", "しま", "きた", "なら", "やま", "もり", "まさ", "さや", "かな",
    "らま", "たき", "しか", "なや", "やもか", "ましき", "たかし", "らさき", "もも", "きまた",
]
GREEK = [
    "μαρια", "νικος", "ελενη", "κωστας", "γιαννι", "σοβια", "ανδρεα", "λινα", "τακι", "ολγα",
    "ιρινα", "δανιελ", "σιμον", "μαρκο", "κλιο", "εβα", "σαβα", "λεον", "αρτεμι", "νανα",
]


def spelled(name: str) -> str:
    return "".join(KANA.get(letter, "ri") for letter in name)


def test_letters_are_learned_from_names_and_other_pairs_are_noise() -> None:
    noise = [Pair("ほん", "library"), Pair("みず", "water"), Pair("ひと", "people"), Pair("こと", "thing")]
    letters = Letters.learned([Pair(name, spelled(name)) for name in NAMES] + noise)
    known = Prefixes(["kamakita", "kama", "library", "sashimo", "kita"])
    assert [one.word for one in letters.spellings("かまきた", known, 2)] == ["kamakita"]
    assert [one.word for one in letters.spellings("さしも", known, 2)] == ["sashimo"]
    assert letters.spellings("ほん", known, 2) == []  # not learned by heart
    assert letters.spellings("さしもん", known, 2) == []  # a character that nobody has seen
    for row in letters.chances.values():
        assert sum(row.values()) <= 1 + 1e-9


# Names as they are spelled in Cyrillic, Arabic (without short vowels) and katakana, and in Latin letters.
SCRIPTS = {
    "ru": """москва moskva, самара samara, тула tula, пермь perm, казань kazan, рязань ryazan, калуга kaluga,
        саратов saratov, ростов rostov, псков pskov, тамбов tambov, владимир vladimir, кострома kostroma, омск omsk,
        томск tomsk, иркутск irkutsk, мурманск murmansk, норильск norilsk, анадырь anadyr, магадан magadan,
        ставрополь stavropol, новгород novgorod, вологда vologda, липецк lipetsk, воронеж voronezh""",
    "ar": """دمشق dimashq, بغداد baghdad, حلب halab, بيروت beirut, طرابلس tarabulus, تونس tunis, مراكش marrakash,
        عمان amman, رام ram, نابلس nablus, سامراء samarra, كربلاء karbala, الرباط alrabat, كركوك kirkuk, مسقط masqat,
        دبي dubai, قطر qatar, بنان banan, سوسن susan, مريم maryam, كريم karim, سليم salim, سمير samir, نبيل nabil,
        رامي rami""",
    "ja": """ロンドン london, ローマ roma, トロント toronto, マドリド madrid, ドーマ doma, トマト tomato, リマ lima,
        マリ mali, ロマン roman, リド lido, ロド rodo, ドリ dori, マロン maron, トリ tori, ドマリ domari, マト mato,
        ンド ndo, モロ moro, モリ mori, トモ tomo, モンド mondo, ロモ romo, リモ rimo, ドモ domo, モト moto""",
}


@pytest.mark.parametrize(("lang", "name", "expected"), [
    ("ru", "волгоград", "volgograd"), ("ru", "коломна", "kolomna"), ("ar", "سلمان", "salman"), ("ar", "مارون", "marun"),
    ("ja", "ロマリ", "romari"), ("ja", "リモンド", "rimondo"),
])
def test_names_in_other_scripts(lang: str, name: str, expected: str) -> None:
    pairs = [Pair(*row.split()) for row in SCRIPTS[lang].split(",")]
    assert name not in dict(pairs)
    known = Prefixes([*dict(pairs).values(), expected, "library", "water"])
    assert Letters.learned(pairs).spellings(name, known, 1)[0].word == expected


def test_words_of_the_same_script_are_left_alone() -> None:
    assert all(map(is_foreign, ("москва", "ロンドン")))
    assert not any(map(is_foreign, ("haus", "2007", "москва-1", "rонда")))


def test_a_model_without_names_in_another_script_says_so_once(tmp_path_factory: pytest.TempPathFactory,
                                                              recwarn: pytest.WarningsRecorder) -> None:
    model = Model.load(corpus(tmp_path_factory) / "model")
    spelling = model.with_translation(Translation(letters=1))
    for text in ("Die Bank", "москва"):
        assert spelling.translate(text) == model.translate(text)
    assert spelling.with_translation(Translation(letters=2)).translate("Die Bank")
    assert [str(one.message).partition(":")[0] for one in recwarn] == ["translation.letters has no effect"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Greek names and some words, each in a sentence."""
    greek = dict(zip("αβγδεικλμνορστ", "avgdeiklmnorst"))
    pairs = [(f"η {name}", f"the {''.join(greek.get(letter, 'o') for letter in name)}") for name in GREEK]
    pairs += [("το σπιτι", "the house"), ("η λιμνη", "the lake")] * 4
    docs = tmp_path_factory.mktemp("letters") / "docs.tsv"
    docs.write_text("d1\tthe poet milena\nd2\tthe house\n")
    return crossbow.train([one for one, _ in pairs], [other for _, other in pairs], docs.parent / "model",
                          source_lang="el", target_lang="en", lm_text=docs)


def test_a_name_that_the_model_does_not_know_is_found(model: Model, tmp_path: Path) -> None:
    bitext, source, target = model.decoder.bitext, model.decoder.source.words, model.decoder.target.words
    assert Pair("ολγα", "olga") in name_pairs(bitext, source, target)
    found = Names(bitext, source, target).spellings(["μιλενα", "ολγα", "milena"], 2)
    assert found["μιλενα"][0] == ("milena", 0.0)
    assert set(found) == {"μιλενα"}  # the others are known, or in no other script
    docs = {"d1": "the poet milena", "d2": "the house", "d3": "the lake"}
    rows = [{"id": name, "text": text} for name, text in docs.items()]
    index = crossbow.build_index(rows, tmp_path / "index", lang="en")
    for method in ("dt", "psq", "expected", "bowfd"):
        plain = Searcher(model, index, {"method": method})
        assert "d1" not in {hit.doc for hit in plain.search("μιλενα")}
        searcher = Searcher(model, index, {"method": method, "translation.letters": 1})
        assert searcher.search("μιλενα")[0].doc == "d1"
        assert searcher.search("το σπιτι") == plain.search("το σπιτι")
        explanation = searcher.explain("η μιλενα", "d1")
        assert "milena" in [word for sentence in explanation.sentences for word in sentence.best_target]
