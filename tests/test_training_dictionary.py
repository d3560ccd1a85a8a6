"""Models of a dictionary: what they translate, how they count words, and what is wrong with files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, build
from crossbow.model import Model
from crossbow.ranking.searcher import search
from crossbow.records import Doc, write_lines
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary, link_words
from crossbow.training.supplied import SuppliedConfig
from supplies import ARPA
from training import ENGLISH, GERMAN, contents, litter

CONFIG = SuppliedConfig(GERMAN, ENGLISH)
ENTRIES = [
    "Schloss\tcastle\t0.6", "Schloss\tlock\t0.4", "alt\told\t1", "Haus\thouse\t1", "Tür\tdoor\t1", "auf\ton\t1",
    "guten Tag\thello\t1", "auf dem Land\tin the countryside\t1", "Land\tcountry\t0.9", "Land\tland\t0.1",
]  # fmt: skip
TEXT = ["the old castle", "the castle of the king", "a door and a lock", "the lock of the door", "the country house",
        "in the countryside", "hello", "an old house"]  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dictionary, a text, and the model of both."""
    folder = tmp_path_factory.mktemp("supplied")
    write_lines(folder / "de-en.tsv", ENTRIES)
    write_lines(folder / "text", TEXT)
    (folder / "lm.arpa").write_text(ARPA)
    from_dictionary(folder / "de-en.tsv", folder / "model", CONFIG, lm_texts=[folder / "text"])
    return folder


@pytest.fixture(scope="module")
def model(place: Path) -> Model:
    return Model.load(place / "model")


def translations(model: Model, text: str) -> set[str]:
    return set(model.forest(text).words)


def test_words_and_phrases_are_translated(model: Model) -> None:
    assert model.best(model.forest("altes Schloss")) == ["old", "castle"]
    assert {"castle", "lock"} <= translations(model, "Schloss")
    assert model.best(model.forest("Guten Tag")) == ["hello"]
    assert model.best(model.forest("auf dem Land")) == ["in", "the", "countryside"]
    assert "xyzzy" in translations(model, "Xyzzy")  # unknown words pass


def test_probabilities_are_those_of_the_dictionary(model: Model) -> None:
    assert model.lexicon.translations("schloss") == [("castle", 0.6), ("lock", 0.4)]
    land = dict(model.lexicon.translations("land"))
    assert land["country"] > 5 * land["land"]
    rules = model.decoder.rules(["schloss"])
    assert rules.counts.tolist() == [3, 2]  # repeated no more than needed


def test_words_that_the_dictionary_lacks(model: Model) -> None:
    """Inflected ones are taken for their basic form, compounds are taken apart, as a whole they come first."""
    assert model.tokens("Die Häuser, alte Türen") == ["die", "haus", ",", "alt", "tür"]
    assert model.tokens("Landhaus") == ["land", "haus"]
    assert model.best(model.forest("alten Haus")) == ["old", "house"]
    assert model.tokens("Landhausschloss") == ["land", "haus", "schloss"]


def test_search_with_a_dictionary(place: Path, model: Model) -> None:
    """A document makes the decoder choose; repeated builds give the same model."""
    docs = [Doc("castle", "An old castle."), Doc("lock", "A lock, a lock, old and rusty."), Doc("house", "A house.")]
    build(place / "index", docs, Analyzer(Settings("en")), workers=1)
    index = Index.load(place / "index")
    assert {hit.doc for hit in search("altes Schloss", index, model)} == {"castle", "lock"}
    assert {hit.doc for hit in search("Schlösser", index, model, method="psq")} == {"castle", "lock"}
    again = from_dictionary(place / "de-en.tsv", place / "again", CONFIG, lm_texts=[place / "text"])
    assert contents(place / "again") == contents(place / "model")
    assert again["signature"] == model.signature
    assert litter(place) == []


def test_a_dictionary_without_probabilities_and_text(tmp_path: Path) -> None:
    """Translations count alike, double entries once; the language model is that of the translations."""
    write_lines(tmp_path / "d", ["Bank\tbank", "Bank\tbench", "Bank\tbank", "Bank\tthe old bank"])
    summary = from_dictionary(tmp_path / "d", tmp_path / "model", CONFIG)
    assert (summary["entries"], summary["headwords"], summary["lm_tokens"]) == (3, 1, 5)
    model = Model.load(tmp_path / "model")
    assert model.decoder.rules(["bank"]).counts.tolist() == [1, 1, 1]


