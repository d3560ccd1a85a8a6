"""The part of a document that shows why it was found, with the matching words marked.

It is the stretch that has the most of the query: each term counts once, and a little more if it is repeated. It begins
where a sentence does, if one begins near enough.

    pieces = snippet(index.doc(number), index.analyzer, {"hous": 4.1, "lake": 5.0})
    "".join(f"[{text}]" if marked else text for text, marked in pieces)
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, deque
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple
from weakref import WeakKeyDictionary, ref

from crossbow.records import Doc
from crossbow.text.analyzer import Analyzer
from crossbow.text.memo import Memo
from crossbow.text.sentences import split_sentences

WORDS = 30  # of a snippet
CONTEXT = 5  # words before the first match, where no sentence begins near enough
LONGER = 1 / 3  # by how much a snippet may be longer, to begin where a sentence does
LONGEST = 5000  # words of a document that are looked at
REMEMBERED = 1 << 15  # pieces of text
JOINED = 5  # tokens that are shown as one word if no space parts them, as in text-mode, and the script puts spaces

MATCH = 1e-6  # what a match weighs in addition to its gain: a word that counts nothing is worth showing too
REPEATED = 0.01  # the share of its weight that a match keeps if the stretch has the same term already

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")  # what could change the state of a terminal


def snippet(doc: Doc, analyzer: Analyzer, terms: Mapping[str, float], words: int = WORDS) -> list[tuple[str, bool]]:
    """Pieces of text, and whether they match: the stretch of about so many words in which the matches weigh most.

    Whatever is among the terms is marked, also if it weighs nothing. Punctuation around a word is not.
    """
    found, wanted = _words(doc, analyzer), terms.keys()
    matched = {at: [term for term in dict.fromkeys(word.terms) if term in terms]
               for at, word in enumerate(found) if not wanted.isdisjoint(word.terms)}
    if len(found) <= words:  # as most titles: there is nothing to choose
        start, end, whole = 0, len(found), True
    else:
        start, end, whole = _stretch(found, matched, _best_start(matched, terms, words), words, analyzer.settings.lang)

    def plain(begin: int, end: int) -> str:
        text = "".join([word.shown for word in found[begin:end]])
        return text.lstrip() if begin == start else text

    pieces, done = [("" if whole else "… ", False)], start
    for at in matched:
        if start <= at < end:
            pieces += [(plain(done, at), False), (found[at].space if at > start else "", False)]
            pieces += _marked(found[at].text)
            done = at + 1
    return joined([*pieces, (plain(done, end), False), (" …" if end < len(found) else "", False)])


def joined(pieces: Iterable[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Neighbors that are marked alike as one: of overlapping pairs of characters, each has one character of its own."""
    return [("".join([text for text, _ in group]), marked)
            for marked, group in groupby(filter(itemgetter(0), pieces), itemgetter(1))]


def _marked(word: str) -> list[tuple[str, bool]]:
    """A word that matches, without the punctuation around it."""
    places = [at for at, letter in enumerate(word) if letter.isalnum()]
    begin, end = (places[0], places[-1] + 1) if places else (0, len(word))
    while end < len(word) and unicodedata.category(word[end]).startswith("M"):
        end += 1  # vowel signs belong to the letter before
    return [(word[:begin], False), (word[begin:end], True), (word[end:], False)]


def spellings(doc: Doc, analyzer: Analyzer, terms: Container[str]) -> dict[str, str]:
    """Which of the terms the document has, each with the first word that gives it, lower-cased."""
    found: dict[str, str] = {}
    for word in _words(doc, analyzer):
        for token in word.tokens:
            for term in analyzer.terms(token):
                if term in terms:
                    found.setdefault(term, token)
    return found


class _Word(NamedTuple):
    text: str
    shown: str  # with the space before it, if there is one
    tokens: Sequence[str]  # those that begin in it or reach into it
    terms: Sequence[str]  # of these

    @property
    def space(self) -> str:
        return self.shown[: -len(self.text)]


def _words(doc: Doc, analyzer: Analyzer) -> list[_Word]:
    """The text cut at white space; what has none for long, as Japanese, where its tokens begin."""
    text, chunks = f"{doc.title}. {doc.text}" if doc.title else doc.text, _chunks(analyzer)
    return [word for chunk in _CONTROL.sub(" ", text).split()[:LONGEST] for word in chunks[chunk]][:LONGEST]


_CHUNKS: WeakKeyDictionary[Analyzer, Memo[tuple[_Word, ...]]] = WeakKeyDictionary()  # as large as text is Zipfian


