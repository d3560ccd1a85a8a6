"""A search tool that a language model can call: a function schema over the HTTP interface, and evidence with results.

    crossbow serve &                    # the demo; or: crossbow serve MODEL INDEX
    python examples/tool_for_models.py http://localhost:8000

Models take a tool as a name, a description and a JSON schema of its arguments (`TOOL`), and answer with calls. `search`
runs a call. Its results say which document was found, with an excerpt, and as evidence how the words of the query were
read in this document: "decke → ceiling". So a model can check a result without trusting its own German. Errors come
back as sentences, which a model can act on.

Nothing here needs a language model: `Scripted` stands in for one and makes the calls that a model would make. Put your
own client in its place.
"""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from typing import Any

TOOL = {
    "name": "search_documents",
    "description": "Search English documents with a German query. Each result has the id of the document, an excerpt, "
                   "and evidence: how the words of the query were read in this document. Cite documents by their ids.",
    "parameters": {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "What to look for, in German, as a phrase or a sentence."},
            "k": {"type": "integer", "minimum": 1, "maximum": 10, "description": "How many documents to return."},
            "must_have": {"type": "array", "items": {"type": "string"},
                          "description": "English words that every document must have."},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
}


def search(address: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Run a call of the tool at a server."""
    asked = {"query": arguments["query"], "k": arguments.get("k", 3), "method": "bowfd", "explain": True,
             "filter": {"having": arguments.get("must_have", [])}}
    request = urllib.request.Request(f"{address}/search", json.dumps(asked).encode(),
                                     {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            found = json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)  # {"error": "a sentence that says what is wrong"}
    sources = [sentence["source"] for sentence in found["sentences"]]
    return {"results": [{"id": hit["id"], "title": plain(hit["title"]), "excerpt": plain(hit["snippet"]),
                         "evidence": evidence(sources, hit["why"])} for hit in found["hits"]]}


def plain(pieces: list[dict[str, Any]]) -> str:
    """A title or a snippet without its marks."""
    return "".join(piece["text"] for piece in pieces)


def evidence(sources: list[list[str]], why: list[list[dict[str, Any]]]) -> list[str]:
    """The words of the query that the document matches, each with what it was read as."""
    found = []
    for source, units in zip(sources, why):
        for unit in units:
            asked = " ".join(source[place] for place in unit["source"])
            if asked and any(word["match"] for word in unit["words"]):
                found.append(f"{asked} → {' '.join(word['text'] for word in unit['words'])}")
    return found


class Scripted:
    """In place of a language model: it searches once, narrows the search once, and answers with what it found."""

    def reply(self, messages: list[dict[str, Any]]) -> dict[str, Any]:
        question, *results = messages
        if not results:
            return {"call": {"query": question["content"], "k": 2}}
        if len(results) == 1:
            return {"call": {"query": question["content"], "k": 1, "must_have": ["paint"]}}
        best = results[-1]["content"]["results"][0]
        return {"answer": f"{best['title']} [{best['id']}]: {best['excerpt']}", "because": best["evidence"]}


def converse(address: str, model: Scripted, question: str) -> dict[str, Any]:
    """Let a model call the tool until it answers."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": question}]
    while "call" in (reply := model.reply(messages)):
        print(f"{TOOL['name']}({json.dumps(reply['call'], ensure_ascii=False)})")
        messages.append({"role": "tool", "content": search(address, reply["call"])})
        print(json.dumps(messages[-1]["content"], ensure_ascii=False, indent=1))
    return reply


if __name__ == "__main__":
    final = converse(sys.argv[1] if len(sys.argv) > 1 else "http://localhost:8000", Scripted(),
                     "braune Flecken an der Zimmerdecke")
    print(f"\n{final['answer']}\nbecause: {', '.join(final['because'])}")
