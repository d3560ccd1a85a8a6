"""Word alignment against slow oracles, against the systran-align wheel, and against links that are known."""

import gzip
import itertools
import math
import threading
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import special

import reference.align as oracle
from crossbow.align import model2, pharaoh
from crossbow.align.cells import LIMIT, index_cells, unpack
from crossbow.align.config import HEURISTICS, AlignConfig
from crossbow.align.diagonal import expected_distance, fit_tension, shapes_of, sums
from crossbow.align.driver import align
from crossbow.align.symmetrize import Links, symmetrize
from crossbow.errors import CrossbowError, InputError
from crossbow.jit import kernel
from crossbow.vocab import Corpus

compiling = settings(deadline=None)  # the first example may wait for the compiler

SENTENCE = st.lists(st.integers(0, 5), min_size=1, max_size=6)
PAIRS = st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=6)
PAIRS_WITH_EMPTY = st.lists(st.tuples(*[st.lists(st.integers(0, 5), max_size=6)] * 2), min_size=1, max_size=6)


def corpus(sentences):
    starts = np.zeros(len(sentences) + 1, np.int64)
    np.cumsum([len(sentence) for sentence in sentences], out=starts[1:])
    return Corpus(np.array([word for sentence in sentences for word in sentence], np.int32), starts)


def corpora(pairs):
    return corpus([source for source, _ in pairs]), corpus([target for _, target in pairs])


def link_sets(links):
    bounds = zip(links.starts[:-1], links.starts[1:])
    return [list(zip(links.source[a:b].tolist(), links.target[a:b].tolist())) for a, b in bounds]


def agreement(one, other):
    """F1 of two lists of link lists."""
    common = sum(len(set(a) & set(b)) for a, b in zip(one, other))
    return 2 * common / (sum(map(len, one)) + sum(map(len, other)))


def synthetic(pairs, seed):
    """Parallel text from a word-for-word dictionary, with words swapped, left out and put in; and its true links."""
    random = np.random.default_rng(seed)
    translation = random.permutation(400)
    text, truth = [], []
    for _ in range(pairs):
        source = np.minimum(random.zipf(1.3, random.integers(3, 16)), 400) - 1
        order = np.argsort(np.arange(len(source)) + random.normal(0, 0.8, len(source)))
        target, links = [], []
        for i in order:
            if random.random() < 0.1:
                target.append(400 + int(random.integers(3)))
            if random.random() < 0.9 or i == order[-1]:
                links.append((int(i), len(target)))
                target.append(int(translation[source[i]]))
        text.append((source.tolist(), target))
        truth.append(links)
    return text, truth


def test_digamma_is_scipys():
    x = np.concatenate([np.geomspace(0.01, 1e9, 500), [9.999, 10.0, 10.001]])
    np.testing.assert_allclose([model2.digamma(value) for value in x], special.digamma(x), rtol=1e-12, atol=1e-12)


@given(st.floats(0.1, 14), st.integers(1, 60), st.integers(1, 60), st.data())
@compiling
def test_closed_sums_of_the_prior(tension, n, m, data):
    j = data.draw(st.integers(1, m))
    distances = np.abs(np.arange(1, n + 1) / n - j / m)
    weights = np.exp(-tension * distances)
    np.testing.assert_allclose(sums(tension, n, m, j), [weights.sum(), weights @ distances], rtol=1e-9, atol=1e-12)


@given(PAIRS, st.floats(0.1, 14))
@compiling
def test_expected_distance(pairs, tension):
    source, target = corpora(pairs)
    shapes = shapes_of(source, target, np.ones(len(pairs), bool))
    assert expected_distance(tension, shapes) == pytest.approx(oracle.expected_distance(tension, pairs), rel=1e-9)


def test_tension_stays_in_bounds():
    shapes = np.array([[20, 20, 1]])
    assert fit_tension(4.0, shapes, 0.0, 50) == 14.0
    assert fit_tension(4.0, shapes, 1.0, 50) == 0.1
    fixed_point = expected_distance(6.0, shapes)
    assert fit_tension(4.0, shapes, fixed_point, 500) == pytest.approx(6.0, abs=1e-3)


@kernel
def unpacked(cells, source, target, s, late, places):
    return unpack(cells, source, target, s, late, places)


def places_of(cells, source, target):
    """The places of all sentences' cells, as passes get them."""
    late, found = 0, []
    for s in range(len(cells.starts) - 1):
        places = np.zeros(cells.starts[s + 1] - cells.starts[s], np.int64)
        late = unpacked(cells, source, target, s, late, places) if len(places) else late
        found.append(places.tolist())
    assert late == len(cells.late)
    return found


