"""Queries to learn from: those that have words and a relevant document in the index, evenly thinned out."""

from __future__ import annotations

from pathlib import Path

import pytest

from crossbow.errors import CrossbowError
from crossbow.learn.queries import read_usable, usable
from crossbow.records import write_lines
from crossbow.records.judged import JudgedQuery, read_judged
from learning import Place, demo_place


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    return demo_place(tmp_path_factory)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Ten queries, of which the first has no judgment, the second only of unknown documents, the third no word."""
    texts = ["\u00ad" if n == 2 else "Das Schloss" for n in range(10)]  # a soft hyphen is no word
    write_lines(tmp_path / "queries.tsv", [f"q{n}\t{text}" for n, text in enumerate(texts)])
    judged = ["q1 0 nowhere 3", "q1 0 castle-tour 0", "q2 0 castle-tour 3"]
    write_lines(tmp_path / "qrels.txt", judged + [f"q{n} 0 castle-tour 2" for n in range(3, 10)] + ["q3 0 nowhere 1"])
    return tmp_path / "queries.tsv", tmp_path / "qrels.txt"


def names(queries: list[JudgedQuery]) -> list[str]:
    return [query.id for query in queries]


def test_only_queries_to_learn_from(place: Place, files: tuple[Path, Path]) -> None:
    found = read_usable(*files, place.model, place.index)
    assert names(found) == [f"q{n}" for n in range(3, 10)]
    assert found[0] == JudgedQuery("q3", "Das Schloss", {"castle-tour": 2, "nowhere": 1}, "q3")
    assert found == usable(read_judged(*files), place.model, place.index)


def test_a_limit_takes_them_at_even_distances(place: Place, files: tuple[Path, Path], tmp_path: Path) -> None:
    write_lines(tmp_path / "all.txt", [f"q{n} 0 castle-tour 1" for n in range(10) if n != 2])
    ids = [f"q{n}" for n in range(10) if n != 2]
    for limit, expected in ((1, ["q0"]), (3, ["q0", "q4", "q7"]), (9, ids), (100, ids)):
        assert names(read_usable(files[0], tmp_path / "all.txt", place.model, place.index, limit)) == expected


def test_groups(place: Place, files: tuple[Path, Path], tmp_path: Path) -> None:
    write_lines(tmp_path / "groups", [f"g{n // 2}" for n in range(10)])
    found = read_usable(*files, place.model, place.index, groups=tmp_path / "groups")
    assert {query.id: query.group for query in found}["q7"] == "g3"


def test_nothing_to_learn_from(place: Place, files: tuple[Path, Path], tmp_path: Path) -> None:
    write_lines(tmp_path / "none.txt", ["q3 0 nowhere 1", "q4 0 castle-tour 0"])
    with pytest.raises(CrossbowError, match=r"no query of .*queries.tsv has a relevant document .*none.txt"):
        read_usable(files[0], tmp_path / "none.txt", place.model, place.index)
