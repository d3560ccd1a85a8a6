"""A training query in the form that learning reads: one program, and what its edges and leaves are features of.

    example = make_example(forests, index, pairs, search, config)
    store.unpack_strings(example.names)         # of its features; everything else refers to them by number

The sentences of a query become one program: its last node has a single edge that adds up the sentences' goals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from crossbow import store
from crossbow.arrays import F32, F64, I32, U8
from crossbow.forest.hypergraph import Forest
from crossbow.index import Index
from crossbow.learn.config import DENSE, IR, LearnConfig
from crossbow.learn.sampling import Pairs
from crossbow.ranking.config import SearchConfig
from crossbow.ranking.forced.lexical import lex_features, rescored
from crossbow.ranking.forced.program import Program, offsets
from crossbow.ranking.forced.query import ForcedQuery
from crossbow.vocab import Vocab


class Example(NamedTuple):
    """Program, features and pairs of a query, as the learning kernel takes them."""

    first: I32
    starts: I32
    operands: I32
    score: F64  # what an edge scores apart from features that are learned
    dense: F32  # (edges, n): the values of the first n features, the translation model's
    lex_starts: I32
    lex: I32  # lexical features of edge e: lex[lex_starts[e]:lex_starts[e + 1]]
    leaf: I32  # the feature of each leaf
    values: F64  # documents × leaves: what the leaf's feature is in the document
    positive: I32  # pairs of documents, as in Pairs
    pair_starts: I32
    negative: I32
    margin: F64
    names: U8


def make_example(
    forests: Sequence[Forest], index: Index, pairs: Pairs, search: SearchConfig, config: LearnConfig
) -> Example:
    """Compile the forests of a query's sentences for the documents of its pairs.

    Lexical features that have weights already count also when no more are learned.
    """
    queries = [ForcedQuery(forest, index, search.weights, search.bm25) for forest in forests]
    program = joined([query.exact for query in queries])
    smt = forests[0].names if config.joint else ()
    vocab = Vocab(smt)
    terms = [name for query in queries for name in query.terms.names]
    leaf = vocab.add_all(DENSE if config.dense else IR + term for term in terms)
    values = np.concatenate([query.term_values(pairs.docs) for query in queries], axis=1)
    dense = np.zeros((program.edges, len(smt)), np.float32)
    fixed = forests
    if config.joint:
        dense[:-1] = np.concatenate([forest.features for forest in forests])
        fixed = [replace(forest, score=np.zeros(forest.edges)) for forest in forests]
    if not config.lex:
        fixed = [rescored(forest, search.weights.learned.lex) for forest in fixed]
    score = np.concatenate([*(forest.score for forest in fixed), [0.0]])
    found = [lex_features(forest) for forest in forests] if config.lex else []
    widths = np.zeros(program.edges, np.int32)
    if found:
        widths[:-1] = np.concatenate([np.diff(each.starts) for each in found])
    lex = [vocab.add_all(each.names)[each.features] for each in found]
    return Example(
        program.first, program.starts, program.operands, score, dense, offsets(widths),
        np.concatenate([np.empty(0, np.int32), *lex]), leaf, values.ravel(), *pairs[1:],
        store.pack_strings(vocab.words),
    )


def joined(programs: Sequence[Program]) -> Program:
    """One program whose value is the sum of all; each keeps its leaves, also those that it shares with others."""
    leaves = sum(program.leaves for program in programs)
    before_leaves, before_nodes = 0, leaves
    operands, goals = [], []
    for program in programs:
        rows = program.operands
        operands.append(np.where(rows < program.leaves, rows + before_leaves, rows - program.leaves + before_nodes))
        before_leaves, before_nodes = before_leaves + program.leaves, before_nodes + program.nodes
        goals.append(before_nodes - 1)
    return Program(
        leaves,
        offsets(np.concatenate([*(np.diff(program.first) for program in programs), [1]])),
        offsets(np.concatenate([*(np.diff(program.starts) for program in programs), [len(goals)]])),
        np.concatenate([*operands, goals]).astype(np.int32),
        np.concatenate([*(program.cost for program in programs), [0.0]]),
    )