def test_an_arpa_file_for_the_language_model(place: Path, tmp_path: Path) -> None:
    from_dictionary(place / "de-en.tsv", tmp_path / "model", CONFIG, arpa=place / "lm.arpa")
    model = Model.load(tmp_path / "model")
    lm, ids = model.decoder.lm, model.decoder.target.ids(["lock", "unheard", "house"])
    assert lm.knows(ids).tolist() == [True, True, False]
    assert lm.score(ids[:1]) == pytest.approx(-0.1 - 0.2)
    assert model.best(model.forest("Schloss")) == ["lock"]


WORDS = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(tuple)


@given(left=WORDS, right=WORDS, single=st.sets(st.tuples(st.sampled_from("abcd"), st.sampled_from("abcd"))))
@settings(deadline=None)
def test_links_of_entries(left: tuple[str, ...], right: tuple[str, ...], single: set[tuple[str, str]]) -> None:
    known: dict[tuple[str, ...], dict[tuple[str, ...], float]] = {}
    for one, other in single:
        known.setdefault((one,), {})[other,] = 1.0
    links = link_words(left, right, known)
    assert len(set(links)) == len(links)
    pairs = {(i, j) for i, j in links if (left[i], right[j]) in single}
    assert {j for _, j in links} == set(range(len(right)))  # translations stay whole
    if not pairs:
        assert links == [(i, j) for i in range(len(left)) for j in range(len(right))]
    possible = {(i, j) for i in range(len(left)) for j in range(len(right)) if (left[i], right[j]) in single}
    assert bool(pairs) == bool(possible)


def test_links_of_an_idiom_and_its_words() -> None:
    known = {("bank",): {("bank",): 1.0, ("bench",): 1.0}, ("england",): {("england",): 1.0}}
    assert link_words(("bank", "von", "england"), ("bank", "of", "england"), known) == [(0, 0), (1, 1), (2, 2)]
    assert link_words(("guten", "tag"), ("hello",), known) == [(0, 0), (1, 0)]
    assert link_words(("bank",), ("the", "bank", "there"), known) == [(0, 0), (0, 1), (0, 2)]
    assert link_words(("die", "bank"), ("bench",), known) == [(1, 0)]


def test_the_signature_stays_what_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_lines("d.tsv", ["Schloss\tcastle\t0.7", "Schloss\tlock\t0.3", "alt\told\t1", "alte Schule\told school\t1"])
    write_lines("text", ["the old castle", "the lock"])
    summary = from_dictionary("d.tsv", "model", CONFIG, lm_texts=["text"])
    assert summary["signature"] == Model.load("model").signature == "7d2313885bcd"


def test_nothing_is_left_of_a_failure(place: Path, tmp_path: Path) -> None:
    """Errors of all the readers come through, and no folder appears."""
    shutil.copy(place / "de-en.tsv", tmp_path / "d")
    (tmp_path / "bad").write_text("a\tb\tmaybe")
    (tmp_path / "dots").write_text("a\t\x01\n")
    (tmp_path / "bad.arpa").write_text(ARPA.replace("-0.3\tlock", "nan\tlock"))
    (tmp_path / "other.arpa").write_text(ARPA.replace("castle", "xx").replace("lock", "yy"))
    out = tmp_path / "model"
    for arguments, more, message in [
        ("bad", {}, "bad:1: the probability 'maybe'"),
        ("dots", {}, "dots: no entry has 1 to 100 words on both sides"),
        ("d", {"arpa": tmp_path / "bad.arpa"}, "bad.arpa:10: log10 probability nan"),
        ("d", {"arpa": tmp_path / "other.arpa"}, "other.arpa: knows no word of the target text"),
        ("d", {"arpa": tmp_path / "nowhere"}, "nowhere: cannot be read"),
        ("d", {"lm_texts": [tmp_path / "nowhere"]}, "nowhere: no such file"),
        ("d", {"arpa": place / "lm.arpa", "lm_texts": [place / "text"]}, "not both"),
    ]:  # fmt: skip
        with pytest.raises(CrossbowError) as caught:
            from_dictionary(tmp_path / arguments, out, CONFIG, **more)  # type: ignore[arg-type]
        assert message in str(caught.value)
        assert not out.exists()
    out.mkdir()
    (out / "mine").touch()
    with pytest.raises(InputError, match="will not be overwritten"):
        from_dictionary(tmp_path / "d", out, CONFIG)