def _chunks(analyzer: Analyzer) -> Memo[tuple[_Word, ...]]:
    """The words of pieces of text without white space, remembered: to analyze them was half of a short request."""
    found = _CHUNKS.get(analyzer)
    if found is None:
        here = ref(analyzer)  # what is remembered for an analyzer must not keep it alive

        def words_of(chunk: str) -> tuple[_Word, ...]:
            own = here()
            assert own is not None
            tokens = own.tokens(chunk)
            overlapping = own.settings.segmenter == "bigrams"
            cut = len(tokens) > JOINED or own.language.has_unspaced(chunk)
            return tuple(_word(text, spaced, inside, own) for text, spaced, inside in (
                _cut(chunk, tokens, overlapping) if cut else [(chunk, True, tokens)]))

        found = _CHUNKS[analyzer] = Memo(words_of, REMEMBERED)
    return found


def _word(text: str, spaced: bool, tokens: Sequence[str], analyzer: Analyzer) -> _Word:
    terms = tuple(term for token in tokens for term in analyzer.terms(token))
    return _Word(text, f" {text}" if spaced else text, tuple(tokens), terms)


def _cut(chunk: str, tokens: list[str], overlapping: bool) -> list[tuple[str, bool, list[str]]]:
    """A piece of text where its tokens begin. Pairs of characters overlap: each begins inside the one before."""
    lower, begin, end = chunk.lower(), 0, 0
    inside: dict[int, list[str]] = {0: []}  # what begins or goes on at each place where something begins
    for token in tokens:
        place = lower.find(token, begin + 1 if overlapping and end else end)
        if place >= 0:  # else it is spelled otherwise, and stays with the word before
            reaching = inside[begin][-1:] if place < end else []  # the token before, if it is not over yet
            begin, end = place, place + len(token)
            inside.setdefault(begin, []).extend(reaching)
        inside[begin].append(token)
    cuts = sorted(inside)
    return [(chunk[first:last], first == 0, inside[first]) for first, last in pairwise([*cuts, len(chunk)])]


def _best_start(matched: Mapping[int, Sequence[str]], terms: Mapping[str, float], words: int) -> int:
    """Where the heaviest stretch starts; of equally heavy ones the first. What matches is given by place."""
    here: Counter[str] = Counter()
    weight = best = 0.0
    start = 0
    inside = deque[int]()  # places
    for at, entering in matched.items():
        inside.append(at)
        while inside[0] <= at - words:
            for term in matched[inside.popleft()]:
                here[term] -= 1
                weight -= _weight(terms[term], here[term])
        for term in entering:
            weight += _weight(terms[term], here[term])
            here[term] += 1
        if weight > best + 1e-9:  # not for a rounding error
            start, best = max(0, at - words + 1), weight
    return start


def _weight(gain: float, others: int) -> float:
    """What a match adds to a stretch that has the same term so many times already."""
    return (max(gain, 0.0) + MATCH) * (REPEATED if others else 1.0)


def _stretch(
    found: Sequence[_Word], matched: Iterable[int], start: int, words: int, lang: str
) -> tuple[int, int, bool]:
    """From where to where to show, given the heaviest stretch, and whether that begins with a sentence."""
    places = [at for at in matched if start <= at < start + words]
    first, last = (places[0], places[-1]) if places else (start, start)
    begins = _sentence_starts(found, max(0, last + 1 - words - int(LONGER * words)), first, lang)
    if begins:
        begin = max((at for at in begins if at + words <= len(found)), default=begins[0])  # nothing is left unused
        return begin, min(max(begin + words, last + 1), len(found)), True
    begin = max(0, start, min(first - CONTEXT, len(found) - words))
    return begin, min(begin + words, len(found)), begin == 0


def _sentence_starts(found: Sequence[_Word], earliest: int, latest: int, lang: str) -> list[int]:
    """Which of these words begin a sentence."""
    begin = max(0, earliest - CONTEXT)  # an abbreviation is one by the word before it, too
    text = "".join([word.shown for word in found[begin : latest + CONTEXT]])
    ends, letters = set[int](), 0  # letters before the end of each sentence, without spaces
    for sentence in split_sentences(text, lang):
        letters += len(sentence) - sentence.count(" ")
        ends.add(letters)
    starts, letters = [], 0
    for at, word in enumerate(found[begin : latest + 1], begin):
        if at >= earliest and (at == 0 or letters in ends):
            starts.append(at)
        letters += len(word.text)
    return starts
