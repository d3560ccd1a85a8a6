"""Rule extraction by its definition: patterns by enumeration, occurrences by scanning, spans by their links.

    rules = extract(pairs, query, RuleConfig(), exclude)       # {(source side, target side): Extracted}
    rules = extract_phrases(pairs, query, 7, RuleConfig(), exclude)
    bitext = build(pairs, source_words, target_words)          # the same text as the package wants it

A training pair has words and links relative to itself. Symbols of a source or target side are word ids; nonterminals
are -1 and -2, numbered in source order. A *shape* is a tuple of word offsets from the first word; its runs of
neighboring offsets are the chunks of a core.
"""

import functools
import itertools
import math
from collections import Counter, defaultdict
from typing import NamedTuple

import numpy as np

from crossbow.align.symmetrize import Links
from crossbow.grammar.bitext import build_bitext
from crossbow.vocab import Corpus

MAX_SYMBOLS = 5
MAX_NONTERMINALS = 2
SORTED_WORDS = 8  # the suffix array tells suffixes apart by so many words
GAP = None


class Pair(NamedTuple):
    source: list  # ids from 1
    target: list  # ids from 0
    links: frozenset  # of (source position, target position)
    group: int = 0


class Occurrence(NamedTuple):
    sentence: int
    positions: tuple  # of the core's words within the sentence


class Extracted(NamedTuple):
    count: int
    samples: int
    alignments: list  # those that occur most often, each a sorted tuple of (source symbol, target symbol)
    features: list


# The text as the package wants it


def corpus(sentences):
    starts = np.concatenate(([0], np.cumsum([len(sentence) for sentence in sentences]))).astype(np.int64)
    return Corpus(np.array([word for sentence in sentences for word in sentence], np.int32), starts)


def build(pairs, source_words, target_words):
    links = [sorted(pair.links) for pair in pairs]
    flat = np.array([link for row in links for link in row], np.int16).reshape(-1, 2)
    starts = np.concatenate(([0], np.cumsum([len(row) for row in links]))).astype(np.int64)
    groups = np.array([pair.group for pair in pairs], np.int32)
    return build_bitext(corpus([pair.source for pair in pairs]), corpus([pair.target for pair in pairs]),
                        Links(flat[:, 0].copy(), flat[:, 1].copy(), starts), source_words, target_words, groups)


# Cores and their occurrences


def chunks(shape):
    """Neighboring numbers together: (0, 1, 4) gives [[0, 1], [4]]."""
    runs = [[shape[0]]]
    for offset in shape[1:]:
        if offset == runs[-1][-1] + 1:
            runs[-1].append(offset)
        else:
            runs.append([offset])
    return runs


@functools.cache
def shapes(max_span):
    """All ways to take words out of max_span words, the first included, such that words and gaps make a source side."""
    found = []
    for size in range(1, MAX_SYMBOLS + 1):
        for rest in itertools.combinations(range(1, max_span), size - 1):
            gaps = len(chunks((0, *rest))) - 1
            if gaps <= MAX_NONTERMINALS and size + gaps <= MAX_SYMBOLS:
                found.append((0, *rest))
    return found


def cores(sentence, max_span):
    """Every core of a sentence with its positions: the words of the chunks with GAP between chunks."""
    for start in range(len(sentence)):
        for shape in shapes(max_span):
            if start + shape[-1] < len(sentence):
                positions = tuple(start + offset for offset in shape)
                core = []
                for run in chunks(positions):
                    core += [GAP] * bool(core) + [sentence[p] for p in run]
                yield tuple(core), positions


def occurrences(pairs, max_span):
    """Where each core occurs in the training text: {core: occurrences in text order}."""
    found = defaultdict(list)
    for s, pair in enumerate(pairs):
        for core, positions in cores(pair.source, max_span):
            found[core].append(Occurrence(s, positions))
    return {core: sorted(places) for core, places in found.items()}


def joined_text(sentences):
    """The text a suffix array is made of, every sentence with a 0 after it, and where each sentence begins."""
    text, begins = [], []
    for sentence in sentences:
        begins.append(len(text))
        text += [*sentence, 0]
    return text, begins


def naive_suffix_array(text):
    return sorted(range(len(text)), key=lambda p: (text[p : p + SORTED_WORDS], p))


