"""Translation of a stream of sentences: best translations, n-best lists, forests and grammars.

    translate_lines(model, sys.stdin.buffer, sys.stdout, nbest=1, forests=Path("forests.jsonl"), rules=None, threads=2)

Output keeps the order of the input, a line for a line. A line with more words than the decoder takes is translated in
pieces. n-best lists come in the customary form: number ||| translation ||| features ||| score.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from crossbow.decode.kbest import kbest
from crossbow.errors import InputError
from crossbow.forest.hypergraph import Forest, forest_line
from crossbow.grammar.rulefile import write_rules
from crossbow.model import Model


class Line(NamedTuple):
    """One input line: its number, and its tokens in pieces that the decoder can take."""

    number: int
    pieces: list[list[str]]


def translate_lines(model: Model, source: IO[bytes], out: IO[str], nbest: int, forests: Path | None,
                    rules: Path | None, threads: int) -> None:
    """Translate line by line; forests and rules go to files if asked for."""
    decoder = model.decoder
    if rules:
        rules.mkdir(parents=True, exist_ok=True)

    def work(line: Line) -> list[Forest]:
        made = []
        for k, piece in enumerate(line.pieces):
            name = str(line.number) if len(line.pieces) == 1 else f"{line.number}.{k + 1}"
            extracted = decoder.rules(piece)
            if rules:
                write_rules(rules / f"{name}.grammar", extracted, decoder.source.words, decoder.target.words)
            made.append(decoder.decode(piece, name, rules=extracted))
        return made

    cut = 0
    with contextlib.ExitStack() as stack:
        forest_file = stack.enter_context(_appearing(forests)) if forests else None
        for line, made in _in_order(work, _lines(model, source), threads):
            cut += len(line.pieces) > 1
            if forest_file:
                forest_file.writelines(f"{forest_line(forest)}\n" for forest in made)
            if nbest > 1:
                for forest in made:
                    out.writelines(_nbest_lines(forest, nbest))
            else:
                out.write(" ".join(word for forest in made for word in model.best(forest)) + "\n")
            out.flush()
    if cut:
        print(f"{cut} lines with more than {decoder.config.max_words} words were translated in pieces",
              file=sys.stderr)


@contextlib.contextmanager
def _appearing(path: Path) -> Iterator[IO[str]]:
    """A file that takes its name when it is complete."""
    fresh = path.with_name(f".{path.name}.new-{os.getpid()}")
    try:
        with fresh.open("w", encoding="utf8") as file:
            yield file
        fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)


def _lines(model: Model, source: IO[bytes]) -> Iterator[Line]:
    longest = model.decoder.config.max_words
    for number, raw in enumerate(source, 1):
        try:
            tokens = model.source.tokens(raw.decode("utf8"))
        except UnicodeDecodeError as error:
            raise InputError("standard input", number, f"not UTF-8 (byte {error.start + 1} of the line)",
                             "convert it first, e.g. with iconv") from None
        yield Line(number, [tokens[at : at + longest] for at in range(0, len(tokens), longest)])


def _in_order(
    work: Callable[[Line], list[Forest]], lines: Iterator[Line], threads: int
) -> Iterator[tuple[Line, list[Forest]]]:
    """Results in the order of the lines, with only a few lines under way at once. What precedes a bad line is done."""
    waiting: list[tuple[Line, Future[list[Forest]]]] = []
    problem: InputError | None = None
    with ThreadPoolExecutor(threads) as pool:
        try:
            for line in lines:
                waiting.append((line, pool.submit(work, line)))
                if len(waiting) > 2 * threads:
                    done, result = waiting.pop(0)
                    yield done, result.result()
        except InputError as error:
            problem = error
        for done, result in waiting:
            yield done, result.result()
    if problem:
        raise problem


def _nbest_lines(forest: Forest, count: int) -> Iterator[str]:
    best = kbest(forest, count, unique=True)
    for h, score in enumerate(best.score):
        words = " ".join(forest.words[w] for w in best.words[best.word_starts[h] : best.word_starts[h + 1]])
        edges = best.edges[best.edge_starts[h] : best.edge_starts[h + 1]]
        total = forest.features[edges].sum(axis=0, dtype=np.float64)
        features = " ".join(f"{name}={value:.4g}" for name, value in zip(forest.names, total))
        yield f"{forest.id} ||| {words} ||| {features} ||| {score:.6f}\n"
