"""Hits and explanations as tables for the terminal; matching words are bold there, and *starred* in plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from crossbow.ranking.explain.records import Explanation, Match, Part, Sentence
from crossbow.ranking.facets import Count
from crossbow.ranking.hits import Hits, Pieces

WIDTH = 100  # where there is no terminal
MOST_TERMS = 5  # terms that a line of an explanation names: there may be dozens


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


def print_hits(hits: Hits, translated: bool = True, field: str | None = None) -> None:
    """Rank, score and id; below the title, if there is one, a snippet. Above, what the query was translated to.

    With a field, which hits may be sorted by, its values too.
    """
    console = _console()
    if translated:
        console.print(Text.assemble(("best translation: ", "dim"), hits.translation()))
    if not hits:
        console.print(_nothing(hits))
        return
    table = _table("rank", "score", "document", *([field] if field else []), "text", numbers=2)
    for hit, doc, title, text in hits.shown():
        shown = _marked(text, console.is_terminal)
        if title:
            shown = Text.assemble(_marked(title, console.is_terminal, "underline"), "\n", shown)
        values = [_value(doc.fields.get(field))] if field else []
        table.add_row(str(hit.rank), f"{hit.score:.4f}", hit.doc, *values, shown)
    console.print(table)


def _nothing(hits: Hits) -> str:
    """Why there is no hit."""
    if hits.total:
        return f"{_documents(hits.total)}; the offset leaves out all of them"
    if hits.unfiltered:
        return f"{_documents(hits.unfiltered)} the words, but the filter, quotes or minus signs take all of them out"
    return "no document has any of the query's terms"


def _value(value: object) -> str:
    """The value of a field."""
    return ", ".join(map(str, value)) if isinstance(value, list) else "" if value is None else str(value)


def _documents(count: int) -> str:
    return "one document matches" if count == 1 else f"{count:,} documents match"


def print_counts(hits: Hits, counts: Mapping[str, Sequence[Count]]) -> None:
    """Which hits these are of how many documents that match, and the most frequent values of fields among those."""
    console = _console()
    if hits:
        console.print(f"{hits[0].rank:,} to {hits[-1].rank:,} of {hits.total:,} documents that match")
    table = _table("documents", "field", "value", numbers=1)
    for field, row in counts.items():
        for count in row:
            table.add_row(f"{count.documents:,}", field, count.value)
    if table.row_count:
        console.print(table)


def _marked(pieces: Pieces, terminal: bool, style: str = "") -> Text:
    marked = Text(style=style)
    for piece, matches in pieces:
        star = "" if terminal or not matches else "*"
        marked.append(f"{star}{piece}{star}", "bold" if matches else "")
    return marked


def print_explanation(explanation: Explanation) -> None:
    """The query as the document has it translated, and the sum."""
    console = _console()
    for sentence in explanation.sentences:
        console.print(Text.assemble(("query             ", "dim"), " ".join(sentence.source)))
        console.print(Text.assemble(("best translation  ", "dim"), " ".join(sentence.best_target)))
        if sentence.steps:
            by = f" (by the {', '.join(sentence.systems)} system)" if sentence.systems else ""
            console.print(Text.assemble(("this document's   ", "dim"), " ".join(sentence.target), (by, "dim")))
        console.print()
        console.print(_steps(sentence) if sentence.steps else _units(sentence))
        console.print()
    listed = {id(match) for sentence in explanation.sentences for step in sentence.steps for match in step.matches}
    console.print(f"{'score':10} {explanation.score:12.6f}  {explanation.doc}, by {explanation.method}")
    for part in explanation.parts:
        console.print(f"{'  ' + part.label:10} {round(part.value, 6) + 0.0:12.6f}  {_note(part, listed)}".rstrip())
    here = {match.term for match in explanation.matches()}
    lent = [one for one in explanation.feedback if one.term in here]
    if lent:
        table = _table("weight", "term", "by feedback from", numbers=1)
        for one in lent:
            table.add_row(f"{one.weight:.4f}", one.term, ", ".join(one.docs))
        console.print()
        console.print(table)


def _note(part: Part, listed: set[int]) -> str:
    """What a part is, and the terms behind it that no table above shows."""
    matches = [match for match in part.matches if id(match) not in listed]
    some = ", ".join(f"{match.word} {match.gain:.4f}" for match in matches[:MOST_TERMS])
    return f"{part.note}: {some}{', …' if len(matches) > MOST_TERMS else ''}" if matches else part.note


def _steps(sentence: Sentence) -> Table:
    """The rules of a forced derivation with what they match."""
    table = _table("source", "this document", "best translation", "matches")
    for step in sentence.steps:
        other = "" if step.best == step.target else " ".join(step.best)
        table.add_row(_source(sentence, step.source), " ".join(step.target), other,
                      _lines(step.matches), style="" if step.matches else "dim")
    return table


def _units(sentence: Sentence) -> Table:
    """The query word by word, with the words of the document that stand for each."""
    table = _table("source", "in the document", "best translation")
    for unit in sentence.units:
        here = " ".join(word.text for word in unit.words if word.match)
        table.add_row(_source(sentence, unit.source), here, " ".join(unit.best),
                      style="" if here else "dim")
    return table


def _source(sentence: Sentence, places: Iterable[int]) -> str:
    """These words of the query; with those that the model does not know, what they are read as."""
    words = (sentence.source[at] for at in places)
    return " ".join(f"{word} (read as {sentence.read[word]})" if word in sentence.read else word for word in words)


def _lines(matches: Iterable[Match]) -> str:
    return "\n".join(f"{match.term} {match.gain:.4f} = {match.weight:g} × {match.idf:.4f} × {match.saturation:.4f} "
                     f"(tf {match.tf:g}, df {match.df:,g})" for match in matches)
