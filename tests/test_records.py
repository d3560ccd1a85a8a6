"""Records survive the way through their files, and bad files are named with line and remedy."""

import builtins
import gzip
import importlib
import json
import os
import sys
import types
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crossbow.errors import CrossbowError, CrossbowWarning, InputError
from crossbow.index.make import language_of
from crossbow.records import (
    Doc,
    Hit,
    ParallelText,
    Qrel,
    Query,
    load_qrels,
    open_lines,
    rank,
    read_docs,
    read_qrels,
    read_queries,
    read_run,
    write_docs,
    write_lines,
    write_qrels,
    write_queries,
    write_run,
)

IDS = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=8)
LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r")).map(lambda s: s.lstrip("\ufeff"))
TEXTS = st.lists(IDS, min_size=1, max_size=6).map(" ".join)
FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("suffix", ["", ".gz", ".xz"])
@given(lines=st.lists(LINES, max_size=5))
def test_lines_come_back(folder: Path, suffix: str, lines: list[str]) -> None:
    path = folder / f"lines.txt{suffix}"
    write_lines(path, lines)
    assert [line for _, line in open_lines(path)] == lines
    before = path.read_bytes()
    write_lines(path, lines)
    assert path.read_bytes() == before


def test_line_ends_and_byte_order_mark(tmp_path: Path) -> None:
    path = write(tmp_path / "a.txt", b"\xef\xbb\xbfone\r\ntwo\xe2\x80\xa8still two\nthree")
    assert list(open_lines(path)) == [(1, "one"), (2, "two\u2028still two"), (3, "three")]


def test_nothing_half_written(tmp_path: Path) -> None:
    def lines() -> Any:
        yield "first"
        raise RuntimeError("interrupted")

    path = write(tmp_path / "out.txt", "old\n")
    with pytest.raises(RuntimeError):
        write_lines(path, lines())
    assert path.read_text() == "old\n"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_is_not_written_to(tmp_path: Path) -> None:
    def lines() -> Any:
        pytest.fail("nothing should be asked for before the check")
        yield ""

    with pytest.raises(InputError, match="is a folder, expected the name of a file to write"):
        write_lines(tmp_path, lines())


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """As /dev/stdout: a file that takes its name would be in its place for everybody."""
    (tmp_path / "null").symlink_to(os.devnull)
    write_lines(tmp_path / "null", ["a line"])
    assert [path.name for path in tmp_path.iterdir()] == ["null"]
    assert (tmp_path / "null").is_char_device()


@pytest.mark.parametrize("name", ["docs.tsv", "docs.tsv.gz", "docs.jsonl", "docs.jsonl.xz"])
@given(docs=st.lists(st.builds(Doc, IDS, TEXTS, st.just(""), st.just({})), min_size=1, max_size=5,
                     unique_by=lambda doc: doc.id))
def test_docs_come_back(folder: Path, name: str, docs: list[Doc]) -> None:
    write_docs(folder / name, docs)
    assert list(read_docs(folder / name)) == docs
    queries = [Query(doc.id, doc.text) for doc in docs]
    write_queries(folder / name, queries)
    assert list(read_queries(folder / name)) == queries


def test_titles(tmp_path: Path) -> None:
    doc = Doc("d1", "A body.", "A title")
    write_docs(tmp_path / "d.jsonl", [doc])
    write_docs(tmp_path / "d.tsv", [doc])
    assert list(read_docs(tmp_path / "d.jsonl")) == [doc]
    assert list(read_docs(tmp_path / "d.tsv")) == [Doc("d1", "A title. A body.")]


@pytest.mark.parametrize("record", [
    {"id": "7", "text": "a b"}, {"doc_id": 7, "contents": "a\nb"}, {"_id": "7", "text": "a b", "title": None},
])
def test_spellings_of_json(tmp_path: Path, record: dict[str, Any]) -> None:
    path = write(tmp_path / "docs.jsonl", json.dumps(record) + "\n\n")
    assert list(read_docs(path)) == [Doc("7", "a b")]


