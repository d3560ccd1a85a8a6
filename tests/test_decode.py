"""Decoding: the forest holds exactly the derivations of the grammar, each with the score of its features.

The oracle lists all derivations by recursion over spans and reads the language model from left to right (see
reference.decode). The models are tiny, with words that the language model, the target side or both do not know.
"""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.decode.decoder import START_WEIGHTS, DecodeConfig, Decoder
from crossbow.decode.kbest import kbest
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import forest_line, parse_forest
from crossbow.forest.infer import inside
from crossbow.grammar.extract import RuleConfig
from reference.decode import SOURCE_WORDS, Exhaustive, derivations, feature_vector, random_toy, toy_of, toy_pairs
from reference.forests import edges_of

MOST = 4000  # derivations that the oracle may list in a test

# "xyz" nobody knows; "six" the language model knows, "four" the target side at least; "<s>" must stay a word.
WORDS = [*SOURCE_WORDS, *SOURCE_WORDS, "xyz", "six", "four", "<s>"]
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6)
ARRAYS = ("first", "tail_starts", "tails", "score", "span", "target_starts", "target", "lex_starts", "lex",
          "align_starts", "align", "features")  # fmt: skip


@cache
def toy(seed, order=3, pop_limit=0, max_span=15, language_model=True):
    config = DecodeConfig(pop_limit=pop_limit, max_span=max_span, language_model=language_model)
    return random_toy(seed, order, config)


def exhaustive(model, tokens):
    """All derivations, of a beginning of the sentence if the whole has too many."""
    while (oracle := Exhaustive(model, tokens)).count() > MOST:
        tokens = tokens[:-1]
    return oracle, list(oracle.tokens)


def by_string(triples):
    """Lists of scores, falling, and the sum of all features, for each string."""
    scores, features = defaultdict(list), {}
    for words, vector, score in triples:
        scores[words].append(score)
        features[words] = features.get(words, 0.0) + vector
    return {words: sorted(found, reverse=True) for words, found in scores.items()}, features


def decoded(forest, k=10 * MOST):
    """The k best derivations of a forest as (words, features, score)."""
    best = kbest(forest, k)
    for h in range(len(best.score)):
        edges = best.edges[best.edge_starts[h] : best.edge_starts[h + 1]]
        words = best.words[best.word_starts[h] : best.word_starts[h + 1]]
        yield tuple(forest.words[w] for w in words), forest.features[edges].astype(float).sum(axis=0), best.score[h]


def assert_same_derivations(model, tokens):
    oracle, tokens = exhaustive(model, tokens)
    forest = model.decoder.decode(tokens)
    expected, expected_features = by_string(oracle.translations())
    found, found_features = by_string(decoded(forest))
    assert set(found) == set(expected)
    for words in expected:
        np.testing.assert_allclose(found[words], expected[words], atol=1e-6, rtol=1e-6)
        np.testing.assert_allclose(found_features[words], expected_features[words], atol=1e-3, rtol=1e-5)


# --- unlimited: everything ---


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@given(seed=st.integers(0, 11), tokens=SENTENCES)
@settings(deadline=None, max_examples=40)
def test_all_derivations(order, seed, tokens):
    assert_same_derivations(toy(seed, order), tokens)


@given(seed=st.integers(0, 11), tokens=SENTENCES)
@settings(deadline=None, max_examples=40)
def test_all_derivations_without_language_model(seed, tokens):
    model = toy(seed, language_model=False)
    assert_same_derivations(model, tokens)
    forest = model.decoder.decode(tokens)
    assert not forest.features[:, forest.names.index("LanguageModel")].any()
    spans = [(edge.span, edge.head) for edge in edges_of(forest)]
    assert forest.nodes == len({head for _, head in spans})
    # One node for each X span, each S prefix and the goal: states are not told apart.
    assert forest.nodes <= len(tokens) * (len(tokens) + 1) // 2 + len(tokens) + 1


