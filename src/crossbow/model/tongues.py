"""Which language a query is in, out of those that there are models for; and where it changes from one to another.

    tongues = Tongues([Tongue.of(model), Tongue.of_documents([model], index.analyzer)])
    tongues.guesses("Haus am See")              # [Guess("de", 0.99), Guess("en", 0.01)]
    tongues.pieces("Haus am See 図書館")        # [Piece("de", "Haus am See"), Piece("ja", "図書館")]

The models' own training text is the evidence: how often each language has a word, and how its words are spelled, by
triples of letters. For short queries that is as good as identifiers that are trained for it (docs/languages.md), says
something of every single word, and knows what a collection is about. What a word says is limited, less where only
its letters speak, and so names decide nothing. A query is cut where the words on both sides outweigh what a change
costs, so one odd word does not tear a sentence apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from math import exp, log
from typing import NamedTuple, Self

import regex  # type: ignore[import-untyped]

from crossbow.decode.decoder import Decoder
from crossbow.model.combined import CombinedTranslator
from crossbow.model.model import Model
from crossbow.neural.translator import NeuralTranslator
from crossbow.text.analyzer import Analyzer
from crossbow.text.language import primary
from crossbow.text.languages import language
from crossbow.text.memo import Memo

UNSEEN = 0.02  # the share of running words that a language's text did not have
TRUST = 5.0  # a triple of letters counts as much as its last letter alone when its first two were seen so often
ODD = 0.01  # how often a letter that no word has counts as seen …
LETTERS = 1000.0  # … and what is added to the number of letters that were seen
KNOWN, SPELLED = 20.0, 4.0  # how much a word can say at most: one that a language knows, and one that none knows
CHANGE = 9.0  # what a change of language costs
SOBER = 0.5  # words of a sentence are not independent: their evidence is multiplied by this before it is a probability


class Guess(NamedTuple):
    """A language, and the probability that a query is in it."""

    language: str
    probability: float


class Piece(NamedTuple):
    """A part of a query that is in one language."""

    language: str
    text: str


class Tongue:
    """What is known of one language: its words, by how often they were seen."""

    def __init__(self, code: str, analyzer: Analyzer, counts: Mapping[str, float]):
        self.code, self.analyzer, self.counts = code, analyzer, counts
        self.evidence = Memo(self._evidence)

    @classmethod
    def of(cls, model: Model) -> Self:
        """The source language of a model."""
        return cls(primary(model.source.settings.lang), model.source,
                   _counted(model, "source") or _function_words(model.source))

    @classmethod
    def of_documents(cls, models: Sequence[Model], analyzer: Analyzer) -> Self:
        """The language that models translate into, by the one that has seen most of it."""
        counts = max((_counted(model, "target") for model in models), key=lambda found: sum(found.values()), default={})
        return cls(primary(analyzer.settings.lang), analyzer, counts or _function_words(analyzer))

    @cached_property
    def _total(self) -> float:
        return sum(self.counts.values())

    @cached_property
    def _letters(self) -> tuple[Counter[str], Counter[str], Counter[str]]:
        """How many words have each triple of letters, the two before, and the last one; two at the beginning."""
        triples: Counter[str] = Counter()
        for word in self.counts:
            if word.isalpha():
                framed = f"^{word}$"
                triples.update(framed[max(0, at - 2) : at + 1] for at in range(1, len(framed)))
        before, last = Counter[str](), Counter[str]()
        for triple, count in triples.items():
            before[triple[:-1]] += count
            last[triple[-1]] += count
        return triples, before, last

    def _spelled(self, word: str) -> float:
        """The logarithm of how probable the letters of a word are."""
        triples, before, last = self._letters
        total, framed, found = last.total() + LETTERS, f"^{word}$", 0.0
        for at in range(1, len(framed)):
            triple = framed[max(0, at - 2) : at + 1]
            alone = (last[triple[-1]] + ODD) / total
            found += log((triples[triple] + TRUST * alone) / (before[triple[:-1]] + TRUST))
        return found

    def _evidence(self, chunk: str) -> tuple[float, bool]:
        """The logarithm of how probable a piece of text without spaces is here, and whether one of its words is known.
        What has no letters says nothing."""
        words = [token for token in self.analyzer.tokens(chunk) if any(map(str.isalpha, token))]
        seen = [self.counts.get(word, 0) / max(1.0, self._total) for word in words]
        return (sum(log(share + UNSEEN * exp(max(-500.0, self._spelled(word)))) for word, share in zip(words, seen)),
                any(seen))


class Tongues:
    """Languages to choose from. Of equally probable ones the first is taken."""

    def __init__(self, tongues: Sequence[Tongue]):
        self.tongues = list(tongues)
        unspaced = "".join(language(tongue.code).unspaced for tongue in tongues)
        self._chunk = regex.compile(rf"[{unspaced}]+|[^\s{unspaced}]+" if unspaced else r"\S+")

    def guesses(self, text: str) -> list[Guess]:
        """All languages with their probabilities, the most probable first."""
        rows = [row for _, row in self._rows(text)]
        sums = [SOBER * sum(row[at] for row in rows) for at in range(len(self.tongues))]
        best = max(sums)
        shares = [exp(one - best) for one in sums]
        found = [Guess(tongue.code, share / sum(shares)) for tongue, share in zip(self.tongues, shares)]
        return sorted(found, key=lambda guess: -guess.probability)

    def pieces(self, text: str) -> list[Piece]:
        """The text in pieces of one language each: the likeliest, if every change has its cost; one if it is empty."""
        rows = self._rows(text)
        if not rows:
            return [Piece(self.tongues[0].code, text)]
        best, back = list(rows[0][1]), []
        for _, row in rows[1:]:
            first = max(range(len(best)), key=best.__getitem__)
            came = [at if best[at] >= best[first] - CHANGE else first for at in range(len(best))]
            best = [best[at] - CHANGE * (at != here) + row[here] for here, at in enumerate(came)]
            back.append(came)
        path = [max(range(len(best)), key=best.__getitem__)]
        for came in reversed(back):
            path.append(came[path[-1]])
        path.reverse()
        starts = [0, *(rows[at][0] for at in range(1, len(rows)) if path[at] != path[at - 1]), len(text)]
        chosen = [path[0], *(path[at] for at in range(1, len(rows)) if path[at] != path[at - 1])]
        return [Piece(self.tongues[at].code, text[begin:end].strip())
                for at, begin, end in zip(chosen, starts, starts[1:])]

    def _rows(self, text: str) -> list[tuple[int, list[float]]]:
        """Where each piece without spaces begins, and what it says for each language: 0 for the best, less for others.

        It says less if no language knows it.
        """
        rows = []
        for found in self._chunk.finditer(text):
            evidence = [tongue.evidence[found[0]] for tongue in self.tongues]
            best = max(value for value, _ in evidence)
            most = KNOWN if any(known for _, known in evidence) else SPELLED
            rows.append((found.start(), [max(value - best, -most) for value, _ in evidence]))
        return rows


def _counted(model: Model, side: str) -> Mapping[str, float]:
    """How often the training text has each word of a side; nothing if the model does not know."""
    decoder = model.decoder
    if isinstance(decoder, CombinedTranslator):
        return next(filter(None, (_counted(one, side) for one in decoder.models)), {})
    if isinstance(decoder, NeuralTranslator):
        return decoder.system.words(side)
    if not isinstance(decoder, Decoder):
        return {}
    counts = decoder.bitext.source_counts if side == "source" else decoder.bitext.target_counts
    return {word: count for word, count in zip(getattr(decoder, side).words, counts.tolist()) if count}


def _function_words(analyzer: Analyzer) -> Mapping[str, float]:
    """What little is known of a language without text: its function words."""
    return dict.fromkeys(analyzer.stopwords, 1.0)
