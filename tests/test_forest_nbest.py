"""n-best lists as forests: exactly what is listed, exact search over it, every format, and what is wrong with files."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import crossbow
from crossbow.errors import InputError
from crossbow.forest.hypergraph import Forest, forest_line, parse_forest
from crossbow.forest.nbest import nbest_forest, read_nbest
from crossbow.weights import TermWeights
from reference.decode import derivations
from reference.ranking import VOCABULARY, check_hits, random_collection, ranked, sharing, weight_of, weights
from searching import everything, search_forests

SCORES = st.one_of(st.integers(-3, 3).map(float), st.floats(-50, 5))
LISTS = st.lists(st.tuples(st.lists(st.sampled_from("abc"), max_size=5), SCORES), min_size=1, max_size=12)
SOME = random_collection(5, 60, segments=2)


def listed(forest: Forest) -> dict[tuple[str, ...], float]:
    """The translations of a forest with their scores; no two derivations give the same one."""
    found = derivations(forest)
    assert len({one.words for one in found}) == len(found)
    return {one.words: one.score for one in found}


def best_of(hypotheses: list[tuple[list[str], float]]) -> dict[tuple[str, ...], float]:
    return {tuple(words): max(s for other, s in hypotheses if other == words) for words, _ in hypotheses}


@given(hypotheses=LISTS)
@settings(deadline=None, max_examples=200)
def test_a_forest_has_the_listed_translations_and_scores_to_the_last_bit(
    hypotheses: list[tuple[list[str], float]],
) -> None:
    forest = nbest_forest("q", hypotheses)
    assert listed(forest) == best_of(hypotheses)
    assert forest_line(parse_forest(forest_line(forest))) == forest_line(forest)  # the reader finds nothing wrong


def test_shared_beginnings_and_ends_are_stored_once() -> None:
    texts = ["the old castle is closed today", "the old lock is closed today", "the old lock is shut today",
             "a lock is shut today"]  # fmt: skip
    forest = nbest_forest("q", [(text.split(), -float(k)) for k, text in enumerate(texts)])
    assert {" ".join(words) for words in listed(forest)} == set(texts)
    assert (forest.target >= 0).sum() == 12  # of 22: the old lock is, closed | shut today, and castle is, a lock is
    alike = [(["x", str(k), "y", "z"], 0.0) for k in range(100)]
    assert nbest_forest("q", alike).nodes == 4
    assert nbest_forest("q", alike).edges == 103


@given(hypotheses=st.lists(st.tuples(st.lists(st.sampled_from(VOCABULARY), max_size=4), SCORES), min_size=1,
                           max_size=8), chosen=weights(), k=st.sampled_from([1, 3, 1000]))  # fmt: skip
@settings(deadline=None, max_examples=150)
def test_search_is_exact_over_the_list(
    hypotheses: list[tuple[list[str], float]], chosen: TermWeights, k: int
) -> None:
    """Each document gets the best of score + Σ weight · BM25 over the listed translations."""
    index, texts = SOME
    terms = {term for words, _ in hypotheses for term in texts.terms(words)}
    scores = {
        doc: max(score + sum(weight_of(chosen, term) * texts.weight(term, doc) for term in texts.terms(words))
                 for words, score in hypotheses)
        for doc in sharing(terms, texts)
    }  # fmt: skip
    found = search_forests([nbest_forest("q", hypotheses)], index, None, everything(k=k, weights=chosen))
    check_hits(found, ranked(scores, k))


# --- files ---

EXPECTED = [("0", {"the house": -0.25, "the home": -1.5}), ("1", {"a": -0.5})]
MOSES = """\
0 ||| the house ||| LM= -4.1 TM= 0 ||| -0.25
0 ||| the home ||| LM= -5 ||| -1.5
1 ||| a ||| F0= -0.5 ||| -.5
"""
FILES = {
    "moses": MOSES,
    "moses with alignments": MOSES.replace(" ||| -0.25", " ||| -0.25 ||| 0-0 1-1"),
    "windows": MOSES.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + MOSES,
    "without features": "0 ||| the house ||| -0.25\n0 ||| the home ||| -1.5\n1 ||| a ||| -0.5\n",
    "tsv": "0\tthe house\t-0.25\n0\tthe home\t-1.5\n1\ta\t-5e-1\n",
    "json": '{"id": 0, "hypotheses": [{"text": "the house", "score": -0.25}, {"text": "the home", "score": -1.5}]}\n\n'
            '{"id": "1", "source": "ein", "hypotheses": [{"text": "a", "score": -0.5, "more": []}]}\n',
}  # fmt: skip


def texts_of(forest: Forest) -> dict[str, float]:
    return {" ".join(words): score for words, score in listed(forest).items()}


@pytest.mark.parametrize("name", FILES)
def test_formats(tmp_path: Path, name: str) -> None:
    path = tmp_path / "lists"
    path.write_bytes(FILES[name].encode())
    assert [(forest.id, texts_of(forest)) for forest in crossbow.Forest.read_nbest(path)] == EXPECTED
    packed = tmp_path / "lists.gz"
    packed.write_bytes(gzip.compress(FILES[name].encode()))
    assert [forest_line(f) for f in read_nbest(packed)] == [forest_line(f) for f in read_nbest(path)]


def test_what_moses_adds_to_the_words(tmp_path: Path) -> None:
    line = "0 ||| the otter &apos;s |0-1| clam &amp; &#91; rock &#93; |2-4| ||| LM= -1 ||| -0.5\n"
    (tmp_path / "lists").write_text(line)
    assert [texts_of(forest) for forest in read_nbest(tmp_path / "lists")] == [{"the otter 's clam & [ rock ]": -0.5}]


UNSCORED = {
    "plain": "\n\nthe house\nthe home\nthe house\n\n\na house of ours\n\n",
    "tsv": "1\tthe house\n1\tthe home\n1\tthe house\n2\ta house of ours",
    "moses": "1 ||| the house\n1 ||| the home\n1 ||| the house\n2 ||| a house of ours\n",
    "json": '{"id": 1, "hypotheses": ["the house", "the home", {"text": "the house"}]}\n'
            '{"id": 2, "hypotheses": ["a house of ours"]}',
}  # fmt: skip


@pytest.mark.parametrize("name", UNSCORED)
def test_without_scores_the_order_counts(tmp_path: Path, name: str) -> None:
    (tmp_path / "lists").write_text(UNSCORED[name])
    assert [(forest.id, texts_of(forest)) for forest in read_nbest(tmp_path / "lists")] == [
        ("1", {"the house": 0.0, "the home": -math.log(2)}), ("2", {"a house of ours": 0.0})]  # fmt: skip


def test_json_lines_with_one_id_are_sentences(tmp_path: Path) -> None:
    rows = [{"id": "q", "hypotheses": ["a b"], "source": "x y"}, {"id": "q", "hypotheses": ["c", ""]}]
    (tmp_path / "lists").write_text("".join(json.dumps(row) + "\n" for row in rows))
    first, second = read_nbest(tmp_path / "lists")
    assert (first.id, first.source, second.id, second.source) == ("q", ["x", "y"], "q", [])
    assert texts_of(second) == {"c": 0.0, "": -math.log(2)}


def test_long_lists_and_lines(tmp_path: Path) -> None:
    (tmp_path / "lists").write_text("".join(f"0 ||| {'x ' * 8_000}{k} ||| | ||| {-k}\n" for k in range(4)))
    (forest,) = read_nbest(tmp_path / "lists")
    assert forest.edges == 8_000 + 4


BAD = {
    "": "the file is empty",
    "\n \n": "the file is empty",
    "0 ||| a ||| f ||| nan": "lists:1: the score 'nan' is not a finite number",
    "0 ||| a ||| f ||| -1\n0 ||| b ||| f ||| -inf": "lists:2: the score '-inf' is not",
    "0 ||| a ||| f ||| -1 -2": "lists:1: the score '-1 -2' is not",
    "0 ||| a ||| f |||": "lists:1: the score '' is not",
    "0 ||| a ||| f ||| -1\nand so on": "lists:2: no ||| in this line; expected `id ||| translation",
    " ||| a": "lists:1: no id",
    "0 ||| a\n0 ||| b ||| -1": "lists:2: only some translations of '0' have a score; give all",
    "q\ta\t-1\nq\ta b": "lists:2: only some",
    "q\ta\t-1\t-2": "lists:1: 4 columns",
    "\ta": "no id; expected `id TAB translation`",
    '{"id": 1, "hypotheses": [{"text": "a", "score": 1}': "lists:1: not an n-best list (JSONDecodeError",
    '[{"id": 1, "hypotheses": ["a"]}]': "lists:1: not an n-best list",
    '[\n  {"id": 1, "hypotheses": ["a"]}\n]': "a line for each sentence",
    '{"id": 1, "hypotheses": []}': "lists:1: the id, the source or a text",
    '{"id": 1, "hypotheses": [3]}': "not an n-best list",
    '{"id": 1, "hypotheses": [{"text": 3}]}': "a text is not a string",
    '{"id": null, "hypotheses": ["a"]}': "the id, the source",
    '{"id": 1, "hypotheses": ["a"], "source": ["x"]}': "the id, the source",
    '{"id": 1, "hypotheses": [{"text": "a", "score": "NaN"}]}': "the score 'NaN' is not a finite number",
    '{"id": 1, "hypotheses": [{"text": "a", "score": true}]}': "the score 'True' is not",
    '{"id": 1, "hypotheses": [{"text": "a", "score": 1e999}]}': "the score 'inf' is not",
    '{"id": 1}': "KeyError 'hypotheses'",
    '{"id": 1, "hypotheses": ["a"]}\n[]': "lists:2: not an n-best list",
}  # fmt: skip


@pytest.mark.parametrize("text", BAD)
def test_bad_files(tmp_path: Path, text: str) -> None:
    (tmp_path / "lists").write_text(text)
    with pytest.raises(InputError) as caught:
        list(read_nbest(tmp_path / "lists"))
    assert BAD[text] in str(caught.value)
    assert "; " in str(caught.value)


def test_wrong_encoding_and_half_a_file(tmp_path: Path) -> None:
    (tmp_path / "lists").write_bytes("0 ||| Käse ||| ||| -1\n".encode("latin1"))
    with pytest.raises(InputError, match="lists:1: not UTF-8"):
        list(read_nbest(tmp_path / "lists"))
    (tmp_path / "lists.gz").write_bytes(gzip.compress(MOSES.encode())[:-12])
    with pytest.raises(InputError, match="truncated or damaged"):
        list(read_nbest(tmp_path / "lists.gz"))
    with pytest.raises(InputError, match="no such file"):
        list(read_nbest(tmp_path / "nowhere"))