@pytest.mark.parametrize("max_span", [1, 2, 3])
@given(seed=st.integers(0, 11), tokens=SENTENCES)
@settings(deadline=None, max_examples=12)
def test_span_limit(max_span, seed, tokens):
    assert_same_derivations(toy(seed, max_span=max_span), tokens)


def test_the_toys_are_not_trivial():
    """Among them are rules with gaps and with exchanged nonterminals, and several routes to one string."""
    rules, derivations, strings = [], 0, 0
    for seed in range(12):
        oracle, _ = exhaustive(toy(seed), ["eins", "drei", "zwei", "vier"])
        rules += oracle.rules
        derivations += oracle.count()
        strings += len({words for words, _, _ in oracle.translations()})
    assert any(rule.target.index(-2) < rule.target.index(-1) for rule in rules if -2 in rule.target)
    assert any(len(rule.source) > 2 and rule.source[1] == -1 for rule in rules)
    assert any(len(rule.align) > len(rule.source) for rule in rules)
    assert derivations > 2 * strings > 1000


def test_repeated_words():
    for seed in range(12):
        assert_same_derivations(toy(seed), ["eins", "zwei", "eins", "zwei", "eins"])
        assert_same_derivations(toy(seed), ["xyz", "xyz", "eins", "xyz"])


def test_sentence_of_unknown_words_passes_through():
    forest = toy(0).decoder.decode(["xyz", "<s>", "</s>", "<unk>", "xyz"], name="q")
    ((words, features, _),) = decoded(forest, 1)
    assert words == ("xyz", "<s>", "</s>", "<unk>", "xyz")
    values = dict(zip(forest.names, features))
    assert (values["PassThrough"], values["LanguageModel_OOV"], values["Glue"]) == (5.0, 5.0, 4.0)
    assert values["WordPenalty"] == pytest.approx(-5 * 0.4343)
    assert (forest.id, forest.source) == ("q", ["xyz", "<s>", "</s>", "<unk>", "xyz"])


def test_the_token_that_marks_sentence_breaks_is_an_unknown_word():
    """No analyzer makes such a token, but a caller may; without bounds checks it reads beyond the text."""
    decoder = toy(0).decoder
    found = [(tuple("xyz" if w == " " else w for w in words), score)
             for words, _, score in decoded(decoder.decode(["eins", " ", "zwei"]))]  # fmt: skip
    assert found == [(words, score) for words, _, score in decoded(decoder.decode(["eins", "xyz", "zwei"]))]


# --- with a pop limit ---


@pytest.mark.parametrize("pop_limit", [1, 3, 20])
@given(seed=st.integers(0, 11), order=st.integers(1, 4), tokens=SENTENCES)
@settings(deadline=None, max_examples=20)
def test_pruned_derivations_are_some_of_all(pop_limit, seed, order, tokens):
    model = toy(seed, order, pop_limit)
    oracle, tokens = exhaustive(model, tokens)
    expected, _ = by_string(oracle.translations())
    forest = model.decoder.decode(tokens)
    found, _ = by_string(decoded(forest))
    assert found
    for words, scores in found.items():
        left = list(expected[words])
        for score in scores:
            nearest = min(left, key=lambda x: abs(x - score))
            assert nearest == pytest.approx(score, abs=1e-6)
            left.remove(nearest)
    popped = defaultdict(int)
    for edge in edges_of(forest):
        popped[edge.span] += 1
    # X[i, j) alone has that span, but X[0, j), S[0, j) and the goal may share it.
    assert all(count <= (pop_limit if span[0] > 0 else 3 * pop_limit) for span, count in popped.items())


def test_moderate_limit_finds_the_best():
    compared = 0
    for seed in range(12):
        for tokens in (["eins", "drei", "zwei", "vier"], ["fünf", "eins", "xyz", "zwei"], ["drei", "drei", "eins"]):
            oracle, tokens = exhaustive(toy(seed, 3, 30), tokens)
            best = oracle.translations()[0]
            (found,) = decoded(toy(seed, 3, 30).decoder.decode(tokens), 1)
            assert found[2] == pytest.approx(best[2], abs=1e-6)
            compared += oracle.count() > 60
    assert compared > 10


