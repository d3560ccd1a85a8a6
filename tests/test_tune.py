"""Tuning: BLEU against sacrebleu, one step of MIRA against its formulas, and whole runs on a toy."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from crossbow.decode.bleu import bleu, bleu_stats, reference_counts
from crossbow.decode.decoder import START_WEIGHTS, DecodeConfig
from crossbow.decode.kbest import kbest
from crossbow.decode.tune import TuneConfig, _Candidates, mira_step, settled, tune
from reference.decode import SOURCE_WORDS, TARGET_WORDS, toy_of

SENTENCE = st.lists(st.integers(0, 4), max_size=12)


def corpus_bleu(hypotheses, references):
    """sacrebleu's score, 0 to 100, of lists of words or numbers."""
    joined = [[" ".join(map(str, tokens)) for tokens in side] for side in (hypotheses, references)]
    return sacrebleu.corpus_bleu(joined[0], [joined[1]], tokenize="none", smooth_method="none", force=True).score


def stats_of(hypotheses, reference):
    starts = np.cumsum([0] + [len(h) for h in hypotheses]).astype(np.int32)
    words = np.array([w for h in hypotheses for w in h], np.int32)
    return bleu_stats(words, starts, reference_counts(np.array(reference, np.int32)))


# --- BLEU ---


@given(st.lists(st.tuples(SENTENCE, SENTENCE), min_size=1, max_size=5))
@settings(deadline=None, max_examples=150)
def test_bleu_is_that_of_sacrebleu(pairs):
    stats = sum(stats_of([h], r)[0] for h, r in pairs)
    assert stats[-2:].tolist() == [sum(len(h) for h, _ in pairs), sum(len(r) for _, r in pairs)]
    expected = corpus_bleu([h for h, _ in pairs], [r for _, r in pairs])
    assert 100 * bleu(stats)[0] == pytest.approx(expected, abs=1e-6)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=15), st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_bleu_of_near_copies(reference, rng):
    """Few words differ, so all four precisions count, and so does the length."""
    hypotheses = []
    for _ in range(4):
        hypothesis = [w if rng.random() < 0.9 else rng.randrange(5) for w in reference * 2]
        hypotheses.append(hypothesis[: rng.randint(1, len(hypothesis))])
    stats = stats_of(hypotheses, reference)
    for row, hypothesis in zip(stats, hypotheses):
        assert 100 * bleu(row)[0] == pytest.approx(corpus_bleu([hypothesis], [reference]), abs=1e-6)
    assert bleu(stats).shape == (4,)
    np.testing.assert_array_equal(bleu(stats), [bleu(row)[0] for row in stats])


def test_rows_do_not_depend_on_each_other():
    reference, hypotheses = [1, 2, 1, 3], [[1, 1, 1, 1], [1, 2, 1, 3], [], [1, 1, 1, 1], [9, -1, 2]]
    rows = stats_of(hypotheses, reference)
    for row, hypothesis in zip(rows, hypotheses):
        np.testing.assert_array_equal(row, stats_of([hypothesis], reference)[0])
    assert rows[0].tolist() == [2, 0, 0, 0, 4, 3, 2, 1, 4, 4]  # matches are clipped
    assert rows[1].tolist() == [4, 3, 2, 1, 4, 3, 2, 1, 4, 4]
    assert rows[2].tolist() == [0, 0, 0, 0, 0, 0, 0, 0, 0, 4]
    assert rows[4].tolist() == [1, 0, 0, 0, 3, 2, 1, 0, 3, 4]


def test_perfect_and_empty():
    assert bleu(stats_of([[1, 2, 3, 4]], [1, 2, 3, 4]))[0] == 1.0
    assert bleu(stats_of([[]], [1, 2, 3, 4]))[0] == 0.0
    assert bleu(stats_of([[1, 2, 3]], [1, 2, 3]))[0] == 0.0  # no 4-gram, as in sacrebleu


# --- one step of MIRA ---


def bleu_by_hand(stats):
    precisions = [stats[n] / stats[4 + n] for n in range(4)]
    if min(precisions) == 0:
        return 0.0
    brevity = min(1.0, math.exp(1 - stats[9] / stats[8]))
    return brevity * math.exp(sum(math.log(p) for p in precisions) / 4)


def step_by_hand(weights, features, stats, length, context, context_length, step):
    """reference.md, 2.5, with lists and loops."""
    names = range(len(weights))
    model = [sum(weights[k] * row[k] for k in names) for row in features]
    gains = [(context_length + length) * bleu_by_hand([c + s for c, s in zip(context, row)]) for row in stats]
    hope = max(range(len(model)), key=lambda y: model[y] + gains[y])
    fear = max(range(len(model)), key=lambda y: model[y] - gains[y])
    delta = [features[hope][k] - features[fear][k] for k in names]
    square = sum(d * d for d in delta)
    if square == 0:
        return list(weights)
    loss = gains[hope] - gains[fear] - (model[hope] - model[fear])
    factor = min(step, max(0.0, loss / square))
    return [w + factor * d for w, d in zip(weights, delta)]


