"""The description of the API as a page for people, made of the same description that programs read.

    page(describe(config, model))        # HTML, for /docs

It is plain: addresses, what they take, what they answer, an example for a terminal. No script, nothing from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

Json = Mapping[str, Any]
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Crossbow: the API</title>
<link rel="icon" href="icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="style.css">
<link rel="stylesheet" href="api.css">
</head>
<body>
<main class="api">
<p><a href="./">Back to the search</a></p>
"""
INTRODUCTION = """<p>Requests and answers are JSON. Every error is <code>{"error": "a sentence"}</code> that says what
is wrong. If the server asks for a token, send it as <code>Authorization: Bearer TOKEN</code>; without one the answer is
401. For programs: <a href="openapi.json">openapi.json</a>, in OpenAPI's own terms.</p>
"""


def page(description: Json) -> str:
    """The whole page."""
    schemas = description["components"]["schemas"]
    operations = [(path, method, operation) for path, methods in description["paths"].items()
                  for method, operation in methods.items()]
    parts = [HEAD, f"<h1>{escape(description['info']['title'])}: the API</h1>\n", INTRODUCTION, *_contents(operations)]
    for path, method, operation in operations:
        parts += _operation(path, method, operation, schemas)
    return "".join((*parts, "</main>\n</body>\n</html>\n"))


def _contents(operations: list[tuple[str, str, Json]]) -> Iterator[str]:
    yield '<ul class="contents">\n'
    for path, method, operation in operations:
        yield (f'<li><a href="#{escape(operation["operationId"])}"><code>{method.upper()} {escape(path)}</code></a> '
               f"{escape(operation['summary'])}</li>\n")
    yield "</ul>\n"


def _operation(path: str, method: str, operation: Json, schemas: Json) -> Iterator[str]:
    yield f'<section>\n<h2 id="{escape(operation["operationId"])}">{method.upper()} {escape(path)}</h2>\n'
    yield f"<p>{escape(operation['summary'])}</p>\n"
    body = _schema(operation.get("requestBody", {}), schemas)
    yield _example(path, method, body)
    yield from _request(body)
    for status, answer in operation["responses"].items():
        yield from _answer(_schema(answer, schemas)) if status == "200" else ()
    yield '<h3>Status</h3>\n<dl class="statuses">\n'
    for status, answer in operation["responses"].items():
        said = "Done." if status == "200" else answer["description"]
        yield f"<div><dt>{status}</dt><dd>{escape(said)}</dd></div>\n"
    yield "</dl>\n</section>\n"


def _schema(holder: Json, schemas: Json) -> Json:
    """What the body of a request or an answer is, if it is JSON."""
    return _resolved(holder.get("content", {}).get("application/json", {}).get("schema", {}), schemas)


def _resolved(schema: Json, schemas: Json) -> Json:
    return schemas[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _example(path: str, method: str, body: Json) -> str:
    """What to type in a terminal."""
    asked = "" if method == "get" else f" -X {method.upper()}"
    lines = [f"curl{asked} localhost:8000{path.replace('{id}', 'ID')}"]
    if "example" in body:
        lines += ["  -H 'Content-Type: application/json'", f"  -d '{json.dumps(body['example'], ensure_ascii=False)}'"]
    return f"<pre>{escape(f' {chr(92)}{chr(10)}'.join(lines), quote=False)}</pre>\n"


def _request(schema: Json) -> Iterator[str]:
    """The fields of a request, of whichever method; a field is required if it is for all of them."""
    if not schema:
        return
    kinds = schema.get("oneOf", [schema])
    found = {name: field for kind in kinds for name, field in kind["properties"].items()}
    methods = [kind["properties"]["method"] for kind in kinds if "method" in kind["properties"]]
    if methods:
        said = ["If it is left out, the server ranks as it was set up.", *(method["description"] for method in methods)]
        found["method"] = {"enum": [method["const"] for method in methods], "description": " ".join(said)}
    settings = {path: one for kind in kinds for path, one in
                kind["properties"].get("settings", {}).get("properties", {}).items()}
    if settings:
        found["settings"] = {"type": "object", "description": "Settings of the search, by path; they are listed below."}
    yield from _table("Request", found, {name for name in found if all(name in kind["required"] for kind in kinds)})
    if settings:
        yield "<details>\n<summary>All settings</summary>\n"
        yield from _table("", settings)
        yield "</details>\n"


def _answer(schema: Json) -> Iterator[str]:
    """The fields of an answer."""
    if schema.get("properties"):
        yield "<details>\n<summary>The answer</summary>\n"
        yield from _table("", schema["properties"])
        yield "</details>\n"


def _table(title: str, found: Json, required: set[str] | frozenset[str] = frozenset()) -> Iterator[str]:
    """Fields with their kinds and what they are for; those of an object below it."""
    yield f"<h3>{title}</h3>\n" if title else ""
    yield "<table>\n<thead><tr><th>field</th><th>what it is</th></tr></thead>\n<tbody>\n"
    for name, field in _flat(found):
        said = ", ".join((_kind(field), *(["required"] if name in required else [])))
        text = escape(field.get("description", ""))
        yield (f'<tr><td><code>{escape(name)}</code></td><td><span class="kind">{escape(said)}</span>'
               f"{f'<br>{text}' if text else ''}</td></tr>\n")
    yield "</tbody>\n</table>\n"


def _flat(found: Json, prefix: str = "") -> Iterator[tuple[str, Json]]:
    """Fields, each before those that it has itself."""
    for name, field in found.items():
        yield prefix + name, field
        inside = field.get("items", field) if field.get("type") == "array" else field
        yield from _flat(inside.get("properties", {}), f"{prefix}{name}.")


def _kind(field: Json) -> str:
    """The type of a field and its limits, in words."""
    kind = field.get("type", field.get("$ref", "any").rpartition("/")[2])
    said = [" or ".join(kind) if isinstance(kind, list) else str(kind)]
    if "enum" in field:
        said = [f"one of {', '.join(map(str, field['enum']))}"]
    for limit, words in (("minimum", "at least"), ("exclusiveMinimum", "above"), ("maximum", "at most"),
                         ("maxLength", "at most"), ("maxItems", "at most")):
        if limit in field:
            unit = {"maxLength": " characters", "maxItems": " items"}.get(limit, "")
            said.append(f"{words} {_number(field[limit])}{unit}")
    if "default" in field:
        said.append(f"default {json.dumps(field['default'])}")
    return ", ".join(said)


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:g}"
