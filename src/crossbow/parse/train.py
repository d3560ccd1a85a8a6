"""From an index and judged queries to a parser: maximum likelihood first, then learning end to end.

    parser, history = estimate(index, [query.text for query in queries], ParserConfig())
    trained = train(index, queries, dev_queries, ParserConfig(), LearningConfig())
    trained.parser.save(Path("parser"), trained.facts())

The likelihood is that of the openings of all documents and of the training queries. α is chosen on the development
queries, before learning and after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from crossbow.index import Index
from crossbow.parse.em import initial, viterbi_em, vocabulary
from crossbow.parse.endtoend import LearningConfig, Round, learn, trees_and_scripts, tune_alpha, unchanged
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.pool import Pool, make_pool, opening
from crossbow.parse.similarity import Pivot, Similarity
from crossbow.parse.texts import Reader
from crossbow.pipeline import Report
from crossbow.records.judged import JudgedQuery
from crossbow.text.analyzer import Analyzer
from crossbow.vocab import Vocab


@dataclass(frozen=True)
class Trained:
    """Both parsers, the one of maximum likelihood and the one that learned from it, and how they were made."""

    likely: Parser
    parser: Parser
    likelihood: list[float]
    rounds: list[Round]
    learning: LearningConfig

    def facts(self) -> dict[str, Any]:
        """What a parser's header says of its making."""
        return {"likelihood": self.likelihood, "rounds": [one._asdict() for one in self.rounds],
                "learning": asdict(self.learning)}


def estimate(
    index: Index, queries: Sequence[str], config: ParserConfig, pivot: Pivot | None = None, threads: int = 1,
    report: Report | None = None,
) -> tuple[Parser, list[float]]:
    """The parser of maximum likelihood, and the objective of each round."""
    Similarity(config.similarity, pivot)  # now, rather than after the estimate: tables may be missing
    say = report or (lambda what, done, total: None)
    analyzer = Analyzer.from_json(index.analyzer.to_json())
    plain = Reader(analyzer, Vocab(), config.text)
    say("reading documents", 0, 0)
    sentences = [*plain.openings(_openings(index)), *([plain.words(text)] for text in queries)]
    vocab = vocabulary((words for text in sentences for words in text), config.em)
    texts = Reader(analyzer, vocab, config.text).pack(sentences)
    model, history = viterbi_em(initial(texts, vocab, config.em), texts, config.em, threads,
                                lambda number, objective: say("Viterbi EM", number, config.em.rounds))
    return Parser(model, analyzer, config, pivot), history


def pool_of(
    judged: Sequence[JudgedQuery], parser: Parser, index: Index, depth: int | None = None, threads: int = 1
) -> Pool:
    """The candidates of judged queries, as the parser reads them; as many as it ranks, unless a depth is given."""
    return make_pool(judged, index, parser.reader, depth or parser.config.depth, parser.config.bm25, threads)


def train(
    index: Index, training: Sequence[JudgedQuery], development: Sequence[JudgedQuery], config: ParserConfig,
    learning: LearningConfig, pivot: Pivot | None = None, threads: int = 1, report: Report | None = None,
    each: Callable[[Round], None] = lambda one: None, development_index: Index | None = None,
) -> Trained:
    """Estimate, tune α, learn. The development queries may have documents of their own."""
    parser, likelihood = estimate(index, [query.text for query in training], config, pivot, threads, report)
    say = report or (lambda what, done, total: None)
    say("searching candidates", 0, 0)
    dev = pool_of(development, parser, development_index or index, threads=threads)
    alpha, found = tune_alpha(dev, trees_and_scripts(parser, dev, threads)[1].distance)
    likely = parser.replace(alpha=alpha)
    if not learning.rounds:
        return Trained(likely, likely, likelihood, [unchanged(found, alpha)], learning)
    pool = pool_of(training, parser, index, learning.candidates, threads)

    def shown(one: Round) -> None:
        say("learning end to end", one.number, learning.rounds)
        each(one)

    learned, rounds = learn(likely, pool, dev, learning, threads, shown)
    return Trained(likely, learned, likelihood, rounds, learning)


def _openings(index: Index) -> Iterator[str]:
    for segment in index.segments:
        for number in segment.alive.nonzero()[0].tolist():
            yield opening(index.doc(segment.base + number))
