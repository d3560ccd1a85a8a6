"""Language models in the ARPA format that all toolkits exchange, plain or compressed with gzip or xz.

    ngrams, vocab = read_arpa("europarl.arpa.gz")        # new words join `vocab`, if one is given
    write_arpa("mine.arpa", ngrams, vocab)

The reader takes what toolkits write: tabs or spaces, no backoff where it is 0, no <unk> (it becomes very unlikely),
n-grams whose parts were pruned away. What it cannot trust it refuses, with file and line.
"""

from __future__ import annotations

import contextlib
import gzip
import lzma
import os
import re
import zlib
from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from crossbow.arrays import F32, I32
from crossbow.errors import CrossbowError, InputError
from crossbow.lm.closure import close, first_repeated
from crossbow.lm.ngrams import LOG_ZERO, MAX_ORDER, NGrams
from crossbow.lm.words import BEGIN, END, SPECIAL_WORDS, UNK, check_vocab, new_vocab
from crossbow.records.lines import writing
from crossbow.vocab import Vocab

MISSING_UNK = -100.0  # log10 probability of <unk> in a model that has none, as KenLM has it

_COUNT = re.compile(rb"ngram\s+(\d+)\s*=\s*(\d+)\s*")
_WHITESPACE = re.compile("[ \t\n\r\v\f\0]")  # of a word that would break the format
_PACKED: dict[bytes, Callable[..., Any]] = {b"\x1f\x8b": gzip.open, b"\xfd7": lzma.open}  # by their first bytes


class _Section(NamedTuple):
    """The n-grams of one order as they stand in the file."""

    first_line: int
    words: I32
    probs: F32
    backoffs: F32


class _Reader:
    """The lines of an ARPA file, numbered; parses one part after another."""

    def __init__(self, path: Path, handle: BinaryIO, vocab: Vocab):
        self.path, self.vocab = path, vocab
        self.number = 0
        self.lines = self._lines(handle)
        self.line = b""
        self.ids: dict[bytes, int] = {}  # of the words among the model's 1-grams

    def _lines(self, handle: BinaryIO) -> Iterator[bytes]:
        try:
            yield from handle
        except (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError) as error:
            self.fail(f"damaged or truncated compressed file ({error})", "copy or compress it again")

    def fail(self, problem: str, remedy: str = "is the file complete and in ARPA format?") -> NoReturn:
        raise InputError(self.path, self.number or None, problem, remedy) from None

    def next(self) -> bytes:
        """Step to the next line that is not blank, stripped; at the end of the file it is empty."""
        for line in self.lines:
            self.number += 1
            self.line = line.strip()
            if self.line:
                return self.line
        self.line = b""
        return self.line

    def header(self) -> list[int]:
        """How many n-grams of each order the file promises."""
        while self.next() != b"\\data\\":
            if not self.line:
                self.fail("no \\data\\ line, so this is no ARPA file")
        counts: list[int] = []
        while match := _COUNT.fullmatch(self.next()):
            order, count = int(match[1]), int(match[2])
            if order != len(counts) + 1:
                self.fail(f"the count of {order}-grams, expected that of {len(counts) + 1}-grams")
            counts.append(count)
        if not 1 <= len(counts) <= MAX_ORDER:
            self.fail(f"counts for {len(counts)} orders, expected 1 to {MAX_ORDER} lines like 'ngram 1=1000'")
        return counts

    def section(self, order: int, promised: int, highest: bool) -> _Section:
        """The n-grams of an order, from its title to the blank line or next title."""
        if self.line != f"\\{order}-grams:".encode():
            self.fail(f"{_shown(self.line)}, expected \\{order}-grams:")
        first_line = self.number + 1
        words, probs, backoffs = array("i"), array("f"), array("f")
        get = self.add_word if order == 1 else self.ids.__getitem__
        try:
            for line in self.lines:
                self.number += 1
                fields = line.split()
                if not fields or line.startswith(b"\\"):
                    self.line = line.strip()
                    break
                if not order < len(fields) <= order + 2:
                    self.fail(f"{len(fields)} fields, expected a probability, {order} words and perhaps a backoff")
                probs.append(float(fields[0]))
                words.extend(map(get, fields[1 : order + 1]))
                backoffs.append(float(fields[order + 1]) if len(fields) == order + 2 and not highest else 0.0)
        except KeyError as error:
            self.fail(f"the word {_shown(error.args[0])} is not among the 1-grams")
        except (ValueError, OverflowError) as error:
            self.fail(f"not a number ({error})")
        if len(probs) != promised:
            self.fail(f"{len(probs)} {order}-grams, the header promises {promised}")
        if not self.line.startswith(b"\\"):
            self.next()
        rows = np.array(words, np.int32).reshape(-1, order)
        return _Section(first_line, rows, np.array(probs, np.float32), np.array(backoffs, np.float32))

    def add_word(self, word: bytes) -> int:
        """The id of a word that is listed as 1-gram."""
        try:
            text = word.decode("utf8")
        except UnicodeDecodeError:
            self.fail(f"the word {_shown(word)} is not in UTF-8", "convert the file to UTF-8")
        self.ids[word] = UNK if text == "<UNK>" else self.vocab.add(text)
        return self.ids[word]

    def sections(self) -> list[_Section]:
        """All n-grams, checked."""
        counts = self.header()
        found = []
        for order, promised in enumerate(counts, 1):
            found.append(self.section(order, promised, highest=order == len(counts)))
            self.check(found[-1])
        if self.line != b"\\end\\":
            self.fail(f"{_shown(self.line)}, expected \\end\\")
        return found

    def check(self, section: _Section) -> None:
        """Refuse impossible numbers and repetitions, naming their line."""
        bad = np.isnan(section.probs) | (section.probs > 0) | ~np.isfinite(section.backoffs)
        if bad.any():
            row = int(np.argmax(bad))
            self.number = section.first_line + row
            self.fail(
                f"log10 probability {section.probs[row]} and backoff {section.backoffs[row]}: expected numbers, "
                "the first not above 0"
            )
        repeated = first_repeated(section.words)
        if repeated is not None:
            self.number = section.first_line + repeated
            self.fail("this n-gram is in the file twice", "remove one")


