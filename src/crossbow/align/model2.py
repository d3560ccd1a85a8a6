"""IBM model 2 with a diagonal prior and a Dirichlet prior on the translation table: the model of fast_align.

    links, record = train(source, target, cells, forward=True, config=config)
    links[k]           # for the k-th target word of the corpus: its source position in the sentence, or -1 for none

Every word of the `made` side is thought to come from one word of the `given` side or from none. A pass computes the
posterior of that choice for every word (E-step), then makes a new table from the expected counts (M-step):
t(f|e) = exp(digamma(c(e,f) + alpha) - digamma(sum over f of the same)), the mean-field step of variational Bayes.
The table keeps exp(digamma(c + alpha)) per cell, the denominators per given word. So the M-step is one sweep over the
cells that need not know whose they are, and both directions can work on one index.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from crossbow.align.cells import Cells, unpack
from crossbow.align.config import AlignConfig
from crossbow.align.diagonal import fit_tension, shapes_of, sums
from crossbow.arrays import F32, F64, I16, I64
from crossbow.jit import helper, kernel
from crossbow.vocab import Corpus

# exp(digamma(.01)) is 2e-44, below the range of float32; times this, every value up to a count of 1e14 is in it.
SCALE = 2.0**80



class Table(NamedTuple):
    """t(f|e) = cells[k] * given[e, 0] if (e, f) has its place at k, and t(f|none) = none[f, 0] * none_given[0, 0].

    Column 1 holds the expected counts of the same, and so does cells[k + 1] where the words meet again; where they do
    not, the count takes the place of cells[k]. A cell's two numbers share a cache line, for passes are bound by memory;
    what is summed over many cells is float64. (Cells of float64 change 0.02 % of the links of 20M words.)
    """

    cells: F32
    given: F64
    none: F64
    none_given: F64


class Work(NamedTuple):
    """Scratch of a pass, an entry for each position of the given sentence; the last, for each pair of positions."""

    place: F64  # i / n
    rise: F64  # exp(tension i / n) times the table's factor of the word
    fall: F64  # exp(-tension i / n) times the same
    joint: F64  # probability of this position and of the word made
    expected: F64  # expected number of words made from this position
    places: I64  # of the sentence's cells, source position by target position


class Record(NamedTuple):
    """What a training run reports: after each pass, bits per word, and the tension that the pass used."""

    cross_entropy: list[float]
    tension: list[float]


@helper
def digamma(x: float) -> float:
    """The derivative of log gamma, for x > 0: recurrence up to 10, then the asymptotic series; error below 1e-12."""
    result = 0.0
    while x < 10.0:
        result -= 1.0 / x
        x += 1.0
    y = 1.0 / (x * x)
    series = y * (1 / 12 - y * (1 / 120 - y * (1 / 252 - y * (1 / 240 - y / 132))))
    return result + math.log(x) - 0.5 / x - series


@helper
def _weigh_positions(tension: float, factors: Any, words: Any, first: int, n: int, work: Work) -> None:
    """Fill in what depends on the given sentence alone."""
    for i in range(n):
        place = (i + 1) / n
        power, factor = math.exp(tension * place), factors[words[first + i], 0]
        work.place[i] = place
        work.rise[i] = factor * power
        work.fall[i] = factor / power
        work.expected[i] = 0.0


@helper
def _weigh_origins(cells: Any, at: int, stride: int, n: int, up: float, down: float, work: Work) -> float:
    """Fill in work.joint for one word made, whose cells have the places at, at + stride, …; returns the sum.

    exp(-|x - y|) is the lesser of exp(x - y) and exp(y - x), so no exponential is needed here.
    """
    total = 0.0
    for i in range(n):
        joint = cells[work.places[at + i * stride]] * min(work.rise[i] * down, work.fall[i] * up)
        work.joint[i] = joint
        total += joint
    return total


@kernel
def expect(
    given: Corpus, made: Corpus, index: Cells, forward: bool, tension: float, null: float, table: Table, work: Work
) -> tuple[float, float]:
    """The E-step: adds the expected counts to the table; returns log likelihood and the summed distance of links."""
    source, target = (given, made) if forward else (made, given)
    cells, twice = table.cells, 2 * index.again.sum()
    likelihood, distance, late = 0.0, 0.0, 0
    for s in range(index.starts.shape[0] - 1):
        if index.starts[s] == index.starts[s + 1]:
            continue
        first, other = given.starts[s], made.starts[s]
        n, m = given.starts[s + 1] - first, made.starts[s + 1] - other
        stride, hop = (m, 1) if forward else (1, n)
        late = unpack(index, source, target, s, late, work.places)
        _weigh_positions(tension, table.given, given.words, first, n, work)
        for j in range(m):
            word, at, place = made.words[other + j], j * hop, (j + 1) / m
            share, power = (1.0 - null) / sums(tension, n, m, j + 1)[0], math.exp(tension * place)
            none = null * table.none[word, 0] * table.none_given[0, 0]
            total = none + _weigh_origins(cells, at, stride, n, share * power, share / power, work)
            likelihood += math.log(total)
            table.none[word, 1] += none / total
            table.none_given[0, 1] += none / total
            inverse = 1.0 / total
            for i in range(n):
                posterior = work.joint[i] * inverse
                cell = work.places[at + i * stride]
                if cell < twice:
                    cells[cell + 1] += posterior
                else:
                    cells[cell] = posterior
                work.expected[i] += posterior
                distance += posterior * abs(work.place[i] - place)
        for i in range(n):
            table.given[given.words[first + i], 1] += work.expected[i]
    return likelihood, distance


@kernel
def choose(
    given: Corpus, made: Corpus, index: Cells, forward: bool, tension: float, null: float, table: Table, work: Work,
    links: I16,
) -> float:
    """The last pass: each word's most probable origin (of equals: none, then the first); returns log likelihood."""
    source, target = (given, made) if forward else (made, given)
    likelihood, late = 0.0, 0
    for s in range(index.starts.shape[0] - 1):
        if index.starts[s] == index.starts[s + 1]:
            continue
        first, other = given.starts[s], made.starts[s]
        n, m = given.starts[s + 1] - first, made.starts[s + 1] - other
        stride, hop = (m, 1) if forward else (1, n)
        late = unpack(index, source, target, s, late, work.places)
        _weigh_positions(tension, table.given, given.words, first, n, work)
        for j in range(m):
            word, at, place = made.words[other + j], j * hop, (j + 1) / m
            share, power = (1.0 - null) / sums(tension, n, m, j + 1)[0], math.exp(tension * place)
            best = null * table.none[word, 0] * table.none_given[0, 0]
            total = best + _weigh_origins(table.cells, at, stride, n, share * power, share / power, work)
            likelihood += math.log(total)
            for i in range(n):
                if work.joint[i] > best:
                    best = work.joint[i]
                    links[other + j] = i
    return likelihood


