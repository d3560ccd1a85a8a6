"""The second step of rule extraction: sampled occurrences of a core become translation rules.

    rules = extract_rules(bitext, ids, RuleConfig(), exclude=-1)
    rules = extract_phrases(bitext, ids, 7, RuleConfig(), exclude=-1)       # of up to 7 words, without gaps

Each core is a source pattern, and up to three more with a nonterminal before it, after it, or both. Extractions of a
pattern with the same target side are one rule, with the most frequent of their alignments.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F32, I32, I64, U8, U64
from crossbow.errors import CrossbowError
from crossbow.grammar.bitext import Bitext
from crossbow.grammar.cores import MAX_WORDS, Cores, find_cores, find_phrases
from crossbow.grammar.features import FEATURES, rule_features
from crossbow.grammar.leftout import left_out
from crossbow.grammar.spans import (
    BOTH,
    COLUMNS,
    LEFT,
    M1,
    M2,
    N1,
    N2,
    RIGHT,
    T1,
    T2,
    U1,
    U2,
    A,
    B,
    C,
    D,
    Sides,
    find_phrase_spans,
    find_spans,
    new_sides,
)
from crossbow.grammar.suffix import DEPTH
from crossbow.jit import helper, kernel, loop, maker
from crossbow.structures.growable import copy, grown
from crossbow.structures.table import mix


@dataclass(frozen=True)
class RuleConfig:
    """Limits of rule extraction (Chiang 2007; Lopez 2007)."""

    max_span: int = 15
    max_samples: int = 300  # occurrences of a pattern that are looked at
    max_anchors: int = 20_000  # places of a word from which gappy patterns are looked for


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


class _Scratch(NamedTuple):
    """Work space for one pattern: its extractions, and the distinct rules and alignments among them."""

    found: I64  # (variant, sample, column); column A is -1 where there is no rule
    sides: Sides
    target: I32
    links: U8
    symbol_at: U8
    keys: U64
    counts: I32
    best: I32  # of each distinct rule: its most frequent alignment
    align_keys: U64
    align_counts: I32
    align_sample: I32  # a sample that has the alignment


@maker
def _new_scratch(max_span, max_samples):
    return _Scratch(
        np.empty((4, max_samples, COLUMNS), np.int64), new_sides(max_span),
        np.zeros(max_span + 1, np.int32), np.zeros((max_span * max_span, 2), np.uint8), np.zeros(max_span, np.uint8),
        np.zeros(max_samples, np.uint64), np.zeros(max_samples, np.int32), np.zeros(max_samples, np.int32),
        np.zeros(max_samples, np.uint64), np.zeros(max_samples, np.int32), np.zeros(max_samples, np.int32),
    )


@helper
def _write_rule(bitext, row, target, align, symbol_at):
    """Write the target symbols and the in-rule alignment of one extraction; returns how many of each."""
    s = bitext.sentence[row[A]]
    base = bitext.target_starts[s]
    size, t = 0, row[C]
    while t < row[D]:
        if t == row[T1]:
            target[size] = -1
            t = row[U1]
        elif t == row[T2]:
            target[size] = -2
            t = row[U2]
        else:
            symbol_at[t - row[C]] = size
            target[size] = bitext.target[base + t]
            t += 1
        size += 1
    pairs, symbol, p = 0, 0, row[A]
    while p < row[B]:
        if p == row[N1]:
            p = row[M1]
        elif p == row[N2]:
            p = row[M2]
        else:
            for k in range(bitext.link_starts[p], bitext.link_starts[p + 1]):
                align[pairs, 0] = symbol
                align[pairs, 1] = symbol_at[bitext.link_targets[k] - row[C]]
                pairs += 1
            p += 1
        symbol += 1
    return size, pairs


@loop
def _source_side(lengths, words, variant, out):
    """The source symbols of a core's variant; returns how many."""
    size, word, nonterminal = 0, 0, -1
    if variant in (LEFT, BOTH):
        out[0] = nonterminal
        nonterminal -= 1
        size = 1
    for chunk in range(3):
        if chunk > 0 and lengths[chunk] > 0:
            out[size] = nonterminal
            nonterminal -= 1
            size += 1
        for _ in range(lengths[chunk]):
            out[size] = words[word]
            size, word = size + 1, word + 1
    if variant in (RIGHT, BOTH):
        out[size] = nonterminal
        size += 1
    return size


@helper
def _place(keys, key, used):
    """The index of a key among the first `used`, or `used` after putting it there."""
    for k in range(used):
        if keys[k] == key:
            return k
    keys[used] = key
    return used


@loop
def _group(bitext, scratch, variant, count):
    """Count equal target sides among a pattern's extractions, and equal alignments under each; returns the former."""
    rules, kinds = 0, 0
    for s in range(count):
        row = scratch.found[variant, s]
        if row[A] < 0:
            continue
        size, linked = _write_rule(bitext, row, scratch.target, scratch.links, scratch.symbol_at)
        if linked == 0:
            continue
        key = np.uint64(5)
        for k in range(size):
            key = mix(key, scratch.target[k])
        rule = _place(scratch.keys, key, rules)
        for k in range(linked):
            key = mix(key, np.int64(scratch.links[k, 0]) * 256 + scratch.links[k, 1])
        kind = _place(scratch.align_keys, key, kinds)
        if kind == kinds:
            scratch.align_counts[kind], scratch.align_sample[kind] = 0, s
            kinds += 1
        if rule == rules:
            scratch.counts[rule], scratch.best[rule] = 0, kind
            rules += 1
        scratch.counts[rule] += 1
        scratch.align_counts[kind] += 1
        if scratch.align_counts[kind] > scratch.align_counts[scratch.best[rule]]:
            scratch.best[rule] = kind
    return rules


