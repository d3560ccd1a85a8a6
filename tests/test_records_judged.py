"""Queries with judgments and groups, read from files, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from crossbow.errors import CrossbowError, InputError
from crossbow.records import write_lines
from crossbow.records.judged import JudgedQuery, check_found, qrels_of, read_judged, relevant_in


class Numbers:
    """Three documents by number, as an index has them."""

    def number(self, id: str, /) -> int:
        return {"a": 0, "b": 1, "c": 2}.get(id, -1)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Four queries: one with two levels, one without judgments, one with a document elsewhere, one with none of use."""
    write_lines(tmp_path / "queries.tsv", ["q1\tHaus", "q2\tSee", "q3\tZug", "q4\tBank"])
    write_lines(tmp_path / "qrels.txt", ["q1 0 a 2", "q1 0 x 1", "q3 0 x 3", "q4 0 b 0", "other 0 a 1"])
    return tmp_path / "queries.tsv", tmp_path / "qrels.txt"


def test_all_queries_are_read_with_what_is_known(files: tuple[Path, Path]) -> None:
    judged = read_judged(*files)
    assert judged == [JudgedQuery("q1", "Haus", {"a": 2, "x": 1}, "q1"), JudgedQuery("q2", "See", {}, "q2"),
                      JudgedQuery("q3", "Zug", {"x": 3}, "q3"), JudgedQuery("q4", "Bank", {"b": 0}, "q4")]
    assert [query.has_relevant for query in judged] == [True, False, True, False]
    assert qrels_of(judged) == {"q1": {"a": 2, "x": 1}, "q3": {"x": 3}, "q4": {"b": 0}}
    assert json.loads(json.dumps(judged[0])) == ["q1", "Haus", {"a": 2, "x": 1}, "q1"]  # digests depend on it


def test_what_an_index_has_of_them(files: tuple[Path, Path]) -> None:
    judged = read_judged(*files)
    assert [query.levels_in(Numbers()) for query in judged] == [{0: 2}, {}, {}, {1: 0}]
    found = relevant_in(judged, Numbers())
    assert [query.id for query in found] == ["q1"]
    check_found(found, *files)
    with pytest.raises(CrossbowError, match=r"no query of .*queries.tsv has a relevant document in the index by "
                                            r".*qrels.txt; do the files and the index belong together\?"):
        check_found(relevant_in(judged[1:], Numbers()), *files)


def test_groups_belong_to_all_queries_of_the_file(files: tuple[Path, Path], tmp_path: Path) -> None:
    write_lines(tmp_path / "groups", ["x", "x", " y ", "z"])
    assert [query.group for query in read_judged(*files, tmp_path / "groups")] == ["x", "x", "y", "z"]
    write_lines(tmp_path / "groups", ["x"] * 3)
    with pytest.raises(InputError, match=r"groups: 3 lines for the 4 queries of .*queries.tsv; give the group"):
        read_judged(*files, tmp_path / "groups")
