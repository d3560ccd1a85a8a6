"""The description of the API in OpenAPI's own terms. Its limits are those that requests are checked against.

    DESCRIPTION["paths"]["/search"]["post"]

A test lets Schemathesis try what it says.
"""

from __future__ import annotations

from typing import Any

from crossbow import __version__
from crossbow.ranking.search import METHODS
from crossbow.web import requests as limits

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None, **more: Any) -> Schema:
    """An object without any other fields."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required),
            "additionalProperties": False, **more}


def _array(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


QUERY: Schema = {"type": "string", "minLength": 1, "maxLength": limits.LONGEST_QUERY,
                 "description": "A text in the source language, of one or more sentences."}
V: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": limits.LARGEST_V,
             "description": "What a matching term counts in forced decoding; null: the model's own."}
WORDS: Schema = _array({"type": "string", "maxLength": limits.LONGEST_WORD}, maxItems=limits.MOST_WORDS)

REQUESTS: dict[str, Schema] = {
    "SearchRequest": _object({"query": QUERY}, {
        "method": {"type": "string", "enum": list(METHODS), "default": "bowfd", "description":
                   "dt: BM25 with the best translation; psq: probabilistic structured queries; bowfd: forced decoding; "
                   "expected: BM25 with expected terms."},
        "k": {"type": "integer", "minimum": 1, "maximum": limits.MOST_HITS, "default": limits.FEW},
        "v": V,
        "filter": _object({}, {
            "having": {**WORDS, "description": "Words that a document must have, all of them."},
            "lacking": {**WORDS, "description": "Words that it must not have."},
            "id_prefix": {"type": "string", "maxLength": limits.LONGEST_ID},
        }, description="Takes documents out of the ranking; the scores of the others stay."),
        "explain": {**BOOLEAN, "default": False, "description": "Say why each hit was found, word by word."},
    }, example={"query": "braune Flecken an der Zimmerdecke", "method": "bowfd", "k": 3, "explain": True}),
    "ExplainRequest": _object(
        {"query": QUERY, "id": {"type": "string", "minLength": 1, "maxLength": limits.LONGEST_ID}}, {"v": V},
        example={"query": "braune Flecken an der Zimmerdecke", "id": "ceiling-leak"}),
}
UNIT = _object({
    "source": _array(WHOLE), "words": _array(_object({"text": STRING, "match": BOOLEAN})), "best": _array(STRING),
}, description="Positions of the query, the words that stand for them here, and those of the best translation.")
CHOICES = _array(_array(_object({"word": STRING, "cost": {"type": "number", "minimum": 0}})), description=
                 "For each word of the query what the forest could put for it, and what that costs.")
PIECES = _array(_object({"text": STRING, "match": BOOLEAN}), description="Text, cut at the ends of matching words.")
STEP = _object({
    "source": _array(WHOLE), "target": _array(STRING), "links": _array(_array(WHOLE)), "best": _array(STRING),
    "matches": _array(_named("Match")),
}, description="One rule of a derivation.")
ANSWERS: dict[str, Schema] = {
    "Problem": _object({"error": STRING}),
    "Health": _object({"status": {"const": "ok"}}),
    "Info": _object({"version": STRING, "model": STRING, "index": STRING, "documents": WHOLE, "source": STRING,
                     "target": STRING, "v": NUMBER, "examples": _array(STRING)}),
    "Document": _object({"id": STRING, "title": STRING, "text": STRING}),
    "Unit": UNIT,
    "Match": _object({"word": STRING, "term": STRING, "tf": WHOLE, "df": WHOLE, "weight": NUMBER, "rsj": NUMBER,
                      "saturation": NUMBER, "gain": NUMBER},
                     description="A term that the document has: gain = weight × rsj × saturation."),
    "SearchAnswer": _object({
        "query": STRING, "method": STRING, "v": NUMBER, "documents": WHOLE, "model": STRING, "index": STRING,
        "sentences": _array(_object({"source": _array(STRING), "best": _array(STRING)},
                                    {"gloss": _array(_named("Unit")), "alternatives": CHOICES})),
        "hits": _array(_object(
            {"rank": WHOLE, "score": NUMBER, "id": STRING, "title": PIECES, "snippet": PIECES},
            {"why": _array(_array(_named("Unit")), description="Units of each sentence of the query.")})),
        "milliseconds": _object({"translate": NUMBER, "search": NUMBER, "explain": NUMBER}),
    }),
    "Explanation": _object({
        "id": STRING, "score": NUMBER, "v": NUMBER,
        "sentences": _array(_object({
            "source": _array(STRING), "target": _array(STRING), "best_target": _array(STRING), "steps": _array(STEP),
            "best_steps": _array(STEP), "best": NUMBER, "cost": NUMBER, "gain": NUMBER, "score": NUMBER,
            "counted": NUMBER, "expected": _array(_named("Match")), "gloss": _array(_named("Unit")),
            "alternatives": CHOICES}, description="score = best − cost + gain (+ the gains of expected terms).")),
    }),
}
PROBLEMS = {
    400: "The request is not as described; the sentence says what is wrong.", 404: "There is no such document.",
    408: "The body came too slowly.", 413: f"The body has more than {limits.LARGEST_BODY:,} bytes.",
    415: "The body is not declared as application/json.", 429: "Too many requests at once; try again.",
    503: "It took too long and was given up.",
}


def _answers(answer: str, explained: str, problems: tuple[int, ...]) -> dict[str, Any]:
    def content(name: str) -> dict[str, Any]:
        return {"application/json": {"schema": _named(name)}}

    found: dict[str, Any] = {"200": {"description": explained, "content": content(answer)}}
    for status in problems:
        found[str(status)] = {"description": PROBLEMS[status], "content": content("Problem")}
    found.get("429", {}).update(headers={"Retry-After": {"description": "Seconds.", "schema": STRING}})
    return found


def _get(name: str, summary: str, answer: str, problems: tuple[int, ...] = (), **more: Any) -> dict[str, Any]:
    return {"get": {"operationId": name, "summary": summary, "responses": _answers(answer, summary, problems), **more}}


def _post(name: str, summary: str, request: str, answer: str, problems: tuple[int, ...]) -> dict[str, Any]:
    body = {"required": True, "content": {"application/json": {"schema": _named(request)}}}
    return {"post": {"operationId": name, "summary": summary, "requestBody": body,
                     "responses": _answers(answer, summary, (400, 408, 413, 415, 429, 503, *problems))}}


DESCRIPTION: dict[str, Any] = {
    "openapi": "3.1.0",
    "info": {"title": "Crossbow", "version": __version__, "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
             "description": "Cross-lingual search by bag-of-words forced decoding."},
    "paths": {
        "/search": _post("search", "The best documents for a query in another language.", "SearchRequest",
                         "SearchAnswer", ()),
        "/explain": _post("explain", "How a document gets its score by forced decoding.", "ExplainRequest",
                          "Explanation", (404,)),
        "/documents/{id}": _get("document", "A document as it was indexed.", "Document", (404, 429, 503), parameters=[
            {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}]),
        "/info": _get("info", "What is served: languages, signatures, sizes.", "Info"),
        "/health": _get("health", "Whether the server can answer.", "Health"),
        "/metrics": {"get": {"operationId": "metrics", "summary": "Numbers for Prometheus.", "responses": {
            "200": {"description": "In its text format.", "content": {"text/plain": {"schema": STRING}}}}}},
    },
    "components": {"schemas": {**REQUESTS, **ANSWERS}},
}