def test_limit_beyond_all_candidates_is_no_limit():
    model, unlimited = toy(2, 3, 100_000), toy(2, 3, 0)
    tokens = ["eins", "zwei", "drei", "vier"]
    assert_identical(model.decoder.decode(tokens), unlimited.decoder.decode(tokens))


# --- what a forest must be like ---


@given(seed=st.integers(0, 11), order=st.integers(1, 4), pop_limit=st.sampled_from([0, 2, 15]), tokens=SENTENCES)
@settings(deadline=None, max_examples=60)
def test_invariants(seed, order, pop_limit, tokens):
    model = toy(seed, order, pop_limit)
    oracle, tokens = exhaustive(model, tokens)
    forest = model.decoder.decode(tokens)
    edges = edges_of(forest)
    span_of = {edge.head: edge.span for edge in edges}
    assert len(span_of) == forest.nodes
    assert span_of[forest.nodes - 1] == (0, len(tokens))
    used = {tail for edge in edges for tail in edge.tails}
    assert used == set(range(forest.nodes - 1))  # all reachable, and only the goal is on top
    allowed = {(rule.source, rule.target): (rule, feature_vector(model, rule)) for rule in oracle.rules}
    lm = forest.names.index("LanguageModel")
    glue = forest.names.index("Glue")
    for number, edge in enumerate(edges):
        assert edge.span == span_of[edge.head]
        assert all(tail < edge.head for tail in edge.tails)
        pieces = [(p, p + 1, tokens[p]) for p in edge.lex]
        pieces += [(*span_of[tail], -1 - k) for k, tail in enumerate(edge.tails)]
        pieces.sort(key=lambda piece: piece[0])
        # Own words and tails lie side by side and fill the span.
        assert (pieces[0][0], pieces[-1][1]) == edge.span
        assert all(a[1] == b[0] for a, b in pairwise(pieces))
        source = tuple(piece[2] for piece in pieces)
        target = tuple(s if isinstance(s, str) else -1 - s for s in edge.target)
        if source in ((-1,), (-1, -2)):
            expected, links = np.zeros(len(forest.names)), frozenset()
            expected[glue] = len(source) - 1
            assert target == source
            assert edge.span[0] == 0
        else:
            rule, expected = allowed[source, target]
            links = frozenset((pieces[i][0], j) for i, j in rule.align)
            for position, j in edge.align:
                pair = tokens[position], edge.target[j]
                assert pair in model.linked or (pair[0] == pair[1] and len(source) == 1)
        assert frozenset(edge.align) == links
        features = forest.features[number].astype(float)
        features[lm] = 0.0
        np.testing.assert_allclose(features, expected, atol=1e-6)
    assert len({(e.head, tuple(e.tails), tuple(e.target), e.lex) for e in edges}) == len(edges)


@given(seed=st.integers(0, 11), order=st.integers(1, 4), language_model=st.booleans(), tokens=SENTENCES)
@settings(deadline=None, max_examples=40)
def test_scores_are_those_of_the_features(seed, order, language_model, tokens):
    model = toy(seed, order, 10, language_model=language_model)
    forest = model.decoder.decode(tokens)
    weights = np.array([model.decoder.weights[name] for name in forest.names])
    np.testing.assert_allclose(forest.features.astype(float) @ weights, forest.score, atol=1e-5)
    again = forest.reweighted(model.decoder.weights)
    np.testing.assert_allclose(again.score, forest.score, atol=1e-5)
    assert forest.reweighted({"Glue": 2.0}).score.sum() == 2 * forest.features[:, forest.names.index("Glue")].sum()


