"""A parser's tree of a text, or the script that turns it into another text's, as text and as SVG.

    shown, picture = drawing(parser, "otters open clams with rocks", "An otter opens a mollusk.")
"""

from __future__ import annotations

import numpy as np

from crossbow.errors import CrossbowError
from crossbow.parse.distance import compare_all
from crossbow.parse.model import Trees
from crossbow.parse.parser import Parser
from crossbow.parse.show import Drawn, Edit, script_svg, script_text, tree_svg, tree_text
from crossbow.parse.texts import Texts


def drawing(parser: Parser, text: str, against: str | None = None) -> tuple[str, str]:
    """The drawing for the terminal and the one in SVG; `against` is read as a document is."""
    words = [parser.reader.words(text)]
    if not words[0]:
        raise CrossbowError(f"there is no word in {text!r}; give a sentence")
    texts, trees = parser.sentences([words])
    query = _drawn(parser, words, trees)
    if against is None:
        return tree_text(query), tree_svg(query)
    [openings] = parser.reader.openings([against])
    others, their_trees = parser.sentences([openings])
    document = _drawn(parser, openings, their_trees)
    edits = _edits(parser, (texts, trees), (others, their_trees))
    return script_text(query, document, edits), script_svg(query, document, edits)


def _drawn(parser: Parser, sentences: list[list[str]], trees: Trees) -> Drawn:
    return Drawn([word for words in sentences for word in words], trees.head.tolist(),
                 parser.model.table.value[trees.edge].tolist())


def _edits(parser: Parser, query: tuple[Texts, Trees], document: tuple[Texts, Trees]) -> list[Edit]:
    (ours, tree), (theirs, their_tree) = query, document
    value, fraction = parser.model.table.value, parser.config.costs.replace == "fraction"
    similar = parser.similarity.matrix(ours.form, ours.stem, theirs.form, theirs.stem)
    cost, their_cost = value[tree.edge], value[their_tree.edge]
    match = np.empty((1, len(cost)), np.int32)
    compare_all(tree.head, cost, theirs.starts, their_tree.head, their_cost, similar, fraction, np.empty(1), match)
    edits = []
    for word, partner in enumerate(match[0].tolist()):
        if partner < 0:
            edits.append(Edit(partner, float(cost[word])))
            continue
        both, s = cost[word] + their_cost[partner], similar[word, partner]
        edits.append(Edit(partner, 0.0 if s >= 1 else float(both / s if fraction else both * (1 - s))))
    return edits
