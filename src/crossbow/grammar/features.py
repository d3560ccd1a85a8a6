"""What a rule's counts and words say about its quality: the seven features of the hierarchical system.

All are costs or counts in log10, as in the original system: coherent phrase probability, sample count, joint count, the
two lexical weights and the two singleton flags. The lexical weight of a word is that of its best link, or of NULL.
"""

from __future__ import annotations

import math

import numpy as np

from crossbow.grammar.bitext import pair_count
from crossbow.grammar.leftout import ANY, NULL, times
from crossbow.jit import helper, kernel

FEATURES = (
    "EgivenFCoherent",
    "SampleCountF",
    "CountEF",
    "MaxLexFgivenE",
    "MaxLexEgivenF",
    "IsSingletonF",
    "IsSingletonFE",
)
IMPOSSIBLE = 99.0  # stands for -log10 of 0


@helper
def _lexical_cost(bitext, without, words, w0, w1, null_counts, null_total, givens, g0, g1, given_counts, from_source):
    """The cost of words[w0:w1], each made by the given word, or NULL, that most probably makes it."""
    cost = 0.0
    for i in range(w0, w1):
        word = words[i]
        if word < 0:
            continue
        f, e = (word, NULL) if from_source else (NULL, word)
        best = (null_counts[word] - times(without, f, e)) / null_total if null_total > 0 else 0.0
        for j in range(g0, g1):
            given = givens[j]
            if given >= 0:
                f, e = (word, given) if from_source else (given, word)
                both = pair_count(bitext.pair_keys, bitext.pair_counts, f, e) - times(without, f, e)
                if both > 0:
                    f, e = (ANY, given) if from_source else (given, ANY)
                    best = max(best, both / (given_counts[given] - times(without, f, e)))
        cost += -math.log10(best) if best > 0.0 else IMPOSSIBLE
    return cost


@kernel
def rule_features(bitext, without, source_starts, source, samples, first, target_starts, target, counts, out):
    """Fill out[rule] with the features in the order of FEATURES; `without` are the lexical counts to leave out."""
    null_source, null_target = -times(without, ANY, NULL), -times(without, NULL, ANY)
    for word in range(bitext.source_null.shape[0]):
        null_source += bitext.source_null[word]
    for word in range(bitext.target_null.shape[0]):
        null_target += bitext.target_null[word]
    for pattern in range(first.shape[0] - 1):
        f0, f1 = source_starts[pattern], source_starts[pattern + 1]
        n = samples[pattern]
        for rule in range(first[pattern], first[pattern + 1]):
            e0, e1 = target_starts[rule], target_starts[rule + 1]
            c = counts[rule]
            out[rule, 0] = -math.log10(c / n)
            out[rule, 1] = math.log10(1.0 + n)
            out[rule, 2] = math.log10(1.0 + c)
            out[rule, 3] = _lexical_cost(bitext, without, source, f0, f1, bitext.source_null, null_source,
                                         target, e0, e1, bitext.target_counts, True)
            out[rule, 4] = _lexical_cost(bitext, without, target, e0, e1, bitext.target_null, null_target,
                                         source, f0, f1, bitext.source_counts, False)
            out[rule, 5] = np.float32(n == 1)
            out[rule, 6] = np.float32(c == 1)