@given(st.integers(0, 10**6), st.sampled_from([0.001, 0.1, 100.0]))
@settings(deadline=None, max_examples=150)
def test_mira_step(seed, step):
    rng = np.random.default_rng(seed)
    size, names = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    features, weights = rng.normal(size=(size, names)), rng.normal(size=names)
    reference = rng.integers(0, 4, 8)
    hypotheses = [rng.integers(0, 4, rng.integers(0, 12)).tolist() for _ in range(size)]
    stats = stats_of(hypotheses, reference)
    context, context_length = 1 + 5 * rng.random(10), 1 + 20 * rng.random()
    context[4:8] += context[:4]
    length = int(rng.integers(1, 10))
    before = weights.copy()
    found = mira_step(weights, _Candidates(features, stats, length), context, context_length, step)
    expected = step_by_hand(weights.tolist(), features.tolist(), stats.tolist(), length, context.tolist(),
                            context_length, step)  # fmt: skip
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_array_equal(weights, before)


def test_large_step_closes_the_gap_exactly():
    """After an update that C does not cut off the model's gap is the gap in BLEU."""
    stats = stats_of([[1, 2, 3, 4, 5], [1, 2, 9, 9, 9]], [1, 2, 3, 4, 5])
    features, weights = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([0.0, 0.1])
    context = np.ones(10)
    gains = 6.0 * bleu(context + stats)
    found = mira_step(weights, _Candidates(features, stats, 5), context, 1.0, 1e9)
    assert (features[0] - features[1]) @ found == pytest.approx(gains[0] - gains[1])
    cut = mira_step(weights, _Candidates(features, stats, 5), context, 1.0, 0.01)
    np.testing.assert_allclose(cut, weights + 0.01 * (features[0] - features[1]))


def test_no_step_without_difference():
    stats = stats_of([[1, 2], [3, 4]], [1, 2])
    features, weights = np.array([[1.0, 2.0], [1.0, 2.0]]), np.array([0.5, 0.5])
    assert mira_step(weights, _Candidates(features, stats, 2), np.ones(10), 1.0, 1.0).tolist() == [0.5, 0.5]
    alone = _Candidates(features[:1], stats[:1], 2)
    assert mira_step(weights, alone, np.ones(10), 1.0, 1.0).tolist() == [0.5, 0.5]


# --- whole runs ---

BAD = {**START_WEIGHTS, "PassThrough": 1.0, "EgivenFCoherent": 0.5, "LanguageModel": 0.0}
QUICK = TuneConfig(passes=4, patience=4, k=50, step=0.05, batch=3, pop_limit=20)


def data(count, seed):
    """Sentences in which every word has one right translation; the last two words change places."""
    rng = random.Random(seed)
    for _ in range(count):
        chosen = [rng.randrange(5) for _ in range(rng.randint(4, 7))]
        order = [*range(len(chosen) - 2), len(chosen) - 1, len(chosen) - 2]
        links = sorted((i, j) for j, i in enumerate(order))
        yield [SOURCE_WORDS[w] for w in chosen], [TARGET_WORDS[chosen[i]] for i in order], links


@pytest.fixture(scope="module")
def toy():
    pairs = list(data(30, 1))
    return toy_of(pairs, [pair[1] for pair in pairs], 3, dict(BAD), DecodeConfig(pop_limit=20)).decoder


@pytest.fixture(scope="module")
def held_out():
    pairs = list(data(10, 2))
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


@pytest.fixture(scope="module")
def tuned(toy, held_out):
    return tune(toy, *held_out, QUICK, threads=1)


def translate(decoder, weights, sources):
    before = dict(decoder.weights)
    decoder.weights.update(weights)
    forests = [decoder.decode(tokens) for tokens in sources]
    decoder.weights.update(before)
    return [[forest.words[w] for w in kbest(forest, 1).words] for forest in forests]


def test_tuning_improves_bleu(toy, held_out, tuned):
    sources, references = held_out
    before, after = (corpus_bleu(translate(toy, w, sources), references) for w in (BAD, tuned.weights))
    assert after > before + 10
    assert len(tuned.bleu) == QUICK.passes
    assert tuned.bleu[-1] > tuned.bleu[0]
    assert set(tuned.weights) == set(toy.names)
    assert tuned.sentences == 10


def test_first_pass_reports_bleu_of_the_first_batch_under_the_old_weights(toy, held_out):
    sources, references = held_out
    result = tune(toy, sources, references, replace(QUICK, passes=1, batch=100))
    assert result.bleu == [pytest.approx(corpus_bleu(translate(toy, BAD, sources), references), abs=1e-6)]


def test_the_decoder_is_left_as_it_was(toy, tuned):
    assert toy.weights == BAD
    assert toy.config.pop_limit == 20


def test_threads_do_not_matter(toy, held_out, tuned):
    again = tune(toy, *held_out, QUICK, threads=2)
    assert again == tuned


