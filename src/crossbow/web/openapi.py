"""The description of the API in OpenAPI's own terms, made of the methods that there are and of the limits of requests.

    describe(served.config, served.model)["paths"]["/search"]["post"]

A request is described once for each method, with the settings that the method looks at. A test lets Schemathesis try
what this says.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from crossbow import __version__
from crossbow.model import Model
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.methods import METHODS
from crossbow.web import requests as limits
from crossbow.web.reasons import method_record
from crossbow.web.requests import USUAL, Limits

Schema = dict[str, Any]

STRING: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
WHOLE: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
MAYBE: Schema = {"type": ["number", "null"]}


def _object(required: dict[str, Schema], optional: dict[str, Schema] | None = None, **more: Any) -> Schema:
    """An object without any other fields."""
    return {"type": "object", "properties": {**required, **(optional or {})}, "required": list(required),
            "additionalProperties": False, **more}


def _array(items: Schema, **more: Any) -> Schema:
    return {"type": "array", "items": items, **more}


def _named(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


V: Schema = {"type": ["number", "null"], "minimum": 0, "maximum": limits.LARGEST_V,
             "description": "Short for the setting weights.v, which is used if both are given. null means the server's "
                            "own value."}
WORDS: Schema = _array({"type": "string", "maxLength": limits.LONGEST_WORD}, maxItems=limits.MOST_WORDS)

SYNTAX: Schema = {**BOOLEAN, "default": False, "description":
                  'In the query, "a b" stands for words that documents must have, in any order, and -a for a word that '
                  'they must not have.'}
LANGUAGE: Schema = {"type": ["string", "null"], "minLength": 1, "maxLength": limits.LONGEST_CODE, "description":
                    "The language of the query, one of those in /info. null means that the server finds it out."}
ID: Schema = {"type": "string", "minLength": 1, "maxLength": limits.LONGEST_ID, "description": "The id of a document."}
SEARCH: dict[str, Schema] = {
    "filter": _object({}, {
        "having": {**WORDS, "description": "Words that a document must have, all of them."},
        "lacking": {**WORDS, "description": "Words that it must not have."},
        "id_prefix": {"type": "string", "maxLength": limits.LONGEST_ID, "description": "What its id must begin with."},
        "where": _array({"type": "string", "maxLength": limits.LONGEST_CONDITION}, maxItems=limits.MOST_CONDITIONS,
                        description="Conditions on fields that must all hold, such as year>=2008, lang:en,de or "
                                    "year:1990..1999. /info lists the fields."),
    }, description="Takes documents out of the ranking; the scores of the others stay."),
    "syntax": SYNTAX,
    "language": LANGUAGE,
    "offset": {"type": "integer", "minimum": 0, "maximum": limits.MOST_SKIPPED, "default": 0,
               "description": "Leave out this many hits at the beginning."},
    "sort": {"type": ["string", "null"], "minLength": 1, "maxLength": limits.LONGEST_FIELD,
             "description": "Put those first that have the lowest values in this field, or with - before its name the "
                            "highest, instead of the best."},
    "facets": _array({"type": "string", "maxLength": limits.LONGEST_FIELD}, maxItems=limits.MOST_FACETS,
                     description="Count the values of these fields among all documents that match."),
    "explain": {**BOOLEAN, "default": False, "description": "Say why each hit was found, word by word."},
    "partial": {**BOOLEAN, "default": False, "description":
                "If documents are held by several machines: answer without those that are missing, and name them."},
}
EXPLAIN: dict[str, Schema] = {
    "syntax": SYNTAX,
    "language": LANGUAGE,
    "document": {**BOOLEAN, "default": False, "description": "Give the document too, its matching words marked."},
}
GLOSS: Schema = _object({"texts": _array(
    {"type": "string", "maxLength": limits.LONGEST_TEXT}, maxItems=limits.MOST_TEXTS,
    description="Texts in the language of the documents.")}, example={"texts": ["The bank lends money."]})
EXAMPLES: dict[str, Schema] = {
    "SearchRequest": {"query": "braune Flecken an der Zimmerdecke", "k": 3, "explain": True},
    "ExplainRequest": {"query": "braune Flecken an der Zimmerdecke", "id": "ceiling-leak"},
}


def _requests(
    name: str, required: dict[str, Schema], optional: dict[str, Schema], config: SearchConfig, model: Model
) -> Schema:
    """A request as each method takes it; the method may be left out if it is the server's own."""
    kinds = []
    for method in METHODS:
        record = method_record(replace(config, method=method), model)
        own = {"method": {"type": "string", "const": method, "description": record["help"]}}
        settings = {one["path"]: _setting(one) for one in record["settings"]}
        given = {**optional, "settings": _object({}, settings, maxProperties=limits.MOST_SETTINGS,
                                                 description="Settings of the search, by path.")}
        if "weights.v" in settings:
            given["v"] = V
        default = method == config.method
        kinds.append(_object({**required, **({} if default else own)}, {**(own if default else {}), **given}))
    return {"oneOf": kinds, "example": EXAMPLES[name]}


