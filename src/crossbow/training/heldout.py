"""Keeps the text that weights are tuned on out of what they are tuned with.

    unseen = not_trained_on(pairs, trained)             # which tuning pairs are no training pairs
    kept = without(text, document, references)          # the language model's text without documents that have one

A language model that has seen the references prefers them to all other translations. Weights that are tuned with it
trust it too much, and BLEU and perplexity of the tuning pairs say nothing about other text. So while weights are tuned,
the language model does without every document in which a reference stands. The model's own language model, which is
used afterwards, may see them all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from crossbow.arrays import I32, Bools
from crossbow.errors import CrossbowError
from crossbow.jit import kernel
from crossbow.vocab import Corpus

SHORT = 5  # words; a sentence with fewer may stand in any document by chance
LEAST = 0.5  # of the tuning pairs, and of the language model's text, must be left

IdPair = tuple[I32, I32]  # a sentence and its translation, as ids


def not_trained_on(pairs: Sequence[IdPair], source: Corpus, target: Corpus) -> list[bool]:
    """Which pairs are no training pairs. An error, if most are."""
    asked = {(left.tobytes(), right.tobytes()) for left, right in pairs}
    seen = set()
    for n in range(len(source.starts) - 1):
        sides = (text.words[text.starts[n] : text.starts[n + 1]].tobytes() for text in (source, target))
        if (pair := tuple(sides)) in asked:
            seen.add(pair)
    unseen = [(left.tobytes(), right.tobytes()) not in seen for left, right in pairs]
    if sum(unseen) < LEAST * len(pairs):
        raise CrossbowError(f"{len(pairs) - sum(unseen)} of {len(pairs)} tuning pairs are training pairs too; weights "
                            "tuned on them would trust the training text too much: tune on pairs that are held out")
    return unseen


def without(text: Corpus, document: I32, references: Sequence[I32]) -> Corpus:
    """The text without documents in which a reference stands; `document` names that of each line, by number."""
    found = lines_with(text, references)
    bad = np.zeros(int(document.max(initial=-1)) + 1, np.bool_)
    bad[document[found]] = True
    kept = _selected(text, ~bad[document])
    if len(kept.words) < LEAST * len(text.words):
        raise CrossbowError("documents that contain references of the tuning pairs are left out of the language "
                            "model's text while tuning, and here that is most of the text; give that text with one "
                            "document per line, and tune on pairs that are held out")
    if lines_with(kept, references).any():
        raise AssertionError("the language model's text still has references of the tuning pairs")
    return kept


def lines_with(text: Corpus, sentences: Sequence[I32]) -> Bools:
    """Which lines contain all words of a sentence, one after another; a short sentence must be the whole line."""
    size = int(text.words.max(initial=-1)) + 1
    known = [one for one in sentences if len(one) and one.min() >= 0 and one.max() < size]
    order = sorted(known, key=lambda one: int(one[0]))
    begins = np.searchsorted([int(one[0]) for one in order], np.arange(size + 1))
    words = np.concatenate([np.empty(0, np.int32), *order]).astype(np.int32)
    starts = np.cumsum([0, *map(len, order)])
    found = np.zeros(len(text.starts) - 1, np.bool_)
    _mark(text.words, text.starts, words, starts, begins, found)
    return found


def _selected(text: Corpus, lines: Bools) -> Corpus:
    """Only some lines of a text."""
    lengths = np.diff(text.starts)
    return Corpus(text.words[np.repeat(lines, lengths)], np.concatenate(([0], np.cumsum(lengths[lines]))))


@kernel
def _mark(text, lines, words, starts, begins, found):
    """Mark the lines that contain a sentence. Those that begin with word w are begins[w] to begins[w + 1]."""
    for line in range(lines.shape[0] - 1):
        for at in range(lines[line], lines[line + 1]):
            for s in range(begins[text[at]], begins[text[at] + 1]):
                size = starts[s + 1] - starts[s]
                whole = at == lines[line] and at + size == lines[line + 1]
                if at + size > lines[line + 1] or (size < SHORT and not whole):
                    continue
                same = 0
                while same < size and text[at + same] == words[starts[s] + same]:
                    same += 1
                if same == size:
                    found[line] = True
                    break
            if found[line]:
                break
