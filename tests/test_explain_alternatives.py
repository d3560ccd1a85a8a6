"""The forest's alternatives for a word, against a list of all derivations."""

from __future__ import annotations

from hypothesis import given, settings

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.explain.alternatives import Choice, alternatives
from reference.decode import derivations
from reference.forests import Edge, edges_of, forest_of, forests


def listed(forest: Forest) -> list[dict[str, float]]:
    """For each position the linked words and the least cost of a derivation with the link."""
    edges, found = edges_of(forest), [{} for _ in forest.source]
    everything = derivations(forest)
    for derivation in everything:
        cost = everything[0].score - derivation.score
        for e in derivation.edges:
            for position, place in edges[e].align:
                word = edges[e].target[place]
                found[position][word] = min(cost, found[position].get(word, cost))
    return found


@given(forest=forests())
@settings(deadline=None, max_examples=200)
def test_all_derivations_are_considered(forest: Forest) -> None:
    for choices, expected in zip(alternatives(forest, count=100), listed(forest), strict=True):
        assert {choice.word: round(choice.cost, 6) for choice in choices} == {
            word: round(cost, 6) + 0.0 for word, cost in expected.items()}
        assert [choice.cost for choice in choices] == sorted(choice.cost for choice in choices)
        assert all(choice.cost >= 0.0 for choice in choices)


def test_the_cheapest_are_shown() -> None:
    edges = [Edge(0, [], -float(n), [f"w{n}"], lex=(0,), align=((0, 0),)) for n in range(20)]
    (choices,) = alternatives(forest_of(edges, ["s"]), count=3)
    assert choices == [Choice("w0", 0.0), Choice("w1", 1.0), Choice("w2", 2.0)]


def test_without_links_there_are_none() -> None:
    assert alternatives(forest_of([Edge(0, [], 0.0, ["a"], lex=(0,))], ["s", "t"])) == [[], []]