def _setting(one: dict[str, Any]) -> Schema:
    """The schema of a setting."""
    if one["choices"]:
        return {"type": "string", "enum": one["choices"], "description": one["help"]}
    kind = {"number": "number", "whole number": "integer", "true or false": "boolean", "text": "string"}[one["kind"]]
    bounds = {"minimum": one["least"], "exclusiveMinimum": one["above"], "maximum": one["most"]}
    return {"type": [kind, "null"] if one["optional"] else kind, "description": one["help"],
            **{name: value for name, value in bounds.items() if value is not None}}


UNIT = _object({
    "source": _array(WHOLE), "words": _array(_object({"text": STRING, "match": BOOLEAN})), "best": _array(STRING),
}, description="Positions of the query, the words that stand for them here, and those of the best translation.")
CHOICES = _array(_array(_object({"word": STRING, "cost": {"type": "number", "minimum": 0}})), description=
                 "For each word of the query what the forest could put for it, and what that costs.")
UNKNOWN = _array(WHOLE, description="Positions of words that the model does not know; these are searched for as typed.")
PIECES = _array(_object({"text": STRING, "match": BOOLEAN}), description="Text, cut at the ends of matching words.")
STEP: Schema = _object({
    "source": _array(WHOLE), "target": _array(STRING), "links": _array(_array(WHOLE)), "best": _array(STRING),
    "matches": _array(_named("Match")),
}, description="One rule of a derivation.")
ANSWERS: dict[str, Schema] = {
    "Problem": _object({"error": STRING}),
    "Health": _object({"status": {"const": "ok"}}),
    "Info": _object({"version": STRING, "model": STRING, "index": STRING, "documents": WHOLE, "source": STRING,
                     "target": STRING, "languages": _array(STRING, description="The languages of queries."),
                     "examples": _array(STRING), "method": STRING, "config": STRING,
                     "searched": {"type": "object", "additionalProperties": NUMBER,
                                  "description": "The fields that are searched, with their weights."},
                     "fields": {"type": "object", "additionalProperties": {
                         "enum": ["number", "date", "keyword", "stored"]}, "description":
                         "Types of the other fields; documents can be chosen by all fields that are not just stored."},
                     "title": {**STRING, "description": "What the operator calls this search."},
                     "lead": {**STRING, "description": "What the operator says about it; may be empty."},
                     "facets": _array(STRING, description="The fields whose values the page counts."),
                     "glosses": {**BOOLEAN, "description": "Whether /gloss can say what words mean."},
                     "longest_query": {**WHOLE, "description": "How many characters a query may have."},
                     "most_hits": {**WHOLE, "description": "How many hits a search may ask for."},
                     "own": {"oneOf": [_named("Method"), {"type": "null"}]}, "methods": _array(_named("Method"))}),
    "Method": _object({"name": STRING, "label": STRING, "help": STRING, "settings": _array(_object({
        "path": STRING, "kind": STRING, "optional": BOOLEAN, "value": {}, "help": STRING, "least": MAYBE,
        "above": MAYBE, "most": MAYBE, "choices": {"type": ["array", "null"], "items": STRING}}))}),
    "Document": _object({"id": STRING, "title": STRING, "text": STRING, "fields": {
        "type": "object", "description": "All its other fields, as they were given."}}),
    "Unit": UNIT,
    "Match": _object({"word": STRING, "term": STRING, "tf": NUMBER, "df": NUMBER, "weight": NUMBER, "idf": NUMBER,
                      "saturation": NUMBER, "gain": NUMBER},
                     description="A term that the document has: gain = weight × idf × saturation."),
    "SearchAnswer": _object({
        "query": STRING, "language": _object({
            "code": STRING, "probability": NUMBER, "pieces": _array(_object({"language": STRING, "text": STRING}))},
            description="The language that was assumed; for a query in several, the code is like de+ja."),
        "method": STRING, "config": STRING, "documents": WHOLE, "model": STRING, "index": STRING,
        "sentences": _array(_object({"source": _array(STRING), "best": _array(STRING)},
                                    {"gloss": _array(_named("Unit")), "alternatives": CHOICES, "unknown": UNKNOWN})),
        "hits": _array(_object(
            {"rank": WHOLE, "score": NUMBER, "id": STRING, "title": PIECES, "snippet": PIECES},
            {"why": _array(_array(_named("Unit")), description="Units of each sentence of the query."),
             "fields": {"type": "object", "description": "The field that hits are sorted by."}})),
        "total": {**WHOLE, "description": "How many documents match and pass the filter."},
        "unfiltered": {**WHOLE, "description": "If none do, how many match without the filter, quotes and minus signs; "
                                               "otherwise the same as total."},
        "ground": {**NUMBER, "description": "The score of a document that has no term of the query."},
        "facets": {"type": "object", "additionalProperties": _array(_object({"value": STRING, "documents": WHOLE})),
                   "description": "The most frequent values of each field that was asked for, among these."},
        "missing": _array(_object({"shard": WHOLE, "reason": STRING}), description=
                          "Parts of the index that are not in the answer; only if the request allows it."),
        "milliseconds": _object({"translate": NUMBER, "search": NUMBER, "explain": NUMBER}),
    }),
    "Explanation": _object({
        "id": STRING, "method": STRING, "config": STRING, "score": NUMBER,
        "parts": _array(_object({"label": STRING, "value": NUMBER, "note": STRING, "matches": _array(_named("Match"))}),
                        description="The parts that add up to the score."),
        "sentences": _array(_object({
            "source": _array(STRING), "target": _array(STRING), "best_target": _array(STRING),
            "units": _array(_named("Unit")), "steps": _array(STEP), "systems": _array(STRING),
            "read": {"type": "object", "additionalProperties": STRING, "description":
                     "Words that the model does not know, and the known words that they are read as here."},
            "alternatives": CHOICES, "unknown": UNKNOWN})),
        "feedback": _array(_object({"term": STRING, "weight": NUMBER, "docs": _array(STRING)}), description=
                           "Terms that the best documents of a first search have added to the query."),
    }, {"document": _object({"title": PIECES, "text": PIECES, "fields": {"type": "object"}})}),
    "Glosses": _object({"texts": _array(_array(_object({"text": STRING, "means": _array(STRING)})), description=
                        "Each text in parts, and what each part means in the language of queries, if it is known.")}),
}
PROBLEMS = {
    400: "The request is not as described; the sentence says what is wrong.", 404: "There is no such document.",
    408: "The body arrived too slowly.", 413: "The body is too large; the sentence says how large it may be.",
    415: "The body is not declared as application/json.",
    422: "A condition, a field to sort by or a facet does not fit the documents, nothing is left to look for, or an "
         "id is given twice.",
    429: "Too many requests at once; try again.",
    409: "Another program is writing to the index; try again.",
    503: "It took too long and was given up, a part of the index is missing, or (of /ready) there is no room.",
    507: "The disk is full; nothing was changed.",
}


