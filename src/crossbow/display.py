"""Hits and explanations as tables for the terminal; matching words are bold there, and *starred* in plain text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.model import Model
from crossbow.ranking.explain.derivation import Explanation, Match, Sentence
from crossbow.ranking.explain.snippet import snippet
from crossbow.ranking.marks import marked_terms
from crossbow.ranking.search import SearchConfig
from crossbow.records import Hit

WIDTH = 100  # where there is no terminal
MOST_EXPECTED = 5  # expected terms that an explanation names: there are dozens


def _console() -> Console:
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = WIDTH
    return console


def _table(*columns: str, numbers: int = 0) -> Table:
    """A table whose first columns are numbers."""
    table = Table(box=None, pad_edge=False, header_style="dim")
    for at, column in enumerate(columns):
        table.add_column(column, justify="right" if at < numbers else "left", no_wrap=at < numbers)
    return table


def print_hits(
    hits: Sequence[Hit], forests: Sequence[Forest], index: Index, model: Model | None, config: SearchConfig
) -> None:
    """Rank, score, id and snippet."""
    console = _console()
    translation = " ".join(word for forest in forests for word in Model.best(forest))
    console.print(Text.assemble(("best translation: ", "dim"), translation))
    if not hits:
        console.print("no document has any of the query's terms")
        return
    table = _table("rank", "score", "document", "text", numbers=2)
    for hit, terms in zip(hits, marked_terms(hits, forests, index, model.lexicon if model else None, config)):
        marked = Text()
        for piece, matches in snippet(index.doc(index.number(hit.doc)), index.analyzer, terms):
            star = "" if console.is_terminal or not matches else "*"
            marked.append(f"{star}{piece}{star}", "bold" if matches else "")
        table.add_row(str(hit.rank), f"{hit.score:.4f}", hit.doc, marked)
    console.print(table)


def print_explanation(explanation: Explanation) -> None:
    """The derivations and the sums."""
    console = _console()
    for sentence in explanation.sentences:
        console.print(Text.assemble(("query             ", "dim"), " ".join(sentence.source)))
        console.print(Text.assemble(("best translation  ", "dim"), " ".join(sentence.best_target)))
        console.print(Text.assemble(("this document's   ", "dim"), " ".join(sentence.target)))
        console.print()
        console.print(_steps(sentence))
        console.print()
        for name, value, note in _sums(sentence):
            console.print(f"{name:10} {round(value, 6) + 0.0:12.6f}  {note}".rstrip())
        if sentence.counted != sentence.score:
            console.print(f"counted    {sentence.counted:12.6f}  as the last of the sentence's list: it is not in it")
        console.print()
    console.print(f"{explanation.doc}: {explanation.score:.6f}")


def _sums(sentence: Sentence) -> list[tuple[str, float, str]]:
    """What the score adds up from."""
    sums = [("score", sentence.score, ""), ("  best", sentence.best, "of the best translation"),
            ("  cost", -sentence.cost, "of this one against it"), ("  gain", sentence.gain, "of the matches")]
    if sentence.expected:
        some = ", ".join(f"{match.term} {match.gain:.4f}" for match in sentence.expected[:MOST_EXPECTED])
        more = ", …" if len(sentence.expected) > MOST_EXPECTED else ""
        sums.append(("  expected", sum(match.gain for match in sentence.expected), f"of expected terms: {some}{more}"))
    return sums


def _steps(sentence: Sentence) -> Table:
    table = _table("source", "this document", "best translation", "matches")
    for step in sentence.steps:
        other = "" if step.best == step.target else " ".join(step.best)
        table.add_row(" ".join(sentence.source[at] for at in step.source), " ".join(step.target), other,
                      "\n".join(map(_match, step.matches)), style="" if step.matches else "dim")
    return table


def _match(match: Match) -> str:
    return (f"{match.term} {match.gain:.4f} = {match.weight:g} × {match.rsj:.4f} × {match.saturation:.4f} "
            f"(tf {match.tf}, df {match.df:,})")
