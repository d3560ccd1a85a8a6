"""The description of the API as a page for people, made of the same description that programs read.

    page(describe(config, model))        # HTML, for /docs

It is plain: addresses, what they take, what they answer, an example for a terminal. No script, nothing from elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

HEAD = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Crossbow: the API</title>
<link rel="stylesheet" href="/style.css">
<body>
<main>
"""


def page(description: Mapping[str, Any]) -> str:
    """The whole page."""
    schemas = description["components"]["schemas"]
    parts = [HEAD, f"<h1>{escape(description['info']['title'])}: the API</h1>\n",
             '<p>For programs: <a href="/openapi.json">openapi.json</a>, in OpenAPI\'s own terms.</p>\n']
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            parts += _operation(path, method, operation, schemas)
    return "".join((*parts, "</main>\n</body>\n</html>\n"))


def _operation(path: str, method: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h2 id={json.dumps(escape(operation['operationId']))}>{method.upper()} {escape(path)}</h2>\n"
    yield f"<p>{escape(operation['summary'])}</p>\n"
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if body:
        schema = schemas[body["$ref"].rpartition("/")[2]]
        yield from _fields(schema)
        if "example" in schema:
            yield (f"<pre>curl -X {method.upper()} localhost:8000{escape(path)} \\\n"
                   f"  -H 'Content-Type: application/json' \\\n"
                   f"  -d '{escape(json.dumps(schema['example'], ensure_ascii=False))}'</pre>\n")
    yield "<dl>\n"
    for status, answer in operation["responses"].items():
        yield f"<dt>{status}</dt><dd>{escape(answer['description'])}</dd>\n"
    yield "</dl>\n"


def _fields(schema: Mapping[str, Any]) -> Iterator[str]:
    """The fields of a request, of whichever method; a field is required if it is for all of them."""
    kinds = schema.get("oneOf", [schema])
    found = {name: field for kind in kinds for name, field in kind["properties"].items()}
    methods = [kind["properties"]["method"]["const"] for kind in kinds if "method" in kind["properties"]]
    yield "<table>\n<tr><th>field</th><th>what it is</th><th></th></tr>\n"
    for name, field in found.items():
        required = all(name in kind["required"] for kind in kinds)
        said = f"one of {', '.join(methods)}" if name == "method" else _kind(field)
        yield (f"<tr><td><code>{escape(name)}</code></td><td>{escape(said)}{', required' if required else ''}</td>"
               f"<td>{'' if name == 'method' else escape(field.get('description', ''))}</td></tr>\n")
    yield "</table>\n"


def _kind(field: Mapping[str, Any]) -> str:
    """The type of a field and its limits, in words."""
    kind = field.get("type", "any")
    said = [" or ".join(kind) if isinstance(kind, list) else str(kind)]
    for limit, words in (("minimum", "at least"), ("maximum", "at most"), ("maxLength", "at most"),
                         ("maxItems", "at most")):
        if limit in field:
            unit = {"maxLength": " characters", "maxItems": " items"}.get(limit, "")
            said.append(f"{words} {field[limit]:,}{unit}")
    if "default" in field:
        said.append(f"default {json.dumps(field['default'])}")
    return ", ".join(said)
