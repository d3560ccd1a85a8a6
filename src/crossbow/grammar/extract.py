"""The second step of rule extraction: sampled occurrences of a core become translation rules.

    rules = extract_rules(bitext, ids, RuleConfig(), exclude=-1)
    rules = extract_phrases(bitext, ids, 7, RuleConfig(), exclude=-1)       # of up to 7 words, without gaps

Each core is a source pattern, and up to three more with a nonterminal before it, after it, or both. Extractions of a
pattern with the same target side are one rule, with the most frequent of their alignments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32, I64, U8, U64, Bools
from crossbow.errors import CrossbowError
from crossbow.grammar.bitext import Bitext
from crossbow.grammar.cores import MAX_WORDS, Cores, find_cores, find_phrases
from crossbow.grammar.features import FEATURES, rule_features
from crossbow.grammar.known import KnownRules
from crossbow.grammar.leftout import left_out
from crossbow.grammar.rules import Rules
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
from crossbow.structures.table import find, fold, insert, mix


@dataclass(frozen=True)
class RuleConfig:
    """Limits of rule extraction (Chiang 2007; Lopez 2007)."""

    max_span: int = 15
    max_samples: int = 300  # occurrences of a pattern that are looked at
    max_anchors: int = 20_000  # places of a word from which gappy patterns are looked for


class _Scratch(NamedTuple):
    """Work space for one pattern: its extractions, and the distinct rules and alignments among them."""

    found: I64  # (variant, sample, column); column A is -1 where there is no rule
    sides: Sides
    target: I32
    links: U8
    symbol_at: U8
    keys: U64  # hash tables: the distinct rules and alignments, and their numbers
    numbers: I32
    align_keys: U64
    align_numbers: I32
    counts: I32
    best: I32  # of each distinct rule: its most frequent alignment
    align_counts: I32
    align_sample: I32  # a sample that has the alignment


@maker
def _new_scratch(max_span, max_samples):
    slots = _slots(max_samples)
    return _Scratch(
        np.empty((4, max_samples, COLUMNS), np.int64), new_sides(max_span),
        np.zeros(max_span + 1, np.int32), np.zeros((max_span * max_span, 2), np.uint8), np.zeros(max_span, np.uint8),
        np.zeros(slots, np.uint64), np.zeros(slots, np.int32), np.zeros(slots, np.uint64), np.zeros(slots, np.int32),
        np.zeros(max_samples, np.int32), np.zeros(max_samples, np.int32), np.zeros(max_samples, np.int32),
        np.zeros(max_samples, np.int32),
    )


@helper
def _slots(entries):
    """The size of a hash table for so many entries."""
    slots = 4
    while slots < 2 * entries:
        slots *= 2
    return slots


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
def _number(keys, numbers, key, used):
    """The number of a key, which is `used` if it is new."""
    slot = find(keys, key)
    if slot < 0:
        slot = insert(keys, key)
        numbers[slot] = used
    return numbers[slot]


@loop
def _group(bitext, scratch, variant, count):
    """Count equal target sides among a pattern's extractions, and equal alignments under each; returns the former."""
    rules, kinds = 0, 0
    keys, align_keys = scratch.keys[: _slots(count)], scratch.align_keys[: _slots(count)]
    keys[:] = 0
    align_keys[:] = 0
    for s in range(count):
        row = scratch.found[variant, s]
        if row[A] < 0:
            continue
        size, linked = _write_rule(bitext, row, scratch.target, scratch.links, scratch.symbol_at)
        if linked == 0:
            continue
        key = np.uint64(5)
        for k in range(size):
            key = fold(key, scratch.target[k])
        rule = _number(keys, scratch.numbers, mix(key, size), rules)
        for k in range(linked):
            key = fold(key, np.int64(scratch.links[k, 0]) * 256 + scratch.links[k, 1])
        kind = _number(align_keys, scratch.align_numbers, mix(key, size), kinds)
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
def _collect(bitext, cores, wanted, max_span, max_samples, phrases):
    """Rules of the wanted cores, or phrase pairs: occurrences with the same target side are counted together.

    Returns the fields of Rules but for the features, and where the patterns of each core begin.
    """
    source_starts, source = np.zeros(1024, np.int32), np.zeros(4096, np.int32)
    sampled, first = np.zeros(1024, np.int32), np.zeros(1024, np.int32)
    target_starts, target = np.zeros(4096, np.int32), np.zeros(16384, np.int32)
    align_starts, align = np.zeros(4096, np.int32), np.zeros(32768, np.uint8)
    counts = np.zeros(4096, np.int32)
    patterns, rules, symbols, links = 0, 0, 0, 0
    begins = np.zeros(cores.lengths.shape[0] + 1, np.int32)
    scratch = _new_scratch(max_span, max_samples)
    for core in range(cores.lengths.shape[0]):
        begins[core + 1] = patterns
        if not wanted[core]:
            continue
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
        begins[core + 1] = patterns
    return (
        source_starts[: patterns + 1], source[: source_starts[patterns]], sampled[:patterns], first[: patterns + 1],
        target_starts[: rules + 1], target[:symbols], align_starts[: rules + 1], align[: 2 * links], counts[:rules],
        begins,
    )


def extract_rules(
    bitext: Bitext, ids: I32, config: RuleConfig, exclude: int = -1, known: KnownRules | None = None
) -> Rules:
    """All rules whose source side matches part of the sentence (word ids, -1 for unknown words).

    Sentences of the group `exclude` are left out: their occurrences, and their part in all counts. Else the rules of
    many cores may be `known` already, from other sentences and the same text and limits.
    """
    cores = find_cores(bitext, ids, config.max_span, config.max_samples, config.max_anchors, exclude)
    return _rules(bitext, cores, config.max_span, config.max_samples, False, exclude, known)


def extract_phrases(
    bitext: Bitext, ids: I32, longest: int, config: RuleConfig, exclude: int = -1, known: KnownRules | None = None
) -> Rules:
    """All phrase pairs whose source side, of at most so many words, is part of the sentence; else as above."""
    if not 1 <= longest <= DEPTH:
        raise CrossbowError(f"phrases of up to {longest} words cannot be found, only of 1 to {DEPTH}")
    cores = find_phrases(bitext, ids, longest, config.max_samples, exclude)
    return _rules(bitext, cores, config.max_span, config.max_samples, True, exclude, known)


def _rules(
    bitext: Bitext, cores: Cores, max_span: int, max_samples: int, phrases: bool, exclude: int,
    known: KnownRules | None,
) -> Rules:
    """The rules of all cores, with their features."""
    def extract(wanted: Bools) -> tuple[Rules, I32]:
        source_starts, source, samples, first, target_starts, target, align_starts, align, counts, begins = _collect(
            bitext, cores, wanted, max_span, max_samples, phrases)
        features = np.zeros((len(counts), len(FEATURES)), np.float32)
        rule_features(bitext, left_out(bitext, exclude), source_starts, source, samples, first, target_starts, target,
                      counts, features)
        return Rules(source_starts, source, samples, first, target_starts, target, align_starts,
                     align.reshape(-1, 2), counts, features), begins

    if known is None or exclude >= 0:
        return extract(np.ones(len(cores.lengths), np.bool_))[0]
    return known.completed(cores, extract)
