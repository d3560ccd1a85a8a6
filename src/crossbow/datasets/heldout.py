"""Keeps held-out text out of the training text, and proves that it is out.

    copies = Copies(); copies.add(held_out_sentence); copies.covers(training_sentence)
    check_no_leak(collection)                    # raises when a built collection leaks

Texts are compared as words without case, digits and punctuation. A sentence counts as copied when it stands, as a
whole, anywhere in a held-out text; one of fewer than five words only when it equals a held-out sentence.
"""

from __future__ import annotations

from collections.abc import Iterable

from crossbow.datasets.collection import Collection
from crossbow.datasets.debian_text import words
from crossbow.errors import InputError
from crossbow.text.sentences import split_sentences

SHORT = 5
Words = tuple[str, ...]


class Copies:
    """A set of texts that answers whether a sentence stands in one of them."""

    def __init__(self) -> None:
        self._texts: set[Words] = set()
        self._starts: dict[Words, list[tuple[Words, int]]] = {}

    def add(self, text: str) -> None:
        found = tuple(words(text))
        if found not in self._texts:
            self._texts.add(found)
            for place in range(len(found) - SHORT + 1):
                self._starts.setdefault(found[place:place + SHORT], []).append((found, place))

    def covers(self, sentence: str) -> bool:
        found = tuple(words(sentence))
        if len(found) < SHORT:
            return bool(found) and found in self._texts
        return any(text[place:place + len(found)] == found for text, place in self._starts.get(found[:SHORT], ()))

    def cover_any(self, sentences: Iterable[str]) -> bool:
        return any(map(self.covers, sentences))


def check_no_leak(collection: Collection) -> int:
    """Check a collection on disk: no group of a dev or test query, and no sentence of its text, is trained or tuned on.

    Returns the number of held-out sentences that were looked for.
    """
    held = {query.id: group for split in ("dev", "test")
            for query, group in zip(collection.queries(split), collection.query_groups(split))}
    trained = {*collection.train_groups(), *collection.query_groups("train")}
    both = trained & set(held.values())
    if both:
        raise InputError(collection.folder, None, f"groups both trained on and held out: {sorted(both)[:5]}")
    sides = {collection.source: Copies(), collection.target: Copies()}
    count = 0
    texts = [(collection.target, doc.text) for doc in collection.docs() if doc.id in held]
    texts += [(collection.source, query.text) for split in ("dev", "test")
              for long in (False, True) for query in collection.queries(split, long=long)]
    for language, text in texts:
        for sentence in split_sentences(text, language):
            sides[language].add(sentence)
            count += 1
    for part in (collection.pairs(), collection.tuning()):
        for number, pair in enumerate(part, 1):
            for (language, copies), side in zip(sides.items(), pair):
                if copies.cover_any(split_sentences(side, language)):
                    raise InputError(part.source, number, f"held-out {language} text is trained on: {side!r}")
    return count
