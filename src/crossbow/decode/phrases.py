"""The phrase-based decoder: phrases without gaps, in any order within a distortion limit.

    decoder = decoder_for(PhraseConfig())(bitext, source_vocab, target_vocab, lm, weights, PhraseConfig())
    forest = decoder.decode(["das", "haus"], name="q1")

Hypotheses that have translated the same words, the same one last, and end in the same language-model state are one
node of the forest; an edge adds a phrase, so it has one tail, the hypothesis before it. The first node has translated
nothing. The span of an edge reaches from the beginning of the sentence to the last word that was translated so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crossbow.arrays import F32, I32
from crossbow.decode.assemble import DISTORTION
from crossbow.decode.cube import Outlook, RuleTable
from crossbow.decode.decoder import HIERARCHICAL, PHRASE, START_WEIGHTS, STRUCTURE, DecodeConfig, Decoder
from crossbow.decode.parse import Chart
from crossbow.decode.reorder import LARGEST_LIMIT, find_options, future_scores, reorder
from crossbow.errors import CrossbowError
from crossbow.grammar.extract import extract_phrases
from crossbow.grammar.features import FEATURES
from crossbow.grammar.rules import Rules
from crossbow.lm.words import BEGIN, END
from crossbow.vocab import Vocab

PHRASES = "PhrasePenalty"  # the feature that counts phrases


@dataclass(frozen=True)
class PhraseConfig(DecodeConfig):
    """How the forest is made; the pop limit is that of all hypotheses with as many translated words."""

    pop_limit: int = 1000
    max_span: int = 7  # words of a phrase
    distortion_limit: int = 6

    def __post_init__(self) -> None:
        if not 0 <= self.distortion_limit <= LARGEST_LIMIT:
            raise CrossbowError(f"a distortion limit of {self.distortion_limit} is not between 0 and {LARGEST_LIMIT}")


class PhraseDecoder(Decoder):
    """Decodes phrase by phrase."""

    config: PhraseConfig
    names: ClassVar[tuple[str, ...]] = (*FEATURES, "PassThrough", PHRASES, DISTORTION, *STRUCTURE[2:])
    start_weights: ClassVar[dict[str, float]] = {
        **{name: weight for name, weight in START_WEIGHTS.items() if name != "Glue"}, PHRASES: 0.1, DISTORTION: -0.1}

    @property
    def kind(self) -> str:
        return PHRASE

    def _extract(self, ids: I32, exclude: int) -> Rules:
        return extract_phrases(self.bitext, ids, self.config.max_span, self.config.rules, exclude, self._known)

    def _complete(self, rules: Rules, local: Vocab) -> tuple[Rules, list[str]]:
        """Every phrase continues a hypothesis, which stands before it in its target side."""
        starts = rules.target_starts
        longer = (starts + np.arange(len(starts))).astype(np.int32)
        continuing = rules._replace(target=np.insert(rules.target, starts[:-1], -1), target_starts=longer,
                                    align=rules.align + np.array([0, 1], np.uint8))
        return super()._complete(continuing, local)

    def _structure(self, passed: list[int]) -> tuple[list[list[int]], list[list[int]]]:
        """Pass-through, then the beginning and the end of a translation."""
        return ([*([word] for word in range(len(passed))), [], []],
                [*([-1, word] for word in passed), [BEGIN], [-1, END]])

    def _count_structure(self, features: F32, extracted: int, passed: int) -> None:
        features[extracted : extracted + passed, self.names.index("PassThrough")] = 1.0
        features[: extracted + passed, self.names.index(PHRASES)] = 1.0

    def _space(self, sentence: I32, rules: Rules, table: RuleTable) -> tuple[Chart, Outlook]:
        patterns = len(rules.source_starts) - 1
        options = find_options(sentence, rules.source_starts, rules.source)
        space = reorder(len(sentence), options, self.config.distortion_limit, patterns - 2, patterns - 1)
        best = table.estimate[table.ranked[table.first[options.pattern]]]
        weight = self.weights.get(DISTORTION, 0.0)
        future = future_scores(len(sentence), space, options, best, weight)
        return space.chart, Outlook(weight * space.chart.jump.astype(np.float64), future)


def decoder_for(config: DecodeConfig) -> type[Decoder]:
    """The decoder that these settings are for."""
    return PhraseDecoder if isinstance(config, PhraseConfig) else Decoder


def grammar_kind(config: DecodeConfig) -> str:
    """The kind of grammar that these settings are for."""
    return PHRASE if isinstance(config, PhraseConfig) else HIERARCHICAL
