"""Collections of every known layout open from their files; sentence pairing and the leak check do what they say."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.datasets.collection import Collection, digest_folder, write_manifest, writing
from crossbow.datasets.heldout import Copies, check_no_leak
from crossbow.datasets.pairing import _align, _deviation, length_ratio, pair_sentences, plausible
from crossbow.errors import CrossbowError, InputError
from crossbow.records import Query, read_queries, write_lines
from reference.datasets import alignment_cost, all_alignments


def fill(folder: Path, files: dict[str, str]) -> Path:
    for name, content in files.items():
        write_lines(folder / name, content.splitlines())
    return folder


OWN = {
    "train.de": "Ein schneller Editor für die Konsole.\nDas Paket enthält Dokumentation.",
    "train.en": "A fast editor for the console.\nThe package contains documentation.",
    "train.groups": "vim\nvim-doc",
    "tune.de": "Ein Werkzeug zum Packen von Dateien.", "tune.en": "A tool that packs files.",
    "docs.tsv": "mutt\tmail reader. Reads mail in a terminal.\nvim\teditor. Edits text.",
    **{f"queries.{split}.tsv": f"{doc}\tLiest elektronische Post." for split, doc in
       (("train", "vim"), ("dev", "mutt"), ("test", "elm"))},
    **{f"queries-long.{split}.tsv": f"{doc}\tLiest elektronische Post. Läuft in der Konsole." for split, doc in
       (("train", "vim"), ("dev", "mutt"), ("test", "elm"))},
    "queries.train.groups": "vim", "queries.dev.groups": "mutt", "queries.test.groups": "elm",
    **{f"qrels.{split}.txt": "mutt 0 mutt 3\nmutt 0 vim 1" for split in ("train", "dev", "test")},
}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    with writing(tmp_path / "own") as folder:
        fill(folder, OWN)
        write_manifest(folder, {"name": "tiny", "source": "de", "target": "en"})
    return tmp_path / "own"


def test_own_layout(own: Path) -> None:
    collection = Collection.open(own)
    assert (collection.name, collection.source, collection.target) == ("tiny", "de", "en")
    assert [doc.id for doc in collection.docs()] == ["mutt", "vim"]
    assert list(collection.queries("dev")) == [Query("mutt", "Liest elektronische Post.")]
    assert next(collection.queries("dev", long=True)).text == "Liest elektronische Post. Läuft in der Konsole."
    assert collection.qrels("test") == {"mutt": {"mutt": 3, "vim": 1}}
    assert list(collection.pairs())[1] == ("Das Paket enthält Dokumentation.", "The package contains documentation.")
    assert len(list(collection.tuning())) == 1
    assert collection.train_groups() == ["vim", "vim-doc"]
    assert collection.manifest["digest"] == digest_folder(own)


def test_digest_covers_names_and_bytes(own: Path) -> None:
    before = digest_folder(own)
    (own / "tune.en").write_text("other\n")
    changed = digest_folder(own)
    (own / "tune.en").rename(own / "tune.fr")
    assert len({before, changed, digest_folder(own)}) == 3


def test_writing_replaces_only_collections_and_only_when_complete(own: Path, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), writing(own):
        raise RuntimeError("interrupted")
    assert next(Collection.open(own).docs()).id == "mutt"
    with writing(own) as folder:
        fill(folder, {"docs.tsv": "x\ty"})
        write_manifest(folder, {"name": "new", "source": "de", "target": "en"})
    assert Collection.open(own).name == "new"
    assert [file.name for file in tmp_path.iterdir()] == ["own"]
    precious = fill(tmp_path / "precious", {"thesis.txt": "text"})
    with pytest.raises(InputError, match="will not be overwritten"), writing(precious):
        pass
    assert (precious / "thesis.txt").exists()


def test_a_damaged_manifest_is_named(own: Path) -> None:
    (own / "collection.json").write_text('{"name": "tiny"')
    with pytest.raises(InputError, match="damaged"):
        Collection.open(own)
    (own / "collection.json").write_text(json.dumps({"name": "tiny"}))
    with pytest.raises(InputError, match="damaged"):
        Collection.open(own)


def triples(prefix: str, query: str) -> dict[str, str]:
    files = {}
    for split in ("train", "dev", "test"):
        files[f"{prefix}{split}.queries"] = f"{split}1\t{query}"
        files[f"{prefix}{split}.docs"] = f"d-{split}\tone two three"
        files[f"{prefix}{split}.qrels"] = f"{split}1\td-{split}\t3"
    return files


@pytest.mark.parametrize("prefix", ["", "wiki.", "clir_"])
def test_wikiclir(tmp_path: Path, prefix: str) -> None:
    collection = Collection.open(fill(tmp_path, triples(prefix, "ist eine Stadt in Hessen .")))
    assert (collection.name, collection.source) == ("wikiclir", "de")
    assert [doc.id for doc in collection.docs("dev")] == ["d-dev"]
    assert list(collection.queries("test")) == [Query("test1", "ist eine Stadt in Hessen .")]
    assert collection.qrels("train") == {"train1": {"d-train": 3}}
    with pytest.raises(CrossbowError, match="no parallel text"):
        collection.pairs()
    with pytest.raises(CrossbowError, match="no long queries"):
        collection.queries("test", long=True)
    with pytest.raises(CrossbowError, match="no groups"):
        collection.query_groups("test")


def test_boostclir(tmp_path: Path) -> None:
    for number, query in enumerate(("本発明は装置に関する。その装置は軽い。", "半導体装置製造方法")):
        collection = Collection.open(fill(tmp_path / str(number), triples("", query)))
        assert (collection.name, collection.source) == ("boostclir", "ja")


def test_boostclir_as_it_is_released(tmp_path: Path) -> None:
    """Queries name patents, and their text stands in a file of its own."""
    fill(tmp_path, {**triples("", "JP-2001-7"), "text.ja.tsv": "JP-2001-7\t本発明は装置に関する。\nJP-2001-8\t他。"})
    collection = Collection.open(tmp_path)
    assert (collection.name, collection.source) == ("boostclir", "ja")
    (query,) = collection.queries("dev")
    (judged,) = collection.judged("dev")
    assert query.text == judged.text == "本発明は装置に関する。"
    written = collection.spelled_out(tmp_path / "out")
    assert list(read_queries(written.splits["dev"].queries)) == [query]
    assert written.judged("dev") == [judged]
    assert written.spelled_out(tmp_path / "again") is written
    fill(tmp_path, {"text.ja.tsv": "JP-2001-8\t他。"})
    with pytest.raises(InputError, match=r"no text for 'JP-2001-7', which the query .* names"):
        list(Collection.open(tmp_path).queries("dev"))


def test_file_names_that_tell_languages(tmp_path: Path) -> None:
    files = {"docs.en.tsv.xz": "A1\tKinkaku. A temple.", "parallel.ja-en.tsv.xz": "金閣\tKinkaku"}
    for split in ("train", "dev", "test"):
        files |= {f"queries.{split}.ja.tsv": "A1\t寺である。", f"qrels.{split}.txt": "A1 0 A1 3"}
    collection = Collection.open(fill(tmp_path, files))
    assert (collection.source, collection.target) == ("ja", "en")
    assert list(collection.pairs()) == [("金閣", "Kinkaku")]
    assert [doc.id for doc in collection.docs("train")] == ["A1"]
    with pytest.raises(CrossbowError, match="no text for tuning"):
        collection.tuning()
    fill(tmp_path, {"docs.en.tsv": "A1\tKinkaku."})
    with pytest.raises(InputError, match=r"both docs\.en\.tsv and docs\.en\.tsv\.xz"):
        Collection.open(tmp_path)


def test_queries_in_both_languages_and_shared_parallel_text(tmp_path: Path) -> None:
    files = {"topics/docs.en.tsv": "s1\tMadam President.", "talks.de-en.tsv": "Frau\tMadam", "talks.fr-en.tsv": "x\ty"}
    for split in ("dev", "test"):
        files |= {f"topics/queries.{split}.{language}.tsv": f"q1\t{language}" for language in ("de", "en")}
        files[f"topics/qrels.{split}.txt"] = "q1 0 s1 1"
    collection = Collection.open(fill(tmp_path, files) / "topics")
    assert (collection.name, collection.source, collection.target) == ("topics", "de", "en")
    assert list(collection.pairs()) == [("Frau", "Madam")]
    assert [query.text for query in collection.queries("test")] == ["de"]
    assert collection.splits["test"].original == tmp_path / "topics" / "queries.test.en.tsv"
    (tmp_path / "topics" / "queries.dev.fr.tsv").write_text("q1\tfr")
    with pytest.raises(InputError, match="not a test collection"):
        Collection.open(tmp_path / "topics")  # which language is asked in?


def test_unknown_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a test collection"):
        Collection.open(tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        Collection.open(tmp_path / "none")


def test_leak_check(own: Path) -> None:
    assert check_no_leak(Collection.open(own)) > 0
    for name, leaked in (("train.en", "And: reads mail in a  TERMINAL!\n"), ("train.de", "Läuft in der Konsole\n"),
                         ("tune.en", "Reads mail in a terminal.\n")):
        before = (own / name).read_text()
        (own / name).write_text(before.partition("\n")[0] + "\n" + leaked if "train" in name else leaked)
        if leaked.startswith("And"):
            assert check_no_leak(Collection.open(own)) > 0  # a longer sentence is no copy
        else:
            with pytest.raises(InputError, match="text is trained on"):
                check_no_leak(Collection.open(own))
        (own / name).write_text(before)
    (own / "train.groups").write_text("vim\nelm\n")
    with pytest.raises(InputError, match="both trained on and held out"):
        check_no_leak(Collection.open(own))


WORDS = st.lists(st.sampled_from(["alpha", "beta", "gamma"]), max_size=9)


@given(texts=st.lists(WORDS, max_size=4), sentence=WORDS)
def test_copies_equal_a_plain_search(texts: list[list[str]], sentence: list[str]) -> None:
    copies = Copies()
    for text in texts:
        copies.add(" ".join(text).upper() + ".")
    if len(sentence) < 5:
        expected = sentence != [] and sentence in texts
    else:
        expected = any(sentence == text[i:i + len(sentence)] for text in texts for i in range(len(text)))
    assert copies.covers("  ".join(sentence) + " 42!") == expected


def test_pairs_one_to_one_and_merged() -> None:
    german = ["Das ist ein Satz über Katzen und Hunde.", "Er ist kurz.", "Hier steht noch ein dritter Satz dazu."]
    english = ["This is a sentence about cats and dogs.", "It is short.", "Here is one more sentence, the third."]
    assert pair_sentences(german, english, 1.0) == list(zip(german, english))
    merged = [german[0], " ".join(german[1:])]
    assert pair_sentences(merged, english, 1.0) == [(german[0], english[0]), (merged[1], " ".join(english[1:]))]


def test_a_passage_with_a_hole_is_dropped_or_kept_whole() -> None:
    long = "word " * 60
    assert pair_sentences([long], ["Short."], 1.0) == []
    assert pair_sentences(["Eins zwei drei vier."], [], 1.0) == []
    assert length_ratio([("ab", "abcd")] * 1000) == pytest.approx(2.0, abs=0.01)
    assert not plausible("x" * 100, "x" * 20, 1.0)


LENGTHS = st.lists(st.integers(1, 120), max_size=4)


@given(source=LENGTHS, target=LENGTHS)
def test_alignment_is_the_cheapest_of_all(source: list[int], target: list[int]) -> None:
    beads = _align(source, target, 1.1)
    assert [place for bead in beads for place in range(bead[0], bead[1])] == list(range(len(source)))
    assert [place for bead in beads for place in range(bead[2], bead[3])] == list(range(len(target)))

    def cost(steps: list[tuple[int, int]]) -> float:
        return alignment_cost(steps, source, target, 1.1, _deviation)

    best = min(map(cost, all_alignments(len(source), len(target))))
    assert cost([(i2 - i, j2 - j) for i, i2, j, j2 in beads]) == pytest.approx(best)