@given(scores=st.dictionaries(IDS, FINITE | st.sampled_from([0.0, 1.0, 0.1 + 0.2, 0.3]), max_size=8))
def test_runs_survive_sorting_again(folder: Path, scores: dict[str, float]) -> None:
    hits = rank(scores)
    write_run(folder / "run.txt", {"q": hits} if hits else {})
    assert read_run(folder / "run.txt") == ({"q": hits} if hits else {})
    lines = [line.split() for _, line in open_lines(folder / "run.txt")]
    resorted = sorted(lines, key=lambda row: (float(row[4]), row[2].encode()), reverse=True)  # what trec_eval does
    assert [row[2] for row in resorted] == [hit.doc for hit in hits]
    assert [hit.rank for hit in hits] == list(range(1, len(scores) + 1))


def test_ties_go_by_descending_id_and_limit() -> None:
    assert rank({"a": 1.0, "c": 1.0, "b": 2.0}, limit=2) == [Hit("b", 2.0, 1), Hit("c", 1.0, 2)]


def test_numpy_scores_are_written_as_plain_numbers(tmp_path: Path) -> None:
    import numpy as np

    write_run(tmp_path / "run.txt", {"q": [Hit("d", np.float64(0.1), 1)]}, tag="t")  # type: ignore[arg-type]
    assert (tmp_path / "run.txt").read_text() == "q Q0 d 1 0.1 t\n"


@given(qrels=st.lists(st.builds(Qrel, IDS, IDS, st.integers(-2, 4)), min_size=1, max_size=8, unique_by=lambda q: q[:2]))
def test_qrels_come_back(folder: Path, qrels: list[Qrel]) -> None:
    write_qrels(folder / "q.txt", qrels)
    assert list(read_qrels(folder / "q.txt")) == qrels
    write_lines(folder / "q.tsv", (f"{q.query}\t{q.doc}\t{q.level}" for q in qrels))
    assert list(read_qrels(folder / "q.tsv")) == qrels
    loaded = load_qrels(folder / "q.tsv")
    assert {(q, d, n) for q, docs in loaded.items() for d, n in docs.items()} == set(qrels)


def test_parallel_text(tmp_path: Path) -> None:
    left, right = write(tmp_path / "a.de", "eins\n\nzwei \ndrei\n"), write(tmp_path / "a.en", "one\nx\ntwo\n \n")
    both = write(tmp_path / "a.tsv", "eins\tone\n\nzwei\ttwo\n\tthree\n")
    for text in (ParallelText(left, right), ParallelText(both)):
        assert list(text) == list(text) == [("eins", "one"), ("zwei", "two")]
        assert text.skipped == 2


READERS = {"docs.tsv": read_docs, "docs.jsonl": read_docs, "queries.tsv": read_queries, "qrels.txt": read_qrels,
           "run.txt": read_run, "parallel.tsv": ParallelText, "docs.tsv.gz": read_docs, "docs.tsv.xz": read_docs}


