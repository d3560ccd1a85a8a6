"""Word lattices in PLF as forests: all paths, probabilities and logarithms, and what is wrong with files."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossbow
from crossbow.errors import InputError
from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.forest.lattice import read_lattices
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.ranking import VOCABULARY, check_hits, forced, random_collection, weights
from searching import everything, search_forests

Lattice = list[list[tuple[str, float, int]]]
SOME = random_collection(6, 50)


@st.composite
def lattices(draw: st.DrawFn) -> Lattice:
    """Any arcs forward; a lattice may have dead ends, and no path at all."""
    size = draw(st.integers(1, 5))
    word = st.sampled_from([*VOCABULARY[:4], "it's", 'a"b\\', "*EPS*", "", "日本"])
    weight = st.floats(-9, 0).filter(lambda value: value < 0)
    return [draw(st.lists(st.tuples(word, weight, st.integers(1, size - node)), max_size=3)) for node in range(size)]


def paths(lattice: Lattice, node: int = 0) -> list[tuple[tuple[str, ...], float]]:
    """All paths from a node to the end."""
    if node == len(lattice):
        return [((), 0.0)]
    return [((*(() if word in ("*EPS*", "") else (word,)), *words), weight + score)
            for word, weight, distance in lattice[node]
            for words, score in paths(lattice, node + distance)]  # fmt: skip


def plf(lattice: Lattice) -> str:
    """As Python writes tuples."""
    return repr(tuple(map(tuple, lattice)))


def read(folder: Path, text: str) -> list[Forest]:
    (folder / "lattices").write_text(text, "utf8")
    return list(crossbow.Forest.read_lattices(folder / "lattices"))


def rounded(rows: list[tuple[tuple[str, ...], float]]) -> Counter[tuple[tuple[str, ...], float]]:
    return Counter((words, round(score, 6) + 0.0) for words, score in rows)


@given(lattice=lattices())
@settings(deadline=None, max_examples=150)
def test_derivations_are_paths(tmp_path_factory: pytest.TempPathFactory, lattice: Lattice) -> None:
    folder = tmp_path_factory.getbasetemp()
    expected = paths(lattice)
    if not expected:
        with pytest.raises(InputError, match="lattices:1: no path leads from the start"):
            read(folder, plf(lattice))
        return
    (forest,) = read(folder, plf(lattice))
    assert rounded([(one.words, one.score) for one in derivations(forest)]) == rounded(expected)
    assert forest_line(parse_forest(forest_line(forest))) == forest_line(forest)


@given(lattice=lattices().filter(lambda lattice: bool(paths(lattice))), chosen=weights(), k=st.sampled_from([1, 1000]))
@settings(deadline=None, max_examples=100)
def test_search_is_exact(
    tmp_path_factory: pytest.TempPathFactory, lattice: Lattice, chosen: TermWeights, k: int
) -> None:
    (forest,) = read(tmp_path_factory.getbasetemp(), plf(lattice))
    check_hits(search_forests([forest], SOME.index, None, everything(k=k, weights=chosen)),
               forced(forest, SOME.texts, chosen, k))  # fmt: skip


def test_probabilities_become_logarithms(tmp_path: Path) -> None:
    first, second = read(tmp_path, "q7\t((('the',1.0,1),),(('house',0.75,1),('home',.25,1,),),)\n"
                                   "( ( ('a', 0, 1), ), ( (\"b c\", 0, 1), ), )\n")  # fmt: skip
    assert (first.id, second.id) == ("q7", "2")
    assert {one.words: one.score for one in derivations(first)} == {
        ("the", "house"): math.log(0.75), ("the", "home"): math.log(0.25)}  # fmt: skip
    assert [(one.words, one.score) for one in derivations(second)] == [(("a", "b", "c"), 0.0)]


def test_escapes_and_long_lines(tmp_path: Path) -> None:
    (forest,) = read(tmp_path, r"((('it\'s',1,1),('\u00e4',1,1),),)")
    assert {one.words for one in derivations(forest)} == {("it's",), ("ä",)}
    (forest,) = read(tmp_path, plf([[("x", -1.0, 1)]] * 5_000))
    assert forest.edges == 5_000


BAD = {
    "": "the file is empty; expected one lattice per line",
    "()": "lattices:1: no path leads",
    "((('a',1,1),),": "lattices:1: column 14: the end, expected ')'",
    "((('a',1,1),),(": "the end, expected ')'",
    "((('a',": "lattices:1: column 7: the end is not a finite number",
    "\n((('a',1,1),)": "lattices:2: column 13: the end, expected ','",
    "((('a',1,1),),) x": "more text after the lattice",
    "((('a',1,1),),))": "more text after the lattice",
    "((('a',1,2),),)": "an arc leads 2 nodes further from node 0 of 1",
    "((('a',1,0),),)": "an arc leads 0 nodes further",
    "((('a',1,-1),),)": "an arc leads -1 nodes further",
    "((('a',1,1.5),),)": "the distance 1.5 is not a whole number",
    "((('a',nan,1),),)": "'nan' is not a finite number",
    "((('a',-inf,1),),)": "is not a finite number",
    "((('a',2,1),),)": "the weight 2.0 among probabilities; give every arc",
    "((('a',0.5,1),('b',0,1),),)": "the weight 0.0 among probabilities",
    "((('a',0.5,1),('b',-1,1),),)": "the weight 0.5 among logarithms",
    "(((a,1,1),),)": "expected a word in quotes",
    "((('a,1,1),),)": "cannot be read",
    r"((('\x',1,1),),)": "wrong escape",
    "((('a',1),),)": "expected ','",
    "((('a',1,1,1),),)": "expected ')'",
    "the house": "lattices:1: column 3: 'the', expected '('; expected (((",
    '{"id": 1}': "expected '('",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_bad_files(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert BAD[text] in str(caught.value)


def test_wrong_encoding(tmp_path: Path) -> None:
    (tmp_path / "lattices").write_bytes("((('Käse',1,1),),)".encode("latin1"))
    with pytest.raises(InputError, match="lattices:1: not UTF-8"):
        list(read_lattices(tmp_path / "lattices"))
