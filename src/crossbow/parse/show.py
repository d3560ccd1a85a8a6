"""Trees and edit scripts, drawn: as text for the terminal, and as SVG.

    print(tree_text(words, head, theta))
    print(script_text(query, document, match, similar))
    Path("script.svg").write_text(script_svg(query, document, match, similar))

In text a tree hangs from ROOT, every word on a line of its own under its head, with θ of its arc. An edit script shows
the query's tree, and after each word what becomes of it: kept (=), replaced (→) or deleted (✗), and at what cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from crossbow.arrays import F64, I32

ROOT = "ROOT"
WORD, LINE, MARGIN = 8, 14, 16  # width of a character, height of a level of arcs, border of a picture
KEPT, CHANGED, DELETED = "#009E73", "#E69F00", "#D55E00"


class Drawn(NamedTuple):
    """A tree to draw: its words, their heads (-1: ROOT), and θ of each one's arc."""

    words: Sequence[str]
    head: Sequence[int] | I32
    theta: Sequence[float] | F64


class Edit(NamedTuple):
    """What becomes of a word of the query: the word that takes its place, if one does, and what it costs."""

    partner: int
    cost: float


def tree_text(tree: Drawn, notes: Sequence[str] | None = None) -> str:
    """A tree of lines, each word under its head and before or after it as in the sentence."""
    notes = notes or [""] * len(tree.words)
    rows = [(ROOT, "", "")]

    def below(head: int, indent: str) -> None:
        children = [word for word, above in enumerate(tree.head) if above == head]
        for child in children:
            last = child == children[-1]
            rows.append((f"{indent}{'└─' if last else '├─'} {tree.words[child]}", f"{tree.theta[child]:.4f}",
                         notes[child]))
            below(child, indent + ("   " if last else "│  "))

    below(-1, "")
    width = max(len(name) for name, _, _ in rows)
    return "\n".join(f"{name:{width}}  {theta:>6}  {note}".rstrip() for name, theta, note in rows)


def script_text(query: Drawn, document: Drawn, edits: Sequence[Edit]) -> str:
    """The query's tree with what becomes of each word, the document's tree, and the sum."""
    def note(word: str, edit: Edit) -> str:
        if edit.partner < 0:
            return f"✗ deleted, {edit.cost:.4f}"
        partner = document.words[edit.partner]
        return "= kept" if partner == word else f"→ {partner}, {edit.cost:.4f}"

    taken = {edit.partner for edit in edits}
    inserted = ["" if word in taken else "+ inserted, free" for word in range(len(document.words))]
    total = sum(edit.cost for edit in edits)
    return "\n\n".join(["query", tree_text(query, list(map(note, query.words, edits))), "document",
                        tree_text(document, inserted), f"distance {total:.4f}"])


def tree_svg(tree: Drawn) -> str:
    """The sentence with arcs above it."""
    shape = _Sentence(tree, False)
    return _svg(shape.width, shape.height + LINE, shape.draw(shape.height, ["#000"] * len(tree.words)))


def script_svg(query: Drawn, document: Drawn, edits: Sequence[Edit]) -> str:
    """The query above, arcs over it; the document below, arcs under it; lines between words that belong together."""
    above, below = _Sentence(query, False), _Sentence(document, True)
    top, gap = above.height, 5 * LINE
    color = [DELETED if e.partner < 0 else KEPT if document.words[e.partner] == word else CHANGED
              for word, e in zip(query.words, edits)]
    faces = {e.partner: c for e, c in zip(edits, color) if e.partner >= 0}
    body = above.draw(top, color)
    body += below.draw(top + gap, [faces.get(word, "#999") for word in range(len(document.words))])
    for word, edit in enumerate(edits):
        if edit.partner >= 0:
            body.append(f'<line x1="{above.middle[word]}" y1="{top + 6}" x2="{below.middle[edit.partner]}" '
                        f'y2="{top + gap - LINE - 2}" stroke="{color[word]}" stroke-dasharray="3 2"/>')
        if edit.cost:
            body.append(_label(above.middle[word], top + LINE, f"{edit.cost:.3f}", color[word], 9))
    total = sum(edit.cost for edit in edits)
    height = top + gap + below.height
    body.append(f'<text x="{MARGIN}" y="{height + LINE}" font-size="12">distance {total:.4f}</text>')
    return _svg(max(above.width, below.width), height + 2 * LINE, body)


class _Sentence:
    """Where the words of a sentence stand, and how high its arcs go."""

    def __init__(self, tree: Drawn, under: bool):
        self.tree, self.under = tree, under
        self.middle, right = [], float(MARGIN)
        for word in tree.words:
            size = WORD * max(3, len(word))
            self.middle.append(right + size / 2)
            right += size + WORD
        self.width = right + MARGIN
        spans = [(abs(head - word) if head >= 0 else 0) for word, head in enumerate(tree.head)]
        self.height = LINE * (max(spans, default=0) + 3)

    def draw(self, y: float, color: Sequence[str]) -> list[str]:
        """The words with their feet at y, and the arcs from heads to children."""
        parts = [_label(x, y, word, c, 13) for x, word, c in zip(self.middle, self.tree.words, color)]
        foot, way = (y + 5, 1) if self.under else (y - LINE, -1)
        for word, head in enumerate(self.tree.head):
            if head < 0:
                end = foot + way * LINE * (1.8 if self.under else 1.2)
                parts.append(_label(self.middle[word], end, ROOT, "#666", 9))
                parts.append(f'<line x1="{self.middle[word]}" y1="{foot + way * LINE}" x2="{self.middle[word]}" '
                             f'y2="{foot}" stroke="#666" marker-end="url(#tip)"/>')
                continue
            start = self.middle[head] + (3 if word > head else -3)
            peak = foot + way * LINE * (abs(head - word) + 1)
            parts.append(f'<path d="M{start} {foot} C{start} {peak} {self.middle[word]} {peak} {self.middle[word]} '
                         f'{foot}" fill="none" stroke="#666" marker-end="url(#tip)"/>')
        return parts


def _label(x: float, y: float, text: str, color: str, size: int) -> str:
    return f'<text x="{x}" y="{y}" fill="{color}" font-size="{size}" text-anchor="middle">{escape(text)}</text>'


def _svg(width: float, height: float, body: Sequence[str]) -> str:
    tip = ('<marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="5" markerHeight="5" orient="auto">'
           '<path d="M0 0 L6 3 L0 6 z" fill="#666"/></marker>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
            f'font-family="sans-serif"><rect width="100%" height="100%" fill="#fff"/><defs>{tip}</defs>\n'
            + "\n".join(body) + "\n</svg>\n")