@pytest.mark.parametrize(("name", "content", "line", "said"), [
    ("docs.tsv", b"d1\tgut\nd2\tsch\xf6n\n", 2, "not UTF-8"),
    ("docs.tsv", b"d1 no tab\n", 1, "no tab"),
    ("docs.tsv", b'{"id": "d1", "text": "a"}\n', 1, "jsonl"),
    ("docs.tsv", b"d1\ta\n\nd1\tb\n", 3, "already used in line 1"),
    ("docs.tsv", b"\ta\n", 1, "empty or has white space"),
    ("docs.tsv", b"d 1\ta\n", 1, "empty or has white space"),
    ("docs.tsv", b"", None, "empty"),
    ("docs.jsonl", b'{"id": "d1", "text": "a"\n', 1, "not valid JSON"),
    ("docs.jsonl", b'["d1"]\n', 1, "not a JSON object"),
    ("docs.jsonl", b'{"id": "d1"}\n', 1, "'text' is missing"),
    ("docs.jsonl", b'{"text": "a"}\n', 1, "'id' is missing"),
    ("docs.jsonl", b'{"id": "d1", "text": 5}\n', 1, "expected a string"),
    ("queries.tsv", b"q1\t \n", 1, "is empty"),
    ("qrels.txt", b"q1 0 d1 high\n", 1, "not a whole number"),
    ("qrels.txt", b"q1 0 d1 nan\n", 1, "not a whole number"),
    ("qrels.txt", b"q1 d1\n", 1, "2 columns"),
    ("qrels.txt", b"q1 0 d1 1\nq1 0 d1 1\nq1 0 d1 2\n", 3, "earlier 1"),
    ("qrels.txt", b"\n", None, "empty"),
    ("run.txt", b"q1 Q0 d1 1 nan tag\n", 1, "not a finite number"),
    ("run.txt", b"q1 Q0 d1 1 -inf tag\n", 1, "not a finite number"),
    ("run.txt", b"q1 Q0 d1 1 high tag\n", 1, "not a finite number"),
    ("run.txt", b"q1 Q0 d1 1 0.5\n", 1, "5 columns"),
    ("run.txt", b"q1 Q0 d1 1 2 t\nq1 Q0 d1 2 1 t\n", 2, "already listed"),
    ("parallel.tsv", b"eins\tone\nzwei\n", 2, "1 columns"),
    ("parallel.tsv", b"\n\n", None, "no sentence pairs"),
    ("docs.tsv.gz", b"d1\tnot compressed\n", 1, "truncated or damaged"),
    ("docs.tsv.xz", b"d1\tnot compressed\n", 1, "truncated or damaged"),
])
def test_bad_input_is_named(tmp_path: Path, name: str, content: bytes, line: int | None, said: str) -> None:
    path = write(tmp_path / name, content)
    with pytest.raises(InputError) as caught:
        list(READERS[name](path))  # type: ignore[operator]
    assert said in str(caught.value)
    assert caught.value.path == str(path)
    if line is not None:
        assert caught.value.line == line


def test_truncated_gzip_names_the_line(tmp_path: Path) -> None:
    content = "".join(f"d{n}\tsome text {n * n}\n" for n in range(5000))
    path = write(tmp_path / "docs.tsv.gz", gzip.compress(content.encode())[:-500])
    with pytest.raises(InputError, match="truncated") as caught:
        list(read_docs(path))
    assert caught.value.line is not None
    assert 1 < caught.value.line <= 5000


def test_unequal_line_counts(tmp_path: Path) -> None:
    left, right = write(tmp_path / "a.de", "eins\nzwei\ndrei\n"), write(tmp_path / "a.en", "one\ntwo\n")
    for pair in ((left, right), (right, left)):
        with pytest.raises(InputError, match=r"a\.en:2: ends here, but .*a\.de has 3 lines"):
            list(ParallelText(*pair))


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        list(read_docs(tmp_path / "none.tsv"))
    with pytest.raises(InputError, match="is a folder"):
        list(read_docs(tmp_path))


@pytest.mark.parametrize("bad", ["", "a b", "a\tb"])
def test_ids_that_trec_files_cannot_hold(tmp_path: Path, bad: str) -> None:
    for attempt in (lambda path: write_run(path, {"q": [Hit(bad, 1.0, 1)]}),
                    lambda path: write_docs(path, [Doc(bad, "x")]),
                    lambda path: write_qrels(path, [Qrel(bad, "d", 1)])):
        with pytest.raises(InputError, match="white space"):
            attempt(tmp_path / "out.txt")
    assert not list(tmp_path.iterdir())


def test_a_run_without_numbers_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="score is nan"):
        write_run(tmp_path / "run.txt", {"q": [Hit("d", float("nan"), 1)]})


class FakeDoc(NamedTuple):
    doc_id: str
    title: str
    text: str


class FakeQuery(NamedTuple):
    query_id: str
    text: str

    def default_text(self) -> str:
        return self.text


class FakeQrel(NamedTuple):
    query_id: str
    doc_id: str
    relevance: int


