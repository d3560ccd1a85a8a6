"""Grammars as text, in the form that cdec reads and writes, one rule per line:

    [X] ||| das [X,1] ||| the [1] ||| EgivenFCoherent=0.3 CountEF=0.9 ||| 0-0

    write_rules("1.grammar", rules, source_words, target_words)
    rules = read_rules("1.grammar", source_vocab, target_vocab)      # new words join the vocabularies
    matching_rules(rules, ids)                                       # those that a sentence can use

Plain, .gz or .xz. Features we do not know are refused by name rather than dropped: a model would silently change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from crossbow.arrays import I32
from crossbow.errors import CrossbowError, InputError
from crossbow.grammar.features import FEATURES
from crossbow.grammar.rules import Rules
from crossbow.records.lines import PathLike, open_lines, write_lines
from crossbow.vocab import Vocab

_GAP = re.compile(r"\[(?:X,)?([12])\]")
_LINK = re.compile(r"(\d{1,3})-(\d{1,3})", re.ASCII)
_COUNTS = ("CountEF", "SampleCountF")
_LARGEST = 1e30
_LONGEST = 255  # so that positions fit into a byte
_FORM = "expected `[X] ||| source ||| target ||| Name=value … ||| 0-0 …`"


class _Line(NamedTuple):
    source: tuple[int, ...]
    target: tuple[int, ...]
    features: list[float]
    align: list[tuple[int, int]]


def write_rules(path: PathLike, rules: Rules, source_words: Sequence[str], target_words: Sequence[str]) -> None:
    """Write the rules with their features and in-rule alignments."""
    for words, used in ((source_words, rules.source), (target_words, rules.target)):
        for word in (words[s] for s in np.unique(used[used >= 0])):
            if "|||" in word or _GAP.fullmatch(word):
                raise CrossbowError(f"{path}: the word {word!r} cannot be told from the notation of grammar files; "
                                    "replace it in the training text")
    write_lines(path, _format(rules, source_words, target_words))


def _format(rules: Rules, source_words: Sequence[str], target_words: Sequence[str]) -> Iterator[str]:
    for pattern in range(len(rules.samples)):
        symbols = rules.source[rules.source_starts[pattern] : rules.source_starts[pattern + 1]]
        left = " ".join(source_words[s] if s >= 0 else f"[X,{-s}]" for s in symbols)
        for rule in range(rules.first[pattern], rules.first[pattern + 1]):
            symbols = rules.target[rules.target_starts[rule] : rules.target_starts[rule + 1]]
            right = " ".join(target_words[s] if s >= 0 else f"[{-s}]" for s in symbols)
            values = " ".join(f"{name}={value:.6g}" for name, value in zip(FEATURES, rules.features[rule].tolist()))
            links = rules.align[rules.align_starts[rule] : rules.align_starts[rule + 1]].tolist()
            yield f"[X] ||| {left} ||| {right} ||| {values} ||| {' '.join(f'{i}-{j}' for i, j in links)}".rstrip()


def read_rules(path: PathLike, source: Vocab, target: Vocab) -> Rules:
    """Read a grammar; rules with the same source side are grouped, otherwise they keep their order."""
    patterns: dict[tuple[int, ...], list[_Line]] = {}
    for number, line in open_lines(path):
        if line.strip():
            rule = _parse(path, number, line, source, target)
            patterns.setdefault(rule.source, []).append(rule)
    rules = [rule for group in patterns.values() for rule in group]
    if not rules:
        raise InputError(path, None, "no rules in it", _FORM)
    return Rules(
        _starts([len(p) for p in patterns]), np.array([s for p in patterns for s in p], np.int32),
        np.array([_samples(group) for group in patterns.values()], np.int32),
        _starts([len(group) for group in patterns.values()]),
        _starts([len(rule.target) for rule in rules]), np.array([s for r in rules for s in r.target], np.int32),
        _starts([len(rule.align) for rule in rules]),
        np.array([link for rule in rules for link in rule.align], np.uint8).reshape(-1, 2),
        np.array([round(10 ** rule.features[FEATURES.index("CountEF")] - 1) for rule in rules], np.int32),
        np.array([rule.features for rule in rules], np.float32),
    )


def matching_rules(rules: Rules, ids: I32) -> Rules:
    """The rules of a grammar whose source words all stand in a sentence, given by ids, -1 for unknown words."""
    there = np.zeros(max(rules.source.max(initial=0), ids.max(initial=0)) + 1, np.bool_)
    there[ids[ids >= 0]] = True
    fits = np.logical_and.reduceat((rules.source < 0) | there[rules.source], rules.source_starts[:-1])
    patterns = np.flatnonzero(fits).astype(np.int32)
    source_starts, sources = _rows(rules.source_starts, patterns)
    first, chosen = _rows(rules.first, patterns)
    target_starts, targets = _rows(rules.target_starts, chosen)
    align_starts, links = _rows(rules.align_starts, chosen)
    return Rules(source_starts, rules.source[sources], rules.samples[patterns], first, target_starts,
                 rules.target[targets], align_starts, rules.align[links], rules.counts[chosen], rules.features[chosen])


def _rows(starts: I32, chosen: I32) -> tuple[I32, I32]:
    """Of ragged rows the starts of those chosen, put one after another, and the indices of what is in them."""
    lengths = starts[chosen + 1] - starts[chosen]
    fresh = _starts(lengths.tolist())
    return fresh, (np.arange(fresh[-1]) + np.repeat(starts[chosen] - fresh[:-1], lengths)).astype(np.int32)


def _samples(group: list[_Line]) -> int:
    return round(10 ** group[0].features[FEATURES.index("SampleCountF")] - 1)


def _starts(lengths: list[int]) -> np.ndarray:
    return np.concatenate(([0], np.cumsum(lengths))).astype(np.int32)


def _parse(path: PathLike, number: int, line: str, source: Vocab, target: Vocab) -> _Line:
    """One rule, checked."""
    fields = [field.strip() for field in line.split("|||")]
    if len(fields) not in (4, 5) or fields[0] != "[X]":
        form = "leave glue rules out, the decoder has its own" if fields[0] == "[S]" else _FORM
        raise InputError(path, number, f"{len(fields)} fields, the first is {fields[0][:20]!r}", form)
    left, right = (_symbols(field, vocab) for field, vocab in zip(fields[1:3], (source, target)))
    gaps = [[s for s in side if s < 0] for side in (left, right)]
    if gaps[0] != [-1, -2][: len(gaps[0])] or sorted(gaps[1], reverse=True) != gaps[0]:
        raise InputError(path, number, "the nonterminals of both sides do not match",
                         "number them [X,1] [X,2] in source order and use each once on the target side")
    if all(s < 0 for s in left) or not right:
        raise InputError(path, number, "a side without words", "each rule needs a source word and a target side")
    features = dict.fromkeys(FEATURES, 0.0)
    for item in fields[3].split():
        name, _, value = item.partition("=")
        try:
            features[name], known = float(value), name in features
        except ValueError:
            raise InputError(path, number, f"feature {item!r} is not Name=value", _FORM) from None
        if not known or not abs(features[name]) < _LARGEST or (name in _COUNTS and not 0 <= features[name] < 9):
            raise InputError(path, number, f"feature {item!r} is unknown or too large",
                             f"the features are {', '.join(FEATURES)}, counts as log10(1 + count)")
    if max(len(left), len(right)) > _LONGEST:
        raise InputError(path, number, f"a side of more than {_LONGEST} symbols", "leave such rules out")
    links = []
    for item in fields[4].split() if len(fields) == 5 else []:
        match = _LINK.fullmatch(item)
        i, j = map(int, match.groups()) if match else (_LONGEST, _LONGEST)
        if not (i < len(left) and j < len(right) and left[i] >= 0 and right[j] >= 0):
            raise InputError(path, number, f"link {item[:20]!r} does not join two words of the rule", _FORM)
        links.append((i, j))
    return _Line(left, right, list(features.values()), links)


def _symbols(field: str, vocab: Vocab) -> tuple[int, ...]:
    gaps = [_GAP.fullmatch(token) for token in field.split()]
    return tuple(-int(gap.group(1)) if gap else vocab.add(token) for gap, token in zip(gaps, field.split()))