@given(PAIRS_WITH_EMPTY, st.integers(1, 6), st.sampled_from([0, 1, 3, LIMIT]))
@compiling
def test_cells_are_the_distinct_word_pairs(pairs, longest, limit):
    """Whatever rank is the first that the grid does not hold."""
    cells = index_cells(*corpora(pairs), longest, limit)
    number, times = {}, Counter()
    for found, (source, target) in zip(places_of(cells, *corpora(pairs)), pairs, strict=True):
        met = [(e, f) for e in source for f in target] if max(len(source), len(target)) <= longest else []
        times.update(met)
        assert all(number.setdefault(pair, place) == place for pair, place in zip(met, found, strict=True))
    again = sorted(place for pair, place in number.items() if times[pair] > 1)
    once = sorted(place for pair, place in number.items() if times[pair] == 1)
    assert (len(again), len(again) + len(once)) == (cells.repeated, cells.total)
    assert again == list(range(0, 2 * cells.repeated, 2))
    assert once == list(range(2 * cells.repeated, cells.repeated + cells.total))
    for side, degrees in enumerate((cells.source_degree, cells.target_degree)):
        assert degrees.tolist() == [sum(pair[side] == word for pair in number) for word in range(len(degrees))]


@given(PAIRS, st.booleans(), st.floats(0.5, 12))
@settings(max_examples=60, deadline=None)
def test_expected_counts(pairs, forward, tension):
    """One E-step from the uniform table: the counts of cells, of words and of "no origin" are sums of posteriors."""
    source, target = corpora(pairs)
    index = index_cells(source, target, 6)
    sides = (source, target) if forward else (target, source)
    degrees = (index.source_degree, index.target_degree) if forward else (index.target_degree, index.source_degree)
    table = model2.uniform_table(index, *map(len, degrees))
    likelihood, _ = model2.expect(*sides, index, forward, tension, 0.08, table, model2.scratch(6))
    [expected] = oracle.train(pairs if forward else [pair[::-1] for pair in pairs], passes=1, tension=tension)
    assert likelihood == pytest.approx(expected["likelihood"], rel=1e-9)
    totals = dict.fromkeys([oracle.NONE, *range(len(degrees[0]))], 0.0)
    for (e, f), count in expected["counts"].items():
        totals[e] += count
        if e is oracle.NONE:
            assert table.none[f, 1] == pytest.approx(count, rel=1e-9)
        else:
            place = place_of(index, pairs, (e, f) if forward else (f, e))
            assert table.cells[place + (place < 2 * index.repeated)] == pytest.approx(count, rel=1e-6)
    assert table.none_given[0, 1] == pytest.approx(totals.pop(oracle.NONE))
    np.testing.assert_allclose(table.given[:, 1], list(totals.values()), rtol=1e-9)


def place_of(index, pairs, pair):
    for places, (source, target) in zip(places_of(index, *corpora(pairs)), pairs, strict=True):
        if pair[0] in source and pair[1] in target:
            return places[source.index(pair[0]) * len(target) + target.index(pair[1])]
    raise KeyError(pair)


