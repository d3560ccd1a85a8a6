"""Forests: the exchange format with all that can be wrong in it, and the dynamic programs against all derivations."""

import gzip
import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from crossbow.errors import InputError
from crossbow.forest.hypergraph import Forest, forest_to_json, parse_forest, write_jsonl
from crossbow.forest.infer import edge_marginals, inside, outside
from reference.decode import derivations_below, total
from reference.forests import Edge, edges_of, forest_of, forests, random_forest

ARRAYS = ("first", "tail_starts", "tails", "score", "span", "target_starts", "target", "lex_starts", "lex",
          "align_starts", "align")  # fmt: skip


def assert_equal(a, b):
    assert (a.id, a.source, a.words) == (b.id, b.source, b.words)
    for name in ARRAYS:
        x, y = getattr(a, name), getattr(b, name)
        assert x.dtype == y.dtype, name
        assert x.shape == y.shape, name
        np.testing.assert_array_equal(x, y, name)


def record():
    """A forest in its exchange form: two words, a node for the first, a node for both, the goal."""
    return {
        "id": "q7",
        "source": ["das", "haus"],
        "nodes": 3,
        "edges": [
            {"head": 0, "tails": [], "score": -1.5, "span": [0, 1], "target": ["the"], "lex": [0], "align": [[0, 0]]},
            {"head": 1, "tails": [0], "score": 0.25, "span": [0, 2], "target": [0, "house"], "lex": [1],
             "align": [[1, 1]]},
            {"head": 1, "tails": [], "score": -7, "span": [0, 2], "target": ["home"], "lex": [0, 1]},
            {"head": 2, "tails": [1], "score": 0.0, "span": [0, 2], "target": [0], "lex": []},
        ],
    }  # fmt: skip


# --- the exchange format ---


@given(forests())
@settings(deadline=None, max_examples=100)
def test_round_trip(forest):
    line = json.dumps(forest_to_json(forest))
    assert_equal(parse_forest(line), forest)


@given(forests(), forests())
def test_equal_forests_are_equal(forest, other):
    again = parse_forest(json.dumps(forest_to_json(forest)))
    assert again == forest
    assert (forest == other) == (forest_to_json(forest) == forest_to_json(other) and forest.words == other.words)
    assert again != replace(again, id=again.id + "'")
    assert again != replace(again, score=again.score + 1)
    assert again != replace(again, score=again.score[:-1])
    assert again != replace(again, names=("Glue",), features=np.ones((again.edges, 1), np.float32))
    assert again != forest_to_json(again)
    with pytest.raises(TypeError, match="unhashable"):
        hash(again)


def test_representation():
    forest = forest_of([Edge(0, [], 0.0, ["a"])], ["das", "haus"], "q1")
    assert repr(forest) == "<Forest 'q1' of 'das haus': 1 nodes, 1 edges, 1 words>"
    assert len(repr(forest_of([Edge(0, [], 0.0, ["a"])], ["lang"] * 100))) < 120


def test_record_is_read_as_it_says():
    forest = parse_forest(json.dumps(record()))
    assert (forest.id, forest.source, forest.nodes, forest.edges) == ("q7", ["das", "haus"], 3, 4)
    assert forest_to_json(forest) == record()
    assert edges_of(forest)[1] == Edge(1, [0], 0.25, [0, "house"], (0, 2), (1,), ((1, 1),))
    assert forest.words == ["the", "house", "home"]


def test_lex_align_and_span_are_optional():
    plain = record()
    for edge in plain["edges"]:
        for key in ("lex", "align", "span"):
            edge.pop(key, None)
    forest = parse_forest(json.dumps(plain))
    assert len(forest.lex) == len(forest.align) == 0
    assert forest.align.shape == (0, 2)
    assert forest.lex_starts.tolist() == forest.align_starts.tolist() == [0] * 5
    assert forest.span.tolist() == [[0, 2]] * 4


def test_scores_keep_every_digit():
    values = [0.1 + 0.2, 1e-300, -1e300, 5e-324, math.pi]
    forest = forest_of([Edge(0, [], value, ["a"]) for value in values], ["x"])
    assert parse_forest(json.dumps(forest_to_json(forest))).score.tolist() == values


def test_files(tmp_path):
    written = [random_forest(seed) for seed in range(5)]
    path = tmp_path / "forests.jsonl"
    write_jsonl(path, iter(written))
    assert path.read_text("utf8").count("\n") == 5
    for a, b in zip(Forest.read_jsonl(path), written, strict=True):
        assert_equal(a, b)
    packed = tmp_path / "forests.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes() + b"\n"))
    assert [forest.id for forest in Forest.read_jsonl(packed)] == [forest.id for forest in written]


