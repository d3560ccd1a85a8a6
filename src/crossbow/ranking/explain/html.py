"""Hits and explanations for notebooks, as HTML that needs no style sheet. All text is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from crossbow.ranking.explain.records import Explanation, Match, Sentence

if TYPE_CHECKING:
    from crossbow.ranking.hits import Hits, Pieces, Shown

SHOWN = 10  # hits; a run of a thousand is not for reading


def hits_html(hits: Hits) -> str:
    """The first hits as a table: rank, score, id, title and a snippet with matching words marked."""
    rows = [[str(hit.rank), f"{hit.score:.4f}", escape(hit.doc), f"<b>{_pieces(title)}</b> {_pieces(text)}".strip()]
            for hit, _, title, text in _first(hits)]
    more = f"<p>… and {len(hits) - SHOWN:,} more</p>" if len(hits) > SHOWN else ""
    return (f"<p>Best translation: <i>{escape(hits.translation())}</i></p>"
            + (_table(("rank", "score", "document", "text"), rows) if hits else "<p>No document was found.</p>") + more)


def explanation_html(explanation: Explanation) -> str:
    """The query as the document has it translated, and how the score adds up."""
    parts = "".join(map(_sentence, explanation.sentences))
    rows, lent = [], {one.term: f" of {', '.join(one.docs)}" for one in explanation.feedback}
    for part in explanation.parts:
        rows.append([f"<b>{escape(part.label)}</b>", escape(part.note), f"{part.value:.4f}"])
        rows += [["", f"{escape(match.word)} → {escape(match.term)}: {_product(match)}"
                  + escape(lent.get(match.term, "") if part.label == "feedback" else ""), f"{match.gain:.4f}"]
                 for match in part.matches]
    rows.append(["<b>score</b>", escape(explanation.doc), f"<b>{explanation.score:.6f}</b>"])
    return parts + _table(("part", "", "adds"), rows)


def _first(hits: Hits) -> list[Shown]:
    shown = hits.shown()
    return [next(shown) for _ in range(min(SHOWN, len(hits)))]


def _sentence(sentence: Sentence) -> str:
    heads, cells = [], []
    for unit in sentence.units:
        heads.append(escape(" ".join(sentence.source[at] for at in unit.source)) or "∅")
        words = " ".join(f"<b>{escape(word.text)}</b>" if word.match else escape(word.text) for word in unit.words)
        here = " ".join(word.text for word in unit.words)
        best = " ".join(unit.best)
        cells.append((words or "–") + (f"<br><s>{escape(best)}</s>" if best and best != here else ""))
    return _table(heads, [cells])


def _product(match: Match) -> str:
    return f"{match.weight:g} × {match.idf:.4f} × {match.saturation:.4f} (tf {match.tf:g}, df {match.df:g})"


def _pieces(pieces: Pieces) -> str:
    return "".join(f"<mark>{escape(text)}</mark>" if match else escape(text) for text, match in pieces)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; cells are HTML already."""
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
