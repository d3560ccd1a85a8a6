"""The three words every language model knows, and their fixed ids.

    vocab = new_vocab()                                  # <unk>, <s>, </s>
    corpus = Corpus.encode(sentences, vocab)             # other words follow
"""

from __future__ import annotations

from crossbow.errors import CrossbowError
from crossbow.vocab import Vocab

UNK, BEGIN, END = 0, 1, 2
SPECIAL_WORDS = ("<unk>", "<s>", "</s>")


def new_vocab() -> Vocab:
    """A vocabulary for a target language: the three special words, nothing else."""
    return Vocab(SPECIAL_WORDS)


def check_vocab(vocab: Vocab) -> None:
    """Raise a readable error unless the vocabulary starts with the three special words."""
    if tuple(vocab.words[:3]) != SPECIAL_WORDS:
        raise CrossbowError(
            f"a language model's vocabulary starts with {' '.join(SPECIAL_WORDS)}, this one with "
            f"{' '.join(vocab.words[:3]) or 'nothing'}; create it with crossbow.lm.words.new_vocab()"
        )