def test_forests_of_the_decoder_survive_the_exchange_format():
    forest = toy(3).decoder.decode(["eins", "zwei", "xyz"], name="q")
    read = parse_forest(forest_line(forest))
    assert edges_of(read) == edges_of(forest)
    assert derivations(read)[0].score == inside(forest)[-1]


def assert_identical(a, b):
    assert (a.id, a.source, a.words, a.names) == (b.id, b.source, b.words, b.names)
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)


def test_same_input_same_forest():
    sentences = [["eins", "zwei", "drei", "xyz"], ["vier"], ["zwei", "eins", "zwei", "eins"]] * 4
    model = toy(4, 3, 20)
    alone = [model.decoder.decode(tokens) for tokens in sentences]
    for a, b in zip(alone, alone[3:]):
        assert_identical(a, b)
    with ThreadPoolExecutor(2) as pool:
        for a, b in zip(alone, pool.map(model.decoder.decode, sentences)):
            assert_identical(a, b)


def test_rules_can_be_reused():
    decoder, tokens = toy(5, 3, 20).decoder, ["eins", "zwei", "drei"]
    rules = decoder.rules(tokens)
    copies = [array.copy() for array in rules]
    assert_identical(decoder.decode(tokens, rules=rules), decoder.decode(tokens))
    assert all((a == b).all() for a, b in zip(rules, copies))


def test_leaving_out_a_group():
    """Without the only pair there is, nothing but pass-through is left."""
    model = toy_of(toy_pairs(1, 1), [["one"]], 2, dict(START_WEIGHTS), DecodeConfig())
    tokens = toy_pairs(1, 1)[0][0]
    assert len(model.decoder.rules(tokens).counts) > 0
    assert len(model.decoder.rules(tokens, exclude=0).counts) == 0
    ((words, _, _),) = decoded(model.decoder.decode(tokens, exclude=0))
    assert words == tuple(tokens)


def test_rule_limits_of_the_configuration_hold():
    narrow = DecodeConfig(pop_limit=0, rules=RuleConfig(max_span=2, max_samples=1))
    for seed in range(6):
        model = random_toy(seed, 2, narrow)
        assert_same_derivations(model, ["eins", "zwei", "drei", "vier"])


def test_missing_weights_count_nothing():
    bitext = toy(6).decoder
    decoder = Decoder(bitext.bitext, bitext.source, bitext.target, bitext.lm, {"WordPenalty": 1.0}, DecodeConfig())
    forest = decoder.decode(["eins", "zwei"])
    assert inside(forest)[-1] == max(score for _, _, score in decoded(forest))
    assert inside(forest)[-1] == pytest.approx(-0.4343 * min(len(words) for words, _, _ in decoded(forest)), abs=1e-6)


# --- refused sentences ---


def test_empty_sentence_is_refused():
    with pytest.raises(CrossbowError, match="empty sentence"):
        toy(0).decoder.decode([])


def test_too_long_a_sentence_is_refused():
    model = random_toy(0, 2, DecodeConfig(pop_limit=2, max_words=7))
    assert model.decoder.decode(["eins"] * 7).span[-1].tolist() == [0, 7]
    with pytest.raises(CrossbowError, match=r"8 words.*at most 7"):
        model.decoder.decode(["eins"] * 8)


def test_long_sentence_grows_its_work_space():
    """More nodes and edges than there is room for at first; and glue beyond the span limit."""
    tokens = [SOURCE_WORDS[(i * i) % 5] for i in range(40)]
    model = toy(7, 3, 100, 6)
    forest = model.decoder.decode(tokens)
    assert forest.nodes > 1024
    assert forest.edges > 4096
    weights = np.array([model.decoder.weights[name] for name in forest.names])
    np.testing.assert_allclose(forest.features.astype(float) @ weights, forest.score, atol=1e-5)
    lm = forest.names.index("LanguageModel")
    for words, features, _ in decoded(forest, 20):
        assert features[lm] == pytest.approx(model.decoder.lm.score(model.decoder.target.ids(words)), abs=1e-4)
