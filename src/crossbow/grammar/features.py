"""What a rule's counts and words say about its quality: the seven features of the hierarchical system.

All are costs or counts in log10, as in the original system: coherent phrase probability, sample count, joint count, the
two lexical weights and the two singleton flags. The lexical weight of a word is that of its best link, or of NULL.
"""

from __future__ import annotations

import math

import numpy as np

from crossbow.grammar.bitext import pair_count
from crossbow.jit import kernel

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


@kernel
def rule_features(bitext, source_starts, source, samples, first, target_starts, target, counts, out):
    """Fill out[rule] with the features in the order of FEATURES."""
    null_source, null_target = 0, 0
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
            forward, backward = 0.0, 0.0
            for i in range(f0, f1):
                f = source[i]
                if f < 0:
                    continue
                best = bitext.source_null[f] / null_source if null_source > 0 else 0.0
                for j in range(e0, e1):
                    e = target[j]
                    if e >= 0:
                        both = pair_count(bitext.pair_keys, bitext.pair_counts, f, e)
                        if both > 0:
                            best = max(best, both / bitext.target_counts[e])
                forward += -math.log10(best) if best > 0.0 else IMPOSSIBLE
            for j in range(e0, e1):
                e = target[j]
                if e < 0:
                    continue
                best = bitext.target_null[e] / null_target if null_target > 0 else 0.0
                for i in range(f0, f1):
                    f = source[i]
                    if f >= 0:
                        both = pair_count(bitext.pair_keys, bitext.pair_counts, f, e)
                        if both > 0:
                            best = max(best, both / bitext.source_counts[f])
                backward += -math.log10(best) if best > 0.0 else IMPOSSIBLE
            out[rule, 3] = forward
            out[rule, 4] = backward
            out[rule, 5] = np.float32(n == 1)
            out[rule, 6] = np.float32(c == 1)