@given(PAIRS, st.booleans(), st.sampled_from([0, 8]), st.sampled_from([2, LIMIT]))
@example([([0], [0])], True, 8, LIMIT)
@example([([0], [0, 0, 0]), ([0, 1, 2, 3], [1])], False, 8, LIMIT)
@settings(max_examples=80, deadline=None)
def test_training_is_the_oracles(pairs, forward, tension_steps, limit):
    source, target = corpora(pairs)
    config = AlignConfig(tension_steps=tension_steps, longest=6)
    links, record = model2.train(source, target, index_cells(source, target, 6, limit), forward, config)
    expected = oracle.train(pairs if forward else [pair[::-1] for pair in pairs], tension_steps=tension_steps)
    bits = [-result["likelihood"] / result["words"] / math.log(2) for result in expected]
    np.testing.assert_allclose(record.cross_entropy, bits, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(record.tension, [result["tension"] for result in expected], rtol=1e-5)
    for chosen, joint in zip(links.tolist(), expected[-1]["joint"], strict=True):
        assert joint[oracle.NONE if chosen < 0 else chosen] >= max(joint.values()) * (1 - 1e-5)


@given(PAIRS)
@settings(max_examples=40, deadline=None)
def test_the_variational_bound_never_falls(pairs):
    """Under the Dirichlet prior the likelihood may fall; likelihood less divergence of the table may not.

    This holds while the tension stays fixed: its steps follow the gradient, but not to a guaranteed gain.
    """
    source, target = corpora(pairs)
    config = AlignConfig(passes=9, tension_steps=0, longest=6)
    _, record = model2.train(source, target, index_cells(source, target, 6), True, config)
    results = oracle.train(pairs, passes=9, tension_steps=0)
    bound = [-bits * math.log(2) * len(target.words) - result["divergence"]
             for bits, result in zip(record.cross_entropy[1:], results[1:])]
    assert all(after >= before - 1e-5 for before, after in itertools.pairwise(bound))


def test_known_links_are_found():
    """Position by position it cannot be perfect: words repeat within a sentence, and words put in get links too."""
    pairs, truth = synthetic(1000, seed=1)
    links, report = align(*corpora(pairs), AlignConfig())
    found = link_sets(links)
    assert sum(len(set(a) & set(b)) for a, b in zip(found, truth)) > 0.9 * sum(map(len, truth))
    dictionary, joined = (
        [(source[i], target[j]) for (source, target), some in zip(pairs, links) for i, j in some if target[j] < 400]
        for links in (truth, found)
    )
    translations = set(dictionary)
    assert np.mean([pair in translations for pair in joined]) > 0.95
    for record in (report.forward, report.backward):
        assert len(record.tension) == len(record.cross_entropy) == 5
        assert record.tension[:2] == [4.0, 4.0]
        assert record.tension[-1] > 5
        assert record.cross_entropy[-1] < record.cross_entropy[0] - 2


def test_threads_and_repetition_change_nothing():
    source, target = corpora(synthetic(200, seed=2)[0])
    one, first = align(source, target, AlignConfig(), threads=1)
    two, second = align(source, target, AlignConfig(), threads=2)
    assert all(np.array_equal(a, b) for a, b in zip(one, two))
    assert first == second


def test_long_and_empty_sentences_are_skipped():
    pairs, _ = synthetic(100, seed=3)
    plain = link_sets(align(*corpora(pairs), AlignConfig(longest=20))[0])
    odd = [([1] * 21, [2]), ([], [3]), ([3], []), ([], []), ([2], [1] * 300), ([], [1] * 300)]
    links, report = align(*corpora(odd + pairs), AlignConfig(longest=20))
    assert (report.too_long, report.empty) == (3, 3)
    assert link_sets(links) == [[]] * len(odd) + plain


def test_progress_counts_up_to_its_total():
    seen = []
    source, target = corpora(synthetic(20, seed=4)[0])
    align(source, target, AlignConfig(passes=3), progress=lambda *step: seen.append(step))
    assert seen == [("align", k, 8) for k in range(1, 9)]


def test_a_failure_stops_both_directions():
    calls = []

    def fail(stage, done, total):
        calls.append(threading.get_ident())
        if len(calls) > 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        align(*corpora(synthetic(20, seed=5)[0]), AlignConfig(passes=50), threads=1, progress=fail)
    assert len(calls) < 10


@pytest.mark.parametrize(("source", "target", "problem"), [
    ([[0]], [[0], [1]], "1 source sentences but 2 target"),
    ([], [], "nothing to align"),
    ([[0], []], [[], [0]], "nothing to align"),
    ([[0] * 201], [[0]], "nothing to align"),
    ([[0, -1]], [[0]], "without an id"),
])
def test_corpora_that_cannot_be_aligned(source, target, problem):
    with pytest.raises(CrossbowError, match=problem):
        align(corpus(source), corpus(target), AlignConfig())


@pytest.mark.parametrize("values", [
    {"passes": 0}, {"null": 0.0}, {"null": math.nan}, {"tension": 15.0}, {"tension_steps": -1}, {"alpha": 0.001},
    {"longest": 0}, {"heuristic": "grow"},
])
def test_settings_are_checked(values):
    with pytest.raises(CrossbowError, match=next(iter(values))):
        AlignConfig(**values)


@st.composite
def two_directions(draw):
    """Sentence lengths, and for each side's words a position on the other side or -1."""
    sentences = draw(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), min_size=1, max_size=4))
    forward = [[draw(st.integers(-1, n - 1)) for _ in range(m)] for n, m in sentences]
    backward = [[draw(st.integers(-1, m - 1)) for _ in range(n)] for n, m in sentences]
    return forward, backward


@given(two_directions(), st.sampled_from(HEURISTICS))
@compiling
def test_symmetrization_is_the_oracles(directions, heuristic):
    forward, backward = directions
    source, target = corpus(backward), corpus(forward)
    links = symmetrize(source, target, target.words.astype(np.int16), source.words.astype(np.int16), heuristic, 7)
    for found, f, b in zip(link_sets(links), forward, backward, strict=True):
        ways = {(i, j) for j, i in enumerate(f)}, {(i, j) for i, j in enumerate(b)}
        some = [{link for link in way if min(link) >= 0} for way in ways]
        assert found == oracle.symmetrize(*some, heuristic)


