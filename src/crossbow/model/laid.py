"""A forest of other tokens of a sentence as one of the sentence's own tokens.

    laid_over(forest, ["kiefernohlz"], [[0], [0]])     # of the tokens kiefer, holz: both stand for the typed one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from crossbow.forest.hypergraph import Forest, ragged


def laid_over(forest: Forest, source: Sequence[str], tokens: Sequence[Sequence[int]]) -> Forest:
    """The forest with these source tokens, given which of them each of its own tokens stands for."""
    lex = [sorted({new for old in forest.lex[begin:end].tolist() for new in tokens[old]})
           for begin, end in zip(forest.lex_starts, forest.lex_starts[1:])]
    align = [[(new, word) for old, word in forest.align[begin:end].tolist() for new in tokens[old]]
             for begin, end in zip(forest.align_starts, forest.align_starts[1:])]
    lex_starts, lex_flat = ragged(lex)
    align_starts, align_flat = ragged(align, 2)
    span = forest.span.copy()
    span[:] = (0, len(source))  # nothing is said of what an edge covers
    return replace(forest, source=list(source), span=span, lex_starts=lex_starts, lex=lex_flat,
                   align_starts=align_starts, align=align_flat)
