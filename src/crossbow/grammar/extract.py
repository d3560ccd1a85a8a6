"""The second step of rule extraction: sampled occurrences of a core become translation rules.

    rules = extract_rules(bitext, ids, RuleConfig(), exclude=-1)

Around an occurrence of a core the alignment decides what the gaps and the whole translate to. Spans are *tight*: their
first and last words are linked, and nothing inside is linked to the outside. A nonterminal before or after the core is
the shortest such span, so an occurrence yields at most one rule for each of the four variants u, Xu, uX and XuX.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from crossbow.grammar.bitext import BREAK, Bitext
from crossbow.grammar.cores import MAX_WORDS, find_cores
from crossbow.grammar.features import FEATURES, rule_features
from crossbow.jit import helper, kernel
from crossbow.structures.table import mix

Ints = npt.NDArray[np.int32]

PLAIN, LEFT, RIGHT, BOTH = 0, 1, 2, 3  # a nonterminal before the core, after it, or on both sides
# Columns of the scratch row that describes one extraction: whole span and nonterminals on the source side (absolute
# positions), then on the target side (relative to the sentence); the nonterminals in source order, -1 for none.
_A, _B, _N1, _M1, _N2, _M2, _C, _D, _T1, _U1, _T2, _U2, _COLUMNS = range(13)


@dataclass(frozen=True)
class RuleConfig:
    """Limits of rule extraction (Chiang 2007; Lopez 2007)."""

    max_span: int = 15
    max_samples: int = 300


class Rules(NamedTuple):
    """The rules for one sentence, grouped by source pattern. Symbols below zero are nonterminals: -1 the first, -2 the
    second in source order; others are word ids."""

    source_starts: Ints  # source side of pattern p: source[source_starts[p]:source_starts[p + 1]]
    source: Ints
    samples: Ints  # occurrences of each pattern that were looked at
    first: Ints  # rules of pattern p: first[p] to first[p + 1]
    target_starts: Ints
    target: Ints
    align_starts: Ints
    align: npt.NDArray[np.uint8]  # (source symbol, target symbol) pairs, the most frequent alignment of the rule
    counts: Ints
    features: npt.NDArray[np.float32]


@helper
def _linked(bitext, p):
    return bitext.link_starts[p] < bitext.link_starts[p + 1]


@helper
def _project(bitext, a, b, max_span):
    """The target span that source[a:b] translates to, relative to the sentence, or (-1, -1)."""
    low, high = 32767, -1
    if not (_linked(bitext, a) and _linked(bitext, b - 1)):
        return -1, -1
    for p in range(a, b):
        first, last = bitext.link_starts[p], bitext.link_starts[p + 1]
        if first < last:
            low = min(low, bitext.link_targets[first])
            high = max(high, bitext.link_targets[last - 1])
    if high - low >= max_span:
        return -1, -1
    s = bitext.sentence[a]
    begin, base = bitext.source_starts[s], bitext.target_starts[s]
    for t in range(base + low, base + high + 1):
        if bitext.target_low[t] >= 0 and (begin + bitext.target_low[t] < a or begin + bitext.target_high[t] >= b):
            return -1, -1
    return low, high + 1


@helper
def _side_spans(bitext, edge, step, room, max_span, spans):
    """Tight spans that end (step -1) or begin (step 1) at a position, shortest first; returns how many."""
    count = 0
    for size in range(1, room + 1):
        a, b = (edge - size, edge) if step < 0 else (edge, edge + size)
        if a < 0 or bitext.source[a if step < 0 else b - 1] == BREAK:
            break
        c, d = _project(bitext, a, b, max_span)
        if c >= 0:
            spans[count, 0], spans[count, 1], spans[count, 2] = size, c, d
            count += 1
    return count


@kernel
def _occurrence(bitext, lengths, at, max_span, variants, lefts, rights, found):
    """Fill found[variant] for one occurrence of a core; found[variant, _A] stays -1 where there is no rule."""
    for v in range(4):
        for column in range(_COLUMNS):
            found[v, column] = -1
    chunks = 1 + (lengths[1] > 0) + (lengths[2] > 0)
    begin = at[0]
    end = at[chunks - 1] + lengths[chunks - 1]
    gaps = np.full((2, 4), -1, np.int64)
    for g in range(chunks - 1):
        a, b = at[g] + lengths[g], at[g + 1]
        c, d = _project(bitext, a, b, max_span)
        if c < 0:
            return
        gaps[g, 0], gaps[g, 1], gaps[g, 2], gaps[g, 3] = a, b, c, d
    room = max_span - (end - begin)
    left_count = _side_spans(bitext, begin, -1, room, max_span, lefts) if variants > LEFT else 0
    right_count = _side_spans(bitext, end, 1, room, max_span, rights) if variants > LEFT else 0
    for v in range(variants):
        has_left, has_right = v in (LEFT, BOTH), v in (RIGHT, BOTH)
        done = False
        for x in range(left_count if has_left else 1):
            for y in range(right_count if has_right else 1):
                a = begin - lefts[x, 0] if has_left else begin
                b = end + rights[y, 0] if has_right else end
                if b - a > max_span:
                    break
                c, d = _project(bitext, a, b, max_span)
                if c >= 0:
                    row = found[v]
                    row[_A], row[_B], row[_C], row[_D] = a, b, c, d
                    column = 0
                    if has_left:
                        row[_N1], row[_M1], row[_T1], row[_U1] = a, begin, lefts[x, 1], lefts[x, 2]
                        column = 2
                    for g in range(chunks - 1):
                        row[_N1 + column], row[_M1 + column] = gaps[g, 0], gaps[g, 1]
                        row[_T1 + column], row[_U1 + column] = gaps[g, 2], gaps[g, 3]
                        column += 2
                    if has_right:
                        row[_N1 + column], row[_M1 + column] = end, b
                        row[_T1 + column], row[_U1 + column] = rights[y, 1], rights[y, 2]
                    done = True
                    break
            if done:
                break


@helper
def _write_rule(bitext, row, target, align, symbol_at):
    """The target symbols and the in-rule alignment of one extraction, as lengths; False if no terminal is linked."""
    s = bitext.sentence[row[_A]]
    base = bitext.target_starts[s]
    size, t = 0, row[_C]
    while t < row[_D]:
        if t == row[_T1]:
            target[size] = -1
            t = row[_U1]
        elif t == row[_T2]:
            target[size] = -2
            t = row[_U2]
        else:
            symbol_at[t - row[_C]] = size
            target[size] = bitext.target[base + t]
            t += 1
        size += 1
    pairs, symbol, p = 0, 0, row[_A]
    while p < row[_B]:
        if p == row[_N1]:
            p = row[_M1]
        elif p == row[_N2]:
            p = row[_M2]
        else:
            for k in range(bitext.link_starts[p], bitext.link_starts[p + 1]):
                align[pairs, 0] = symbol
                align[pairs, 1] = symbol_at[bitext.link_targets[k] - row[_C]]
                pairs += 1
            p += 1
        symbol += 1
    return size, pairs


@helper
def _room(array, used, need):
    """The array, or a copy with room for `need` more entries after the `used` ones."""
    if used + need <= array.shape[0]:
        return array
    larger = np.zeros(2 * (used + need), array.dtype)
    larger[:used] = array[:used]
    return larger


@kernel
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


@kernel
def _collect(bitext, cores, max_span, max_samples):
    """Rules of all cores: occurrences with the same target side are counted together."""
    lengths, words, starts, samples = cores.lengths, cores.words, cores.starts, cores.samples
    source_starts, source = np.zeros(1024, np.int32), np.zeros(4096, np.int32)
    sampled, first = np.zeros(1024, np.int32), np.zeros(1024, np.int32)
    target_starts, target = np.zeros(4096, np.int32), np.zeros(16384, np.int32)
    align_starts, align = np.zeros(4096, np.int32), np.zeros(32768, np.uint8)
    counts = np.zeros(4096, np.int32)
    patterns, rules, symbols, links = 0, 0, 0, 0

    found = np.empty((max_samples, 4, _COLUMNS), np.int64)
    lefts, rights = np.zeros((max_span, 3), np.int64), np.zeros((max_span, 3), np.int64)
    side, pairs = np.zeros(max_span + 1, np.int32), np.zeros((max_span * max_span, 2), np.uint8)
    symbol_at = np.zeros(max_span, np.uint8)
    keys, rule_of = np.zeros(max_samples, np.uint64), np.zeros(max_samples, np.int32)
    align_keys, align_counts = np.zeros(max_samples, np.uint64), np.zeros(max_samples, np.int32)
    best = np.zeros(max_samples, np.int32)

    for core in range(lengths.shape[0]):
        size = lengths[core, 0] + lengths[core, 1] + lengths[core, 2]
        inner = (lengths[core, 1] > 0) + (lengths[core, 2] > 0)
        symbols_left = MAX_WORDS - size - inner
        variants = 1
        if symbols_left >= 1 and inner < 2:
            variants = 3
            if symbols_left >= 2 and inner == 0:
                variants = 4
        count = starts[core + 1] - starts[core]
        for s in range(count):
            _occurrence(bitext, lengths[core], samples[starts[core] + s], max_span, variants, lefts, rights, found[s])
        for v in range(variants):
            # Distinct target sides of this pattern, and under each its distinct alignments with their counts.
            distinct, kinds = 0, 0
            for s in range(count):
                if found[s, v, _A] < 0:
                    continue
                length, linked = _write_rule(bitext, found[s, v], side, pairs, symbol_at)
                if linked == 0:
                    continue
                key = np.uint64(5)
                for k in range(length):
                    key = mix(key, side[k])
                rule = -1
                for k in range(distinct):
                    if keys[k] == key:
                        rule = k
                        break
                if rule < 0:
                    rule = distinct
                    keys[rule] = key
                    distinct += 1
                    best[rule] = -1
                    counts = _room(counts, rules + rule, 1)
                    counts[rules + rule] = 0
                counts[rules + rule] += 1
                for k in range(linked):
                    key = mix(key, np.int64(pairs[k, 0]) * 256 + pairs[k, 1])
                kind = -1
                for k in range(kinds):
                    if align_keys[k] == key:
                        kind = k
                        break
                if kind < 0:
                    kind = kinds
                    align_keys[kind], align_counts[kind], rule_of[kind] = key, 0, s
                    kinds += 1
                align_counts[kind] += 1
                if best[rule] < 0 or align_counts[kind] > align_counts[best[rule]]:
                    best[rule] = kind
            if distinct == 0:
                continue
            source = _room(source, source_starts[patterns], MAX_WORDS)
            source_starts, first = _room(source_starts, patterns + 1, 1), _room(first, patterns + 1, 1)
            sampled = _room(sampled, patterns, 1)
            target_starts = _room(target_starts, rules + 1, distinct)
            align_starts = _room(align_starts, rules + 1, distinct)
            at = source_starts[patterns]
            source_starts[patterns + 1] = at + _source_side(lengths[core], words[core], v, source[at:])
            sampled[patterns] = count
            patterns += 1
            for k in range(distinct):
                length, linked = _write_rule(bitext, found[rule_of[best[k]], v], side, pairs, symbol_at)
                target, align = _room(target, symbols, length), _room(align, 2 * links, 2 * linked)
                for x in range(length):
                    target[symbols + x] = side[x]
                for x in range(linked):
                    align[2 * (links + x)], align[2 * (links + x) + 1] = pairs[x, 0], pairs[x, 1]
                symbols, links = symbols + length, links + linked
                rules += 1
                target_starts[rules], align_starts[rules] = symbols, links
            first[patterns] = rules
    return (
        source_starts[: patterns + 1], source[: source_starts[patterns]], sampled[:patterns], first[: patterns + 1],
        target_starts[: rules + 1], target[:symbols], align_starts[: rules + 1], align[: 2 * links], counts[:rules],
    )


def extract_rules(bitext: Bitext, ids: Ints, config: RuleConfig, exclude: int = -1) -> Rules:
    """All rules whose source side matches part of the sentence (word ids, -1 for unknown words).

    Occurrences in sentences of the group `exclude` are left out, counts included.
    """
    cores = find_cores(bitext, ids, config.max_span, config.max_samples, exclude)
    source_starts, source, samples, first, target_starts, target, align_starts, align, counts = _collect(
        bitext, cores, config.max_span, config.max_samples)
    features = np.zeros((len(counts), len(FEATURES)), np.float32)
    rule_features(bitext, source_starts, source, samples, first, target_starts, target, counts, features)
    return Rules(source_starts, source, samples, first, target_starts, target, align_starts, align.reshape(-1, 2), counts,
                 features)