@helper
def _variants(lengths):
    """How many of the four variants of a core keep to five symbols and two nonterminals."""
    inner = (lengths[1] > 0) + (lengths[2] > 0)
    room = MAX_WORDS - lengths[0] - lengths[1] - lengths[2] - inner
    if room >= 2 and inner == 0:
        return 4
    return 3 if room >= 1 and inner < 2 else 1


@kernel
def _collect(bitext, cores, max_span, max_samples, phrases):
    """Rules of all cores, or phrase pairs: occurrences with the same target side are counted together."""
    source_starts, source = np.zeros(1024, np.int32), np.zeros(4096, np.int32)
    sampled, first = np.zeros(1024, np.int32), np.zeros(1024, np.int32)
    target_starts, target = np.zeros(4096, np.int32), np.zeros(16384, np.int32)
    align_starts, align = np.zeros(4096, np.int32), np.zeros(32768, np.uint8)
    counts = np.zeros(4096, np.int32)
    patterns, rules, symbols, links = 0, 0, 0, 0
    scratch = _new_scratch(max_span, max_samples)
    for core in range(cores.lengths.shape[0]):
        variants = 1 if phrases else _variants(cores.lengths[core])
        samples = cores.samples[cores.starts[core] : cores.starts[core + 1]]
        if phrases:
            find_phrase_spans(bitext, cores.lengths[core, 0], samples, max_span, scratch.found)
        else:
            find_spans(bitext, cores.lengths[core], samples, max_span, variants, scratch.sides, scratch.found)
        for v in range(variants):
            new = _group(bitext, scratch, v, samples.shape[0])
            if new == 0:
                continue
            source = grown(source, source_starts[patterns], cores.words.shape[1])
            source_starts, first = grown(source_starts, patterns + 1, 1), grown(first, patterns + 1, 1)
            sampled, counts = grown(sampled, patterns, 1), grown(counts, rules, new)
            target_starts, align_starts = grown(target_starts, rules + 1, new), grown(align_starts, rules + 1, new)
            at = source_starts[patterns]
            source_starts[patterns + 1] = at + _source_side(cores.lengths[core], cores.words[core], v, source[at:])
            sampled[patterns] = samples.shape[0]
            patterns += 1
            for k in range(new):
                row = scratch.found[v, scratch.align_sample[scratch.best[k]]]
                size, linked = _write_rule(bitext, row, scratch.target, scratch.links, scratch.symbol_at)
                target, align = grown(target, symbols, size), grown(align, 2 * links, 2 * linked)
                copy(scratch.target, 0, size, target, symbols)
                for x in range(linked):
                    align[2 * (links + x)], align[2 * (links + x) + 1] = scratch.links[x, 0], scratch.links[x, 1]
                counts[rules] = scratch.counts[k]
                symbols, links, rules = symbols + size, links + linked, rules + 1
                target_starts[rules], align_starts[rules] = symbols, links
            first[patterns] = rules
    return (
        source_starts[: patterns + 1], source[: source_starts[patterns]], sampled[:patterns], first[: patterns + 1],
        target_starts[: rules + 1], target[:symbols], align_starts[: rules + 1], align[: 2 * links], counts[:rules],
    )


def extract_rules(bitext: Bitext, ids: I32, config: RuleConfig, exclude: int = -1) -> Rules:
    """All rules whose source side matches part of the sentence (word ids, -1 for unknown words).

    Sentences of the group `exclude` are left out: their occurrences, and their part in all counts.
    """
    cores = find_cores(bitext, ids, config.max_span, config.max_samples, config.max_anchors, exclude)
    return _with_features(bitext, cores, config.max_span, config.max_samples, False, exclude)


def extract_phrases(bitext: Bitext, ids: I32, longest: int, config: RuleConfig, exclude: int = -1) -> Rules:
    """All phrase pairs whose source side, of at most so many words, is part of the sentence."""
    if not 1 <= longest <= DEPTH:
        raise CrossbowError(f"phrases of up to {longest} words cannot be found, only of 1 to {DEPTH}")
    cores = find_phrases(bitext, ids, longest, config.max_samples, exclude)
    return _with_features(bitext, cores, config.max_span, config.max_samples, True, exclude)


def _with_features(bitext: Bitext, cores: Cores, max_span: int, max_samples: int, phrases: bool, exclude: int) -> Rules:
    source_starts, source, samples, first, target_starts, target, align_starts, align, counts = _collect(
        bitext, cores, max_span, max_samples, phrases)
    features = np.zeros((len(counts), len(FEATURES)), np.float32)
    without = left_out(bitext, exclude)
    rule_features(bitext, without, source_starts, source, samples, first, target_starts, target, counts, features)
    return Rules(source_starts, source, samples, first, target_starts, target, align_starts, align.reshape(-1, 2),
                 counts, features)
