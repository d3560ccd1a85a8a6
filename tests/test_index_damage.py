"""Damaged bytes in the arrays of an index: searching, explaining and showing documents end in hits or in one readable
error, never in a crash, nor in a traceback. Files count as large here, so that nothing is found by its checksum."""

from __future__ import annotations

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossbow import store
from crossbow.errors import CrossbowError, InputError
from crossbow.index import Index, add, build, delete
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25, term_lists
from crossbow.ranking.filters import Filter
from crossbow.ranking.searcher import Searcher, search
from crossbow.records import Doc, Hit
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.training.dictionary import from_dictionary
from crossbow.training.supplied import SuppliedConfig
from folders import flip
from training import run_python

WORDS = {"Schloss": "castle lock", "alt": "old", "Haus": "house home", "See": "lake sea", "Baum": "tree",
         "grün": "green"}
QUERY = "altes Schloss und grünes Haus am See"
METHODS = ("dt", "psq", "bowfd", "expected")
FLIPS = 8  # of each file


def make(folder: Path) -> None:
    """A model, and an index of two segments, one with a deleted document."""
    (folder / "dictionary.tsv").write_text("".join(
        f"{word}\t{other}\n" for word, others in WORDS.items() for other in others.split()), "utf8")
    from_dictionary(folder / "dictionary.tsv", folder / "model", SuppliedConfig(Settings("de"), Settings("en")))
    rng, words = random.Random(1), [*" ".join(WORDS.values()).split(), "füllt", "text"]
    docs = [Doc(f"d{n}", " ".join(rng.choices(words, k=rng.randrange(1, 9))), "Title") for n in range(60)]
    build(folder / "index", [*docs, Doc("ü", "a castle by the lake")], Analyzer(Settings("en")))
    add(folder / "index", [Doc("late", "an old house")])
    delete(folder / "index", ["d3"])


def answers(index: Index, model: Model) -> list[object]:
    """All that an index is asked in searching, explaining and showing hits."""
    found: list[object] = []
    for method in METHODS:
        searcher = Searcher(model, index, {"method": method})
        hits = searcher.search(QUERY, k=50)
        found += [list(hits), [index.doc(index.number(hit.doc)) for hit in hits[:3]]]
        found += [searcher.explain(QUERY, hit.doc).to_json() for hit in hits[:2]]
        found.append([hit.doc for hit in searcher.search(QUERY, 5, Filter(having=("lake",), id_prefix="d"))])
    found += [list(map(index.df, ("castl", "tree", "zebra"))), [index.number(f"d{n}") for n in range(0, 60, 7)]]
    return found


def damages(folder: Path, seed: int) -> Iterator[tuple[Path, int, int]]:
    """Places in all arrays, and how to change them: a bit, or a whole byte. The last bytes are the most significant."""
    rng = random.Random(seed)
    for file in sorted(folder.rglob("*.npy")):
        size = file.stat().st_size
        for n in range(FLIPS):
            at = rng.randrange(128 if n else 0, size) if size > 128 else rng.randrange(size)
            yield file, at, rng.choice([1 << rng.randrange(8), 0x80, 0xFF])


def survive(folder: Path, seed: int) -> Counter[str]:
    """Damage an index at one place after another, and count what comes of it."""
    store.SMALL = 0
    model, sound = Model.load(folder / "model"), answers(Index.load(folder / "index"), Model.load(folder / "model"))
    outcomes: Counter[str] = Counter()
    for file, at, mask in damages(folder / "index", seed):
        good = file.read_bytes()
        flip(file, at, mask)
        try:
            found = answers(Index.load(folder / "index"), model)
            outcomes["right" if found == sound else "changed"] += 1
            for hits in found:
                if isinstance(hits, list) and hits and isinstance(hits[0], Hit):
                    assert all(abs(hit.score) < 1e6 for hit in hits), (file, at, mask)
        except CrossbowError:
            outcomes["refused"] += 1
        except BaseException as error:
            raise AssertionError(f"{file.name} {at} {mask}") from error
        file.write_bytes(good)
    return outcomes


SCRIPT = """
import json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_index_damage import survive
print(json.dumps(survive(Path(sys.argv[2]), int(sys.argv[3]))))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("damage")
    make(folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "copy"))


@pytest.mark.parametrize(("bounds", "seed"), [("1", 1), ("0", 2)], ids=["bounds checked", "as users have it"])
def test_damage_never_crashes(folder: Path, bounds: str, seed: int) -> None:
    """In a process of its own. Bounds checks notice a kernel that reads elsewhere even if nothing comes of it."""
    done = run_python(SCRIPT, Path(__file__).parent, folder, str(seed), env={**os.environ, "NUMBA_BOUNDSCHECK": bounds})
    assert done.returncode == 0, done.stderr
    outcomes = json.loads(done.stdout)
    assert outcomes["refused"] > 20
    assert outcomes["right"] > 20


def set_value(file: Path, place: int, value: int) -> None:
    array = store.map_array(file)
    with file.open("r+b") as handle:
        handle.seek(file.stat().st_size - array.nbytes + place * array.itemsize)
        handle.write(int(value).to_bytes(array.itemsize, "little", signed=True))


@pytest.fixture
def segment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the first segment, whose files are mapped."""
    monkeypatch.setattr(store, "SMALL", 0)
    return min((folder / "index" / "segments").iterdir())