def test_long_and_empty_sentences_are_left_out(toy, held_out):
    sources, references = held_out
    quick = replace(QUICK, passes=1, max_words=5)
    fit = [i for i, tokens in enumerate(sources) if len(tokens) <= 5]
    assert 0 < len(fit) < len(sources)
    expected = tune(toy, [sources[i] for i in fit], [references[i] for i in fit], quick)
    found = tune(toy, [*sources, [], ["eins"]], [*references, ["one"], []], quick)
    assert found.sentences == len(fit)
    assert found == expected


def test_sides_of_different_length_are_refused(toy, held_out):
    with pytest.raises(ValueError, match=r"shorter|longer"):
        tune(toy, held_out[0], held_out[1][:-1], QUICK)


def test_weights_are_averaged_over_passes(toy, held_out):
    """A second pass goes on where the first ended, and the result is the mean of both."""
    one, two = (tune(toy, *held_out, replace(QUICK, passes=n)).weights for n in (1, 2))
    second = {name: 2 * two[name] - one[name] for name in one}
    assert second != pytest.approx(one)
    by_hand = run_by_hand(toy, *held_out, replace(QUICK, passes=2))
    for name, value in two.items():
        assert value == pytest.approx(by_hand[name], abs=1e-6)


@pytest.mark.parametrize(("bleu", "end"), [
    ([20, 19, 21, 21.05, 21.02, 30], 5),  # two passes in a row without a rise
    ([20, 20.06, 20.12, 20.18, 20.24, 20.3, 20.3], 7),  # small steps count when they have become a large one
    ([20, 25, 24, 24.9, 26], 4),  # against the best pass, not against the last one
    ([0, 0, 0, 0], 3),
    ([5], None), ([], None), ([5, 4], None),
])
def test_when_tuning_ends(bleu, end):
    ends = [n for n in range(len(bleu) + 1) if settled(bleu[:n], 2)]
    assert ends[:1] == [end] * bool(end)


def test_tuning_ends_when_bleu_no_longer_rises(toy, held_out):
    """The passes are those of a run that has no more passes to make, and no state is asked for after them."""
    patient = tune(toy, *held_out, replace(QUICK, passes=20, patience=20))
    asked = []

    def once(number, make):
        asked.append(number)
        return make()

    early = tune(toy, *held_out, replace(QUICK, passes=20, patience=2), once=once)
    made = len(early.bleu)
    assert 2 < made < 20
    assert settled(early.bleu, 2)
    assert asked == list(range(made))
    assert early.bleu == patient.bleu[:made]
    assert early.weights == tune(toy, *held_out, replace(QUICK, passes=made, patience=20)).weights


def run_by_hand(decoder, sources, references, config):
    """k-best MIRA with lists: decode a batch with the weights so far, then step for each sentence in order."""
    names = list(decoder.names)
    weights = [decoder.weights.get(name, 0.0) for name in names]
    before = dict(decoder.weights)
    context, context_length, totals = [1.0] * 10, 1.0, [0.0] * len(names)
    for _ in range(config.passes):
        for at in range(0, len(sources), config.batch):
            decoder.weights.update(zip(names, weights))
            forests = [decoder.decode(tokens) for tokens in sources[at : at + config.batch]]
            for forest, reference in zip(forests, references[at:]):
                best = kbest(forest, config.k, unique=True)
                features, stats = [], []
                for h in range(len(best.score)):
                    edges = best.edges[best.edge_starts[h] : best.edge_starts[h + 1]]
                    features.append(forest.features[edges].astype(float).sum(axis=0).tolist())
                    words = [forest.words[w] for w in best.words[best.word_starts[h] : best.word_starts[h + 1]]]
                    numbers = {w: i for i, w in enumerate(dict.fromkeys([*reference, *words]))}
                    stats.append(stats_of([[numbers[w] for w in words]], [numbers[w] for w in reference])[0].tolist())
                model = [sum(w * f for w, f in zip(weights, row)) for row in features]
                chosen = stats[model.index(max(model))]
                length = len(forest.source)
                weights = step_by_hand(weights, features, stats, length, context, context_length, config.step)
                context = [config.decay * (c + s) for c, s in zip(context, chosen)]
                context_length = config.decay * (context_length + length)
        totals = [t + w for t, w in zip(totals, weights)]
    decoder.weights.update(before)
    return {name: t / config.passes for name, t in zip(names, totals)}


def test_progress_is_reported(toy, held_out):
    seen = []
    tune(toy, *held_out, replace(QUICK, passes=2, batch=4), progress=lambda *args: seen.append(args))
    assert [(done, of) for _, done, of in seen] == [(4, 10), (8, 10), (10, 10)] * 2
    assert seen[0][0] != seen[-1][0]


def test_nothing_to_tune_on(toy):
    result = tune(toy, [], [], QUICK)
    assert result.sentences == 0
    assert result.weights == pytest.approx({name: BAD[name] for name in toy.names})
