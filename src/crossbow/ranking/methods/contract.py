"""What a method is: it prepares a query for an index once, and the prepared query answers everything about it.

    method = METHODS["bowfd"]
    prepared = method.prepare(forests, index, model, config)
    prepared.search(10); prepared.score(docs); prepared.terms(doc); prepared.explain(doc)

Search, snippets, highlighting, explanations and reranking all ask the same prepared object, so they cannot disagree. To
add a method, write a file with a Method in it that ends in `METHODS.add(…)`; docs/extending.md walks through it.
Documents are numbers of the index here; Searcher translates ids.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from crossbow.arrays import F64, I64, Bools
from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.explain.records import Explanation
from crossbow.records import Hit
from crossbow.registry import Registry
from crossbow.settings import Settings

if TYPE_CHECKING:
    from crossbow.ranking.config import SearchConfig

ADDED = "added"  # the label of what added terms give a document


class Prepared(ABC):
    """A query, compiled once for a whole index. A filter never changes a score or an explanation."""

    forests: Sequence[Forest]  # those of the sentences that explanations speak of
    ground: float = 0.0  # the score of a document that has nothing of the query

    @abstractmethod
    def search(self, k: int, wanted: Bools | None = None) -> list[Hit]:
        """The k best documents; only those that are wanted, if `wanted` says by number which these are."""

    @abstractmethod
    def score(self, docs: I64) -> F64:
        """The scores of given documents."""

    @abstractmethod
    def terms(self, doc: int) -> Mapping[str, float]:
        """The terms that a document matched, and what each adds to its score: what snippets show and mark."""

    def matching(self) -> Bools | None:
        """The documents that match, by number: all that have a term of the query. No others are ever found.

        None if only a search for all documents can tell.
        """
        return None

    def weights(self) -> Mapping[str, float]:
        """The query as a bag of terms, with what each weighs before BM25; feedback is measured against it."""
        raise self._no_feedback()

    def with_added(self, added: Mapping[str, float]) -> Prepared:
        """The query with weighted terms that count in addition: by BM25, as a part of the score that is ADDED."""
        raise self._no_feedback()

    def _no_feedback(self) -> CrossbowError:
        return CrossbowError(f"{type(self).__name__} has no weighted terms, so there can be no feedback; set "
                             "feedback.documents to 0")

    @abstractmethod
    def explain(self, doc: int) -> Explanation:
        """How the document's score adds up; always to the score of its hit."""

    # --- if the index is one of several shards; most methods need none of this ---

    def to_share(self) -> Any:
        """What other shards must hear before any can answer, as plain data; None if nothing, or nothing more."""
        return None

    def with_shared(self, parts: Sequence[Any], own: int) -> Prepared:
        """The query, now that each shard has said what it has to share; this one's is `parts[own]`."""
        raise CrossbowError(f"{type(self).__name__} has nothing to share")


class Method(ABC):
    """A way to rank. One instance of each stands in METHODS."""

    name: ClassVar[str]
    label: ClassVar[str]  # for people, as short as fits on a button
    help: ClassVar[str]  # one sentence
    reads: ClassVar[tuple[str, ...]] = ("bm25",)  # the settings that it looks at: paths, or groups of them
    settings: ClassVar[type[Settings] | None] = None  # its own group of settings, if the configuration has none for it

    @abstractmethod
    def prepare(
        self, forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
    ) -> Prepared:
        """Compile the forests of a query's sentences."""

    def sentences(self, forests: Sequence[Forest], config: SearchConfig) -> Sequence[Forest]:
        """The forests that explanations speak of, one after another: `Prepared.forests`."""
        return forests

    def needed(self, forest: Forest) -> Forest:
        """What a prepared query looks at, of a sentence's forest: all that is sent to shards elsewhere."""
        return forest

    def needs_links(self, config: SearchConfig) -> bool:
        """Whether it has to know which word translates which; n-best lists and lattices do not say."""
        return False


METHODS: Registry[Method] = Registry(
    "method", {name: f"crossbow.ranking.methods.{name}" for name in ("dt", "psq", "expected", "bowfd")})
