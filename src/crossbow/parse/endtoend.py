"""End-to-end learning: the parser's parameters are moved so that the ranking gets better, not the likelihood.

    parser, rounds = learn(parser, training_pool, dev_pool, LearningConfig())

In rounds: parse all queries and candidates, find the edit scripts, take the gradient of the ranking objective, and move
the parameters against it, back onto their simplices, by a step that is halved until the objective falls enough. New
parses may raise it again. The parameters of the round that ranks the development queries best are kept, and with them
the α that is best there; round 0 are those that learning starts from. Learning itself goes on with the α that was best
before it, unless that is 0: then no parameter would matter, and the usual α is taken.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from crossbow.arrays import F64, I64
from crossbow.errors import CrossbowError
from crossbow.parse.model import parse
from crossbow.parse.objective import Problem
from crossbow.parse.parser import Parser, ParserConfig
from crossbow.parse.pool import Pool, ndcg
from crossbow.parse.scripts import PoolTrees, Scripts, compare
from crossbow.parse.simplex import project

ALPHAS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0, 11.0, 16.0)
GROWTH, SHRINKING = 1.5, 0.5  # of the step, after a round and when it does too little
ENOUGH = 1e-4  # share of what the gradient promises that a step must achieve
TINY = 1e-9  # a step that is smaller leads nowhere


@dataclass(frozen=True)
class LearningConfig:
    """From what and for how long the parser learns."""

    candidates: int = 20  # of a training query
    rounds: int = 40  # the most that are done
    patience: int = 10  # rounds without a better ranking of the development queries
    step: float = 0.02  # the first one tried

    def __post_init__(self) -> None:
        if self.candidates < 2 or self.rounds < 0 or self.patience < 1 or not self.step > 0:
            raise CrossbowError(f"{self.candidates} candidates, {self.rounds} rounds, patience {self.patience}, step "
                                f"{self.step}: a query needs two candidates, and the others must be positive")


class Round(NamedTuple):
    """One update: the objective before and after it, and how the updated parser ranks the development queries.

    Round 0 is the parser that learning starts from: nothing is updated.
    """

    number: int
    before: float | None
    after: float | None
    step: float | None
    ndcg: float
    alpha: float
    seconds: float  # of learning, without measuring


def trees_and_scripts(parser: Parser, pool: Pool, threads: int = 1) -> tuple[PoolTrees, Scripts]:
    """Parse a pool and compare its queries with their candidates."""
    trees = PoolTrees(parse(parser.model, pool.queries, threads), parse(parser.model, pool.docs, threads))
    return trees, compare(pool, trees, parser.model.table.value, parser.similarity, parser.config.costs, threads)


def tune_alpha(pool: Pool, distance: F64, alphas: tuple[float, ...] = ALPHAS) -> tuple[float, float]:
    """The α that ranks best, the smallest of equally good ones, and its NDCG@10."""
    found = {alpha: float(ndcg(pool, pool.base - alpha * distance).mean()) for alpha in alphas}
    best = max(found, key=lambda alpha: (found[alpha], -alpha))
    return best, found[best]


def unchanged(found: float, alpha: float) -> Round:
    """Round 0."""
    return Round(0, None, None, None, found, alpha, 0.0)


def learn(
    parser: Parser, training: Pool, development: Pool, config: LearningConfig, threads: int = 1,
    each: Callable[[Round], None] = lambda one: None,
) -> tuple[Parser, list[Round]]:
    """The best parser, with the best α, and all rounds."""
    now = parser
    alpha, top = tune_alpha(development, trees_and_scripts(parser, development, threads)[1].distance)
    best = parser.replace(alpha=alpha)
    rounds = [unchanged(top, alpha)]
    each(rounds[0])
    step, since, taught = config.step, 0, parser.config.alpha or ParserConfig().alpha
    while len(rounds) <= config.rounds and since < config.patience:
        start = time.perf_counter()
        problem = Problem(training, *trees_and_scripts(now, training, threads), taught)
        value, before, after, step = descend(problem, now.model.table.starts, now.model.table.value, step)
        seconds = time.perf_counter() - start
        now = now.replace(value)
        alpha, found = tune_alpha(development, trees_and_scripts(now, development, threads)[1].distance)
        rounds.append(Round(len(rounds), before, after, step, found, alpha, seconds))
        each(rounds[-1])
        since += 1
        if found > top:
            best, top, since = now.replace(alpha=alpha), found, 0
        if step < TINY:
            break
        step *= GROWTH
    return best, rounds


def descend(problem: Problem, starts: I64, value: F64, step: float) -> tuple[F64, float, float, float]:
    """One projected gradient step: the new parameters, the objective before and after, and the step that was taken."""
    before, gradient = problem.gradient(value)
    changed = np.logical_or.reduceat(gradient != 0, starts[:-1])
    while step >= TINY:
        moved = value - step * gradient
        project(starts, moved, changed)
        after = problem.loss(moved)
        if after <= before + ENOUGH * float(gradient @ (moved - value)):
            return moved, before, after, step
        step *= SHRINKING
    return value, before, before, step
