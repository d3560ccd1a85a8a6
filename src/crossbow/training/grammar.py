"""A model of a grammar in cdec's format, which another system extracted.

    config = SuppliedConfig(Settings("de"), Settings("en"))
    summary = from_grammar("rules.gz", "model", config, arpa="english.arpa")

The grammar is kept as it is. Its rules, without gaps and repeated as often as they were counted, are the aligned text
from which word translations are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from crossbow import store
from crossbow.decode.decoder import START_WEIGHTS, STRUCTURE
from crossbow.errors import InputError
from crossbow.grammar.features import FEATURES
from crossbow.grammar.rulefile import read_rules
from crossbow.grammar.rules import Rules
from crossbow.lm.words import new_vocab
from crossbow.model import MODEL
from crossbow.records import open_lines
from crossbow.records.lines import PathLike
from crossbow.training.supplied import Pair, Supplied, SuppliedConfig
from crossbow.training.texts import BREAK_WORD, check_lm_sources
from crossbow.vocab import Vocab

MOST_COUNTED = 100  # times that a rule is repeated


def from_grammar(
    path: PathLike, out: PathLike, config: SuppliedConfig, *, lm_texts: Iterable[PathLike] = (),
    arpa: PathLike | None = None, weights: PathLike | None = None,
) -> dict[str, Any]:
    """Make a model of a grammar in the folder `out`; `weights` is a file of feature weights as cdec has them."""
    texts = list(lm_texts)
    check_lm_sources(texts, arpa)
    store.check_replaceable(out, MODEL)
    source, target = Vocab([BREAK_WORD]), new_vocab()
    rules = read_rules(path, source, target)
    used = read_weights(weights) if weights is not None else START_WEIGHTS
    supplied = Supplied(config, source, target, list(_rule_pairs(rules, source, target)), texts, arpa)
    return supplied.write(out, {"rules": len(rules.counts), "patterns": len(rules.samples)}, used, rules=rules)


def _rule_pairs(rules: Rules, source: Vocab, target: Vocab) -> Iterator[Pair]:
    """The words of each rule with their links, numbered without the gaps."""
    for pattern in range(len(rules.samples)):
        left = rules.source[rules.source_starts[pattern] : rules.source_starts[pattern + 1]]
        for rule in range(rules.first[pattern], rules.first[pattern + 1]):
            right = rules.target[rules.target_starts[rule] : rules.target_starts[rule + 1]]
            places = [np.cumsum(side >= 0) - 1 for side in (left, right)]
            links = rules.align[rules.align_starts[rule] : rules.align_starts[rule + 1]].tolist()
            words = [target.words[s] for s in right if s >= 0]
            if words:
                yield Pair([source.words[s] for s in left if s >= 0], words,
                           sorted({(int(places[0][i]), int(places[1][j])) for i, j in links}),
                           min(MOST_COUNTED, max(1, int(rules.counts[rule]))))


def read_weights(path: PathLike) -> dict[str, float]:
    """Feature weights as cdec writes them: a name and a number per line; features without one weigh nothing."""
    weights: dict[str, float] = {}
    names = FEATURES + STRUCTURE
    for number, line in open_lines(path):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, text = line.strip().replace("=", " ").replace("\t", " ").partition(" ")
        try:
            value = float(text)
        except ValueError:
            value = np.nan
        if name not in names or not abs(value) < 1e9 or name in weights:
            raise InputError(path, number,
                             f"{line.strip()[:40]!r} is not the weight of a feature, or its second weight",
                             f"write `name value`; the features are {', '.join(names)}")
        weights[name] = value
    if not weights:
        raise InputError(path, None, "no weights in it", "write `name value`, one per line")
    return weights