def _written(most: int) -> dict[str, Schema]:
    """Requests that change the index, and the answer to them; a batch has at most so many documents."""
    return {
        "PutRequest": _object({"documents": _array({
            "type": "object", "properties": {"id": {**ID, "pattern": "^[!-~]+$"}, "text": STRING, "title": STRING},
            "required": ["id", "text"],
        }, minItems=1, maxItems=most, description=
            "Documents, as in a file of JSON lines. Each takes the place of an older one with its id. All are "
            "committed, or none.")}, example={"documents": [{"id": "castle", "text": "An old castle", "year": 1999}]}),
        "DeleteRequest": _object({"ids": _array(STRING, minItems=1, maxItems=most, description=
            "The ids of documents; all of them must be there.")}, example={"ids": ["castle"]}),
        "Committed": _object({"documents": WHOLE, "index": STRING, "generation": WHOLE}, description=
                             "The index after the commit, which is safe on the disk. Searches see the change within "
                             "seconds."),
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


def describe(
    config: SearchConfig, model: Model, writable: bool = False, within: Limits = USUAL
) -> dict[str, Any]:
    """The whole description, for a server that searches with this model, and this configuration by default."""
    query = {"type": "string", "minLength": 1, "maxLength": within.longest_query,
             "description": "A text in the source language, of one or more sentences."}
    k = {"type": "integer", "minimum": 1, "maximum": within.most_hits, "default": limits.FEW,
         "description": "How many hits."}
    requests = {"SearchRequest": _requests("SearchRequest", {"query": query}, {"k": k, **SEARCH}, config, model),
                "ExplainRequest": _requests("ExplainRequest", {"query": query, "id": ID}, EXPLAIN, config, model),
                "GlossRequest": GLOSS}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Crossbow", "version": __version__,
                 "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
                 "description": "Cross-lingual search by bag-of-words forced decoding."},
        "paths": {**PATHS, **({path: {**PATHS.get(path, {}), **more} for path, more in WRITES.items()}
                             if writable else {})},
        "components": {"schemas": {**requests, **ANSWERS, **(_written(within.most_documents) if writable else {})}},
    }


