"""The demo collection keeps its promises: clean text, sound judgments, and the phenomena it is written to show."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from itertools import chain
from pathlib import Path

import pytest

from crossbow.datasets.collection import Collection
from crossbow.datasets.demo import load
from crossbow.errors import CrossbowError
from crossbow.text.sentences import split_sentences

# German forms of an ambiguous word -> one set of English words per sense.
SENSES = {
    "Bank Bänke Banken": ["bank banks", "bench benches"],
    "Schloss": ["castle palace", "lock"],
    "Zug Züge Zügen": ["train trains", "draught draughts", "move moves"],
    "Gericht Gerichte": ["court", "dish dishes"],
    "Leitung Leitungen": ["pipe pipes", "management", "line"],
    "Kiefer Kiefern": ["jaw", "pine pines"],
    "Strauß Strauße Straußes Sträuße": ["ostrich ostriches", "bouquet bouquets"],
    "Ton": ["clay", "sound note"],
    "Läufer": ["runner runners", "bishop bishops", "rug"],
    "Birne Birnen": ["pear pears", "bulb"],
    "Mutter Muttern": ["mother", "nut nuts"],
    "Schalter": ["counter", "switch"],
    "Blatt Blätter": ["leaf leaves", "sheet sheets"],
    "Decke Decken": ["blanket blankets", "ceiling"],
    "Absatz": ["heel", "paragraph", "sales"],
    "Feder Federn": ["spring", "feather feathers"],
    "Stift Stifte": ["pen pens", "pin"],
    "Ball": ["ball", "dance"],
    "Hahn": ["cock rooster", "tap faucet"],
    "Kreuzung": ["crossroads junction", "cross crossbreed"],
    "Tor Tore": ["gate", "goal goals"],
    "Flügel": ["wing wings", "piano"],
    "Auflauf": ["casserole bake", "crowd"],
    "Steuer Steuern": ["tax taxes", "wheel"],
    "Band Bänden": ["ribbon", "volume volumes", "band"],
    "Karte Karten": ["map maps", "card cards", "ticket tickets", "menu"],
    "Schein Scheine": ["note notes", "glow"],
    "Satz": ["sentence", "set"],
    "Futter": ["feed food", "lining"],
    "Pflaster": ["plaster plasters", "paving"],
    "Stock": ["floor", "stick"],
    "Note Noten": ["mark marks grade grades", "note notes"],
    "Rolle Rollen": ["role", "roll rolls"],
    "Scheibe Scheiben": ["slice slices", "pane panes"],
    "Linse Linsen": ["lens", "lentils"],
    "Schlange Schlangen": ["snake snakes", "queue"],
    "Bauer Bauern": ["farmer farmers", "pawn pawns"],
    "Dame Damen": ["lady ladies", "queen"],
    "Turm": ["tower", "rook"],
    "Springer": ["knight knights", "jumper"],
    "Anlage Anlagen": ["plant plants", "attachment", "investment investments"],
    "Netz": ["net", "network"],
    "Strom": ["electricity power", "stream river"],
    "Becken": ["pool", "pelvis"],
    "Krebs Krebse": ["cancer", "crayfish"],
    "Pass": ["passport", "pass"],
    "Glas Gläser": ["glass glasses", "jar jars"],
    "Schale Schalen": ["bowl bowls", "peel"],
    "Messe": ["fair", "mass"],
    "Kurs": ["course", "rate price"],
    "Rat": ["advice", "council"],
    "Gang Gänge Ganges": ["corridor", "gear gears"],
    "Mandel Mandeln": ["almond almonds", "tonsils"],
    "Bremse Bremsen": ["brake brakes", "horsefly horseflies"],
    "Welle Wellen": ["wave waves", "shaft"],
    "Erde": ["earth", "soil"],
    "Anzeige": ["display", "advertisement advert"],
    "Kapelle": ["chapel", "band"],
    "Tau": ["dew", "rope"],
    "Schuppen": ["shed", "scales"],
    "Bogen Bögen": ["bow", "arch arches"],
    "Platte Platten": ["record records", "slab slabs"],
    "Wirtschaft": ["economy", "pub"],
    "Star Stare": ["starling starlings", "star"],
}

# Compounds that occur in queries alone, with parts that training knows.
COMPOUNDS = """
    Schloss-führung Park-bänke Fahrrad-schloss Zug-verspätung Schach-partie Gericht-s-urteil Linsen-gericht
    Kiefern-holz Strauß-en-ei Birnen-kuchen Hunde-steuer Wasser-hahn Konzert-flügel Buch-messe Lungen-krebs
    Geld-scheine Jazz-platten Bank-konto Garten-bank Tür-schloss Marathon-läufer Hotel-leitung Kiefer-operation
    Rosen-strauß Licht-schalter Rosen-blätter Zimmer-decke Schuh-absatz Stahl-feder Kartoffel-auflauf Aktien-kurs
    Blumen-erde Brücke-n-bogen Dorf-kapelle Fischer-netz Vogel-futter Mantel-futter Strom-ausfall"""

NAMES = """
    Morwinkel Lindquell Velorix Krauntal Hirsenau Tessenbruck Hedda Lauenroth Petra Zwirnlein Sefi Marund Wiebke Tarnow
    Glimmix Anselm Korvath"""

# A German word and English synonyms that training shows for it; some document has only the second one.
SYNONYMS = {"Arzt": ("doctor", "physician"), "Auto": ("car", "automobile"), "Schloss": ("castle", "palace"),
            "Hahn": ("tap", "faucet"), "Anwalt": ("lawyer", "attorney"), "Aufzug": ("lift", "elevator"),
            "Wohnung": ("flat", "apartment"), "Kreuzung": ("crossroads", "junction"), "Auflauf": ("casserole", "bake")}

GERMAN_QUERIES = [query for split in load.SPLITS for query in load.queries(split)]


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.fixture(scope="module")
def train() -> list[tuple[str, str]]:
    return load.train_pairs()


@pytest.fixture(scope="module")
def german(train: list[tuple[str, str]]) -> Counter[str]:
    return Counter(word.lower() for source, _ in train for word in words(source))


def test_sizes(train: list[tuple[str, str]], german: Counter[str]) -> None:
    assert len(train) >= 2000
    assert 140 <= len(load.tune_pairs()) <= 200
    assert len(load.documents()) >= 200
    assert len(load.queries("dev")) >= 20
    assert len(load.queries("test")) >= 40
    assert len(german) >= 2500
    assert sum(count >= 3 for count in german.values()) > .7 * len(german)


def test_everything_is_distinct_and_held_out(train: list[tuple[str, str]]) -> None:
    tune, docs = load.tune_pairs(), load.documents()
    assert len(set(train)) == len(train)
    assert len(set(tune)) == len(tune)
    assert len({doc.id for doc in docs}) == len({doc.text for doc in docs}) == len(docs)
    assert len({query.id for query in GERMAN_QUERIES}) == len({q.text for q in GERMAN_QUERIES}) == len(GERMAN_QUERIES)

    trained, tuned = set(chain.from_iterable(train)), set(chain.from_iterable(tune))
    asked = {sentence.rstrip(".?!") for query in GERMAN_QUERIES for sentence in split_sentences(query.text, "de")}
    told = {sentence.rstrip(".?!") for doc in docs for sentence in split_sentences(doc.text, "en")}
    assert not trained & tuned
    assert not {sentence.rstrip(".?!") for sentence in trained | tuned} & (asked | told)


def test_text_is_clean(train: list[tuple[str, str]]) -> None:
    texts = [*chain.from_iterable(train), *chain.from_iterable(load.tune_pairs()),
             *chain.from_iterable(doc[:3] for doc in load.documents()), *chain.from_iterable(GERMAN_QUERIES)]
    for text in texts:
        assert text == unicodedata.normalize("NFC", text)
        assert text == " ".join(text.split()), "no tabs, no line breaks, single spaces, none at the ends"
        assert text.isprintable()
        assert not re.search(r"[|{}\[\]$<>_]| [.,!?]", text), f"markup or a stray space: {text}"


def test_sentences_have_a_decent_length_and_shape(train: list[tuple[str, str]]) -> None:
    for sentence in chain.from_iterable([*train, *load.tune_pairs()]):
        assert 4 <= len(sentence.split()) <= 20, sentence
        assert sentence[0].isupper(), sentence
        assert sentence[-1] in ".?!", sentence


def test_documents_and_queries_have_a_decent_length() -> None:
    for doc in load.documents():
        assert 40 <= len(doc.text.split()) <= 140, doc.id
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", doc.id)
        assert doc.title
        assert doc.title[-1] not in ".?!", "a period joins title and text"
    for query in GERMAN_QUERIES:
        assert 4 <= len(query.text.split()) <= 30, query.id
    assert sum(len(split_sentences(query.text, "de")) > 1 for query in GERMAN_QUERIES) >= 8


@pytest.mark.parametrize("split", load.SPLITS)
def test_judgments_are_sound(split: str) -> None:
    ids, judged = {doc.id for doc in load.documents()}, load.qrels(split)
    assert judged.keys() == {query.id for query in load.queries(split)}
    for query, levels in judged.items():
        assert levels.keys() <= ids, query
        assert 1 <= len(levels) <= 6
        assert 3 in levels.values(), query
    assert {level for levels in judged.values() for level in levels.values()} == {1, 2, 3}


@pytest.mark.parametrize("forms", SENSES)
def test_training_shows_every_sense(forms: str, train: list[tuple[str, str]]) -> None:
    with_word = [set(words(english.lower())) for source, english in train if set(forms.split()) & set(words(source))]
    for sense in SENSES[forms]:
        shown = sum(bool(set(sense.split()) & english) for english in with_word)
        assert shown >= 5, f"{forms} as {sense}: {shown} times"


def test_senses_meet_in_the_documents() -> None:
    """For most ambiguous words, documents of at least two senses compete."""
    texts = [set(words(doc.text.lower())) for doc in load.documents()]
    rivals = [forms for forms, senses in SENSES.items()
              if sum(any(set(sense.split()) & text for text in texts) for sense in senses) >= 2]
    assert len(rivals) > .9 * len(SENSES)


def test_compounds_of_queries_are_new_but_their_parts_are_not(german: Counter[str]) -> None:
    asked = {word.lower() for query in GERMAN_QUERIES for word in words(query.text)}
    for compound in COMPOUNDS.split():
        first, *_, last = compound.lower().split("-")
        whole = compound.replace("-", "").lower()
        assert whole in asked, compound
        assert not german[whole], compound
        assert german[first] >= 1, compound
        assert german[last] >= 1, compound


def test_names_are_in_queries_and_documents_but_never_in_training(train: list[tuple[str, str]]) -> None:
    asked = {word for query in GERMAN_QUERIES for word in words(query.text)}
    told = {word for doc in load.documents() for word in words(f"{doc.title} {doc.text}")}
    trained = {word.lower() for word in words(" ".join(chain.from_iterable([*train, *load.tune_pairs()])))}
    for name in NAMES.split():
        assert name in asked, name
        assert name in told, name
        assert name.lower() not in trained, name


def test_all_other_query_words_are_known(german: Counter[str]) -> None:
    expected = set(NAMES.lower().split()) | set(COMPOUNDS.replace("-", "").lower().split())
    unknown = {word.lower() for query in GERMAN_QUERIES for word in words(query.text) if not german[word.lower()]}
    assert unknown == expected


@pytest.mark.parametrize(("word", "common", "rare"), [(word, *pair) for word, pair in SYNONYMS.items()])
def test_documents_use_synonyms_that_training_knows(word: str, common: str, rare: str,
                                                    train: list[tuple[str, str]]) -> None:
    english = [set(words(target.lower())) for source, target in train if word in words(source)]
    assert sum(common in target for target in english) >= 3
    assert sum(rare in target for target in english) >= 1
    texts = [set(words(f"{doc.title} {doc.text}".lower())) for doc in load.documents()]
    assert any(rare in text and common not in text for text in texts)


def test_written_folder_is_a_collection(tmp_path: Path, train: list[tuple[str, str]]) -> None:
    collection = load.write(tmp_path / "demo")
    assert (collection.name, collection.source, collection.target) == ("demo", "de", "en")
    assert collection.manifest["counts"] == {"docs": len(load.documents()), "train": len(train),
                                             "tune": len(load.tune_pairs()),
                                             "queries.dev": len(load.queries("dev")),
                                             "queries.test": len(load.queries("test"))}
    again = Collection.open(tmp_path / "demo")
    assert [doc.text for doc in again.docs()] == [f"{doc.title}. {doc.text}" for doc in load.documents()]
    for split in load.SPLITS:
        assert list(again.queries(split)) == load.queries(split)
        assert again.qrels(split) == load.qrels(split)
    for part, pairs in (("train", train), ("tune", load.tune_pairs())):
        files = [tmp_path / "demo" / f"{part}.{language}" for language in ("de", "en")]
        assert list(zip(*(file.read_text(encoding="utf8").splitlines() for file in files), strict=True)) == pairs
    digest = collection.manifest["digest"]
    assert load.write(tmp_path / "demo").manifest["digest"] == digest, "the same bytes every time"


def test_a_split_that_is_not_there() -> None:
    with pytest.raises(CrossbowError, match="no split 'train'"):
        load.queries("train")
