"""Word alignment, slowly and obviously: the model of crossbow.align with dictionaries, symmetrization with sets."""

import math
from collections import Counter, defaultdict

from scipy.special import digamma, gammaln

NONE = None  # stands for "no origin"; positions count from 0 in results, from 1 in the formulas


def prior(tension, null, n, m, j):
    """p(origin) of the word at j (from 0) of m, given n words: {NONE: null, 0: …, n - 1: …}."""
    weights = [math.exp(-tension * abs((i + 1) / n - (j + 1) / m)) for i in range(n)]
    return {NONE: null} | {i: (1 - null) * w / sum(weights) for i, w in enumerate(weights)}


def expected_distance(tension, pairs):
    """Mean over all words made of the expected |i/n - j/m| of a word that has an origin."""
    total, words = 0.0, 0
    for given, made in pairs:
        n, m = len(given), len(made)
        for j in range(m):
            p = prior(tension, 0.0, n, m, j)
            total += sum(p[i] * abs((i + 1) / n - (j + 1) / m) for i in range(n))
            words += 1
    return total / words


def train(pairs, passes=5, null=0.08, tension=4.0, tension_steps=8, alpha=0.01):
    """Variational Bayes over (given, made) sentences without empty ones; one dictionary of results per pass.

    likelihood: natural log; joint: for each word made, {origin: p(origin, word)}; counts: {(e, f): expected};
    divergence: of the table's posterior, from which this pass's t(f|e) came, to its prior (None in the first pass).
    """
    rows = defaultdict(set)
    for given, made in pairs:
        for e in [NONE, *given]:
            rows[e] |= set(made)
    size = 1 + max(f for _, made in pairs for f in made)
    t = {(e, f): 1 / size for e in rows for f in rows[e]}
    words, results, divergence = sum(len(made) for _, made in pairs), [], None
    for turn in range(passes):
        joints, counts, likelihood, distance, linked = [], Counter(), 0.0, 0.0, 0.0
        for given, made in pairs:
            n, m = len(given), len(made)
            for j, f in enumerate(made):
                word = {i: NONE if i is NONE else given[i] for i in [NONE, *range(n)]}
                joint = {i: p * t[word[i], f] for i, p in prior(tension, null, n, m, j).items()}
                total = sum(joint.values())
                likelihood += math.log(total)
                joints.append(joint)
                for i, p in joint.items():
                    counts[word[i], f] += p / total
                    if i is not NONE:
                        distance += p / total * abs((i + 1) / n - (j + 1) / m)
                        linked += p / total
        results.append({"likelihood": likelihood, "words": words, "tension": tension, "joint": joints, "counts": counts,
                        "divergence": divergence})
        divergence = 0.0
        for e, row in rows.items():
            whole = sum(counts[e, f] + alpha for f in row)
            divergence += gammaln(whole) - gammaln(alpha * len(row))
            for f in row:
                c = counts[e, f]
                log_t = digamma(c + alpha) - digamma(whole)
                t[e, f] = math.exp(log_t)
                divergence += gammaln(alpha) - gammaln(c + alpha) + c * log_t
        if turn > 0:
            for _ in range(tension_steps):
                tension += 20 * (expected_distance(tension, pairs) - distance / linked)
                tension = min(max(tension, 0.1), 14.0)
    return results


def symmetrize(forward, backward, heuristic):
    """One sentence pair: forward and backward are sets of (source, target) positions; a sorted list of links."""
    both, either = forward & backward, forward | backward
    if heuristic == "intersection":
        return sorted(both)
    if heuristic == "union":
        return sorted(either)
    links = set(both)

    def source_free(i):
        return all(i != a for a, _ in links)

    def target_free(j):
        return all(j != b for _, b in links)

    before = None
    while before != links:
        before = set(links)
        for i, j in sorted(either, key=lambda link: link[::-1]):
            if (i, j) in links:
                for step in ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)):
                    new = i + step[0], j + step[1]
                    if new in either and (source_free(new[0]) or target_free(new[1])):
                        links.add(new)
    for direction in (forward, backward):
        for i, j in sorted(direction, key=lambda link: link[::-1]):
            if source_free(i) and target_free(j):
                links.add((i, j))
    return sorted(links)