def test_grow_diag_final_and_by_hand():
    """(0,0) agreed; (1,1) grows diagonally; (1,3) joins nothing; (3,3) is final; (2,3) then has a linked end."""
    forward, backward = np.array([0, 1, -1, 3], np.int16), np.array([0, 3, 3, -1], np.int16)
    sides = corpus([[0, 1, 2, 3]]), corpus([[0, 1, 2, 3]])
    assert link_sets(symmetrize(*sides, forward, backward, "grow-diag-final-and", 4)) == [[(0, 0), (1, 1), (3, 3)]]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sets(st.integers(0, 24))), max_size=5))
@compiling
def test_pharaoh_round_trip(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("pharaoh") / "links.txt"
    pairs = [sorted({(k // m, k % m) for k in some if m and k // m < n}) for n, m, some in sentences]
    starts = np.concatenate([[0], np.cumsum([len(links) for links in pairs], dtype=np.int64)]).astype(np.int64)
    flat = [link for links in pairs for link in links]
    links = Links(np.array([i for i, _ in flat], np.int16), np.array([j for _, j in flat], np.int16), starts)
    pharaoh.write(path, links)
    back = pharaoh.read(path, corpus([[0] * n for n, _, _ in sentences]), corpus([[0] * m for _, m, _ in sentences]))
    assert all(np.array_equal(a, b) and a.dtype == b.dtype for a, b in zip(back, links))
    assert [file.name for file in path.parent.iterdir()] == ["links.txt"]


def test_pharaoh_reads_compressed_files(tmp_path):
    path = tmp_path / "links.gz"
    path.write_bytes(gzip.compress(b"0-0 1-1\n\n"))
    assert link_sets(pharaoh.read(path, corpus([[0, 0], [0]]), corpus([[0, 0], [0]]))) == [[(0, 0), (1, 1)], []]


def test_pharaoh_takes_any_order_and_repeated_links(tmp_path):
    path = tmp_path / "links.txt"
    path.write_text("1-0\t0-1  1-0 0-0 \n\n", encoding="ascii")
    links = pharaoh.read(path, corpus([[0, 0], [0]]), corpus([[0, 0], [0]]))
    assert link_sets(links) == [[(0, 0), (0, 1), (1, 0)], []]


@pytest.mark.parametrize(("content", "problem"), [
    (b"0-0\n", r"links.txt: 1 lines for 2 sentence pairs"),
    (b"0-0\n0-0\n\n", r"links.txt: 3 lines for 2"),
    (b"0-0\n0-1\n", r"links.txt:2: link 0-1, but the target sentence has 1 words"),
    (b"2-0\n0-0\n", r"links.txt:1: link 2-0, but the source sentence has 2 words"),
    (b"0-0\n0 0\n", r"links.txt:2: not a line of links: '0 0'"),
    (b"0-0 1\n0-0\n", r"links.txt:1: not a line of links"),
    (b"-1-0\n0-0\n", r"links.txt:1: not a line of links"),
    (b"0-0-0\n0-0\n", r"links.txt:1: not a line of links"),
    (b"99999999999-0\n0-0\n", r"links.txt:1: not a line of links"),
    (b"0-nan\n0-0\n", r"links.txt:1: not a line of links"),
    (b"0-0\n\xff\n", r"links.txt:\d: not UTF-8"),
    (b"", r"links.txt: 0 lines for 2"),
])
def test_pharaoh_names_the_place_of_a_problem(tmp_path, content, problem):
    path = tmp_path / "links.txt"
    path.write_bytes(content)
    with pytest.raises(InputError, match=problem):
        pharaoh.read(path, corpus([[0, 0], [0]]), corpus([[0, 0], [0]]))


def test_pharaoh_without_a_file(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        pharaoh.read(tmp_path / "none.txt", corpus([]), corpus([]))


def test_agreement_with_systran_align(tmp_path):
    """The wheel's Aligner always uses tension 4, whatever was learned, so here ours stays at 4 as well."""
    peer = pytest.importorskip("systran_align", reason="NOT COMPARED with fast_align: install systran-align")
    pairs, _ = synthetic(400, seed=6)
    words = [([f"s{e}" for e in source], [f"t{f}" for f in target]) for source, target in pairs]
    text, tables = tmp_path / "text", (str(tmp_path / "forward"), str(tmp_path / "backward"))
    text.write_text("".join(f"{' '.join(source)} ||| {' '.join(target)}\n" for source, target in words))
    peer.generate_alignment_probabilities(
        str(text), *tables, favor_diagonal=True, optimize_tension=False, variational_bayes=True, beam_threshold=-1e9
    )
    theirs = [result["alignments"] for result in peer.Aligner(*tables).align_batch(*map(list, zip(*words)))]
    links, _ = align(*corpora(pairs), AlignConfig(tension_steps=0))
    assert agreement(link_sets(links), theirs) > 0.98
