"""Models without parallel text: from a bilingual dictionary, or from a grammar in cdec's format.

    summary = from_dictionary("deu-eng.tei", Path("model"), SuppliedConfig(), lm_texts=["docs.tsv"])
    summary = from_grammar("rules.gz", Path("model"), SuppliedConfig(), arpa="english.arpa")

A dictionary becomes a small aligned text, an entry a sentence pair, from which rules are drawn as from any other.
Entries with probabilities are repeated as often as these say. Words of longer entries are linked where the dictionary
has the two as an entry of their own; what is left is linked with all that is left on the other side, or with what its
neighbour is linked with, so that translations stay whole. Dictionaries have words in their basic form: a model of one
takes a query's word that it lacks for one that it has with the same stem, and takes apart compounds that it lacks.

A grammar is kept as it is. Its rules, without gaps and repeated as often as they were counted, are the aligned text
from which word translations are counted.

The language model is that of the texts, or of an ARPA file; without either, of the target sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from math import gcd
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.align.symmetrise import Links
from crossbow.decode.decoder import START_WEIGHTS, STRUCTURE, DecodeConfig
from crossbow.errors import CrossbowError, InputError
from crossbow.grammar.bitext import build_bitext
from crossbow.grammar.extract import Rules
from crossbow.grammar.features import FEATURES
from crossbow.grammar.rulefile import read_rules
from crossbow.lm.arpa import arpa_words
from crossbow.lm.estimate import Smoothing
from crossbow.lm.words import SPECIAL_WORDS, new_vocab
from crossbow.model import GRAMMAR, HEADWORDS, KIND, Vocabularies
from crossbow.records import open_lines
from crossbow.records.dictionary import Entry, read_dictionary
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import LANGUAGES as COMPOUND_LANGUAGES
from crossbow.text.compounds import Splitter
from crossbow.training.parallel import BREAK_WORD, lm_lines, lm_of, plain
from crossbow.vocab import Corpus, Vocab

REPEATS = 20  # how finely probabilities are told apart: times that the entries of a word are repeated in all
LONGEST = 100  # words of an entry
MOST_COUNTED = 100  # times that a rule is repeated


@dataclass(frozen=True)
class SuppliedConfig:
    """Settings of a model that is made from what others supply."""

    source: Settings = field(default_factory=lambda: Settings("de"))
    target: Settings = field(default_factory=lambda: Settings("en"))
    compounds: bool = True
    lm: Smoothing = field(default_factory=Smoothing)
    decode: DecodeConfig = field(default_factory=DecodeConfig)


class Pair(NamedTuple):
    """Words that translate each other, how they are linked, and how often the pair counts."""

    source: list[str]
    target: list[str]
    links: list[tuple[int, int]]
    times: int


def from_dictionary(
    path: str | Path, out: Path, config: SuppliedConfig, *, lm_texts: Iterable[Path] = (), arpa: Path | None = None
) -> dict[str, Any]:
    """Make a model of a dictionary in the folder `out` and return a summary of it."""
    store.check_replaceable(out, KIND)
    source, target = Analyzer(config.source), Analyzer(config.target)
    weights: dict[tuple[str, ...], dict[tuple[str, ...], float]] = {}
    for entry in read_dictionary(path):
        left, right = source.tokens(entry.source), plain(target.tokens(entry.target))
        if 0 < len(left) <= LONGEST and 0 < len(right) <= LONGEST:
            found = weights.setdefault(tuple(left), {})
            found[tuple(right)] = max(found.get(tuple(right), 0.0), _weight(entry))
    if not weights:
        raise InputError(path, None, f"no entry has 1 to {LONGEST} words on both sides", "is this a dictionary?")
    splitter = None
    if config.compounds and config.source.kind == "words" and config.source.lang.split("-")[0] in COMPOUND_LANGUAGES:
        # Each word once: what the dictionary has is translated as a whole.
        splitter = Splitter.learn({word: 1 for left in weights for word in left}, config.source.lang, min_count=1)
    pairs = [Pair(list(left), list(right), link_words(left, right, weights), count)
             for left, found in weights.items() for right, count in zip(found, _repeats(list(found.values())))]
    model = _Model(config, out, Vocab([BREAK_WORD]), new_vocab(), pairs, list(lm_texts), arpa)
    return model.write({"entries": len(pairs), "headwords": len(weights)}, Analyzer(config.source, splitter),
                       START_WEIGHTS, {HEADWORDS: True})


def _weight(entry: Entry) -> float:
    return 1.0 if entry.probability is None else entry.probability


def _repeats(weights: list[float]) -> list[int]:
    """How often each translation of a word is repeated: at least once, all as few times as they can be."""
    counts = [max(1, round(REPEATS * weight / sum(weights))) for weight in weights]
    return [count // gcd(*counts) for count in counts]


def link_words(
    left: tuple[str, ...], right: tuple[str, ...], known: dict[tuple[str, ...], dict[tuple[str, ...], float]]
) -> list[tuple[int, int]]:
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


def from_grammar(
    path: str | Path, out: Path, config: SuppliedConfig, *, lm_texts: Iterable[Path] = (), arpa: Path | None = None,
    weights: Path | None = None,
) -> dict[str, Any]:
    """Make a model of a grammar in the folder `out`; `weights` is a file of feature weights as cdec has them."""
    store.check_replaceable(out, KIND)
    source, target = Vocab([BREAK_WORD]), new_vocab()
    rules = read_rules(path, source, target)
    used = read_weights(weights) if weights else START_WEIGHTS
    model = _Model(config, out, source, target, list(_rule_pairs(rules, source, target)), list(lm_texts), arpa, rules)
    return model.write({"rules": len(rules.counts), "patterns": len(rules.samples)}, Analyzer(config.source), used, {})


def _rule_pairs(rules: Rules, source: Vocab, target: Vocab) -> Iterator[Pair]:
    """The words of each rule with their links, numbered without the gaps."""
    for pattern in range(len(rules.samples)):
        left = rules.source[rules.source_starts[pattern] : rules.source_starts[pattern + 1]]
        for rule in range(rules.first[pattern], rules.first[pattern + 1]):
            right = rules.target[rules.target_starts[rule] : rules.target_starts[rule + 1]]
            places = [np.cumsum(side >= 0) - 1 for side in (left, right)]
            links = rules.align[rules.align_starts[rule] : rules.align_starts[rule + 1]].tolist()
            words = [target.words[s] for s in right if s >= 0]
            if words:
                yield Pair([source.words[s] for s in left if s >= 0], words,
                           sorted({(int(places[0][i]), int(places[1][j])) for i, j in links}),
                           min(MOST_COUNTED, max(1, int(rules.counts[rule]))))


def read_weights(path: str | Path) -> dict[str, float]:
    """Feature weights as cdec writes them: a name and a number a line; features without one weigh nothing."""
    weights: dict[str, float] = {}
    names = FEATURES + STRUCTURE
    for number, line in open_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, text = line.strip().replace("=", " ").replace("\t", " ").partition(" ")
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        if name not in names or not abs(value) < 1e9 or name in weights:
            raise InputError(path, number, f"{line.strip()[:40]!r} is no weight of a feature, or its second",
                             f"write `name value`; the features are {', '.join(names)}")
        weights[name] = value
    if not weights:
        raise InputError(path, None, "no weights in it", "write `name value`, a line each")
    return weights


@dataclass
class _Model:
    """A model in the making."""

    config: SuppliedConfig
    out: Path
    source: Vocab
    target: Vocab
    pairs: list[Pair]
    lm_texts: list[Path]
    arpa: Path | None
    rules: Rules | None = None

    def write(self, sizes: dict[str, int], analyzer: Analyzer, weights: dict[str, float], more: dict[str, Any]
              ) -> dict[str, Any]:
        """Write it all and return a summary."""
        if self.arpa and self.lm_texts:
            raise CrossbowError("give texts for the language model or an ARPA file, not both")
        left, right, links = self._aligned()
        text = self._lm_corpus(right)
        if self.arpa:
            self.target.add_all(arpa_words(self.arpa))
        lm = lm_of(text, self.target, self.config.lm, self.arpa)
        bitext = build_bitext(left, right, links, len(self.source), len(self.target))
        words = Vocabularies(*(store.pack_strings(words) for words in (self.source.words, self.target.words, [])))
        rules = list(self.rules) if self.rules else []
        summary = {**sizes, "source_words": len(self.source) - 1, "target_words": len(self.target) - len(SPECIAL_WORDS),
                   "lm_tokens": len(text.words), "ngrams": lm.tables.counts.tolist()}
        target = Analyzer(self.config.target)
        meta: dict[str, Any] = {"source": analyzer.to_json(), "target": target.to_json(), "weights": dict(weights),
                                "summary": summary, "decode": asdict(self.config.decode), **more}
        meta["signature"] = store.digest(*words, *bitext, *rules, lm.signature, meta)
        with store.replacing(self.out, KIND) as fresh:
            store.save(fresh / "bitext", "bitext", bitext, {"sentences": len(links.starts) - 1})
            lm.save(fresh / "lm")
            if analyzer.splitter:
                analyzer.splitter.save(fresh / "compounds")
            if self.rules:
                store.save(fresh / GRAMMAR, GRAMMAR, self.rules, {})
            store.save(fresh, KIND, words, meta)
        return {**summary, "signature": meta["signature"]}

    def _aligned(self) -> tuple[Corpus, Corpus, Links]:
        """The pairs as aligned text, each as often as it counts."""
        repeated = [pair for pair in self.pairs for _ in range(pair.times)]
        links = np.array([link for pair in repeated for link in pair.links], np.int16).reshape(-1, 2)
        starts = np.concatenate(([0], np.cumsum([len(pair.links) for pair in repeated]))).astype(np.int64)
        return (Corpus.encode((pair.source for pair in repeated), self.source),
                Corpus.encode((pair.target for pair in repeated), self.target),
                Links(np.ascontiguousarray(links[:, 0]), np.ascontiguousarray(links[:, 1]), starts))

    def _lm_corpus(self, right: Corpus) -> Corpus:
        """What the language model is made of: the texts, or the target sides where there are none."""
        if not self.lm_texts:
            return right
        analyzer = Analyzer(self.config.target)
        return Corpus.encode((plain(analyzer.tokens(line)) for line in lm_lines(self.lm_texts)), self.target)
