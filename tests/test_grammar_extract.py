"""Rule extraction (cores, rules, features) against an oracle that enumerates and scans, and rules worked out by hand.

Random corpora have few words, so that phrases repeat, and alignments of all kinds: diagonal ones that give many rules,
scattered ones that give few, with unaligned and multiply aligned words.
"""

import itertools

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import reference.grammar as oracle
from crossbow.grammar import known as known_rules
from crossbow.grammar.cores import find_cores
from crossbow.grammar.extract import RuleConfig, extract_rules
from crossbow.grammar.features import FEATURES, rule_features
from crossbow.grammar.known import ROOM, KnownRules
from crossbow.grammar.leftout import left_out
from crossbow.grammar.rules import Rules

SOURCE_WORDS, TARGET_WORDS = 10, 9  # of the vocabularies; the texts use fewer
DEFAULT = RuleConfig()


# Strategies


def listed(element, low, high):
    """Lists of any length alike; hypothesis would rather have short ones."""
    return st.integers(low, high).flatmap(lambda n: st.lists(element, min_size=n, max_size=n))


@st.composite
def training_pair(draw, source_words, target_words, longest):
    source = draw(listed(st.integers(1, source_words), 1, longest))
    n = len(source)
    tidy = draw(st.booleans())  # as long as each other, nearly word by word: many rules
    target = draw(listed(st.integers(0, target_words), n if tidy else 1, n if tidy else longest))
    m = len(target)
    # Most words link near the diagonal, some (shift 3) do not link; then a few links anywhere.
    shifts = draw(st.lists(st.sampled_from([0] * (9 if tidy else 3) + [1, -1, 3]), min_size=n, max_size=n))
    links = {(i, min(m - 1, max(0, i * m // n + shift))) for i, shift in enumerate(shifts) if shift != 3}
    anywhere = st.tuples(st.integers(0, n - 1), st.integers(0, m - 1))
    links.update(draw(st.lists(anywhere, max_size=1 if tidy else 4)))
    return oracle.Pair(source, target, frozenset(links), draw(st.integers(0, 2)))


@st.composite
def problems(draw, longest=20):
    """Training pairs, a query sentence (words of the text, some unknown) and the limits."""
    source_words, target_words = draw(st.integers(2, 7)), draw(st.integers(1, 7))
    pairs = draw(listed(training_pair(source_words, target_words, longest), 1, 7))
    word = st.one_of(*[st.integers(1, source_words)] * 4, st.sampled_from([-1, SOURCE_WORDS - 1]))
    # A copy of a training sentence, with a change here and there, has long matches.
    original = draw(st.sampled_from(pairs)).source
    changes = st.lists(st.one_of(*[st.none()] * 5, word), min_size=len(original), max_size=len(original))
    copy = changes.map(lambda new: [w if n is None else n for w, n in zip(original, new)])
    query = draw(st.one_of(copy, listed(word, 0, 14)))
    config = RuleConfig(max_span=draw(st.sampled_from([2, 3, 4, 6, 9, 12, 15, 15])),
                        max_samples=draw(st.sampled_from([1, 2, 3, 5, 300])),
                        max_anchors=draw(st.sampled_from([1, 2, 3, 7, 100, 100, 100])))
    return pairs, query, config


# The package's records as plain Python


def found_cores(pairs, query, config, exclude=-1):
    """{core: its samples as oracle occurrences}; every core once."""
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    cores = find_cores(bitext, np.array(query, np.int32), config.max_span, config.max_samples, config.max_anchors,
                       exclude)
    _, begins = oracle.joined_text([pair.source for pair in pairs])
    found = {}
    for c, lengths in enumerate(cores.lengths.tolist()):
        words, core = cores.words[c].tolist(), []
        for length in filter(None, lengths):
            core += [oracle.GAP] * bool(core) + words[:length]
            words = words[length:]
        assert tuple(core) not in found
        found[tuple(core)] = []
        for row in cores.samples[cores.starts[c] : cores.starts[c + 1]].tolist():
            positions = [p + k for p, length in zip(row, lengths) for k in range(length)]
            sentence = int(bitext.sentence[row[0]])
            found[tuple(core)].append(oracle.Occurrence(sentence, tuple(p - begins[sentence] for p in positions)))
    return found


def as_dict(rules):
    """{(source side, target side): (count, samples, alignment, features)}; every pattern and every rule once."""
    found, patterns = {}, set()
    assert rules.features.shape == (len(rules.counts), len(FEATURES))
    assert rules.features.dtype == np.float32
    for p in range(len(rules.samples)):
        source = tuple(rules.source[rules.source_starts[p] : rules.source_starts[p + 1]].tolist())
        assert source not in patterns
        patterns.add(source)
        assert rules.first[p] < rules.first[p + 1]
        for r in range(rules.first[p], rules.first[p + 1]):
            target = tuple(rules.target[rules.target_starts[r] : rules.target_starts[r + 1]].tolist())
            alignment = tuple(map(tuple, rules.align[rules.align_starts[r] : rules.align_starts[r + 1]].tolist()))
            assert (source, target) not in found
            found[source, target] = int(rules.counts[r]), int(rules.samples[p]), alignment, rules.features[r].tolist()
    assert len(found) == len(rules.counts) == rules.first[-1]
    assert len(rules.source) == rules.source_starts[-1]
    assert len(rules.target) == rules.target_starts[-1]
    assert len(rules.align) == rules.align_starts[-1]
    return found


def extracted(pairs, query, config=DEFAULT, exclude=-1):
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    return as_dict(extract_rules(bitext, np.array(query, np.int32), config, exclude))


def check(pairs, query, config, exclude=-1):
    """Extraction and oracle agree; returns how many rules there are."""
    found = extracted(pairs, query, config, exclude)
    expected = oracle.extract(pairs, query, config, exclude)
    assert found.keys() == expected.keys()
    for rule, (count, samples, alignment, features) in found.items():
        assert (count, samples) == (expected[rule].count, expected[rule].samples), rule
        assert alignment in expected[rule].alignments, rule  # where several are as frequent, any of them
        assert features == pytest.approx(expected[rule].features, rel=1e-6, abs=1e-6), rule
    return len(found)


# Cores


@settings(deadline=None, max_examples=120)
@given(problems(), st.integers(-1, 2))
def test_cores_and_their_samples(problem, exclude):
    pairs, query, config = problem
    # Phrases of more words than a span may have are listed too; they cannot become rules.
    found = {core: samples for core, samples in found_cores(pairs, query, config, exclude).items()
             if len(core) <= config.max_span}
    assert found == oracle.sampled_cores(pairs, query, config, exclude)


def test_samples_are_taken_at_a_fixed_stride():
    pairs = [oracle.Pair([1, 2 + k % 3, 3, *[5] * 6], [0], frozenset(), k) for k in range(10)]
    found = found_cores(pairs, [1, 2, 3], RuleConfig(max_samples=4))
    # The suffix array has the sentences with 2 first, then 3, then 4.
    order = [0, 3, 6, 9, 1, 4, 7, 2, 5, 8]
    assert [place.sentence for place in found[1,]] == [order[k] for k in (0, 2, 5, 7)]
    assert [place.sentence for place in found[1, 2]] == [0, 3, 6, 9]
    assert [place.sentence for place in found[1, None, 3]] == [0, 2, 5, 7]
    assert found.keys() == {(1,), (2,), (3,), (1, 2), (2, 3), (1, 2, 3), (1, None, 3)}


@pytest.mark.parametrize("query", [[], [-1], [-1, -1, -1], [SOURCE_WORDS - 1]])
def test_nothing_known_in_the_sentence(query):
    pairs = [oracle.Pair([1, 2], [1, 2], frozenset({(0, 0), (1, 1)}))]
    assert extracted(pairs, query) == {}


# Rules


@settings(deadline=None, max_examples=250)
@given(problems())
def test_rules_equal_the_oracle(problem):
    rules = check(*problem)
    event(f"rules: {'none' if rules == 0 else 'up to 20' if rules <= 20 else 'up to 200' if rules <= 200 else 'more'}")


@settings(deadline=None, max_examples=120)
@given(problems(), st.integers(0, 3))
def test_rules_without_a_group_equal_the_oracle(problem, exclude):
    check(*problem, exclude)


@settings(deadline=None, max_examples=50)
@given(problems(longest=12), st.integers(0, 3))
def test_leave_one_out_is_training_without_the_group(problem, group):
    """As long as no pattern has more occurrences than samples are taken."""
    pairs, query, config = problem
    config = RuleConfig(config.max_span, 2000)
    left = [pair for pair in pairs if pair.group != group]
    found = extracted(pairs, query, config, exclude=group)
    without = extracted(left, query, config) if left else {}
    assert found.keys() == without.keys()
    for rule, (count, samples, _, features) in found.items():
        assert (count, samples) == without[rule][:2]
        assert features == without[rule][3]


@pytest.mark.parametrize(("seed", "max_samples"), [(1, 300), (2, 20)])
def test_a_text_that_outgrows_every_buffer(seed, max_samples):
    """Thousands of patterns, rules and samples: arrays that grow must keep what they hold."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(60):
        n = int(rng.integers(10, 21))
        order = np.argsort(np.arange(n) + rng.normal(0, 0.7, n))
        links = {(int(i), j) for j, i in enumerate(order) if rng.random() < 0.9}
        source, target = rng.integers(1, 8, (2, n)).tolist()
        pairs.append(oracle.Pair(source, target, frozenset(links)))
    query = [*rng.integers(1, 8, 16).tolist(), -1, *rng.integers(1, 8, 8).tolist()]
    assert check(pairs, query, RuleConfig(max_samples=max_samples)) > 4096


@settings(deadline=None, max_examples=20)
@given(problems(longest=8))
def test_extraction_is_repeatable(problem):
    pairs, query, config = problem
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    one, other = (extract_rules(bitext, np.array(query, np.int32), config) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, other))


# Rules that are known from other sentences


@settings(deadline=None, max_examples=60)
@given(problems(), st.integers(1, 4), st.sampled_from([(9, 30, 20, 90, 60, 5), (60, 200, 90, 400, 300, 40), ROOM]))
def test_known_rules_are_those_that_extraction_finds(problem, fewest, room):
    """Sentences of the text one after another, then the query twice, whether or not there is room for all rules."""
    pairs, query, config = problem
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    known = KnownRules(room, fewest)
    for ids in [*(pair.source for pair in pairs), query, query]:
        ids = np.array(ids, np.int32)
        expected = extract_rules(bitext, ids, config)
        found = extract_rules(bitext, ids, config, known=known)
        for name, one, other in zip(Rules._fields, expected, found):
            assert one.dtype == other.dtype, name
            assert np.array_equal(one, other), name


def test_known_rules_are_kept_until_there_is_no_room(monkeypatch):
    pair = oracle.Pair([DAS, HAUS, IST], [THE, HOUSE, IS], frozenset({(0, 0), (1, 1), (2, 2)}))
    bitext = oracle.build([pair], SOURCE_WORDS, TARGET_WORDS)
    calls, original = [], known_rules._keep
    monkeypatch.setattr(known_rules, "_keep", lambda *given: calls.append(given[2].sum()) or original(*given))
    known = KnownRules(fewest=1)
    for _ in range(3):
        extract_rules(bitext, np.array(pair.source, np.int32), DEFAULT, known=known)
    assert calls[0] > 0
    assert calls[1:] == [0, 0]  # all are known from the second time on
    calls.clear()
    cramped = KnownRules((1, 1, 1, 1, 1, 1), fewest=1)
    for _ in range(2):
        extract_rules(bitext, np.array(pair.source, np.int32), DEFAULT, known=cramped)
    assert calls[0] == calls[1] > 0


def test_what_is_left_out_is_neither_known_nor_learned():
    pair = oracle.Pair([DAS, HAUS, IST], [THE, HOUSE, IS], frozenset({(0, 0), (1, 1), (2, 2)}), 0)
    bitext = oracle.build([pair, pair._replace(group=1)], SOURCE_WORDS, TARGET_WORDS)
    ids, known = np.array(pair.source, np.int32), KnownRules(fewest=1)
    extract_rules(bitext, ids, DEFAULT, known=known)
    assert as_dict(extract_rules(bitext, ids, DEFAULT, 1, known)) == as_dict(extract_rules(bitext, ids, DEFAULT, 1))
    assert as_dict(extract_rules(bitext, ids, DEFAULT, known=known)) == as_dict(extract_rules(bitext, ids, DEFAULT))


# By hand

DAS, HAUS, IST, KLEIN = 1, 2, 3, 4
THE, HOUSE, IS, SMALL = 1, 2, 3, 4


def test_every_rule_of_one_short_sentence():
    """das haus ist ~ the house is, word by word."""
    pairs = [oracle.Pair([DAS, HAUS, IST], [THE, HOUSE, IS], frozenset({(0, 0), (1, 1), (2, 2)}))]
    expected = {
        ((DAS,), (THE,)), ((HAUS,), (HOUSE,)), ((IST,), (IS,)),
        ((DAS, HAUS), (THE, HOUSE)), ((HAUS, IST), (HOUSE, IS)), ((DAS, HAUS, IST), (THE, HOUSE, IS)),
        ((DAS, -1), (THE, -1)), ((-1, HAUS), (-1, HOUSE)), ((HAUS, -1), (HOUSE, -1)), ((-1, IST), (-1, IS)),
        ((DAS, HAUS, -1), (THE, HOUSE, -1)), ((-1, HAUS, IST), (-1, HOUSE, IS)),
        ((DAS, -1, IST), (THE, -1, IS)), ((-1, HAUS, -2), (-1, HOUSE, -2)),
    }
    found = extracted(pairs, [DAS, HAUS, IST])
    assert found.keys() == expected
    assert found[(DAS, -1, IST), (THE, -1, IS)][:3] == (1, 1, ((0, 0), (2, 2)))
    assert found[(-1, HAUS, -2), (-1, HOUSE, -2)][:3] == (1, 1, ((1, 1),))


def test_nonterminals_swap_places_on_the_target_side():
    pairs = [oracle.Pair([1, 2, 3], [6, 5, 4], frozenset({(0, 2), (1, 1), (2, 0)}))]
    found = extracted(pairs, [1, 2, 3])
    assert found[(-1, 2, -2), (-2, 5, -1)][2] == ((1, 1),)
    assert found[(1, -1, 3), (6, -1, 4)][2] == ((0, 2), (2, 0))
    assert ((1, -1), (-1, 4)) in found


def test_a_phrase_must_not_begin_or_end_with_an_unaligned_word():
    """haus is unaligned: it appears inside phrases, never at an end, and no nonterminal covers it alone."""
    pairs = [oracle.Pair([DAS, HAUS, IST], [THE, IS], frozenset({(0, 0), (2, 1)}))]
    assert extracted(pairs, [DAS, HAUS, IST]).keys() == {
        ((DAS,), (THE,)), ((IST,), (IS,)), ((DAS, HAUS, IST), (THE, IS)),
        ((DAS, HAUS, -1), (THE, -1)), ((-1, HAUS, IST), (-1, IS)),
    }


def test_an_unaligned_target_word_stays_inside():
    pairs = [oracle.Pair([1, 2], [5, 6, 7], frozenset({(0, 0), (1, 2)}))]
    found = extracted(pairs, [1, 2])
    assert ((1, 2), (5, 6, 7)) in found
    assert ((1, -1), (5, 6, -1)) in found
    assert ((-1, 2), (-1, 6, 7)) in found
    assert not any(target[0] == 6 or target[-1] == 6 for _, target in found)


def test_crossing_links_allow_no_rule_but_the_whole():
    """Both words are linked to both: neither is a phrase, nor can it be a nonterminal."""
    everything = frozenset(itertools.product(range(2), range(2)))
    found = extracted([oracle.Pair([1, 2], [5, 6], everything)], [1, 2])
    assert found.keys() == {((1, 2), (5, 6))}
    assert found[(1, 2), (5, 6)][2] == ((0, 0), (0, 1), (1, 0), (1, 1))


def test_a_nonterminal_at_the_end_is_the_shortest_span_that_makes_a_rule():
    """After word 1 the shortest phrase is word 2, but 1 2 is none: between their translations stands that of 3. So the
    nonterminal covers 2 3, unless the limit of the whole leaves no room for it."""
    pairs = [oracle.Pair([1, 2, 3], [5, 7, 6], frozenset({(0, 0), (1, 2), (2, 1)}))]
    assert extracted(pairs, [1]).keys() == {((1,), (5,)), ((1, -1), (5, -1))}
    assert extracted(pairs, [1], RuleConfig(max_span=2)).keys() == {((1,), (5,))}


def test_span_limit_counts_words_on_both_sides():
    source_long = oracle.Pair([1, 2, 3, 4], [5, 6], frozenset({(0, 0), (3, 1)}))
    target_long = oracle.Pair([1, 4], [5, 6, 7, 8], frozenset({(0, 0), (1, 3)}))
    for pair in (source_long, target_long):
        whole = tuple(pair.source), tuple(pair.target)
        assert whole in extracted([pair], pair.source, RuleConfig(max_span=4))
        assert whole not in extracted([pair], pair.source, RuleConfig(max_span=3))


def test_phrases_do_not_cross_sentences():
    pairs = [oracle.Pair([1, 2], [1, 2], frozenset({(0, 0), (1, 1)})), oracle.Pair([3], [3], frozenset({(0, 0)}))]
    found = extracted(pairs, [1, 2, 3])
    assert {source for source, _ in found} == {(1,), (2,), (3,), (1, 2), (1, -1), (-1, 2)}


def test_the_most_frequent_alignment_is_kept():
    straight, crossed = frozenset({(0, 0), (1, 1)}), frozenset({(0, 1), (1, 0)})
    for alignments in itertools.permutations([straight, crossed, crossed]):
        found = extracted([oracle.Pair([1, 2], [5, 5], links) for links in alignments], [1, 2])
        assert found[(1, 2), (5, 5)][:3] == (3, 3, ((0, 1), (1, 0)))


def test_features_by_hand():
    """Four occurrences of word 1: twice as 5, once as 6, once unaligned. One target word 7 is unaligned."""
    link = frozenset({(0, 0)})
    pairs = [oracle.Pair([1], [5], link), oracle.Pair([1], [5], link), oracle.Pair([1], [6], link),
             oracle.Pair([1, 2], [5, 7], frozenset({(1, 0)}))]
    found = extracted(pairs, [1, 2])
    log = np.log10
    # p(1|5) = 2/3, p(1|6) = 1, p(1|NULL) = 1 (the only unaligned source word); p(5|1) = 2/4, p(6|1) = 1/4
    assert found[(1,), (5,)][3] == pytest.approx([-log(2 / 4), log(5), log(3), 0, -log(2 / 4), 0, 0], abs=1e-6)
    assert found[(1,), (6,)][3] == pytest.approx([-log(1 / 4), log(5), log(2), 0, -log(1 / 4), 0, 1], abs=1e-6)
    # p(2|5) = 1/3, p(2|NULL) = 0; p(5|2) = 1
    assert found[(2,), (5,)][3] == pytest.approx([0, log(2), log(2), -log(1 / 3), 0, 1, 1], abs=1e-6)
    assert found.keys() == {((1,), (5,)), ((1,), (6,)), ((2,), (5,))}


@st.composite
def plain_rules(draw):
    """Rules of any words, as the arrays that rule_features reads: each its own pattern."""
    words = listed(st.integers(1, 7), 1, 4)
    sides = draw(st.lists(st.tuples(words, words, st.booleans()), min_size=1, max_size=8))
    sides = [((-1, *f), (*e, -1)) if gap else (tuple(f), tuple(e)) for f, e, gap in sides]
    samples = draw(st.lists(st.integers(1, 300), min_size=len(sides), max_size=len(sides)))
    return sides, samples, [draw(st.integers(1, n)) for n in samples]


@settings(deadline=None, max_examples=60)
@given(st.lists(training_pair(7, 7, 6), min_size=1, max_size=4), plain_rules())
def test_features_of_any_rule(pairs, rules):
    """Also of rules that the text does not contain, where no partner of a word may be probable."""
    sides, samples, counts = rules
    source, target = (oracle.corpus([rule[k] for rule in sides]) for k in (0, 1))
    found = np.full((len(sides), len(FEATURES)), np.nan, np.float32)
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    rule_features(bitext, left_out(bitext, -1), source.starts.astype(np.int32), source.words,
                  np.array(samples, np.int32), np.arange(len(sides) + 1, dtype=np.int32),
                  target.starts.astype(np.int32), target.words, np.array(counts, np.int32), found)
    link_counts = oracle.LinkCounts(pairs)
    for row, (f, e), n, c in zip(found.tolist(), sides, samples, counts):
        assert row == pytest.approx(oracle.features(link_counts, f, e, c, n), rel=1e-6, abs=1e-6)


def test_a_word_without_any_probable_partner_costs_99():
    pairs = [oracle.Pair([1, 2, 3], [5, 6], frozenset({(0, 0), (1, 1)}))]
    values = np.zeros((1, len(FEATURES)), np.float32)
    one = np.array([0, 1], np.int32)
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    rule_features(bitext, left_out(bitext, -1), one, np.array([1], np.int32), one[1:], one, one,
                  np.array([6], np.int32), one[1:], values)
    assert values[0].tolist() == pytest.approx([0, np.log10(2), np.log10(2), 99, 99, 1, 1])
