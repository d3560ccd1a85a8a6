"""A model of a bilingual dictionary, where there is no parallel text.

    config = SuppliedConfig(Settings("de"), Settings("en"))
    summary = from_dictionary("de-en.tsv", "model", config, lm_texts=["docs.tsv"])

A dictionary becomes a small aligned text, an entry a sentence pair, from which rules are drawn as from any other.
Entries with probabilities are repeated as often as these say. Words of longer entries are linked where the dictionary
has the two as an entry of their own; what is left is linked with all that is left on the other side, or with what its
neighbor is linked with, so that translations stay whole. Dictionaries have words in their basic form: a model of one
takes a query's word that it lacks for one that it has with the same stem, and takes apart compounds that it lacks.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd
from typing import Any

from crossbow import store
from crossbow.decode.decoder import START_WEIGHTS
from crossbow.errors import InputError
from crossbow.lm.words import new_vocab
from crossbow.model import MODEL
from crossbow.model.folder import HEADWORDS
from crossbow.records.dictionary import Entry, read_dictionary
from crossbow.records.lines import PathLike
from crossbow.text.analyzer import Analyzer
from crossbow.text.compounds import Splitter
from crossbow.training.supplied import Pair, Supplied, SuppliedConfig
from crossbow.training.texts import BREAK_WORD, check_lm_sources, has_compounds, plain
from crossbow.vocab import Vocab

REPEATS = 20  # how finely probabilities are told apart: times that the entries of a word are repeated in all
LONGEST = 100  # words of an entry
Words = tuple[str, ...]


def from_dictionary(
    path: PathLike, out: PathLike, config: SuppliedConfig, *, lm_texts: Iterable[PathLike] = (),
    arpa: PathLike | None = None,
) -> dict[str, Any]:
    """Make a model of a dictionary in the folder `out` and return a summary of it."""
    texts = list(lm_texts)
    check_lm_sources(texts, arpa)
    store.check_replaceable(out, MODEL)
    weights = _weights(path, config)
    splitter = None
    if config.compounds and has_compounds(config.source):
        # Each word once: what the dictionary has is translated as a whole.
        splitter = Splitter.learn({word: 1 for left in weights for word in left}, config.source.lang, min_count=1)
    pairs = [Pair(list(left), list(right), link_words(left, right, weights), count)
             for left, found in weights.items() for right, count in zip(found, _repeats(list(found.values())))]
    supplied = Supplied(config, Vocab([BREAK_WORD]), new_vocab(), pairs, texts, arpa)
    return supplied.write(out, {"entries": len(pairs), "headwords": len(weights)}, START_WEIGHTS,
                          splitter=splitter, more={HEADWORDS: True})


def _weights(path: PathLike, config: SuppliedConfig) -> dict[Words, dict[Words, float]]:
    """The translations of everything that the dictionary has, with their probabilities, or 1."""
    source, target = Analyzer(config.source), Analyzer(config.target)
    weights: dict[Words, dict[Words, float]] = {}
    for entry in read_dictionary(path):
        left, right = tuple(source.tokens(entry.source)), tuple(plain(target.tokens(entry.target)))
        if 0 < len(left) <= LONGEST and 0 < len(right) <= LONGEST:
            found = weights.setdefault(left, {})
            found[right] = max(found.get(right, 0.0), _weight(entry))
    if not weights:
        raise InputError(path, None, f"no entry has 1 to {LONGEST} words on both sides", "is this a dictionary?")
    return weights


def _weight(entry: Entry) -> float:
    return 1.0 if entry.probability is None else entry.probability


def _repeats(weights: list[float]) -> list[int]:
    """How often each translation of a word is repeated: at least once, all as few times as they can be."""
    counts = [max(1, round(REPEATS * weight / sum(weights))) for weight in weights]
    return [count // gcd(*counts) for count in counts]


def link_words(left: Words, right: Words, known: dict[Words, dict[Words, float]]) -> list[tuple[int, int]]:
    """The links of an entry: words that are an entry themselves, each once from left to right; then the rest with the
    rest. If all source words have their link, the rest goes with the linked word before it, or after it."""
    source_of: dict[int, int] = {}  # of the target words
    for i, word in enumerate(left):
        translations = known.get((word,), {})
        j = next((j for j, other in enumerate(right) if j not in source_of and (other,) in translations), None)
        if j is not None:
            source_of[j] = i
    rest_left = sorted(set(range(len(left))) - set(source_of.values()))
    rest_right = sorted(set(range(len(right))) - set(source_of))
    links = [(i, j) for j, i in source_of.items()] + [(i, j) for i in rest_left for j in rest_right]
    if not rest_left:
        for j in rest_right:
            nearest = min(source_of, key=lambda other: (other > j, abs(other - j)))
            links.append((source_of[nearest], j))
    return sorted(links)