@kernel
def renew_numerators(values: Any, alpha: float) -> None:
    """Half of the M-step, for the cells and for the row of no origin: exp(digamma(c + alpha)); clears the counts."""
    last = values.shape[1] - 1
    for k in range(values.shape[0]):
        count = values[k, last]
        values[k, last] = 0.0
        values[k, 0] = math.exp(digamma(count + alpha)) * SCALE


@kernel
def renew_denominators(values: Any, degree: Any, alpha: float) -> None:
    """The other half, for words that met `degree` others: exp(-digamma(sum of c + alpha)); clears the counts."""
    for e in range(degree.shape[0]):
        if degree[e] > 0:
            values[e, 0] = math.exp(-digamma(values[e, 1] + alpha * degree[e])) / SCALE
            values[e, 1] = 0.0


def renew(table: Table, repeated: int, given_degree: Any, made_degree: Any, alpha: float) -> None:
    """The M-step: a new table from the counts, which are cleared. The degrees count the words each word meets."""
    renew_numerators(table.cells[: 2 * repeated].reshape(-1, 2), alpha)
    renew_numerators(table.cells[2 * repeated :].reshape(-1, 1), alpha)
    renew_numerators(table.none, alpha)
    renew_denominators(table.given, given_degree, alpha)
    renew_denominators(table.none_given, np.array([np.count_nonzero(made_degree)], np.int32), alpha)


def uniform_table(index: Cells, given_words: int, made_words: int) -> Table:
    """A table that gives every word the same probability, and has no counts."""
    table = Table(np.ones(index.total + index.repeated, np.float32), np.zeros((given_words, 2)),
                  np.zeros((made_words, 2)), np.zeros((1, 2)))
    table.cells[1 : 2 * index.repeated : 2] = 0.0
    table.none[:, 0] = 1.0
    table.given[:, 0] = table.none_given[0, 0] = 1.0 / max(1, made_words)
    return table


def scratch(longest: int) -> Work:
    """For sentences of at most so many words."""
    place, rise, fall, joint, expected = np.zeros((5, longest))
    return Work(place, rise, fall, joint, expected, np.zeros(longest * longest, np.int64))


def train(
    source: Corpus,
    target: Corpus,
    index: Cells,
    forward: bool,
    config: AlignConfig,
    done: Callable[[], None] = lambda: None,
) -> tuple[I16, Record]:
    """Learn and align one direction (forward: target words come from source words); calls `done` after each pass."""
    given, made = (source, target) if forward else (target, source)
    degrees = (index.source_degree, index.target_degree) if forward else (index.target_degree, index.source_degree)
    table = uniform_table(index, *map(len, degrees))
    work = scratch(config.longest)
    shapes = shapes_of(given, made, np.diff(index.starts) > 0)
    words = int(shapes[:, 1] @ shapes[:, 2])
    links = np.full(len(made.words), -1, np.int16)
    record = Record([], [])
    tension = config.tension
    for turn in range(config.passes):
        record.tension.append(float(tension))
        if turn == config.passes - 1:
            likelihood = choose(given, made, index, forward, tension, config.null, table, work, links)
        else:
            likelihood, distance = expect(given, made, index, forward, tension, config.null, table, work)
            linked = words - table.none_given[0, 1]
            renew(table, index.repeated, *degrees, config.alpha)
            if turn > 0 and linked > 0:
                tension = fit_tension(tension, shapes, distance / linked, config.tension_steps)
        record.cross_entropy.append(-likelihood / math.log(2) / max(1, words))
        done()
    return links, record
