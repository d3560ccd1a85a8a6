"""Slow, obvious versions of what crossbow.text does cleverly."""

from __future__ import annotations

import unicodedata
from itertools import combinations, pairwise
from math import log

JOINERS = "-_/.:"
RUNS = ".!?*=~+#_-"


def is_letter(char: str) -> bool:
    return unicodedata.category(char)[0] in "LMN"


def is_digit(char: str) -> bool:
    return unicodedata.category(char) == "Nd"


def slow_tokens(text: str) -> list[str]:
    """The tokens of a text without addresses and without ++ or #, in a language where ' is a letter inside words."""
    return [token for chunk in text.split() for token in _chunk_tokens(chunk)]


def _chunk_tokens(chunk: str) -> list[str]:
    tokens, at = [], 0
    while at < len(chunk):
        end, keep = _next_token(chunk, at)
        if keep:
            tokens.append(chunk[at:end])
        at = end
    return tokens


def _next_token(chunk: str, at: int) -> tuple[int, bool]:
    """Where the token at this place ends, and whether it counts (joiners between words do not)."""
    char = chunk[at]
    if not is_letter(char):
        end = at
        while end < len(chunk) and chunk[end] in JOINERS:
            end += 1
        if end > at > 0 and is_letter(chunk[at - 1]) and end < len(chunk) and is_letter(chunk[end]):
            return end, False
        end = at + 1
        while char in RUNS and end < len(chunk) and chunk[end] == char:
            end += 1
        return end, True
    return _acronym_end(chunk, at) or _number_end(chunk, at) or _word_end(chunk, at), True


def _acronym_end(chunk: str, at: int) -> int | None:
    if at > 0 and (is_letter(chunk[at - 1]) or chunk[at - 1] == "."):
        return None
    end, letters = at, 0
    while end + 1 < len(chunk) and unicodedata.category(chunk[end])[0] == "L":
        dot = end + 1
        while dot < len(chunk) and unicodedata.category(chunk[dot])[0] == "M":
            dot += 1
        if dot == len(chunk) or chunk[dot] != ".":
            break
        end, letters = dot + 1, letters + 1
    followed = end < len(chunk) and (is_letter(chunk[end]) or chunk[end] == ".")
    return end if letters >= 2 and not followed else None


def _number_end(chunk: str, at: int) -> int | None:
    end, groups = _run_end(chunk, at, is_digit), 1
    if end == at:
        return None
    while end + 1 < len(chunk) and chunk[end] in ".," and is_digit(chunk[end + 1]):
        end, groups = _run_end(chunk, end + 1, is_digit), groups + 1
    return end if groups > 1 else None


def _word_end(chunk: str, at: int) -> int:
    end = _run_end(chunk, at, is_letter)
    while end + 1 < len(chunk) and chunk[end] == "'" and is_letter(chunk[end + 1]):
        end = _run_end(chunk, end + 1, is_letter)
    return end


def _run_end(chunk: str, at: int, test) -> int:
    while at < len(chunk) and test(chunk[at]):
        at += 1
    return at


def slow_split(word: str, counts: dict[str, int], links, lost, min_length: int, min_count: int, never) -> list[str]:
    """Koehn and Knight's split by trying every way to cut the word, its parts split in turn."""
    known = {form: log(count) for form, count in counts.items() if count >= min_count and form not in never}

    def inner(piece: str) -> str | None:
        plain = [piece] + [piece[: -len(link)] for link in links if piece.endswith(link)]
        changed = [piece[: len(piece) - len(gone)] + came for gone, came in lost if piece.endswith(gone)]
        for forms in (plain, changed):
            usable = [form for form in forms if len(form) >= min_length and form in known]
            if usable:
                return max(usable, key=lambda form: known[form])
        return None

    best, best_mean = [word], log(counts[word]) if counts.get(word) else -1.0
    for cuts in range(1, 6):
        for places in combinations(range(1, len(word)), cuts):
            edges = [0, *places, len(word)]
            pieces = [word[a:b] for a, b in pairwise(edges)]
            if min(map(len, pieces)) < min_length or pieces[-1] not in known:
                continue
            parts = [inner(piece) for piece in pieces[:-1]] + [pieces[-1]]
            if None in parts:
                continue
            mean = sum(known[part] for part in parts) / len(parts)
            if mean > best_mean + 1e-12:
                best, best_mean = parts, mean
    if len(best) == 1:
        return best
    return [piece for part in best for piece in slow_split(part, counts, links, lost, min_length, min_count, never)]
