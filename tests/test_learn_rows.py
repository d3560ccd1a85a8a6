"""Rows in folders: what is loaded is what was saved, and chunks that are there are not made again."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from crossbow.learn import rows
from crossbow.learn.hands import Hands
from crossbow.learn.rows import load_rows, save_rows, stored_chunks
from crossbow.pipeline import Stages


class Row(NamedTuple):
    one: npt.NDArray[np.int32]
    two: npt.NDArray[np.float32]
    none: npt.NDArray[np.float32]


def random_row(seed: int) -> Row:
    rng = np.random.default_rng(seed)
    return Row(rng.integers(9, size=rng.integers(0, 5)).astype(np.int32),
               rng.normal(size=(rng.integers(0, 3), 2)).astype(np.float32), np.zeros((3, 0), np.float32))  # fmt: skip


def same(found: list[Row], expected: list[Row]) -> bool:
    return len(found) == len(expected) and all(
        a.dtype == b.dtype and a.shape == b.shape and (a == b).all()
        for left, right in zip(found, expected) for a, b in zip(left, right))  # fmt: skip


@pytest.mark.parametrize("count", [1, 2, 30])
def test_round_trip(tmp_path: Path, count: int) -> None:
    made = [random_row(seed) for seed in range(count)]
    save_rows(tmp_path / "rows", "row", made)
    assert same(load_rows(tmp_path / "rows", "row", Row), made)


@pytest.mark.parametrize("threads", [1, 2])
def test_chunks_are_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    monkeypatch.setattr(rows, "CHUNK", 3)
    asked: list[int] = []
    reports: list[tuple[str, int, int]] = []

    def work(seed: int) -> list[Row]:
        asked.append(seed)
        if seed == 5 and asked.count(5) == 1:
            raise KeyboardInterrupt
        return [random_row(seed)] * (seed % 2 + 1)

    stages = Stages(tmp_path, lambda *report: reports.append(report))
    with pytest.raises(KeyboardInterrupt):
        stored_chunks(stages, "row", "key", range(7), work, Hands(threads))
    asked.remove(0)
    chunks = stored_chunks(stages, "row", "key", range(7), work, Hands(threads))
    assert asked.count(0) == 0  # the first chunk was there
    assert asked.count(4) == 2
    expected = [row for seed in range(7) for row in [random_row(seed)] * (seed % 2 + 1)]
    assert same([row for chunk in chunks for row in load_rows(chunk, "row", Row)], expected)
    assert reports[-1] == ("row", 7, 7)
    assert len(chunks) == 3
    assert stored_chunks(stages, "row", "other", range(1), work, Hands(threads))[0] not in chunks
