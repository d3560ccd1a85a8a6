"""A derivation word by word: below each word of the query what stands for it, and what the best translation has there.

    for unit in forced_gloss(steps, best_steps):        # of a document; best_gloss(forest) is the best translation's
        [source[at] for at in unit.source], [word.text for word in unit.words], unit.best

Rules translate phrases; their word links divide these into units as small as possible. A target word without a link
goes with the word before it, a source word without one stands alone. For PSQ, where a word has many translations at
once, `table_gloss` lists those that the document has.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence

from crossbow.forest.hypergraph import Forest
from crossbow.ranking.explain.derivation import best_derivation, steps_of
from crossbow.ranking.explain.records import Step, Unit, Word

Group = tuple[list[int], list[int]]  # source positions, and indexes into the target


def forced_gloss(steps: Iterable[Step], best_steps: Iterable[Step]) -> list[Unit]:
    """The units of a forced derivation in the order of the source; words that translate nothing come last."""
    best = _units(best_steps)
    return [unit._replace(best=_words_for(unit.source, best)) for unit in _units(steps)]


def best_gloss(forest: Forest) -> list[Unit]:
    """The units of the best translation."""
    return _units(steps_of(forest, best_derivation(forest)[0]))


def marked(units: Iterable[Unit], present: Container[str]) -> list[Unit]:
    """The units with those words marked that a document has."""
    return [unit._replace(words=[Word(word.text, word.text in present) for word in unit.words]) for unit in units]


def table_gloss(
    source: Sequence[str], best: Sequence[Unit], translations: Mapping[str, Sequence[str]], present: Mapping[str, str]
) -> list[Unit]:
    """For each word of the query those of its translations, given as terms, that a document has.

    `present` are the document's terms with the way it spells them, `best` the units of the best translation.
    """
    units = []
    for at, word in enumerate(source):
        found = [present[term] for term in translations.get(word, ()) if term in present]
        units.append(Unit([at], [Word(text, True) for text in dict.fromkeys(found)], _words_for([at], best)))
    return units


def split(step: Step) -> list[Group]:
    """The smallest groups of source positions and target words that no link joins with others."""
    if not step.links:
        return [(step.source, list(range(len(step.target))))]
    linked: dict[int, set[int]] = {}
    for position, place in step.links:
        linked.setdefault(place, set()).add(position)
    groups: list[tuple[set[int], set[int]]] = []
    for place in range(min(linked), len(step.target)):
        positions = linked.get(place)
        if positions is None:
            next(group for group in groups if place - 1 in group[1])[1].add(place)
            continue
        apart, joined = [], (positions, {place})
        for group in groups:
            if group[0] & positions:
                joined = (joined[0] | group[0], joined[1] | group[1])
            else:
                apart.append(group)
        groups = [*apart, joined]
    next(group for group in groups if min(linked) in group[1])[1].update(range(min(linked)))
    covered = {position for group in groups for position in group[0]}
    alone: list[Group] = [([position], []) for position in step.source if position not in covered]
    return sorted([*((sorted(positions), sorted(places)) for positions, places in groups), *alone])


def _units(steps: Iterable[Step]) -> list[Unit]:
    units = []
    for step in steps:
        present = {match.word for match in step.matches}
        for source, places in split(step):
            words = [step.target[at] for at in places]
            units.append(Unit(source, [Word(word, word in present) for word in words], words))
    return sorted(units, key=lambda unit: (not unit.source, unit.source))


def _words_for(source: list[int], units: Iterable[Unit]) -> list[str]:
    """The words of all units that translate one of these positions."""
    return [word.text for unit in units if not set(source).isdisjoint(unit.source) for word in unit.words]
