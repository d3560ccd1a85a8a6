"""Extraction of phrase pairs against an oracle that scans, and by hand."""

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import reference.grammar as oracle
from crossbow.errors import CrossbowError
from crossbow.grammar.extract import extract_phrases, extract_rules
from test_grammar_extract import DEFAULT, SOURCE_WORDS, TARGET_WORDS, as_dict, problems


def extracted(pairs, query, longest=7, config=DEFAULT, exclude=-1):
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    return as_dict(extract_phrases(bitext, np.array(query, np.int32), longest, config, exclude))


@settings(deadline=None, max_examples=150)
@given(problems(), st.integers(1, 8), st.integers(-1, 2))
def test_all_phrase_pairs(problem, longest, exclude):
    pairs, query, config = problem
    found = extracted(pairs, query, longest, config, exclude)
    expected = oracle.extract_phrases(pairs, query, longest, config, exclude)
    assert found.keys() == expected.keys()
    for rule, (count, samples, alignment, features) in found.items():
        assert (count, samples) == (expected[rule].count, expected[rule].samples), rule
        assert alignment in expected[rule].alignments, rule
        assert features == pytest.approx(expected[rule].features, rel=1e-6, abs=1e-6), rule
    event(f"{min(len(found) // 10, 5) * 10} phrase pairs or more")
    event(f"a phrase of {max((len(source) for source, _ in found), default=0)} words")


@settings(deadline=None, max_examples=60)
@given(problems())
def test_tight_ones_are_the_rules_without_nonterminals(problem):
    """Where both ends have links, a phrase pair and the hierarchical system's rule are the same, features and all."""
    pairs, query, config = problem
    bitext = oracle.build(pairs, SOURCE_WORDS, TARGET_WORDS)
    rules = as_dict(extract_rules(bitext, np.array(query, np.int32), config))
    flat = {rule: values for rule, values in rules.items() if min(rule[0]) >= 0}
    phrases = extracted(pairs, query, oracle.MAX_SYMBOLS, config)
    assert {rule: values for rule, values in phrases.items() if rule in flat}.keys() == flat.keys()
    assert all(phrases[rule][0] >= flat[rule][0] for rule in flat)


def test_words_without_links_join_their_neighbors():
    pair = oracle.Pair([1, 2, 3, 4], [5, 6, 7], frozenset({(1, 0), (2, 2)}))
    found = extracted([pair], [1, 2, 3, 4])
    assert {rule: values[2] for rule, values in found.items()} == {
        ((1, 2), (5,)): ((1, 0),), ((2,), (5,)): ((0, 0),), ((3,), (7,)): ((0, 0),), ((3, 4), (7,)): ((0, 0),),
        ((2, 3), (5, 6, 7)): ((0, 0), (1, 2)), ((1, 2, 3), (5, 6, 7)): ((1, 0), (2, 2)),
        ((2, 3, 4), (5, 6, 7)): ((0, 0), (1, 2)), ((1, 2, 3, 4), (5, 6, 7)): ((1, 0), (2, 2)),
    }


@pytest.mark.parametrize("longest", [0, 9])
def test_lengths_that_the_suffix_array_cannot_serve(longest):
    with pytest.raises(CrossbowError, match="only of 1 to 8"):
        extracted([oracle.Pair([1], [1], frozenset({(0, 0)}))], [1], longest)
