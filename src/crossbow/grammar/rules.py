"""Translation rules as arrays, grouped by source pattern; and putting together the rules of several such groups.

    rules = load_rules(folder, "grammar")
    append(into, used, rules, begin, end)          # in kernels: the patterns begin to end and their rules
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F32, I32, U8
from crossbow.jit import helper, kernel, loop

PATTERNS, SOURCE, RULES, TARGET, LINKS = range(5)  # what rules take room for


class Rules(NamedTuple):
    """The rules for one sentence, grouped by source pattern. Symbols below zero are nonterminals: -1 the first, -2 the
    second in source order; others are word ids."""

    source_starts: I32  # source side of pattern p: source[source_starts[p]:source_starts[p + 1]]
    source: I32
    samples: I32  # occurrences of each pattern that were looked at
    first: I32  # rules of pattern p: first[p] to first[p + 1]
    target_starts: I32
    target: I32
    align_starts: I32
    align: U8  # (source symbol, target symbol) pairs, the most frequent alignment of the rule
    counts: I32
    features: F32


def load_rules(folder: Path, kind: str) -> Rules:
    """Map rules that `store.save` wrote, and check that their arrays fit together."""
    rules, _ = store.load(folder, kind, Rules)
    patterns, count = len(rules.samples), len(rules.counts)
    store.check_fit(
        folder, rules,
        {"source_starts": (patterns, len(rules.source)), "first": (patterns, count),
         "target_starts": (count, len(rules.target)), "align_starts": (count, len(rules.align))}, {"features": count})
    return rules


@kernel
def room_for(sizes, features):
    """Arrays for so many patterns, source symbols, rules, target symbols and links, as the fields of Rules."""
    patterns, rules = sizes[PATTERNS], sizes[RULES]
    return (
        np.zeros(patterns + 1, np.int32), np.empty(sizes[SOURCE], np.int32), np.empty(patterns, np.int32),
        np.zeros(patterns + 1, np.int32), np.zeros(rules + 1, np.int32), np.empty(sizes[TARGET], np.int32),
        np.zeros(rules + 1, np.int32), np.empty((sizes[LINKS], 2), np.uint8), np.empty(rules, np.int32),
        np.empty((rules, features), np.float32),
    )


@helper
def add_sizes(sizes, rules, begin, end):
    """Add what the patterns begin to end and their rules take."""
    low, high = rules.first[begin], rules.first[end]
    sizes[PATTERNS] += end - begin
    sizes[SOURCE] += rules.source_starts[end] - rules.source_starts[begin]
    sizes[RULES] += high - low
    sizes[TARGET] += rules.target_starts[high] - rules.target_starts[low]
    sizes[LINKS] += rules.align_starts[high] - rules.align_starts[low]


@loop
def append(into, used, rules, begin, end):
    """Append the patterns begin to end and their rules to others; `used`, their sizes so far, is kept up to date."""
    pattern, rule = used[PATTERNS], used[RULES]
    low, high = rules.first[begin], rules.first[end]
    for p in range(begin, end):
        into.samples[pattern] = rules.samples[p]
        into.source_starts[pattern + 1] = into.source_starts[pattern] + rules.source_starts[p + 1] \
            - rules.source_starts[p]
        into.first[pattern + 1] = into.first[pattern] + rules.first[p + 1] - rules.first[p]
        pattern += 1
    for r in range(low, high):
        into.counts[rule] = rules.counts[r]
        for k in range(rules.features.shape[1]):
            into.features[rule, k] = rules.features[r, k]
        into.target_starts[rule + 1] = into.target_starts[rule] + rules.target_starts[r + 1] - rules.target_starts[r]
        into.align_starts[rule + 1] = into.align_starts[rule] + rules.align_starts[r + 1] - rules.align_starts[r]
        rule += 1
    at = used[SOURCE]
    for k in range(rules.source_starts[begin], rules.source_starts[end]):
        into.source[at] = rules.source[k]
        at += 1
    at = used[TARGET]
    for k in range(rules.target_starts[low], rules.target_starts[high]):
        into.target[at] = rules.target[k]
        at += 1
    at = used[LINKS]
    for k in range(rules.align_starts[low], rules.align_starts[high]):
        into.align[at, 0], into.align[at, 1] = rules.align[k, 0], rules.align[k, 1]
        at += 1
    add_sizes(used, rules, begin, end)
