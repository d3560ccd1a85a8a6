"""A tiny neural system that really translates: a Transformer whose weights are a dictionary, written by hand.

Its one decoder layer looks at the source word with the number of the word to come, and what it gets out of it are the
log probabilities of that word's translations. So the best translation, its probability and its links are known.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

SPECIAL = ("<unk>", "<s>", "</s>")
ENTRIES: dict[str, dict[str, float]] = {
    "Das": {"the": 1.0}, "Die": {"the": 1.0}, "Haus": {"house": 0.7, "home": 0.3}, "am": {"at": 1.0},
    "See": {"lake": 0.6, "sea": 0.4}, "Bank": {"bank": 0.6, "bench": 0.4}, "Geld": {"money": 0.9, "cash": 0.1},
    "verleiht": {"lends": 1.0}, "im": {"in": 1.0}, "Park": {"park": 1.0}, "ist": {"is": 1.0}, "alt": {"old": 1.0},
    "Ausweis": {"Identity_Card": 1.0},
}
SHARP = 4.0  # how strongly a word looks at the source word in its place
LONGEST = 512  # words: as many positions as most systems have


def toy_system(folder: Path) -> Path:
    """The system in CTranslate2's format, with its SentencePiece models."""
    pytest.importorskip("ctranslate2", reason="NEURAL MODELS WERE NOT TESTED: ctranslate2 is not installed")
    pytest.importorskip("sentencepiece", reason="NEURAL MODELS WERE NOT TESTED: sentencepiece is not installed")
    from ctranslate2.specs import TransformerSpec

    source = [*SPECIAL, *(f"▁{word}" for word in ENTRIES)]
    words = dict.fromkeys(word for found in ENTRIES.values() for word in found)
    target = [*SPECIAL, *(f"▁{word}" for word in words)]
    spec = TransformerSpec.from_config((1, 1), 1, pre_norm=True, no_final_norm=True)
    size = len(source) + LONGEST
    tokens, places = slice(0, len(source)), slice(len(source), size)
    positions = np.zeros((LONGEST, size), np.float32)
    positions[:, places] = np.eye(LONGEST)
    for side in (spec.encoder, spec.decoder):
        side.scale_embeddings = False
        side.position_encodings.encodings = positions
        layer = side.layer[0]
        blocks = {"self_attention": (3, 1), **({"attention": (1, 2, 1)} if side is spec.decoder else {})}
        for name, widths in blocks.items():
            for linear, width in zip(getattr(layer, name).linear, widths):
                fill(linear, width * size, size)
            plain_norm(getattr(layer, name).layer_norm, size)
        fill(layer.ffn.linear_0, size, size)
        fill(layer.ffn.linear_1, size, size)
        plain_norm(layer.ffn.layer_norm, size)
    spec.encoder.embeddings[0].weight = np.eye(len(source), size, dtype=np.float32)
    spec.decoder.embeddings.weight = np.zeros((len(target), size), np.float32)
    looks, reads, gives = spec.decoder.layer[0].attention.linear
    looks.weight[places, places] = SHARP * np.eye(LONGEST)
    reads.weight[:size][places, places] = SHARP * np.eye(LONGEST)
    reads.weight[size:][tokens, tokens] = np.eye(len(source))
    gives.weight[:] = np.eye(size)
    table = np.full((len(target), size), -20.0, np.float32)
    table[:, places] = 0.0
    table[target.index("<unk>"), source.index("<unk>")] = table[target.index("</s>"), source.index("</s>")] = 0.0
    for word, found in ENTRIES.items():
        for other, probability in found.items():
            table[target.index(f"▁{other}"), source.index(f"▁{word}")] = np.log(probability)
    spec.decoder.projection.weight, spec.decoder.projection.bias = table, np.zeros(len(target), np.float32)
    spec.register_source_vocabulary(source)
    spec.register_target_vocabulary(target)
    spec.validate()
    folder.mkdir(parents=True)
    spec.save(str(folder))
    pieces_model(folder / "source.spm", ENTRIES)
    pieces_model(folder / "target.spm", words)
    (folder / "tokenizer_config.json").write_text(json.dumps({"source_lang": "deu", "target_lang": "eng"}), "utf8")
    return folder


def fill(linear: object, rows: int, columns: int) -> None:
    """A layer that gives nothing yet."""
    linear.weight, linear.bias = np.zeros((rows, columns), np.float32), np.zeros(rows, np.float32)  # type: ignore[attr-defined]


def plain_norm(norm: object, size: int) -> None:
    norm.gamma, norm.beta = np.ones(size, np.float32), np.zeros(size, np.float32)  # type: ignore[attr-defined]


def pieces_model(file: Path, words: dict[str, object]) -> None:
    """A SentencePiece model whose pieces are these words."""
    import sentencepiece

    with file.open("wb") as out:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter([" ".join(words)] * 3), model_writer=out, model_type="word", hard_vocab_limit=False,
            vocab_size=len(words) + len(SPECIAL), minloglevel=2)
