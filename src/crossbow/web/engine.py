"""What the server knows and does: a model and an index, and the answers to requests as JSON values.

    engine = Engine(Served.load(model_folder, index_folder))
    engine.search(asked, Deadline(10.0))    # runs in a thread; so do explain and document
    engine.served = Served.load(…)          # requests that are under way keep what they began with
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from crossbow import __version__
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.explain.alternatives import alternatives
from crossbow.ranking.explain.derivation import Explanation, explain
from crossbow.ranking.explain.gloss import Unit, best_gloss, gloss
from crossbow.ranking.explain.snippet import snippet
from crossbow.ranking.marks import marked_terms
from crossbow.ranking.search import METHODS, SearchConfig, check_languages, forced_forest, search_forests
from crossbow.records import Doc, Hit
from crossbow.text.sentences import split_sentences
from crossbow.web.forests import Forests
from crossbow.web.reasons import Reason, reasons
from crossbow.web.requests import MOST_HITS, ExplainRequest, Refused, SearchRequest

Json = dict[str, Any]
WARMING = 100  # characters
LONGEST_TITLE = 120  # of those that are made of a first sentence


class Deadline:
    """Work that is not done by then is given up at the next occasion."""

    def __init__(self, seconds: float):
        self.seconds, self._end = seconds, time.monotonic() + seconds

    def check(self) -> None:
        if time.monotonic() > self._end:
            raise self.missed()

    def missed(self) -> Refused:
        return Refused(503, f"this took longer than {self.seconds:g} seconds and was given up; ask for less")


@dataclass(frozen=True)
class Served:
    """What a request works with from its beginning to its end."""

    model: Model
    index: Index
    forests: Forests

    @classmethod
    def load(cls, model: str | os.PathLike[str], index: str | os.PathLike[str]) -> Served:
        opened = Model.load(model)
        return cls(opened, Index.load(index), Forests(opened)).checked()

    def with_index(self, index: Index) -> Served:
        """The same model with another index."""
        return Served(self.model, index, self.forests).checked()

    def checked(self) -> Served:
        check_languages(self.model, self.index)
        return self

    def warm(self) -> None:
        """Search once by each method, so that nobody waits for kernels to load and lists to be made."""
        text = self.index.doc(0).text if self.index.slots else "."
        forests = self.model.forests(text[:WARMING])  # most words pass through, and find documents
        for method in METHODS:
            config = SearchConfig(method, MOST_HITS, self.model.retrieval)
            hits = search_forests(forests, self.index, self.model, config)
            for _ in reasons(hits, forests, self.index, self.model.lexicon, config):
                pass


class Engine:
    """Answers requests with what is served at present. Safe to share between threads."""

    def __init__(self, served: Served, examples: Sequence[str] = ()):
        self.served, self.examples = served, list(examples)

    def info(self) -> Json:
        """What is served."""
        served = self.served
        return {
            "version": __version__, "model": served.model.signature, "index": served.index.signature,
            "documents": len(served.index), "source": served.model.source.settings.lang,
            "target": served.index.analyzer.settings.lang, "v": served.model.retrieval.v, "examples": self.examples,
        }

    def search(self, asked: SearchRequest, deadline: Deadline) -> Json:
        """The best documents, with snippets; and why, if that was asked for."""
        served, clock = self.served, _Clock()
        forests = served.forests[asked.query]
        clock.lap("translate")
        deadline.check()
        config = asked.config(served.model)
        hits = search_forests(forests, asked.filter.apply(served.index), served.model, config)
        clock.lap("search")
        found = []
        for hit, reason in zip(hits, _reasons(asked.explain, hits, forests, served, config)):
            deadline.check()
            found.append(_hit(hit, reason, served.index, asked.explain))
        sentences = [_sentence(forest, config, asked.explain) for forest in forests]
        clock.lap("explain")
        return {
            "query": asked.query, "method": asked.method, "v": config.weights.v, "sentences": sentences, "hits": found,
            "documents": len(served.index), "model": served.model.signature, "index": served.index.signature,
            "milliseconds": clock.laps,
        }

    def explain(self, asked: ExplainRequest, deadline: Deadline) -> Json:
        """How a document gets its score by forced decoding."""
        served = self.served
        if served.index.number(asked.id) < 0:
            raise Refused(404, "there is no document with this id")
        forests = served.forests[asked.query]
        deadline.check()
        config = asked.config(served.model)
        explanation = explain(forests, served.index, asked.id, config, served.model.lexicon) if forests else \
            Explanation(asked.id, 0.0, [])
        answer = explanation.to_json()
        for sentence, record, forest in zip(explanation.sentences, answer["sentences"], forests):
            record["gloss"] = _units(gloss(sentence))
            record["alternatives"] = _alternatives(forced_forest(forest, config))
        return {"id": answer.pop("doc"), "v": config.weights.v, **answer}

    def document(self, id: str) -> Json:
        """A document as it was indexed."""
        index = self.served.index
        number = index.number(id)
        if number < 0:
            raise Refused(404, "there is no document with this id")
        doc = index.doc(number)
        return {"id": doc.id, "title": doc.title, "text": doc.text}


class _Clock:
    """Milliseconds from lap to lap."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(1000 * (now - self._last), 3)
        self._last = now


def _reasons(
    whole: bool, hits: Sequence[Hit], forests: Sequence[Forest], served: Served, config: SearchConfig
) -> Iterator[Reason]:
    """The reasons of all hits, or only the terms to mark."""
    if whole:
        return reasons(hits, forests, served.index, served.model.lexicon, config)
    marked = marked_terms(hits, forests, served.index, served.model.lexicon, config)
    return (Reason(terms, []) for terms in marked)


def _hit(hit: Hit, reason: Reason, index: Index, explain: bool) -> Json:
    doc = headed(index.doc(index.number(hit.doc)), index.analyzer.settings.lang)
    title, text = (_pieces(snippet(part, index.analyzer, reason.terms))
                   for part in (Doc("", doc.title), doc._replace(title="")))
    record: Json = {"rank": hit.rank, "score": hit.score, "id": hit.doc, "title": title, "snippet": text}
    return {**record, "why": [_units(units) for units in reason.sentences]} if explain else record


def headed(doc: Doc, lang: str) -> Doc:
    """The document with a title to show: its own, or its first sentence if that is short, or its id."""
    if doc.title:
        return doc
    first = next(iter(split_sentences(doc.text[: 4 * LONGEST_TITLE], lang)), "")
    rest = doc.text.removeprefix(first).lstrip()
    if not rest or len(first) > LONGEST_TITLE:
        return doc._replace(title=doc.id)
    return doc._replace(title=first.removesuffix("."), text=rest)


def _pieces(pieces: Sequence[tuple[str, bool]]) -> list[Json]:
    """Neighbours that are marked alike as one piece."""
    return [{"text": "".join(text for text, _ in group), "match": match}
            for match, group in groupby(pieces, key=lambda piece: piece[1])]


def _units(units: Sequence[Unit]) -> list[Json]:
    return [{"source": unit.source, "words": [word._asdict() for word in unit.words], "best": unit.best}
            for unit in units]


def _sentence(forest: Forest, config: SearchConfig, explain: bool) -> Json:
    record: Json = {"source": forest.source, "best": Model.best(forest)}
    if explain:
        record["gloss"] = _units(best_gloss(forest))
        record["alternatives"] = _alternatives(forced_forest(forest, config))
    return record


def _alternatives(forest: Forest) -> list[list[Json]]:
    return [[{"word": choice.word, "cost": round(choice.cost, 4)} for choice in choices]
            for choices in alternatives(forest)]
