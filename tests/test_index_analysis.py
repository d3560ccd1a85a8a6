"""Analysis in processes: the same parts in the same order as without them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

import numpy as np
import pytest

from crossbow import processes
from crossbow.errors import CrossbowError
from crossbow.index import analysis
from crossbow.index.analysis import How, analyzed
from crossbow.index.postings import fingerprint
from crossbow.index.searched import Searched
from crossbow.index.strings import unpack
from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer, Settings

ENGLISH = Analyzer(Settings("en"))
DOCS = [Doc(f"d{n}", f"Text number {n} of the houses", f"title {n % 7}") for n in range(95)]



class Failing(Analyzer):
    """Raises an error at one document, or ends its process there."""

    def __init__(self, code: int = 0):
        super().__init__(Settings("en"))
        self.code = code

    def __reduce__(self) -> tuple[type, tuple[int]]:
        return Failing, (self.code,)

    def analyze(self, text: str) -> tuple[list[str], int]:
        if "number 50 " in text:
            if self.code:
                os._exit(self.code)
            raise CrossbowError("cannot analyze this")
        return super().analyze(text)


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "CHUNK_DOCS", 10)


def test_processes_change_nothing() -> None:
    docs = [doc._replace(fields={"n": n}) if n > 20 else doc for n, doc in enumerate(DOCS)]
    searched = Searched.parse("title^1.5,text,n")
    alone, together = (list(analyzed(docs, How(ENGLISH, searched), workers)) for workers in (1, 3))
    assert [len(piece.postings.lengths) for piece, *_ in alone] == [10] * 9 + [5]
    for (one, mark, _), (two, other, _) in zip(alone, together, strict=True):
        assert mark == other == fingerprint(one.postings, range(len(one.postings.lengths)), one.fields)
        assert (one.fields is None) == (two.fields is None)
        pairs = [*zip(one.postings, two.postings)]
        if one.fields and two.fields:
            assert one.fields.columns == two.fields.columns == {"n": (0, "number")}
            pairs += zip(one.fields.arrays, two.fields.arrays)
        for left, right in pairs:
            assert left.dtype == right.dtype
            assert np.array_equal(left, right)
    names = [name for piece, *_ in together for name in unpack(piece.postings.id_starts, piece.postings.id_bytes)]
    assert [name.decode() for name in names] == [doc.id for doc in DOCS]


@pytest.mark.parametrize(("docs", "workers"), [(20, 4), (95, 1)])
def test_little_work_or_one_worker_starts_no_process(monkeypatch: pytest.MonkeyPatch, docs: int, workers: int) -> None:
    monkeypatch.setattr(processes, "ProcessPoolExecutor", None)
    assert sum(len(piece.postings.lengths) for piece, *_ in analyzed(DOCS[:docs], How(ENGLISH), workers)) == docs


def test_chunks_end_after_so_many_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "CHUNK_CHARS", 100)
    docs = [Doc(str(n), "x" * size) for n, size in enumerate([300, 10, 80, 10, 99, 1, 0, 100, 5])]
    assert [len(piece.postings.lengths) for piece, *_ in analyzed(docs, How(ENGLISH), 1)] == [1, 3, 2, 2, 1]


def test_nothing_to_do() -> None:
    reports: list[object] = []
    assert list(analyzed([], How(ENGLISH), 2, lambda *what: reports.append(what))) == []
    assert reports == []


def test_progress() -> None:
    reports: list[tuple[str, int, int]] = []
    list(analyzed(DOCS[:25], How(ENGLISH), 1, lambda *what: reports.append(what)))
    assert reports == [("analyze", 10, 0), ("analyze", 20, 0), ("analyze", 25, 0), ("analyze", 25, 25)]


def test_few_chunks_are_under_way_at_a_time() -> None:
    taken = 0

    def endless() -> Iterator[Doc]:
        nonlocal taken
        while True:
            taken += 1
            yield Doc(str(taken), "text")

    with contextlib.closing(analyzed(endless(), How(ENGLISH), 2)) as parts:
        for n in range(1, 30):
            next(parts)
            assert taken <= 10 * (n + 5)


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_analyzer(workers: int) -> None:
    with pytest.raises(CrossbowError, match="cannot analyze this"):
        list(analyzed(DOCS, How(Failing()), workers))


def test_a_process_that_dies() -> None:
    with pytest.raises(CrossbowError, match="ended unexpectedly; if memory is short"):
        list(analyzed(DOCS, How(Failing(9)), 2))


def test_an_error_of_the_documents() -> None:
    def broken() -> Iterator[Doc]:
        yield from DOCS
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(analyzed(broken(), How(ENGLISH), 2))
