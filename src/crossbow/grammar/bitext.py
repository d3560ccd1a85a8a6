"""The aligned training text in the form that rule extraction reads: a suffix array, links by word, lexical counts.

    bitext = build_bitext(source, target, links, source_words, target_words, groups)
    save_bitext(folder, bitext); bitext = load_bitext(folder)

Every source sentence is followed by BREAK, so that no phrase ever spans two sentences.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.align.symmetrize import Links
from crossbow.arrays import I16, I32, I64, U64
from crossbow.grammar.suffix import suffix_array
from crossbow.jit import helper, kernel
from crossbow.structures.table import find, insert, mix, new_table
from crossbow.vocab import Corpus

KIND = "bitext"
BREAK = 0  # the source vocabulary keeps its first id free for the end of a sentence


class Bitext(NamedTuple):
    """Positions are indices into `source` (with breaks) or `target`; links and bounds are relative to the sentence."""

    source: I32
    source_starts: I64  # where each sentence begins in `source`
    sentence: I32  # the sentence of each source position
    group: I32  # of each sentence: what leave-one-out leaves out together
    target: I32
    target_starts: I64
    link_starts: I64  # links of source position p: link_targets[link_starts[p]:link_starts[p + 1]], ascending
    link_targets: I16
    target_low: I16  # first and last source word linked to each target position, -1 for none
    target_high: I16
    order: I32  # suffix array of `source`
    positions: I32  # positions of each source word in text order: positions[word_starts[w]:word_starts[w + 1]]
    word_starts: I64
    pair_keys: U64  # hash table of linked word pairs, see `pair_key`
    pair_counts: I32
    source_counts: I64  # links of each source word, an unlinked occurrence counting as one link to NULL
    source_null: I64
    target_counts: I64
    target_null: I64


@helper
def pair_key(source_word: int, target_word: int) -> np.uint64:
    """The hash under which the number of links between two words is kept."""
    return mix(mix(np.uint64(1), source_word), target_word)


@helper
def pair_count(pair_keys: U64, pair_counts: I32, source_word: int, target_word: int) -> int:
    """How often the two words are linked in the training text."""
    slot = find(pair_keys, pair_key(source_word, target_word))
    return 0 if slot < 0 else pair_counts[slot]


@kernel
def _index_links(
    source_starts: I64, target_starts: I64, first: I64, link_source: Any, link_target: Any,
    link_starts: I64, link_targets: I16, target_low: I16, target_high: I16,
) -> None:
    """Links by source position, and the span of source words each target word is linked to."""
    for s in range(first.shape[0] - 1):
        begin = source_starts[s]
        for k in range(first[s], first[s + 1]):
            i, j = link_source[k], link_target[k]
            link_targets[k] = j
            link_starts[begin + i + 1] += 1
            t = target_starts[s] + j
            if target_low[t] < 0 or i < target_low[t]:
                target_low[t] = i
            if i > target_high[t]:
                target_high[t] = i
    for p in range(1, link_starts.shape[0]):
        link_starts[p] += link_starts[p - 1]


@kernel
def _count_pairs(
    source: I32, sentence: I32, target: I32, target_starts: I64, link_starts: I64, link_targets: I16,
    target_low: I16, keys: U64, counts: I32,
    source_counts: I64, source_null: I64, target_counts: I64, target_null: I64,
) -> None:
    """Link counts of word pairs and words. The lexical probabilities are ratios of these."""
    for p in range(source.shape[0]):
        word = source[p]
        if word == BREAK:
            continue
        base = target_starts[sentence[p]]
        if link_starts[p] == link_starts[p + 1]:
            source_counts[word] += 1
            source_null[word] += 1
        for k in range(link_starts[p], link_starts[p + 1]):
            other = target[base + link_targets[k]]
            counts[insert(keys, pair_key(word, other))] += 1
            source_counts[word] += 1
            target_counts[other] += 1
    for t in range(target.shape[0]):
        if target_low[t] < 0:
            target_counts[target[t]] += 1
            target_null[target[t]] += 1


def build_bitext(
    source: Corpus, target: Corpus, links: Links, source_words: int, target_words: int, groups: I32 | None = None
) -> Bitext:
    """Index an aligned corpus. Source ids start at 1 (BREAK is 0); groups default to one per sentence."""
    sentences = len(source.starts) - 1
    lengths = np.diff(source.starts)
    source_starts = source.starts + np.arange(sentences + 1)
    text = np.full(len(source.words) + sentences, BREAK, np.int32)
    sentence = np.repeat(np.arange(sentences, dtype=np.int32), lengths + 1)
    inside = np.ones(len(text), bool)
    inside[source_starts[1:] - 1] = False
    text[inside] = source.words
    link_starts = np.zeros(len(text) + 1, np.int64)
    link_targets = np.zeros(len(links.source), np.int16)
    low = np.full(len(target.words), -1, np.int16)
    high = np.full(len(target.words), -1, np.int16)
    _index_links(source_starts, target.starts, links.starts, links.source, links.target,
                 link_starts, link_targets, low, high)
    order, word_starts = suffix_array(text, source_words)
    keys = new_table(len(links.source))
    counts = np.zeros(len(keys), np.int32)
    totals = [np.zeros(n, np.int64) for n in (source_words, source_words, target_words, target_words)]
    _count_pairs(text, sentence, target.words, target.starts, link_starts, link_targets, low, keys, counts, *totals)
    keys, counts = _compact(keys, counts)
    if groups is None:
        groups = np.arange(sentences, dtype=np.int32)
    return Bitext(
        text, source_starts, sentence, groups.astype(np.int32), target.words, target.starts, link_starts, link_targets,
        low, high, order, np.argsort(text, kind="stable").astype(np.int32), word_starts, keys, counts, *totals,
    )


def save_bitext(folder: Path, bitext: Bitext) -> None:
    """Write an indexed corpus into a new folder."""
    store.save(folder, KIND, bitext, {"sentences": len(bitext.group), "groups": int(bitext.group.max(initial=-1)) + 1})


def load_bitext(folder: Path) -> Bitext:
    """Map an aligned text that `save_bitext` wrote, and check that its arrays fit together."""
    b, _ = store.load(folder, KIND, Bitext)
    places, words = len(b.source), len(b.target)
    slots = 1 << (len(b.pair_counts) - 1).bit_length()  # a hash table's size is a power of two
    store.check_fit(
        folder, b,
        {"source_starts": (len(b.group), places), "target_starts": (len(b.group), words),
         "link_starts": (places, len(b.link_targets)), "word_starts": (len(b.source_counts), places)},
        {"sentence": places, "order": places, "positions": places, "target_low": words, "target_high": words,
         "pair_keys": slots, "pair_counts": slots, "source_null": len(b.source_counts),
         "target_null": len(b.target_counts)})
    return b


@kernel
def _rehash(old_keys: U64, old: I32, keys: U64, counts: I32) -> None:
    for slot in range(old_keys.shape[0]):
        if old[slot] > 0:
            counts[insert(keys, old_keys[slot])] = old[slot]


def _compact(keys: U64, counts: I32) -> tuple[U64, I32]:
    """The table was sized for as many pairs as links; most links repeat a pair, so keep it at the size it needs."""
    small = new_table(int(np.count_nonzero(counts)))
    small_counts = np.zeros(len(small), np.int32)
    _rehash(keys, counts, small, small_counts)
    return small, small_counts