def _shown(text: bytes) -> str:
    """Bytes from a file for an error message, not too many of them."""
    return repr(text[:40].decode("utf8", "replace")) if text else "the end of the file"


def read_arpa(path: str | os.PathLike[str], vocab: Vocab | None = None) -> tuple[NGrams, Vocab]:
    """The n-grams of an ARPA file, completed where parts of them are missing, and the vocabulary of their ids."""
    file = Path(path)
    vocab = new_vocab() if vocab is None else vocab
    check_vocab(vocab)
    with _opened(file) as handle:
        sections = _Reader(file, handle, vocab).sections()
    words = [section.words for section in sections]
    probs = [np.where(np.isneginf(section.probs), np.float32(LOG_ZERO), section.probs) for section in sections]
    backoffs = [section.backoffs for section in sections]
    listed = set(words[0][:, 0].tolist())
    for special in (BEGIN, END):
        if special not in listed:
            raise InputError(file, None, f"{SPECIAL_WORDS[special]} is not among the 1-grams",
                             "use a model of whole sentences")  # fmt: skip
    if UNK not in listed:
        words[0] = np.concatenate([words[0], np.array([[UNK]], np.int32)])
        probs[0] = np.append(probs[0], np.float32(MISSING_UNK))
        backoffs[0] = np.append(backoffs[0], np.float32(0))
    return close(NGrams(tuple(words), tuple(probs), tuple(backoffs), len(vocab))), vocab


def arpa_words(path: str | os.PathLike[str]) -> list[str]:
    """The words that an ARPA file lists as 1-grams; nothing else of it is read."""
    vocab = new_vocab()
    with _opened(Path(path)) as handle:
        reader = _Reader(Path(path), handle, vocab)
        counts = reader.header()
        reader.section(1, counts[0], highest=len(counts) == 1)
    return vocab.words


@contextlib.contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    """The file, decompressed if its first bytes say so."""
    try:
        with file.open("rb") as plain:
            unpack = _PACKED.get(plain.peek(2)[:2])
            with unpack(plain) if unpack else plain as handle:
                yield handle
    except OSError as error:
        raise InputError(file, None, f"cannot be read ({error.strerror or error})", "is this the right path?") from None


def write_arpa(path: str | os.PathLike[str], ngrams: NGrams, vocab: Vocab) -> None:
    """Write the n-grams, compressed if the name ends in .gz or .xz. Numbers read back the same."""
    file = Path(path)
    for word in ngrams.words[0][:, 0].tolist():
        if not vocab.words[word] or _WHITESPACE.search(vocab.words[word]):
            raise CrossbowError(f"the word {vocab.words[word]!r} cannot be written to {file}: an ARPA file separates "
                                "words by white space; tokenize the text first")  # fmt: skip
    with writing(file) as handle:
        _write(handle, ngrams, vocab)


def _write(handle: IO[str], ngrams: NGrams, vocab: Vocab) -> None:
    counts = "".join(f"ngram {order}={count}\n" for order, count in enumerate(ngrams.counts, 1))
    handle.write(f"\\data\\\n{counts}")
    batch = 100_000
    for order, (rows, probs, backoffs) in enumerate(zip(*ngrams[:3]), 1):
        handle.write(f"\n\\{order}-grams:\n")
        for start in range(0, len(rows), batch):
            part = slice(start, start + batch)
            texts = [" ".join([vocab.words[word] for word in row]) for row in rows[part].tolist()]
            columns = [map(str, probs[part]), texts] + ([map(str, backoffs[part])] if order < ngrams.order else [])
            handle.write("".join(["\t".join(line) + "\n" for line in zip(*columns)]))
    handle.write("\n\\end\\\n")
