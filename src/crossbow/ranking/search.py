"""Search by any method, for a text or for forests made elsewhere.

    hits = search("Haus am See", index, model, method="bowfd", v=0.8, k=10)
    for name, hits in search_all(queries, index, model, SearchConfig(method="dt"), threads=2): ...

Methods: dt (BM25 with the best translation), psq (probabilistic structured queries), bowfd (forced decoding), expected
(BM25 with the terms that translations are expected to have).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from crossbow.errors import CrossbowError
from crossbow.forest.hypergraph import Forest
from crossbow.forest.join import joined
from crossbow.grammar.lexicon import Lexicon
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.bm25 import Bm25
from crossbow.ranking.expected import Expected, expected_terms
from crossbow.ranking.forced.beam import within_beam
from crossbow.ranking.forced.combine import LIST_LENGTH, combine
from crossbow.ranking.forced.lexical import rescored
from crossbow.ranking.forced.search import search_forced
from crossbow.ranking.repeats import Repeats, damped
from crossbow.ranking.structured.search import PsqConfig, query_tables, search_structured
from crossbow.ranking.weighted import bag_of_words, search_terms
from crossbow.records import Hit
from crossbow.threads import in_order
from crossbow.weights import TermWeights

METHODS = ("dt", "psq", "bowfd", "expected")
Asked = str | Forest | Sequence[Forest]
Again = Callable[[Sequence[Forest], list[Hit]], list[Hit]]


@dataclass(frozen=True)
class SearchConfig:
    """Everything that decides what a query finds, besides model and index."""

    method: str = "bowfd"
    k: int = 1000
    weights: TermWeights = field(default_factory=TermWeights)  # what a model has learned is model.retrieval
    bm25: Bm25 = field(default_factory=Bm25)
    psq: PsqConfig = field(default_factory=PsqConfig)
    beam: int | None = None  # edges of a node that forced decoding looks at; None: all
    sort_edges: bool = True  # with a beam: the best ones rather than the first
    expected: Expected = field(default_factory=Expected)  # for bowfd too, if the weights give expected terms a share
    join: bool = False  # forced decoding takes the sentences of a query as one, instead of multiplying their rankings
    repeats: Repeats = field(default_factory=Repeats)  # what a word counts that the query repeats

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise CrossbowError(f"the method is {self.method!r}; it must be one of {', '.join(METHODS)}")
        if self.k < 1:
            raise CrossbowError(f"k is {self.k}; ask for at least one document")
        if self.beam is not None and self.beam < 1:
            raise CrossbowError(f"the beam is {self.beam}; a node needs at least one edge")


def search(
    query: Asked, index: Index, model: Model | None = None, method: str = "bowfd", v: float | None = None,
    k: int = 1000, config: SearchConfig | None = None,
) -> list[Hit]:
    """The k best documents for a text (which takes a model), or for one forest or those of a query's sentences.

    The weights are those of the model, with v instead of its default weight if v is given. A config goes beyond the
    single arguments; then these are not looked at.
    """
    if config is None:
        weights = model.retrieval if model else TermWeights()
        config = SearchConfig(method, k, weights if v is None else replace(weights, v=v))
    return search_forests(query_forests(query, index, model), index, model, config)


def search_all(
    queries: Iterable[tuple[str, Asked]], index: Index, model: Model | None, config: SearchConfig, threads: int = 1,
    again: Again | None = None,
) -> Iterator[tuple[str, list[Hit]]]:
    """Names and hits of many queries, in their order; several at a time if there are threads.

    `again` may rank the hits anew, knowing the query's forests.
    """
    def work(query: tuple[str, Asked]) -> list[Hit]:
        forests = query_forests(query[1], index, model)
        hits = search_forests(forests, index, model, config)
        return again(forests, hits) if again else hits

    for (name, _), hits in in_order(work, queries, threads):
        yield name, hits


def query_forests(query: Asked, index: Index, model: Model | None) -> list[Forest]:
    """The forests of a query's sentences."""
    if isinstance(query, Forest):
        return [query]
    if not isinstance(query, str):
        return list(query)
    if model is None:
        raise CrossbowError("a text needs a model to translate it; give one, or give forests")
    check_languages(model, index)
    return model.forests(query)


def check_languages(model: Model, index: Index) -> None:
    """Raise an error if the model does not translate into the language of the documents."""
    ours, theirs = model.target.settings.lang, index.analyzer.settings.lang
    if ours != theirs:
        raise CrossbowError(f"the model translates into {ours!r}, but the documents are in {theirs!r}; "
                            "use an index and a model that fit")


def search_forests(
    forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
) -> list[Hit]:
    """The k best documents for the forests of a query's sentences."""
    if config.method == "dt":
        bag = bag_of_words(forests, index)
        weights = config.repeats.of(np.array(list(bag.values())))
        return search_terms(dict(zip(bag, weights.tolist())), index, config.k, config.bm25)
    lexicon = model.lexicon if model else None
    if config.method == "psq":
        tables = query_tables(forests, index, config.psq, lexicon)
        return search_structured(tables, index, config.k, config.bm25, config.repeats)
    if config.method == "expected":
        return search_terms(expected_terms(forests, index, config.expected, lexicon), index, config.k, config.bm25)
    lists = sentence_lists(forests, index, config, lexicon)
    return lists[0][: config.k] if len(lists) == 1 else combine(lists, config.k)


def sentence_lists(
    forests: Sequence[Forest], index: Index, config: SearchConfig, lexicon: Lexicon | None = None
) -> list[list[Hit]]:
    """What each sentence finds by forced decoding. A single sentence finds k documents, one of several always 1,000."""
    forests = experts(forests, config)
    length = config.k if len(forests) == 1 else LIST_LENGTH
    return [search_forced(forced_forest(forest, config), index, forced_weights(forest, index, config), length,
                          config.bm25, expected_by(forest, index, config, lexicon)) for forest in forests]


def experts(forests: Sequence[Forest], config: SearchConfig) -> Sequence[Forest]:
    """What ranks the documents by itself: each sentence of the query, or all of them together."""
    return [joined(forests)] if config.join and forests else forests


def expected_by(
    forest: Forest, index: Index, config: SearchConfig, lexicon: Lexicon | None
) -> Mapping[str, float] | None:
    """The terms that forced decoding expects of a sentence; None if they have no share in the score."""
    return expected_terms([forest], index, config.expected, lexicon) if config.weights.expected else None


def forced_weights(forest: Forest, index: Index, config: SearchConfig) -> TermWeights:
    """The weights for a sentence: terms that it repeats are damped, if that is configured."""
    return damped(config.weights, forest, index, config.repeats)


def forced_forest(forest: Forest, config: SearchConfig) -> Forest:
    """The forest as forced decoding sees it: scored with the lexical weights, and what the configured beam leaves."""
    forest = rescored(forest, config.weights.lex)
    return forest if config.beam is None else within_beam(forest, config.beam, config.sort_edges)
