"""What all ways of making a model do with words and text.

    language_model(corpus, vocab, Smoothing(), arpa=None)       # estimated, or that of an ARPA file
    list(lm_documents(["docs.tsv"]))                            # the documents that it is estimated on, each as lines
    plain(["<s>", "house"]) == ["‹s>", "house"]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from crossbow.errors import CrossbowError
from crossbow.lm.arpa import read_arpa
from crossbow.lm.estimate import Smoothing, estimate
from crossbow.lm.model import LanguageModel
from crossbow.lm.words import SPECIAL_WORDS
from crossbow.records import open_lines, read_docs
from crossbow.records.lines import PathLike, plain_suffix
from crossbow.records.texts import JSONL
from crossbow.text.analyzer import Settings
from crossbow.text.languages import language
from crossbow.vocab import Corpus, Vocab

BREAK_WORD = " "  # takes the source vocabulary's id 0, which separates sentences in the bitext; never a token


def plain(tokens: list[str]) -> list[str]:
    """Tokens like the language model's special words would begin or end sentences; they become ordinary words."""
    return [token.replace("<", "‹") if token in SPECIAL_WORDS else token for token in tokens]


def has_compounds(source: Settings) -> bool:
    """Whether compounds of this source text can be split."""
    return source.kind == "words" and language(source.lang).compounds is not None


def lm_documents(paths: Iterable[PathLike]) -> Iterator[list[str]]:
    """Texts for the language model, document by document, as lines.

    A document is a line; of a TSV file only its last column counts. In JSONL it is an object, of which title and text
    count.
    """
    for path in paths:
        if plain_suffix(path) in JSONL:
            for doc in read_docs(path):
                yield [doc.title, doc.text]
        else:
            for _, line in open_lines(path):
                yield [line.rpartition("\t")[2]]


def check_lm_sources(lm_texts: Iterable[PathLike], arpa: PathLike | None) -> None:
    """Raise an error if there are both texts to estimate the language model on and a language model."""
    if arpa is not None and list(lm_texts):
        raise CrossbowError("give --lm-text or --arpa, not both: an ARPA file is a language model that is complete")


def language_model(text: Corpus, vocab: Vocab, smoothing: Smoothing, arpa: PathLike | None) -> LanguageModel:
    """A language model of the text, or that of an ARPA file, whose words the vocabulary has already."""
    if arpa is None:
        return LanguageModel.from_ngrams(estimate(text, len(vocab), smoothing))
    model = LanguageModel.from_ngrams(read_arpa(arpa, vocab)[0])
    if len(text.words) and not model.knows(text.words).any():
        raise CrossbowError(f"{arpa}: knows no word of the target text; is it of this language, and of text that is "
                            "split into words and lower-cased as `crossbow translate` writes it?")
    return model
