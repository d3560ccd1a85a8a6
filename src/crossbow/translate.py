"""Translation of a stream of sentences: best translations, n-best lists, forests and grammars.

    translate_lines(model, sys.stdin.buffer, sys.stdout, nbest=1, forests=Path("forests.jsonl"), rules=None, threads=2)

Output keeps the order of the input, one line for each. A line with more words than the decoder takes is translated in
pieces. n-best lists come in the customary form: number ||| translation ||| features ||| score.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from crossbow.decode.contract import Sentence
from crossbow.decode.decoder import Decoder
from crossbow.decode.kbest import kbest
from crossbow.errors import STANDARD_OUTPUT, CrossbowError, InputError, explaining_full_disk
from crossbow.forest.hypergraph import Forest, forest_line
from crossbow.grammar.rulefile import write_rules
from crossbow.model import Model
from crossbow.records.lines import writing
from crossbow.threads import in_order


class Line(NamedTuple):
    """One input line: its number, and its pieces, as long as can be translated at once."""

    number: int
    pieces: list[Sentence]


def translate_lines(model: Model, source: IO[bytes], out: IO[str], nbest: int, forests: Path | None,
                    rules: Path | None, threads: int) -> None:
    """Translate line by line; forests and rules go to files if asked for."""
    decoder = model.decoder
    if rules and not isinstance(decoder, Decoder):
        raise CrossbowError(f"a {model.kind} model has no rules to write")
    if rules:
        rules.mkdir(parents=True, exist_ok=True)

    def work(line: Line) -> list[Forest]:
        made = []
        for k, piece in enumerate(line.pieces):
            name = str(line.number) if len(line.pieces) == 1 else f"{line.number}.{k + 1}"
            if rules and isinstance(decoder, Decoder):
                extracted = decoder.rules(piece.tokens)
                write_rules(rules / f"{name}.grammar", extracted, decoder.source.words, decoder.target.words)
                made.append(decoder.decode(piece.tokens, name, rules=extracted))
            else:
                made.append(decoder.translate(piece, name))
        return made

    cut = 0
    with contextlib.ExitStack() as stack:
        forest_file = stack.enter_context(writing(forests)) if forests else None
        for line, made in in_order(work, _lines(model, source), threads):
            cut += len(line.pieces) > 1
            if forest_file:
                forest_file.writelines(f"{forest_line(forest)}\n" for forest in made)
            with explaining_full_disk(STANDARD_OUTPUT):
                if nbest > 1:
                    for forest in made:
                        out.writelines(_nbest_lines(forest, nbest))
                else:
                    out.write(" ".join(word for forest in made for word in model.best(forest)) + "\n")
                out.flush()
    if cut:
        print(f"{cut} lines with more than {decoder.max_words} words were translated in pieces",
              file=sys.stderr)


def _lines(model: Model, source: IO[bytes]) -> Iterator[Line]:
    for number, raw in enumerate(source, 1):
        try:
            yield Line(number, model.pieces(raw.decode("utf8")))
        except UnicodeDecodeError as error:
            raise InputError("standard input", number, f"not UTF-8 (byte {error.start + 1} of the line)",
                             "convert it first, e.g. with iconv") from None


def _nbest_lines(forest: Forest, count: int) -> Iterator[str]:
    best = kbest(forest, count, unique=True)
    for h, score in enumerate(best.score):
        words = " ".join(forest.words[w] for w in best.words[best.word_starts[h] : best.word_starts[h + 1]])
        edges = best.edges[best.edge_starts[h] : best.edge_starts[h + 1]]
        total = forest.features[edges].sum(axis=0, dtype=np.float64) if forest.names else ()
        features = " ".join(f"{name}={value:.4g}" for name, value in zip(forest.names, total))
        yield f"{forest.id} ||| {words} ||| {features} ||| {score:.6f}\n"