class FakeDataset:
    def has_docs(self) -> bool:
        return True

    def has_queries(self) -> bool:
        return True

    def has_qrels(self) -> bool:
        return False

    def docs_lang(self) -> str | None:
        return "zh"

    def docs_iter(self) -> list[FakeDoc]:
        return [FakeDoc("d1", "Title", "two\nlines")]

    def queries_iter(self) -> list[FakeQuery]:
        return [FakeQuery("q1", "what\tis it")]


def test_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = types.ModuleType("ir_datasets")
    fake.load = {"some/set": FakeDataset()}.__getitem__  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", fake)
    assert list(read_docs("irds:some/set")) == [Doc("d1", "two lines", "Title")]
    assert list(read_queries("irds:some/set")) == [Query("q1", "what is it")]
    assert language_of("irds:some/set#text") == "zh"
    monkeypatch.setattr(FakeDataset, "docs_lang", lambda _: "simple")
    assert language_of("irds:some/set") is None
    with pytest.raises(CrossbowError, match="has no qrels"):
        list(read_qrels("irds:some/set"))
    with pytest.raises(CrossbowError, match="knows no such data set"):
        list(read_docs("irds:other"))


CSL = {"doc_id": "d1", "title": "海洋研究", "abstract": "关于 海洋", "keywords": ["海", "海洋"], "category": "理",
       "category_eng": "science", "discipline": "海洋", "discipline_eng": "ocean"}
HC4 = {"doc_id": "d2", "title": "标题", "text": "正文", "url": "u", "time": "2020", "cc_file": "f"}
WIKI = {"doc_id": "d3", "title": "See", "text": "Der See."}
TOPIC = {"query_id": "1", "title": "sea", "description": "books about the sea", "ht_title": "海",
         "ht_description": "关于海的书"}


def rest(record: dict[str, Any], *names: str) -> dict[str, Any]:
    """The fields that are kept beside id, title and text."""
    return {name: value for name, value in record.items() if name not in ("doc_id", "title", "text", *names)}


LAYOUTS = [
    ("csl", "CslDoc", CSL, "", Doc("d1", "关于 海洋", "海洋研究", rest(CSL, "abstract"))),
    ("csl", "CslDoc", CSL, "#title,abstract,discipline_eng",
     Doc("d1", "关于 海洋 ocean", "海洋研究", rest(CSL, "abstract", "discipline_eng"))),
    ("csl", "CslDoc", CSL, "#title,abstract,keywords",
     Doc("d1", "关于 海洋 海 海洋", "海洋研究", rest(CSL, "abstract", "keywords"))),
    ("csl", "CslDoc", CSL, "#title", Doc("d1", "海洋研究", "", rest(CSL))),
    ("hc4", "ExctractedCCDoc", HC4, "", Doc("d2", "正文", "标题", rest(HC4))),
    ("wikiclir", "WikiClirDoc", WIKI, "#text", Doc("d3", "Der See.")),
    ("clirmatrix", "GenericDoc", {"doc_id": "d4", "text": "一 二"}, "", Doc("d4", "一 二")),
    ("csl", "ExctractedCCNoReportQuery", TOPIC, "", Query("1", "sea")),
    ("csl", "ExctractedCCNoReportQuery", TOPIC, "#title,description", Query("1", "sea books about the sea")),
    ("hc4", "ExctractedCCQuery", TOPIC, "#ht_title", Query("1", "海")),
    ("wikiclir", "WikiClirQuery", {"query_id": "2", "title": "Sea", "first_sent": "A sea is salty."}, "#first_sent",
     Query("2", "A sea is salty.")),
    ("clirmatrix", "GenericQuery", {"query_id": "3", "text": "the sea"}, "", Query("3", "the sea")),
]


