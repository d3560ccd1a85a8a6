"""What a client is shown of hits, explanations and methods, as JSON values.

    asking.ask(HitRecords(ids, explain=True))           # titles and snippets with matches marked; and why, word by word
    explanation_record(explanation, forests, config, model)
    method_record(config, model)                        # label, help text and settings, for the page

Terms and reasons come from the prepared query that found the hit, whatever its method.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

from crossbow.decode.translation import Translation
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.asks import About
from crossbow.ranking.config import SearchConfig, is_read
from crossbow.ranking.explain.alternatives import alternatives
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.explain.gloss import best_gloss
from crossbow.ranking.explain.records import Explanation, Unit
from crossbow.ranking.explain.snippet import snippet
from crossbow.ranking.forced.sentence import forced_forest
from crossbow.ranking.methods import METHODS, Prepared
from crossbow.ranking.polyglot import Heard
from crossbow.records import Doc
from crossbow.text.sentences import first_sentence
from crossbow.web.requests import open_settings

Json = dict[str, Any]
LONGEST_TITLE = 120  # characters of a title that is made of a first sentence


@dataclass(frozen=True)
class HitRecords(About[Json]):
    """Documents as a list of hits shows them, by id: with a snippet; and if these are asked for, fields and reasons."""

    explain: bool = False
    fields: tuple[str, ...] = ()

    def of(self, prepared: Prepared, index: Index, number: int) -> Json:
        doc, terms = headed(index.shown(number), index.analyzer.settings.lang), prepared.terms(number)
        title, text = (pieces_record(snippet(Doc("", part), index.analyzer, terms)) for part in (doc.title, doc.text))
        record: Json = {"title": title, "snippet": text}
        if self.fields:
            record["fields"] = {name: doc.fields.get(name) for name in self.fields}
        if self.explain:
            record["why"] = [units_record(sentence.units) for sentence in prepared.explain(number).sentences]
        return record


def headed(doc: Doc, lang: str) -> Doc:
    """The document with a title to show: its own, or its first sentence if that is short, or its id."""
    if doc.title:
        return doc
    first = first_sentence(doc.text[: 4 * LONGEST_TITLE], lang)
    rest = doc.text.removeprefix(first).lstrip()
    if not rest or len(first) > LONGEST_TITLE:
        return doc._replace(title=doc.id)
    return doc._replace(title=first.removesuffix("."), text=rest)


def sentence_record(forest: Forest, config: SearchConfig, model: Model, explain: bool) -> Json:
    """A sentence of the query with its best translation; and what else it could have become."""
    forest = _as_seen(forest, config)
    record: Json = {"source": forest.source, "best": best_derivation(forest)[1]}
    if explain:
        record["gloss"] = units_record(best_gloss(forest))
        record["alternatives"] = _alternatives(forest)
        record["unknown"] = unknown(forest.source, record["alternatives"], model)
    return record


def unknown(source: Sequence[str], choices: Sequence[Sequence[Json]], model: Model) -> list[int]:
    """The positions of words that the model does not know, and that were not read as others that it knows."""
    return [at for at, token in enumerate(source)
            if model.source.terms(token) and any(map(str.isalpha, token)) and not model.knows(token)
            and all(choice["word"] == token for choice in choices[at])]


def explanation_record(
    explanation: Explanation, forests: Sequence[Forest], config: SearchConfig, model: Model
) -> Json:
    """An explanation, with the alternatives that the forests of its sentences had."""
    plain = explanation.to_json()
    for record, forest in zip(plain["sentences"], forests):
        record["alternatives"] = _alternatives(_as_seen(forest, config))
        record["unknown"] = unknown(record["source"], record["alternatives"], model)
    return {"id": plain.pop("doc"), **plain}


def method_record(config: SearchConfig, model: Model) -> Json:
    """A method, and the settings of it that a client may change; of translation, those that mean something here."""
    method = METHODS[config.method]
    unknown = {f"translation.{one.name}" for one in fields(Translation)
               if one.name not in model.decoder.understands}
    return {"name": method.name, "label": method.label, "help": method.help, "settings": [
        {"path": one.path, "kind": one.kind, "optional": one.optional, "value": one.default, "help": one.help,
         "least": one.limits.least, "above": one.limits.above, "most": one.limits.most,
         "choices": None if one.limits.choices is None else list(one.limits.choices)}
        for one in open_settings(config) if one.path not in unknown]}


def language_record(heard: Heard) -> Json:
    """The language that a query was taken to be in, how sure that is, and its pieces if it has several."""
    return {"code": heard.language, "probability": round(heard.probability, 4),
            "pieces": [piece._asdict() for piece in heard.pieces]}


def units_record(units: Sequence[Unit]) -> list[Json]:
    return [{"source": unit.source, "words": [word._asdict() for word in unit.words], "best": unit.best}
            for unit in units]


def pieces_record(pieces: Sequence[tuple[str, bool]]) -> list[Json]:
    """Pieces of text, and whether they match."""
    return [{"text": text, "match": match} for text, match in pieces]


def _as_seen(forest: Forest, config: SearchConfig) -> Forest:
    """The forest as the method sees it: learned weights and a beam change it only for those that look at them."""
    return forced_forest(forest, config) if is_read(METHODS[config.method], "weights.learned") else forest


def _alternatives(forest: Forest) -> list[list[Json]]:
    return [[{"word": choice.word, "cost": round(choice.cost, 4)} for choice in choices]
            for choices in alternatives(forest)]
