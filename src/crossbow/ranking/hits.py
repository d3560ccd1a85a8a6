"""What a search found: a list of hits that also knows the documents, for snippets and for notebooks.

    hits = searcher.search("Haus am See", k=10)
    hits[0].doc, hits[0].score
    for hit, doc, title, text in hits.shown(): ...      # pieces of text, each with whether it matches
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.explain.snippet import snippet
from crossbow.records import Doc, Hit

if TYPE_CHECKING:
    from crossbow.ranking.methods.contract import Prepared

Pieces = list[tuple[str, bool]]


class Shown(NamedTuple):
    """A hit as a person sees it: its document, and its title and a snippet with matching words marked."""

    hit: Hit
    doc: Doc
    title: Pieces
    text: Pieces


class Hits(list[Hit]):
    """Hits in their order. A list like any other, until it is shown."""

    def __init__(self, hits: Iterable[Hit], prepared: Prepared, forests: Sequence[Forest], index: Index):
        super().__init__(hits)
        self.prepared, self.forests, self.documents = prepared, forests, index

    def translation(self) -> str:
        """The best translation of the query."""
        return " ".join(word for forest in self.forests for word in best_derivation(forest)[1])

    def shown(self) -> Iterator[Shown]:
        """Each hit with its document, title and snippet."""
        for hit in self:
            number = self.documents.number(hit.doc)
            terms, doc = self.prepared.terms(number), self.documents.doc(number)
            title, text = (snippet(Doc("", part), self.documents.analyzer, terms) for part in (doc.title, doc.text))
            yield Shown(hit, doc, title, text)

    def _repr_html_(self) -> str:
        from crossbow.ranking.explain.html import hits_html

        return hits_html(self)
