"""What a search found: a list of hits that also knows the documents, for snippets and for notebooks.

    hits = searcher.search("Haus am See", k=10)
    hits[0].doc, hits[0].score
    hits.total, hits.counts("lang")                     # over all documents that match and pass the filter
    for hit, doc, title, text in hits.shown(): ...      # pieces of text, each with whether it matches
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from crossbow.arrays import Bools
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.ranking.explain.derivation import best_derivation
from crossbow.ranking.explain.snippet import snippet
from crossbow.ranking.facets import Count, count_values, matching
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
    """The hits of a search, best first: a list that also knows how to show itself in a notebook."""

    def __init__(
        self, hits: Iterable[Hit], prepared: Prepared, forests: Sequence[Forest], index: Index,
        wanted: Bools | None = None,
    ):
        super().__init__(hits)
        self.prepared, self.forests, self.documents, self.wanted = prepared, forests, index, wanted

    @cached_property
    def matching(self) -> Bools:
        """All documents that match the query and pass the filter, by number."""
        return matching(self.prepared, self.documents, self.wanted)

    @property
    def total(self) -> int:
        """How many documents match the query and pass the filter."""
        return int(self.matching.sum())

    @property
    def unfiltered(self) -> int:
        """How many match the query without the filter, and without its quotes and minus signs."""
        return int(matching(self.prepared, self.documents, None).sum())

    def counts(self, field: str, best: int = 10) -> list[Count]:
        """The most frequent values of a field among the documents that match."""
        return count_values(self.documents, field, self.matching, best)

    def translation(self) -> str:
        """The best translation of the query."""
        return " ".join(word for forest in self.forests for word in best_derivation(forest)[1])

    def shown(self) -> Iterator[Shown]:
        """Each hit with its document, title and snippet."""
        for hit in self:
            yield Shown(hit, *shown(self.prepared, self.documents, self.documents.number(hit.doc)))

    def originals(self) -> list[Doc]:
        """The documents of the hits, as they were given."""
        return [self.documents[hit.doc] for hit in self]

    def _repr_html_(self) -> str:
        from crossbow.ranking.explain.html import hits_html

        return hits_html(self)


def shown(prepared: Prepared, index: Index, number: int) -> tuple[Doc, Pieces, Pieces]:
    """A document as it is shown for a query: with its title and a snippet, in which matching words are marked."""
    terms, doc = prepared.terms(number), index.shown(number)
    title, text = (snippet(Doc("", part), index.analyzer, terms) for part in (doc.title, doc.text))
    return doc, title, text