def test_line_separators_inside_words_stay_inside(tmp_path):
    forest = forest_of([Edge(0, [], 0.0, ["a\u2028b", "c\nd"])], ["x\x85y"])
    path = tmp_path / "forests.jsonl"
    write_jsonl(path, [forest])
    (read,) = Forest.read_jsonl(path)
    assert_equal(read, forest)


def edit(index, **changes):
    """A copy of the record in which an edge has other values; None removes a field."""
    bad = record()
    for key, value in changes.items():
        if value is None:
            del bad["edges"][index][key]
        else:
            bad["edges"][index][key] = value
    return bad


def top(**changes):
    bad = record()
    for key, value in changes.items():
        if value is None:
            del bad[key]
        else:
            bad[key] = value
    return bad


def swapped():
    bad = record()
    bad["edges"][0], bad["edges"][1] = bad["edges"][1], bad["edges"][0]
    return bad


def split_group():
    bad = record()
    bad["edges"].append(bad["edges"][2])
    return bad


WRONG = {
    "no id": (top(id=None), "id"),
    "no source": (top(source=None), "source"),
    "no nodes": (top(nodes=None), "nodes"),
    "no edges": (top(edges=None), "edges"),
    "not an object": ([1, 2], "not a forest"),
    "a number": (17, "not a forest"),
    "a string": ("forest", "not a forest"),
    "null": (None, "not a forest"),
    "nodes not a number": (top(nodes="3"), "nodes"),
    "nodes a fraction": (top(nodes=3.5), "nodes"),
    "no node": (top(nodes=0, edges=[]), "nodes"),
    "edges not a list": (top(edges={"a": 1}), "edges"),
    "source a string": (top(source="das haus"), "source"),
    "no edges at all": (top(edges=[]), "node 0 has no incoming edge"),
    "node without edges": (top(nodes=4), "node 3 has no incoming edge"),
    "inner node without edges": (top(edges=record()["edges"][::3]), "node 1 has no incoming edge"),
    "heads not in order": (swapped(), "edge 1: head 0 after head 1"),
    "heads not grouped": (split_group(), "edge 4: head 1 after head 2"),
    "head beyond the nodes": (edit(3, head=3), "edge 3: head 3"),
    "head below zero": (edit(0, head=-1), "edge 0: head -1"),
    "tail is the head": (edit(1, tails=[1]), "edge 1: a tail in [1]"),
    "tail after the head": (edit(1, tails=[2]), "edge 1: a tail in [2]"),
    "tail below zero": (edit(1, tails=[-1]), "edge 1: a tail in [-1]"),
    "score NaN": (edit(2, score=math.nan), "edge 2: score nan"),
    "score infinite": (edit(2, score=-math.inf), "edge 2: score -inf"),
    "score not a number": (edit(2, score="high"), "edge 2"),
    "score null": (edit(2, score=[]), "edge 2"),
    "tail used twice": (edit(1, target=[0, 0, "x"], align=[]), "edge 1: target refers to the tails [0, 0]"),
    "tail not used": (edit(1, target=["x", "y"]), "edge 1: target refers to the tails []"),
    "tail that is not there": (edit(0, target=[0, "the"], align=[]), "edge 0: target refers to the tails [0]"),
    "second tail for the first": (edit(1, target=[1, "house"]), "edge 1: target refers to the tails [1]"),
    "span beyond the source": (edit(0, span=[0, 3]), "edge 0: span [0, 3]"),
    "span below zero": (edit(0, span=[-1, 1]), "edge 0: span [-1, 1]"),
    "span backwards": (edit(0, span=[2, 1]), "edge 0: span [2, 1]"),
    "span of one number": (edit(0, span=[1]), "edge 0: span [1]"),
    "span not a list": (edit(0, span=1), "edge 0"),
    "lex beyond the source": (edit(0, lex=[2]), "edge 0: a source position"),
    "lex below zero": (edit(0, lex=[-1]), "edge 0: a source position"),
    "lex not a list": (edit(0, lex=0), "edge 0"),
    "align beyond the source": (edit(0, align=[[2, 0]]), "edge 0: a source position"),
    "align beyond the target": (edit(0, align=[[0, 1]]), "edge 0: a target position"),
    "align to a tail": (edit(1, align=[[1, 0]]), "edge 1: a target position"),
    "align of three": (edit(0, align=[[0, 0, 0]]), "edge 0"),
    "align of numbers": (edit(0, align=[0]), "edge 0"),
    "no head": (edit(1, head=None), "edge 1: missing or odd field 'head'"),
    "no tails": (edit(1, tails=None), "edge 1: missing or odd field 'tails'"),
    "no score": (edit(1, score=None), "edge 1: missing or odd field 'score'"),
    "no target": (edit(1, target=None), "edge 1: missing or odd field 'target'"),
    "tails not a list": (edit(1, tails=0), "edge 1"),
    "target of lists": (edit(1, target=[[0], "house"]), "edge 1"),
    "edge not an object": (top(edges=[record()["edges"][0], "edge"]), "edge 1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_every_violation_names_file_and_line(tmp_path, case):
    bad, message = WRONG[case]
    path = tmp_path / "forests.jsonl"
    path.write_text(json.dumps(record()) + "\n\n" + json.dumps(bad) + "\n", "utf8")
    reader = Forest.read_jsonl(path)
    assert next(reader).id == "q7"
    with pytest.raises(InputError) as caught:
        next(reader)
    assert str(caught.value).startswith(f"{path}:3: ")
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == (str(path), 3)


# What is neither a whole number nor a list must not be taken for one.
ODD = {
    "target number below zero": edit(2, target=[-1]),
    "target number far below zero": edit(2, target=["home", -9]),
    "target a string": edit(2, target="home"),
    "target a fraction": edit(1, target=[0.5, "house"]),
    "target true": edit(1, target=[False, "house"]),
    "head a string": edit(0, head="0"),
    "head a fraction": edit(0, head=0.5),
    "head infinite": edit(0, head=math.inf),
    "tails a string": edit(1, tails="0"),
    "tail a fraction": edit(1, tails=[0.5]),
    "score a string": edit(0, score="-1.5"),
    "score too large": edit(0, score=10**400),
    "span of fractions": edit(0, span=[0.2, 1.7]),
    "lex of strings": edit(0, lex=["0"]),
    "align of strings": edit(0, align=["00"]),
    "nodes true": top(nodes=True, edges=record()["edges"][:1]),
    "source of numbers": top(source=[1, 2]),
    "source of null": top(source=[None, "haus"]),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_types_are_refused(case):
    with pytest.raises(InputError, match=r"forests\.jsonl:5: "):
        parse_forest(json.dumps(ODD[case]), "forests.jsonl", 5)


@pytest.mark.parametrize("line", ["{", "", "nonsense", '{"id": "q", "source": [}'])
def test_bad_json(line):
    with pytest.raises(InputError, match=r"forests\.jsonl:5: not a forest"):
        parse_forest(line, "forests.jsonl", 5)


def test_json_nested_too_deeply():
    with pytest.raises(InputError, match=r"forests\.jsonl:5: not a forest"):
        parse_forest("[" * 100_000, "forests.jsonl", 5)


def test_number_of_nodes_is_checked_before_room_is_made():
    with pytest.raises(InputError, match=r"forests\.jsonl:5: "):
        parse_forest(json.dumps(top(nodes=10**15)), "forests.jsonl", 5)


def test_truncated_gz(tmp_path):
    path = tmp_path / "forests.jsonl.gz"
    path.write_bytes(gzip.compress((json.dumps(record()) + "\n").encode() * 50)[:-20])
    with pytest.raises(InputError, match="truncated or damaged") as caught:
        list(Forest.read_jsonl(path))
    assert caught.value.path == str(path)
    assert caught.value.line is not None


def test_missing_file_and_wrong_encoding(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        list(Forest.read_jsonl(tmp_path / "none.jsonl"))
    path = tmp_path / "latin.jsonl"
    path.write_bytes(json.dumps(record()).encode() + b"\n" + "ä".encode("latin-1") + b"\n")
    with pytest.raises(InputError, match=r"latin\.jsonl:2: not UTF-8"):
        list(Forest.read_jsonl(path))


def test_failed_writing_leaves_no_file(tmp_path):
    def forests_then_failure():
        yield random_forest(1)
        raise RuntimeError("decoder failed")

    path = tmp_path / "forests.jsonl"
    with pytest.raises(RuntimeError):
        write_jsonl(path, forests_then_failure())
    assert list(tmp_path.iterdir()) == []


def test_written_compressed_when_the_name_says_so(tmp_path):
    path = tmp_path / "forests.jsonl.gz"
    write_jsonl(path, [random_forest(1)])
    (read,) = Forest.read_jsonl(path)
    assert_equal(read, random_forest(1))


# --- reweighting ---


def test_reweighted():
    forest = forest_of([Edge(0, [], 1.0, ["a"]), Edge(0, [], 2.0, ["b"])], ["x"])
    with pytest.raises(ValueError, match="no features"):
        forest.reweighted({"LM": 1.0})
    fields = {**forest.__dict__, "names": ("LM", "Glue"), "features": np.array([[1, 2], [3, -4]], np.float32)}
    scored = Forest(**fields).reweighted({"LM": 0.5, "unheard of": 9.0})
    assert scored.score.tolist() == [0.5, 1.5]
    assert scored.reweighted({"LM": 0.5, "Glue": -0.25}).score.tolist() == [0.0, 2.5]
    assert_equal(Forest(**{**scored.__dict__, "score": forest.score}), forest)


# --- inference ---


@given(forests())
@settings(deadline=None, max_examples=120)
def test_inside_and_outside(forest):
    """By all derivations; one in which a node stands twice counts twice in sums around that node."""
    below = derivations_below(forest)
    heads = [edge.head for edge in edges_of(forest)]
    for log in (False, True):
        alpha = inside(forest, log)
        beta = outside(forest, alpha, log)
        expected = [total([d.score for d in ds], log) for ds in below]
        np.testing.assert_allclose(alpha, expected, rtol=1e-9, atol=1e-9)
        through = [[d.score for d in below[-1] for e in d.edges if heads[e] == v] for v in range(forest.nodes)]
        np.testing.assert_allclose(alpha + beta, [total(s, log) for s in through], rtol=1e-9, atol=1e-9)


@given(forests())
@settings(deadline=None, max_examples=120)
def test_edge_marginals(forest):
    goal = derivations_below(forest)[-1]
    uses = [Counter(d.edges) for d in goal]
    for log in (False, True):
        alpha = inside(forest, log)
        found = edge_marginals(forest, alpha, outside(forest, alpha, log))
        for e in range(forest.edges):
            scores = [d.score for d, used in zip(goal, uses) for _ in range(used[e])]
            assert found[e] == pytest.approx(total(scores, log), rel=1e-9, abs=1e-9)


@given(forests(covering=True))
@settings(deadline=None, max_examples=80)
def test_every_source_word_is_a_cut(forest):
    """Each derivation translates a source word in exactly one edge, so the edges of any word share the whole sum."""
    alpha = inside(forest, log=True)
    marginal = edge_marginals(forest, alpha, outside(forest, alpha, log=True))
    for position in range(len(forest.source)):
        edges = [e for e, edge in enumerate(edges_of(forest)) if position in edge.lex]
        assert total([m for m in marginal[edges].tolist() if m > -np.inf], log=True) == pytest.approx(alpha[-1])


@given(forests())
@settings(deadline=None, max_examples=80)
def test_best_derivation_goes_through_marginals_of_its_own_score(forest):
    alpha = inside(forest)
    beta = outside(forest, alpha)
    marginal = edge_marginals(forest, alpha, beta)
    best = max(derivations_below(forest)[-1], key=lambda d: d.score)
    np.testing.assert_allclose(marginal[list(best.edges)], alpha[-1], atol=1e-9)
    assert marginal.max() == pytest.approx(alpha[-1], abs=1e-9)
    assert beta[-1] == 0.0


def test_unreachable_nodes_have_no_outside():
    forest = forest_of([Edge(0, [], 5.0, ["a"]), Edge(1, [0], 5.0, [0]), Edge(2, [], -1.0, ["b"])], ["x"])
    for log in (False, True):
        alpha = inside(forest, log)
        beta = outside(forest, alpha, log)
        assert beta.tolist() == [-math.inf, -math.inf, 0.0]
        assert edge_marginals(forest, alpha, beta).tolist() == [-math.inf, -math.inf, -1.0]


def test_sums_of_very_unlike_scores_do_not_overflow():
    forest = forest_of([Edge(0, [], -2000.0, ["a"]), Edge(0, [], 1500.0, ["b"]), Edge(0, [], 1500.0, ["c"])], ["x"])
    assert inside(forest, log=True).tolist() == [pytest.approx(1500.0 + math.log(2))]


def test_long_chain():
    length = 5000
    edges = [Edge(v, [v - 1] if v else [], -float(k), [0, "a"] if v else ["a"]) for v in range(length) for k in (0, 1)]
    forest = forest_of(edges, ["x"])
    alpha = inside(forest, log=True)
    beta = outside(forest, alpha, log=True)
    assert alpha[-1] == pytest.approx(length * math.log1p(math.exp(-1)))
    np.testing.assert_allclose(alpha + beta, alpha[-1])


def test_one_bad_edge_does_not_blur_the_marginals_of_the_others():
    """The sums of different edges must not be taken as differences of one large running sum."""
    edges = [
        Edge(0, [], -1e15, ["a"]), Edge(1, [], 0.1, ["b"]), Edge(2, [0], 0.0, [0]), Edge(2, [1], 0.2, [0]),
    ]  # fmt: skip
    forest = forest_of(edges, ["x"])
    alpha = inside(forest)
    assert edge_marginals(forest, alpha, outside(forest, alpha))[3] == pytest.approx(0.3, abs=1e-12)