_ID = {"name": "id", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
PATHS: dict[str, Any] = {
    "/search": _post("search", "The best documents for a query in another language.", "SearchRequest", "SearchAnswer",
                     (422,)),
    "/explain": _post("explain", "How a document gets its score.", "ExplainRequest", "Explanation",
                      (404, 422)),
    "/gloss": _post("gloss", "What the words of documents mean, one by one.", "GlossRequest", "Glosses", (422,)),
    "/documents/{id}": _get("document", "A document as it was indexed.", "Document", (404, 429, 503), parameters=[
        _ID]),
    "/info": _get("info", "What is served: languages, signatures, sizes, methods.", "Info"),
    "/health": _get("health", "Whether the server is alive.", "Health"),
    "/ready": _get("ready", "Whether the server would take a request now.", "Health", (503,)),
    "/metrics": {"get": {"operationId": "metrics", "summary": "Numbers for Prometheus.", "responses": {
        "200": {"description": "In its text format.", "content": {"text/plain": {"schema": STRING}}}}}},
}
_FIRST = "$response.body#/hits/0/id"
PATHS["/search"]["post"]["responses"]["200"]["links"] = {
    "document": {"operationId": "document", "parameters": {"id": _FIRST}, "description": "The best hit."},
    "explain": {"operationId": "explain", "requestBody": {"query": "$request.body#/query", "id": _FIRST},
                "description": "Why it was found."},
}
_TROUBLE = (400, 408, 409, 413, 415, 422, 429, 507)


def _write(name: str, summary: str, request: str | None, problems: tuple[int, ...], **more: Any) -> dict[str, Any]:
    body = {} if request is None else {
        "requestBody": {"required": True, "content": {"application/json": {"schema": _named(request)}}}}
    return {"operationId": name, "summary": summary, "responses": _answers("Committed", summary, problems), **body,
            **more}


_GIVEN = "$request.body#/documents/0/id"
WRITES: dict[str, Any] = {
    "/documents": {"put": _write("put_documents", "Add documents, or replace them.", "PutRequest", _TROUBLE),
                   "delete": _write("delete_documents", "Delete documents.", "DeleteRequest", (404, *_TROUBLE))},
    "/documents/{id}": {"delete": _write("delete_document", "Delete a document.", None, (404, 409, 429, 507),
                                         parameters=[_ID])},
}
WRITES["/documents"]["put"]["responses"]["200"]["links"] = {
    "document": {"operationId": "document", "parameters": {"id": _GIVEN}, "description":
                 "A document that was added; it is there within seconds."},
    "delete": {"operationId": "delete_document", "parameters": {"id": _GIVEN}, "description": "Take it out again."},
    "delete several": {"operationId": "delete_documents", "requestBody": {"ids": [_GIVEN]}, "description":
                       "Take it out again, with others."},
}