def stride(items, most):
    """At most so many items, at equal distances."""
    if len(items) <= most:
        return list(items)
    return [items[s * len(items) // most] for s in range(most)]


def anchor(core, frequency):
    """Which word of a core with gaps, as an index, it is looked for by: the rarer of the two around a gap, the first if
    they are alike. Of two gaps that is the one with the rarer anchor, the first if they are alike."""
    candidates = []
    for gap in (k for k, symbol in enumerate(core) if symbol is GAP):
        before = sum(symbol is not GAP for symbol in core[:gap])  # words in front of the gap
        left, right = frequency[core[gap - 1]], frequency[core[gap + 1]]
        candidates.append((left, before - 1) if left <= right else (right, before))
    return min(candidates, key=lambda candidate: candidate[0])[1]


def sampled_cores(pairs, query, config, exclude=-1):
    """{core of the query: the sampled occurrences}, without cores that have none.

    A core of one chunk is sampled in the order of the suffix array, and then the group `exclude` is left out. One with
    gaps is looked for around at most max_anchors places of its anchor; what is found there outside the group is sampled
    in the order of the text.
    """
    everywhere = occurrences(pairs, config.max_span)
    text, begins = joined_text([pair.source for pair in pairs])
    frequency = Counter(text)
    rank = {p: r for r, p in enumerate(naive_suffix_array(text))}
    visited = {p for word in frequency
               for p in stride([p for p, other in enumerate(text) if other == word], config.max_anchors)}
    result = {}
    for core in {core for core, _ in cores(query, config.max_span)}:
        places = everywhere.get(core, [])
        kept = [place for place in places if exclude < 0 or pairs[place.sentence].group != exclude]
        if GAP in core:
            at = anchor(core, frequency)
            near = [place for place in kept if begins[place.sentence] + place.positions[at] in visited]
            sample = stride(near, config.max_samples)
        else:
            ordered = sorted(places, key=lambda place: rank[begins[place.sentence] + place.positions[0]])
            sample = [place for place in stride(ordered, config.max_samples) if place in kept]
        if sample:
            result[core] = sample
    return result


# From an occurrence to a rule


def tight_span(pair, a, b, max_span):
    """The target span (c, d) of the source words [a, b), or None.

    The first and the last word have links, no link leads from inside one span to outside the other, and the target span
    ends at linked words too, so there is one at most.
    """
    sources = {i for i, _ in pair.links}
    if not (0 <= a < b <= len(pair.source)) or b - a > max_span or a not in sources or b - 1 not in sources:
        return None
    targets = [j for i, j in pair.links if a <= i < b]
    c, d = min(targets), max(targets) + 1
    if d - c > max_span or any(c <= j < d and not a <= i < b for i, j in pair.links):
        return None
    return c, d


class Spans:
    """Tight spans of the training pairs, remembered."""

    def __init__(self, pairs, max_span):
        self.pairs, self.max_span, self.known = pairs, max_span, {}

    def __call__(self, s, a, b):
        if (s, a, b) not in self.known:
            self.known[s, a, b] = tight_span(self.pairs[s], a, b, self.max_span)
        return self.known[s, a, b]


def variants(core):
    """Whether a nonterminal stands before and after the core, in all ways that the limits allow."""
    gaps = core.count(GAP)
    for before, after in itertools.product((False, True), repeat=2):
        if gaps + before + after <= MAX_NONTERMINALS and len(core) + before + after <= MAX_SYMBOLS:
            yield before, after


def rule_spans(spans, place, before, after):
    """The whole span and the nonterminals' spans, on the source side, or None.

    Of all spans that a nonterminal before the core could cover such that there is a rule, it covers the shortest; then
    the one after the core likewise.
    """
    s, positions = place
    begin, end = positions[0], positions[-1] + 1
    runs = chunks(positions)
    gaps = [(left[-1] + 1, right[0]) for left, right in itertools.pairwise(runs)]
    length = len(spans.pairs[s].source)
    for a in range(begin - 1, -1, -1) if before else [begin]:
        for b in range(end + 1, length + 1) if after else [end]:
            nonterminals = [(a, begin)] * before + gaps + [(end, b)] * after
            if all(spans(s, *span) for span in [(a, b), *nonterminals]):
                return (a, b), nonterminals
    return None


def symbols(words, whole, nonterminals):
    """The symbols of one side, and for every position outside the nonterminals which symbol it is."""
    side, place = [], {}
    for p in range(*whole):
        inside = [-1 - x for x, (a, b) in enumerate(nonterminals) if a <= p < b]
        if not inside:
            place[p] = len(side)
            side.append(words[p])
        elif side[-1:] != inside:
            side += inside
    return tuple(side), place


def rule_of(spans, place, before, after):
    """(source side, target side, alignment) that an occurrence yields, or None."""
    found = rule_spans(spans, place, before, after)
    if found is None:
        return None
    s, pair = place.sentence, spans.pairs[place.sentence]
    whole, nonterminals = found
    source, source_place = symbols(pair.source, whole, nonterminals)
    target, target_place = symbols(pair.target, spans(s, *whole), [spans(s, *span) for span in nonterminals])
    alignment = tuple(sorted((source_place[i], target_place[j]) for i, j in pair.links
                             if i in source_place and j in target_place))
    return (source, target, alignment) if alignment else None


# Features


class LinkCounts:
    """How often words are linked in the training text; a word without links is linked to NULL."""

    def __init__(self, pairs):
        self.pair, self.source, self.target = Counter(), Counter(), Counter()
        self.source_null, self.target_null = Counter(), Counter()
        for pair in pairs:
            for i, j in pair.links:
                self.pair[pair.source[i], pair.target[j]] += 1
                self.source[pair.source[i]] += 1
                self.target[pair.target[j]] += 1
            linked_sources, linked_targets = {i for i, _ in pair.links}, {j for _, j in pair.links}
            self.source_null.update(w for i, w in enumerate(pair.source) if i not in linked_sources)
            self.target_null.update(w for j, w in enumerate(pair.target) if j not in linked_targets)
        self.source.update(self.source_null)
        self.target.update(self.target_null)

    def source_given_target(self, f, e):
        """p(f|e); e is None for NULL."""
        if e is None:
            return self.source_null[f] / max(1, self.source_null.total())
        return self.pair[f, e] / max(1, self.target[e])

    def target_given_source(self, e, f):
        if f is None:
            return self.target_null[e] / max(1, self.target_null.total())
        return self.pair[f, e] / max(1, self.source[f])


def cost(probability):
    return -math.log10(probability) if probability > 0 else 99.0


def features(counts, source, target, count, samples):
    fs, es = [f for f in source if f >= 0], [e for e in target if e >= 0]
    return [
        cost(count / samples),
        math.log10(1 + samples),
        math.log10(1 + count),
        sum(cost(max(counts.source_given_target(f, e) for e in [*es, None])) for f in fs),
        sum(cost(max(counts.target_given_source(e, f) for f in [*fs, None])) for e in es),
        float(samples == 1),
        float(count == 1),
    ]


def grouped(found, counts, samples):
    """The rules of one pattern: {(source side, target side): Extracted}."""
    rules = {}
    for source, target in {rule[:2] for rule in found}:
        kinds = Counter(rule[2] for rule in found if rule[:2] == (source, target))
        most = [kind for kind, times in kinds.items() if times == max(kinds.values())]
        values = features(counts, source, target, kinds.total(), samples)
        rules[source, target] = Extracted(kinds.total(), samples, most, values)
    return rules


def extract(pairs, query, config, exclude=-1):
    """All rules for the query sentence."""
    spans = Spans(pairs, config.max_span)
    counts = LinkCounts([pair for pair in pairs if exclude < 0 or pair.group != exclude])
    rules = {}
    for core, places in sampled_cores(pairs, query, config, exclude).items():
        for before, after in variants(core):
            found = [rule_of(spans, place, before, after) for place in places]
            rules |= grouped([rule for rule in found if rule], counts, len(places))
    return rules


def phrase_pair(pair, a, b, max_span):
    """(source side, target side, alignment) of source words [a, b), or None. Words at the ends may have no links."""
    linked = [p for p in range(a, b) if any(i == p for i, _ in pair.links)]
    span = tight_span(pair, linked[0], linked[-1] + 1, max_span) if linked and b - a <= max_span else None
    if span is None:
        return None
    alignment = tuple(sorted((i - a, j - span[0]) for i, j in pair.links if a <= i < b))
    return tuple(pair.source[a:b]), tuple(pair.target[slice(*span)]), alignment


def extract_phrases(pairs, query, longest, config, exclude=-1):
    """All phrase pairs for the query sentence."""
    counts = LinkCounts([pair for pair in pairs if exclude < 0 or pair.group != exclude])
    text, begins = joined_text([pair.source for pair in pairs])
    rank = {p: r for r, p in enumerate(naive_suffix_array(text))}
    rules = {}
    for phrase in {tuple(query[i : i + size]) for size in range(1, longest + 1) for i in range(len(query) - size + 1)}:
        places = [(s, a) for s, pair in enumerate(pairs) for a in range(len(pair.source))
                  if tuple(pair.source[a : a + len(phrase)]) == phrase]
        places.sort(key=lambda at: rank[begins[at[0]] + at[1]])
        places = [(s, a) for s, a in stride(places, config.max_samples) if exclude < 0 or pairs[s].group != exclude]
        found = [phrase_pair(pairs[s], a, a + len(phrase), config.max_span) for s, a in places]
        rules |= grouped([rule for rule in found if rule], counts, len(places))
    return rules