@pytest.mark.parametrize("value", [-1, -(2**31), 61, 2**31 - 1])
@pytest.mark.parametrize("method", METHODS)
def test_a_document_number_that_is_none(segment: Path, folder: Path, value: int, method: str) -> None:
    castle = Index.load(folder / "index").segments[0].term("castl")
    set_value(segment / "docs.npy", int(store.map_array(segment / "starts.npy")[castle]) + 1, value)
    message = rf"{segment.name}: the index is damaged \(.*\); build it again; `crossbow info INDEX --check` names the"
    with pytest.raises(InputError, match=message):
        search(QUERY, Index.load(folder / "index"), Model.load(folder / "model"), method=method)


@pytest.mark.parametrize("value", [-1, -(2**62), 10**6, 2**62])
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("step", [0, 1])
def test_a_list_that_begins_or_ends_nowhere(segment: Path, folder: Path, value: int, method: str, step: int) -> None:
    set_value(segment / "starts.npy", Index.load(folder / "index").segments[0].term("old") + step, value)
    with pytest.raises(InputError, match="the index is damaged"):
        search(QUERY, Index.load(folder / "index"), Model.load(folder / "model"), method=method)


def test_documents_must_ascend_and_have_terms(segment: Path, folder: Path) -> None:
    """Kernels go through blocks of documents and would write before the first place of one."""
    old = Index.load(folder / "index").segments[0].term("old")
    begin = int(store.map_array(segment / "starts.npy")[old])
    first, second = store.map_array(segment / "docs.npy")[begin : begin + 2].tolist()
    for name, place, value in (("docs", 1, first), ("docs", 0, second), ("tfs", 0, 0), ("tfs", 0, -1)):
        good = (segment / f"{name}.npy").read_bytes()
        set_value(segment / f"{name}.npy", begin + place, value)
        index = Index.load(folder / "index")
        with pytest.raises(InputError, match=rf"the list of term {old} is impossible"):
            term_lists(index, ["old"], Bm25())
        assert len(term_lists(index, ["tree"], Bm25()).parts) == 2  # other lists can still be read
        (segment / f"{name}.npy").write_bytes(good)


def test_a_negative_length(segment: Path, folder: Path) -> None:
    set_value(segment / "lengths.npy", 5, -7)
    with pytest.raises(InputError, match="a document has a negative length"):
        term_lists(Index.load(folder / "index"), ["old"], Bm25())


@pytest.mark.parametrize(("name", "value"), [("term_starts", 10**6), ("id_starts", -1), ("id_order", 61),
                                             ("id_order", -1)])
def test_strings_that_have_no_place(segment: Path, folder: Path, name: str, value: int) -> None:
    middle = len(store.map_array(segment / f"{name}.npy")) // 2
    set_value(segment / f"{name}.npy", middle, value)
    index = Index.load(folder / "index")
    with pytest.raises(InputError, match="the index is damaged"):
        [(index.number(f"d{n}"), index.df(f"word{n}")) for n in range(60)]


def test_texts_that_cannot_be_shown(segment: Path, folder: Path) -> None:
    index = Index.load(folder / "index")
    assert index.doc(0).text
    for name, place, value in (("text_starts", 1, 10**6), ("title_starts", 1, -1), ("text_bytes", 0, -1),
                               ("id_bytes", 0, -1)):
        good = (segment / f"{name}.npy").read_bytes()
        set_value(segment / f"{name}.npy", place, value)
        with pytest.raises(InputError, match="the index is damaged"):
            Index.load(folder / "index").doc(0)
        (segment / f"{name}.npy").write_bytes(good)
    set_value(segment / "text_starts.npy", 1, 10**6)
    with pytest.raises(InputError, match="the index is damaged"):
        delete(folder / "index", ["d0"])
    set_value(segment / "id_starts.npy", 1, 0)
    with pytest.raises(InputError, match="an id has no place"):
        Index.load(folder / "index").id(0)


@pytest.mark.parametrize("name", ["term_starts", "starts", "id_starts", "title_starts", "text_starts"])
@pytest.mark.parametrize("place", [0, -1])
def test_ends_are_looked_at_when_an_index_is_opened(segment: Path, folder: Path, name: str, place: int) -> None:
    array = store.map_array(segment / f"{name}.npy")
    set_value(segment / f"{name}.npy", place % len(array), int(array[place]) + 1)
    with pytest.raises(InputError, match=rf"{name}.npy: does not fit the other arrays; build the folder again"):
        Index.load(folder / "index")
