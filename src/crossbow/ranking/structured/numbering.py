"""Words and their index terms by number, so that tables of thousands of translations are made without strings.

    numbering = Numbering.of(index)
    numbers = numbering.of_ids(lexicon.target, ids)        # of words that a vocabulary has by id
    at, terms = numbering.terms(numbers)                   # word numbers[at[k]] gives the term names[terms[k]]

There is one numbering for an index as it was opened. It grows as words are asked for, and is safe to share between
threads.
"""

from __future__ import annotations

from threading import Lock
from weakref import WeakKeyDictionary

import numpy as np

from crossbow.arrays import I32, Bools
from crossbow.index import Index
from crossbow.vocab import Vocab

NONE, SEVERAL, BLANK = -1, -2, -3  # no term that some document has, more than one, no term at all
MOST_WORDS = 1 << 20
_OF: WeakKeyDictionary[Index, Numbering] = WeakKeyDictionary()


class Numbering:
    """The words that were asked for, and the terms of theirs that some document has."""

    def __init__(self, index: Index):
        # Only what is needed of the index: it must not be kept alive by what belongs to it.
        self._terms_of, self._df = index.analyzer.terms, index.frequencies
        self.words, self.names = list[str](), list[str]()
        self._word: dict[str, int] = {}
        self._term: dict[str, int] = {}
        self._first = np.empty(1024, np.int32)  # a word's first term, or one of the above; there is room for more words
        self._several: dict[int, list[int]] = {}
        self._vocabs: WeakKeyDictionary[Vocab, I32] = WeakKeyDictionary()
        self._lock = Lock()

    @classmethod
    def of(cls, index: Index) -> Numbering:
        """The numbering of an index; a new one if it has too many words, for queries may make them up without end."""
        found = _OF.get(index)
        if found is None or len(found.words) > MOST_WORDS:
            found = _OF[index] = cls(index)
        return found

    def of_word(self, word: str) -> int:
        """The number of a word."""
        number = self._word.get(word)
        if number is None:
            with self._lock:
                number = self._word.get(word)
                if number is None:
                    number = self._add(word)
        return number

    def of_ids(self, vocab: Vocab, ids: I32) -> I32:
        """The numbers of the words that have these ids in a vocabulary."""
        table = self._vocabs.get(vocab)
        if table is None or len(table) < len(vocab):
            table = self._vocabs[vocab] = np.full(len(vocab), NONE, np.int32)
        for missing in ids[table[ids] == NONE].tolist():
            table[missing] = self.of_word(vocab.words[missing])
        return table[ids]

    def terms(self, numbers: I32) -> tuple[I32, I32]:
        """For each term of these words the place of its word, and the term."""
        first = self._first[numbers]
        at = np.flatnonzero(first >= 0)
        more = [(place, term) for place in np.flatnonzero(first == SEVERAL).tolist()
                for term in self._several[int(numbers[place])]]
        places, others = np.array(more, np.int32).reshape(-1, 2).T
        return np.concatenate([at.astype(np.int32), places]), np.concatenate([first[at], others])

    def blank(self, numbers: I32) -> Bools:
        """Which of these words are no terms in any collection: function words and signs."""
        return np.equal(self._first[numbers], BLANK)

    def _add(self, word: str) -> int:
        found, terms = [], dict.fromkeys(self._terms_of(word))
        for term in terms:
            number = self._term.get(term)
            if number is None:
                number = self._term[term] = len(self.names) if self._df[term] else NONE
                if number != NONE:
                    self.names.append(term)
            if number != NONE:
                found.append(number)
        number = len(self.words)
        if number == len(self._first):
            self._first = np.concatenate([self._first, np.empty_like(self._first)])
        self._first[number] = SEVERAL if len(found) > 1 else found[0] if found else NONE if terms else BLANK
        if len(found) > 1:
            self._several[number] = found
        self.words.append(word)
        self._word[word] = number  # last: from now on other threads find it
        return number
