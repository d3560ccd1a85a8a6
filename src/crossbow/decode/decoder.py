"""The hierarchical decoder: a tokenized sentence in, its translation forest out.

    decoder = Decoder(bitext, source_vocab, target_vocab, lm, weights, DecodeConfig())
    forest = decoder.decode(["das", "haus"], name="q1")

In addition to the extracted rules, every input word has a pass-through rule, and glue puts the pieces together from
left to right: S → X, S → S X. The phrase-based decoder (phrases.py) is this one with another grammar and another chart.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from crossbow.arrays import F32, I32
from crossbow.decode.assemble import assemble
from crossbow.decode.contract import Sentence, Translator
from crossbow.decode.cube import UNLIMITED, Outlook, RuleTable, estimate_rules, fill_chart
from crossbow.decode.parse import Chart, parse
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.bitext import BREAK, Bitext
from crossbow.grammar.extract import RuleConfig, extract_rules
from crossbow.grammar.features import FEATURES
from crossbow.grammar.known import KnownRules
from crossbow.grammar.lexicon import Lexicon
from crossbow.grammar.rulefile import matching_rules
from crossbow.grammar.rules import Rules
from crossbow.lm.model import LanguageModel
from crossbow.lm.tables import KNOWN, Tables
from crossbow.lm.words import BEGIN, END
from crossbow.vocab import Vocab

HIERARCHICAL, PHRASE, GRAMMAR = "hierarchical", "phrase", "grammar"  # kinds; the last is that of another system
STRUCTURE = ("PassThrough", "Glue", "WordPenalty", "LanguageModel_OOV", "LanguageModel")
WORD_PENALTY = -0.4343  # per target word: log10 of 1/e
START_WEIGHTS = {
    "EgivenFCoherent": -0.3, "SampleCountF": -0.05, "CountEF": 0.1, "MaxLexFgivenE": -0.3, "MaxLexEgivenF": -0.3,
    "IsSingletonF": -0.05, "IsSingletonFE": -0.05, "PassThrough": -3.0, "Glue": 0.1, "WordPenalty": -1.0,
    "LanguageModel_OOV": -0.5, "LanguageModel": 0.8,
}


@dataclass(frozen=True)
class DecodeConfig:
    """How the forest is made. Without the language model its feature counts nothing and states are not told apart."""

    pop_limit: int = 200
    max_span: int = 15
    language_model: bool = True
    max_words: int = 200  # longer sentences are refused; split them first
    rules: RuleConfig = field(default_factory=RuleConfig)


class Decoder(Translator):
    """Everything decoding needs; safe to share between threads."""

    config: DecodeConfig
    understands = ("language_model", "lm_scale", "pop_limit", "tuned", "spellings", "letters")
    candidates = tuple(Translation(lm_scale=scale, tuned=tuned) for tuned in (1.0, 0.5, 0.0) for scale in (1.0, 0.5))
    names: ClassVar[tuple[str, ...]] = FEATURES + STRUCTURE  # the language model's is the last
    start_weights: ClassVar[dict[str, float]] = START_WEIGHTS  # before tuning

    def __init__(self, bitext: Bitext, source: Vocab, target: Vocab, lm: LanguageModel,
                 weights: dict[str, float], config: DecodeConfig, grammar: Rules | None = None,
                 known: KnownRules | None = None):
        self.bitext, self.source, self.target, self.lm = bitext, source, target, lm
        self.grammar = grammar  # if there is one, rules are taken from it instead of the text
        self.weights, self.config = weights, config
        self._known = known or KnownRules()
        self._tables = lm.tables if self.config.language_model else _without_context(lm.tables)

    @property
    def kind(self) -> str:
        return HIERARCHICAL if self.grammar is None else GRAMMAR

    @property
    def max_words(self) -> int:
        return self.config.max_words

    @property
    def lexicon(self) -> Lexicon:
        return Lexicon(self.bitext, self.source, self.target)

    def changed(self, weights: dict[str, float], config: DecodeConfig) -> Self:
        known = self._known if config.rules == self.config.rules and config.max_span == self.config.max_span else None
        return type(self)(self.bitext, self.source, self.target, self.lm, weights, config, self.grammar, known)

    def with_translation(self, translation: Translation) -> Self:
        """Without the language model few hypotheses differ, so all can be kept."""
        translation.check(self)
        changes: dict[str, Any] = {} if translation.language_model else {"language_model": False, "pop_limit": 0}
        if translation.pop_limit is not None:
            changes["pop_limit"] = translation.pop_limit
        weights, tuned = self.weights, translation.tuned
        if tuned != 1:
            weights = {name: tuned * weight + (1 - tuned) * self.start_weights.get(name, 0.0)
                       for name, weight in weights.items()}
        if translation.lm_scale != 1:
            weights = {**weights, STRUCTURE[-1]: translation.lm_scale * weights[STRUCTURE[-1]]}
        return self.changed(weights, replace(self.config, **changes))

    def translate(self, sentence: Sentence, name: str = "", exclude: int = -1) -> Forest:
        return self.decode(sentence.tokens, name, exclude)

    def rules(self, tokens: list[str], exclude: int = -1) -> Rules:
        """The extracted rules for a sentence, without pass-through and glue."""
        ids = self.source.ids(tokens)
        ids[ids == BREAK] = -1  # its name is not a word
        if len(ids) > self.config.max_words:
            raise CrossbowError(f"a sentence of {len(ids)} words is too long to translate (at most "
                                f"{self.config.max_words}); split it into sentences")
        if self.grammar is not None:
            return matching_rules(self.grammar, ids)
        return self._extract(ids, exclude)

    def decode(self, tokens: list[str], name: str = "", exclude: int = -1, rules: Rules | None = None) -> Forest:
        """The translation forest of a sentence. Pass `rules` to reuse those of an earlier call for the same tokens."""
        if not tokens:
            raise CrossbowError("an empty sentence has no translation")
        local = Vocab()
        sentence = local.add_all(tokens)
        extracted = rules if rules is not None else self.rules(tokens, exclude)
        complete, extra = self._complete(_with_source(extracted, self.source.ids(local.words)), local)
        table, lm_weight = self._score(complete)
        chart, outlook = self._space(sentence, complete, table)
        limit = self.config.pop_limit
        inside, edges, scores = fill_chart(self._tables, len(self._tables.counts), lm_weight, chart, table, outlook,
                                           limit if limit > 0 else UNLIMITED)
        if not self.config.language_model:
            scores[:, 1] = 0.0
        return assemble(name, tokens, chart, complete, edges, scores, len(inside), self.names, self.target.words, extra)

    def _extract(self, ids: I32, exclude: int) -> Rules:
        return extract_rules(self.bitext, ids, self.config.rules, exclude, self._known)

    def _structure(self, passed: list[int]) -> tuple[list[list[int]], list[list[int]]]:
        """Source and target sides of the pass-through rules, then of S → X, S → S X and the goal."""
        return ([*([word] for word in range(len(passed))), [-1], [-1, -2], [-1]],
                [*([word] for word in passed), [BEGIN, -1], [-1, -2], [-1, END]])

    def _count_structure(self, features: F32, extracted: int, passed: int) -> None:
        """Fill the columns of structure in the features of the extracted rules and of those added to them."""
        features[extracted : extracted + passed, self.names.index("PassThrough")] = 1.0
        features[extracted + passed + 1, self.names.index("Glue")] = 1.0

    def _space(self, sentence: I32, rules: Rules, table: RuleTable) -> tuple[Chart, Outlook]:
        """All that can be done with the rules, and what there is to look out for."""
        patterns, words = len(rules.source_starts) - 1, int(sentence.max()) + 1
        trie_end = patterns - 3 - words
        singles = [(i, trie_end + int(word)) for i, word in enumerate(sentence)]
        chart = parse(sentence, rules.source_starts[: trie_end + 1], rules.source[: rules.source_starts[trie_end]],
                      self.config.max_span, singles, patterns - 3, patterns - 2, patterns - 1)
        return chart, Outlook(np.zeros(len(chart.cell)), np.zeros(len(chart.span)))

    def _complete(self, rules: Rules, local: Vocab) -> tuple[Rules, list[str]]:
        """Add the rules that are not extracted, those that pass through the distinct words first, and all features."""
        extra: list[str] = []
        passed = []
        for word in local.words:
            known = self.target.index.get(word, -1)
            if known <= END:
                known = len(self.target) + len(extra)
                extra.append(word)
            passed.append(known)
        sources, targets = self._structure(passed)
        size, added = len(rules.counts), len(targets)
        features = np.zeros((size + added, len(self.names)), np.float32)
        features[:size, : len(FEATURES)] = rules.features
        self._count_structure(features, size, len(local))
        target = np.concatenate((rules.target, _flat(targets)))
        target_starts = _extend(rules.target_starts, targets)
        words = np.concatenate(([0], np.cumsum(target > END)))
        unknown = np.concatenate(([0], np.cumsum((target > END) & ~self.lm.knows(target))))
        ends, begins = target_starts[1:], target_starts[:-1]
        features[:, self.names.index("WordPenalty")] = WORD_PENALTY * (words[ends] - words[begins])
        if self.config.language_model:
            features[:, self.names.index("LanguageModel_OOV")] = unknown[ends] - unknown[begins]
        align_starts = np.concatenate((
            rules.align_starts, rules.align_starts[-1] + np.minimum(np.arange(1, added + 1), len(local))))
        links = np.array([(0, len(side) - 1) for side in targets[: len(local)]], np.uint8)
        align = np.concatenate((rules.align, links))
        return Rules(
            _extend(rules.source_starts, sources),
            np.concatenate((rules.source, _flat(sources))),
            np.concatenate((rules.samples, np.zeros(added, np.int32))),
            np.concatenate((rules.first, rules.first[-1] + np.arange(1, added + 1))).astype(np.int32),
            target_starts, target, align_starts.astype(np.int32), align,
            np.concatenate((rules.counts, np.zeros(added, np.int32))), features,
        ), extra

    def _score(self, rules: Rules) -> tuple[RuleTable, float]:
        """Rule scores under the weights, and each pattern's rules in order of score with estimated language model."""
        vector = np.array([self.weights.get(name, 0.0) for name in self.names])
        lm_weight = float(vector[-1]) if self.config.language_model else 0.0
        score = rules.features[:, :-1].astype(np.float64) @ vector[:-1]
        estimate = np.zeros(len(score))
        estimate_rules(self._tables, len(self._tables.counts), rules.target_starts, rules.target, estimate)
        estimate = score + lm_weight * estimate
        pattern = np.repeat(np.arange(len(rules.first) - 1), np.diff(rules.first))
        ranked = np.lexsort((-estimate, pattern)).astype(np.int32)
        return RuleTable(rules.first, ranked, estimate, score, rules.target_starts, rules.target), lm_weight


def _without_context(tables: Tables) -> Tables:
    """A language model in which no word depends on another, so that all hypotheses of a span share one state."""
    return tables._replace(counts=tables.counts[:1], word_flags=tables.word_flags & np.uint8(KNOWN))


def _with_source(rules: Rules, ids: I32) -> Rules:
    """The rules with source words renumbered: word ids[i] becomes i."""
    order = np.argsort(ids)
    place = np.searchsorted(ids[order], rules.source)
    place = order[np.minimum(place, len(ids) - 1)]
    return rules._replace(source=np.where(rules.source < 0, rules.source, place).astype(np.int32))


def _flat(rows: list[list[int]]) -> I32:
    return np.array([symbol for row in rows for symbol in row], np.int32)


def _extend(starts: I32, rows: list[list[int]]) -> I32:
    """Ragged starts with further rows appended."""
    return np.concatenate((starts, starts[-1] + np.cumsum([len(row) for row in rows]))).astype(np.int32)