@pytest.mark.parametrize(("module", "kind", "fields", "chosen", "expected"), LAYOUTS)
def test_collections_in_several_languages(monkeypatch: pytest.MonkeyPatch, module: str, kind: str,
                                          fields: dict[str, Any], chosen: str, expected: Doc | Query) -> None:
    """With the record types of ir_datasets itself, so that its names of fields are those that we ask for."""
    pytest.importorskip("ir_datasets")
    home = importlib.import_module(f"ir_datasets.datasets.{module}")
    cls = getattr(home, kind, None) or getattr(importlib.import_module("ir_datasets.formats"), kind)
    record = cls(**{name: fields.get(name) for name in cls._fields})

    class One(FakeDataset):
        def docs_iter(self) -> list[Any]:
            return [record]

        queries_iter = docs_iter

    monkeypatch.setattr("ir_datasets.load", lambda name: One())
    read = read_docs if isinstance(expected, Doc) else read_queries
    assert list(read(f"irds:{module}/x{chosen}")) == [expected]
    with pytest.raises(CrossbowError, match=f"no field 'bogus'; there are {cls._fields[0]}, "):
        list(read(f"irds:{module}/x#bogus"))


def test_ir_datasets_that_cannot_be_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str) -> Any:
        raise ConnectionError("no route")

    fake = types.ModuleType("ir_datasets")
    fake.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", fake)
    with pytest.raises(CrossbowError, match=r"cannot load it \(ConnectionError\)"):
        list(read_docs("irds:clirmatrix/zh"))


@pytest.mark.parametrize(("error", "message"), [
    (RuntimeError("All download sources failed", [("an address", OSError())]), "All download sources failed"),
    (ConnectionError("HTTPSConnectionPool(host='an address', port=443)"), "ConnectionError"),
    (FileNotFoundError(2, "No such file or directory", "docs.gz"), "No such file or directory: docs.gz"),
])
def test_ir_datasets_without_a_network(monkeypatch: pytest.MonkeyPatch, error: Exception, message: str) -> None:
    """ir_datasets fetches when it is first read, and raises whatever it does then."""

    class Unreachable(FakeDataset):
        def docs_iter(self) -> list[FakeDoc]:
            raise error

    fake = types.ModuleType("ir_datasets")
    fake.load = lambda name: Unreachable()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "ir_datasets", fake)
    with pytest.raises(CrossbowError, match=rf"irds:some/set: .*\({message}\); is this machine"):
        list(read_docs("irds:some/set"))


def test_ir_datasets_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "ir_datasets", raising=False)
    real = builtins.__import__

    def no_irds(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "ir_datasets":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_irds)
    with pytest.raises(CrossbowError, match=r"install crossbow-clir\[irds\]"):
        list(read_docs("irds:some/set"))


def test_documents_keep_all_their_fields(tmp_path: Path) -> None:
    rows = [{"id": "d1", "text": "a", "url": "x", "tags": ["b", "c"], "deep": {"n": [1, {}]}},
            {"_id": "d2", "id": None, "text": "b", "contents": "kept too", "title": "T", "year": 5, "gone": None}]
    expected = [Doc("d1", "a", "", {"url": "x", "tags": ["b", "c"], "deep": {"n": [1, {}]}}),
                Doc("d2", "b", "T", {"contents": "kept too", "year": 5})]
    lines, array = tmp_path / "d.jsonl", tmp_path / "d.json"
    lines.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    array.write_text(json.dumps(rows, indent=2))
    assert list(read_docs(lines)) == list(read_docs(array)) == expected
    write_docs(tmp_path / "again.jsonl", expected)
    assert list(read_docs(tmp_path / "again.jsonl")) == expected


def test_fields_of_queries_that_are_not_kept_are_named_once(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": "1", "text": "a", "url": "x"}\n{"id": "2", "text": "b", "date": 5}\n')
    with pytest.warns(CrossbowWarning, match=r"q\.jsonl: only id and text of queries are kept, not date, url") as found:
        assert len(list(read_queries(tmp_path / "q.jsonl"))) == 2
    assert len(found) == 1


def test_other_fields_may_stand_for_the_text(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"id": "d1", "abstract": "a"}\n')
    assert list(read_docs(path, textless=True)) == [Doc("d1", "", "", {"abstract": "a"})]
    with pytest.raises(InputError, match="the field 'text' is missing"):
        list(read_docs(path))
