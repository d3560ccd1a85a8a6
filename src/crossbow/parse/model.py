"""The dependency model: p(tree) is the product over its arcs of θ(child | parent), a distribution for each parent.

    model = ParseModel(vocab, table, config)
    texts = Reader(analyzer, vocab).queries(["otters open clams with rocks"])
    trees = parse(model, texts)
    model.table.value[trees.edge]                            # θ of every word under its head

Parents are the units (UNK and the words of the vocabulary) and, as the last row, ROOT. A row lists the children that
the parent was seen with, and before them OTHER: all that are not listed share its one parameter. So every row is a
point of a simplex, and every tree of any sentence has a probability.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I32, I64
from crossbow.errors import CrossbowError
from crossbow.jit import helper, kernel, maker
from crossbow.parse.eisner import fill_best, fill_posteriors
from crossbow.parse.texts import Texts
from crossbow.threads import in_order
from crossbow.vocab import Vocab

OTHER = -1
FLOOR = 1e-10  # what a parameter that is 0 counts in parsing, so that every sentence has a tree
BATCH = 1000  # sentences a thread takes at a time
METHODS = ("posterior", "viterbi")


@dataclass(frozen=True)
class ParseConfig:
    """How a tree is chosen."""

    method: str = "posterior"  # each word's most probable head, or "viterbi": the most probable tree

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise CrossbowError(f"parsing by {self.method!r}: it must be one of {', '.join(METHODS)}")


class Table(NamedTuple):
    """Parameters in rows by parent: children[starts[p]:starts[p + 1]] is OTHER and then the listed units, sorted."""

    starts: I64
    children: I32
    value: F64


class Trees(NamedTuple):
    """The trees of texts: by word its head, as a place in its text (-1: ROOT), and the parameter of that arc."""

    head: I32
    edge: I32


class ParseModel(NamedTuple):
    """A vocabulary (its first word is UNK), the parameters, and how trees are chosen."""

    vocab: Vocab
    table: Table
    config: ParseConfig = ParseConfig()

    def with_value(self, value: F64) -> ParseModel:
        """The same model with other parameters."""
        return self._replace(table=self.table._replace(value=value))


@helper
def _edge(starts, children, parent, child):
    """The parameter of an arc: the child's place in the parent's row, found by bisection, or that of OTHER."""
    low, high = starts[parent] + 1, starts[parent + 1]
    end = high
    while low < high:
        middle = (low + high) >> 1
        if children[middle] < child:
            low = middle + 1
        else:
            high = middle
    return low if low < end and children[low] == child else starts[parent]


@helper
def _edges(starts, children, unit, edges):
    """The parameters of all arcs of a sentence; those of ROOT are the last row."""
    n = unit.shape[0]
    for h in range(n + 1):
        parent = unit[h] if h < n else starts.shape[0] - 2
        for c in range(n):
            edges[h, c] = _edge(starts, children, parent, unit[c])


@helper
def _is_tree(head):
    """Whether every word reaches ROOT."""
    n = head.shape[0]
    for c in range(n):
        at, steps = c, 0
        while at >= 0 and steps <= n:
            at = head[at]
            steps += 1
        if at >= 0:
            return False
    return True


@maker
def _viterbi(value, edges, arcs, head):
    """The most probable tree and its log probability."""
    n = edges.shape[1]
    for h in range(n + 1):
        for c in range(n):
            arcs[h, c] = np.log(max(value[edges[h, c]], FLOOR))
    return fill_best(arcs, head)


@maker
def _most_probable_heads(value, edges, arcs, posterior, head):
    """Each word's most probable head. If these are no tree, the projective tree of the largest sum of posteriors."""
    n = edges.shape[1]
    for c in range(n):
        top = 0.0
        for h in range(n + 1):
            if h != c:
                top = max(top, value[edges[h, c]])
        for h in range(n + 1):  # a factor for all heads of a word changes no posterior, and no product vanishes
            arcs[h, c] = max(value[edges[h, c]], FLOOR) / max(top, FLOOR)
    if fill_posteriors(arcs, posterior) == 0.0:
        _viterbi(value, edges, arcs, head)
        return
    for c in range(n):
        best = -1.0
        for h in range(n + 1):
            if h != c and posterior[h, c] > best:
                best, head[c] = posterior[h, c], h if h < n else -1
    if not _is_tree(head):
        fill_best(posterior, head)


@kernel
def parse_sentences(starts, children, value, sentences, offset, unit, viterbi, head, edge):
    """Parse sentences; a head is a place in the text, which begins `offset` words before its sentence.

    Returns the sum of the trees' log probabilities, 0 unless they are the most probable ones.
    """
    longest = 0
    for s in range(sentences.shape[0] - 1):
        longest = max(longest, sentences[s + 1] - sentences[s])
    total = 0.0
    edges_of, arcs_of = np.empty((longest + 1) * longest, np.int32), np.empty((longest + 1) * longest)
    posterior_of = np.empty((longest + 1) * longest)
    for s in range(sentences.shape[0] - 1):
        begin, end = sentences[s], sentences[s + 1]
        n = end - begin
        size = (n + 1) * n
        edges = edges_of[:size].reshape(n + 1, n)
        arcs = arcs_of[:size].reshape(n + 1, n)
        here = head[begin:end]
        _edges(starts, children, unit[begin:end], edges)
        if viterbi:
            total += _viterbi(value, edges, arcs, here)
        else:
            _most_probable_heads(value, edges, arcs, posterior_of[:size].reshape(n + 1, n), here)
        for c in range(n):
            h = here[c]
            edge[begin + c] = edges[h if h >= 0 else n, c]
            if h >= 0:
                here[c] = h + offset[s]
    return total


def parse(model: ParseModel, texts: Texts, threads: int = 1) -> Trees:
    """The trees of texts; the sentences of a text stand side by side under its ROOT."""
    return parse_with_likelihood(model, texts, threads)[0]


def parse_with_likelihood(model: ParseModel, texts: Texts, threads: int = 1) -> tuple[Trees, float]:
    """The trees, and for Viterbi parses the log probability of them all."""
    head, edge = np.empty(len(texts.unit), np.int32), np.empty(len(texts.unit), np.int32)
    begins = texts.sentences[:-1]
    offset = begins - texts.starts[np.searchsorted(texts.starts, begins, "right") - 1]

    def work(first: int) -> float:
        last = first + BATCH
        return float(parse_sentences(*model.table, texts.sentences[first : last + 1], offset[first:last], texts.unit,
                                     model.config.method == "viterbi", head, edge))

    return Trees(head, edge), sum(total for _, total in in_order(work, range(0, len(begins), BATCH), threads))
