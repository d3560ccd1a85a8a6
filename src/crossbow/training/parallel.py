"""Training: from parallel text to a model folder, in resumable stages.

    config = TrainConfig(Settings("de"), Settings("en"))
    summary = train(ParallelText("train.de", "train.en"), "model", config, lm_texts=["docs.tsv"])

    text    tokenize both sides and the language model's texts, learn to split compounds, number the words
    align   word alignment in both directions
    lm      the language model on the target side and the additional texts
    bitext  the suffix array over the aligned text
    tune    weights that maximize BLEU on held-out pairs, if there are any, with a language model that has not seen them
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.align import pharaoh
from crossbow.align.config import AlignConfig
from crossbow.align.driver import align
from crossbow.align.symmetrize import Links
from crossbow.arrays import F64, I32, I64, U8
from crossbow.decode.decoder import HIERARCHICAL, PHRASE, DecodeConfig
from crossbow.decode.phrases import PhraseConfig, decoder_for, grammar_kind
from crossbow.decode.tune import State, TuneConfig, tune
from crossbow.errors import CrossbowError
from crossbow.grammar.bitext import build_bitext, load_bitext, save_bitext
from crossbow.lm.arpa import arpa_words
from crossbow.lm.estimate import Smoothing
from crossbow.lm.model import LanguageModel
from crossbow.lm.words import SPECIAL_WORDS, new_vocab
from crossbow.model import MODEL, ModelParts, Vocabularies, write_model
from crossbow.pipeline import Report, Stages, file_digest, stages_beside
from crossbow.records import ParallelText, open_lines
from crossbow.records.lines import PathLike
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import Splitter
from crossbow.training.heldout import not_trained_on, without
from crossbow.training.numbered import SOURCE, TARGET, Column, Words, chunked, tokenized
from crossbow.training.texts import BREAK_WORD, check_lm_sources, has_compounds, language_model, lm_documents, plain
from crossbow.vocab import Corpus, Vocab

__all__ = ["GRAMMARS", "HIERARCHICAL", "PHRASE", "TrainConfig", "train"]
SPLITTER = "compounds"  # a folder in the stage of the text, if compounds are split


@dataclass(frozen=True)
class TrainConfig:
    """All settings of training. Compounds are split in the languages that write them as one word."""

    source: Settings
    target: Settings
    compounds: bool = True
    longest: int = 200  # sentence pairs with more tokens on either side are left out
    align: AlignConfig = field(default_factory=AlignConfig)
    lm: Smoothing = field(default_factory=Smoothing)
    decode: DecodeConfig = field(default_factory=DecodeConfig)
    tune: TuneConfig = field(default_factory=TuneConfig)


class Grammar(NamedTuple):
    """A way to translate: how to decode, and how to tune it."""

    decode: DecodeConfig
    tune: TuneConfig


GRAMMARS = {HIERARCHICAL: Grammar(DecodeConfig(), TuneConfig()),
            PHRASE: Grammar(PhraseConfig(), TuneConfig(pop_limit=500))}


class TextArrays(NamedTuple):
    """The numbered text: both sides of the training pairs, the language model's text, words and groups."""

    source: I32
    source_starts: I64
    target: I32
    target_starts: I64
    lm: I32
    lm_starts: I64
    lm_document: I32  # of each line: the group of a training pair, or a number beyond these
    source_words: U8
    target_words: U8
    group: I32
    group_names: U8


class Weights(NamedTuple):
    """Tuned weights, in the order of the names in the metadata."""

    values: F64


@dataclass
class Trainer:
    """One training run: its inputs, and the stages done so far."""

    pairs: ParallelText
    config: TrainConfig
    stages: Stages
    lm_texts: list[PathLike]
    groups: PathLike | None
    tuning: ParallelText | None
    alignment: PathLike | None
    arpa: PathLike | None
    threads: int

    def text(self) -> Path:
        """Tokenize and number everything."""
        config = self.config
        files = [self.pairs.source, self.pairs.target, *self.lm_texts, self.groups, *([self.arpa] if self.arpa else [])]
        analyzers = [Analyzer(settings).to_json() for settings in (config.source, config.target)]
        key = {"files": [file_digest(f) if f else None for f in files], "analyzers": analyzers,
               "compounds": config.compounds, "longest": config.longest}
        return self.stages.run("text", key, self._make_text)

    def _make_text(self, folder: Path) -> None:
        left, right, more, groups, documents = self._tokenized()
        if self.config.compounds and has_compounds(self.config.source):
            splitter = Splitter.learn(left.counts(), self.config.source.lang)
            splitter.save(folder / SPLITTER)
            left = left.replaced(splitter.split)
        longest = self.config.longest
        fits = (left.lengths > 0) & (left.lengths <= longest) & (right.lengths > 0) & (right.lengths <= longest)
        if not fits.any():
            raise CrossbowError(f"no sentence pair has 1 to {longest} tokens on both sides; is this parallel text?")
        source_vocab, target_vocab, group_vocab = Vocab([BREAK_WORD]), new_vocab(), Vocab()
        source, target = left.corpus(fits, source_vocab), right.corpus(fits, target_vocab)
        group = group_vocab.add_all(name for name, ok in zip(groups, fits.tolist()) if ok)
        extra = more.corpus(None, target_vocab)
        if self.arpa:
            target_vocab.add_all(arpa_words(self.arpa))
        arrays = TextArrays(
            source.words, source.starts, target.words, target.starts, np.concatenate((target.words, extra.words)),
            np.concatenate((target.starts, target.starts[-1] + extra.starts[1:])),
            np.concatenate((group, len(group_vocab) + np.array(documents, np.int32))),
            store.pack_strings(source_vocab.words), store.pack_strings(target_vocab.words), group,
            store.pack_strings(group_vocab.words),
        )
        meta = {"pairs": len(group), "empty": self.pairs.skipped, "too_long": len(fits) - int(fits.sum()),
                "source_tokens": len(source.words), "target_tokens": len(target.words), "lm_tokens": len(arrays.lm)}
        store.save(folder, "text", arrays, meta)

    def _tokenized(self) -> tuple[Words, Words, Words, list[str], array[int]]:
        """Both sides of the pairs, the language model's own text, the pairs' groups and that text's documents."""
        left, right, more = Words(), Words(), Words()
        groups: list[str] = []
        documents = array("i")

        def chunks() -> Iterator[list[Column]]:
            for rows in chunked(self._rows()):
                groups.extend(name for _, _, name in rows)
                yield [(SOURCE, [source for source, _, _ in rows]), (TARGET, [target for _, target, _ in rows])]
            numbered = enumerate(lm_documents(self.lm_texts))
            for lines in chunked((number, line) for number, document in numbered for line in document):
                documents.extend(number for number, _ in lines)
                yield [(TARGET, [line for _, line in lines])]

        analyzers = Analyzer(self.config.source), Analyzer(self.config.target)
        done = 0
        with closing(tokenized(chunks(), analyzers, self.threads)) as pieces:
            for columns in pieces:
                for words, piece in zip((left, right) if len(columns) == 2 else (more,), columns):
                    words.add(piece)
                self.stages.report("text", done := done + len(columns[0].lengths), 0)
        return left, right, more, groups, documents

    def _rows(self) -> Iterator[tuple[str, str, str]]:
        """Pairs with their group; each pair is its own group where none are given."""
        if self.groups is None:
            yield from ((left, right, str(n)) for n, (left, right) in enumerate(self.pairs))
            return
        names = (name for _, name in open_lines(self.groups))
        yield from ((left, right, name) for left, right, name in self.pairs.with_column(names, self.groups))

    def align(self, text: Path) -> Path:
        """Word alignment."""

        def make(folder: Path) -> None:
            source, target, _ = _corpora(text)
            if self.alignment:
                dropped = [store.header(text)["meta"][reason] for reason in ("empty", "too_long")]
                if any(dropped):
                    raise CrossbowError(
                        f"{dropped[0]} pairs have an empty side and {dropped[1]} are too long, so the lines of "
                        f"{self.alignment} do not match the text; remove those pairs from text and alignment")
                store.save(folder, "links", pharaoh.read(self.alignment, source, target), {})
                return
            links, report = align(source, target, self.config.align, self.threads, self.stages.report)
            bits = [report.forward.cross_entropy[-1], report.backward.cross_entropy[-1]]
            store.save(folder, "links", links, {"bits_per_word": bits})

        key = {"text": text.name, "config": asdict(self.config.align),
               "alignment": file_digest(self.alignment) if self.alignment else None}
        return self.stages.run("align", key, make)

    def language_model(self, text: Path) -> Path:
        """The language model."""

        def make(folder: Path) -> None:
            arrays, _ = store.load(text, "text", TextArrays)
            words = store.unpack_strings(arrays.target_words)
            text_ids = Corpus(arrays.lm, arrays.lm_starts)
            language_model(text_ids, Vocab(words), self.config.lm, self.arpa).save(folder)

        key = {"text": text.name, "config": asdict(self.config.lm)}
        return self.stages.run("lm", key if self.arpa is None else {"text": text.name}, make)

    def bitext(self, text: Path, links: Path) -> Path:
        """The aligned text, indexed for rule extraction."""

        def make(folder: Path) -> None:
            arrays, _ = store.load(text, "text", TextArrays)
            source, target, group = _corpora(text)
            alignment, _ = store.load(links, "links", Links)
            source_words, target_words = (
                len(store.unpack_strings(words)) for words in (arrays.source_words, arrays.target_words))
            save_bitext(folder, build_bitext(source, target, alignment, source_words, target_words, group))

        return self.stages.run("bitext", {"text": text.name, "links": links.name}, make)

    def tune(self, text: Path, lm: Path, bitext: Path) -> tuple[dict[str, float], dict[str, Any]]:
        """Tuned weights and what tuning reports, or the weights it would start from when there are no pairs for it."""
        if self.tuning is None:
            return dict(decoder_for(self.config.decode).start_weights), {}
        pairs = list(self.tuning)
        key = {"text": text.name, "lm": lm.name, "bitext": bitext.name, "pairs": pairs, "held out": True,
               "config": asdict(self.config.tune), "decode": asdict(self.config.decode)}

        passes = Stages(self.stages.folder / "passes")  # silent: tuning reports its passes itself

        def once(number: int, make: Callable[[], State]) -> State:
            place = passes.run("pass", [key, number], lambda folder: store.save(folder, "pass", make(), {}))
            return store.load(place, "pass", State)[0]

        def make(folder: Path) -> None:
            arrays, _ = store.load(text, "text", TextArrays)
            source_vocab, target_vocab = (
                Vocab(store.unpack_strings(words)) for words in (arrays.source_words, arrays.target_words))
            source, target = self.analyzers(text)
            tokens = [(source.tokens(left), plain(target.tokens(right))) for left, right in pairs]
            ids = [(source_vocab.ids(left), target_vocab.ids(right)) for left, right in tokens]
            unseen = [pair for pair, new in zip(tokens, not_trained_on(ids, *_corpora(text)[:2])) if new]
            blind = self._blind_model(arrays, lm, [right for _, right in ids])
            kind = decoder_for(self.config.decode)
            decoder = kind(load_bitext(bitext), source_vocab, target_vocab, blind, kind.start_weights,
                           self.config.decode)
            references = [right for _, right in unseen]
            result = tune(decoder, [left for left, _ in unseen], references, self.config.tune, self.threads,
                          self.stages.report, once)
            held_out = Corpus.encode(references, Vocab(target_vocab.words))
            meta = {"names": list(result.weights), "bleu": [round(b, 2) for b in result.bleu],
                    "tuned_on": result.sentences, "perplexity": round(blind.perplexity(held_out), 1)}
            store.save(folder, "weights", Weights(np.array(list(result.weights.values()))), meta)

        weights, meta = store.load(self.stages.run("tune", key, make), "weights", Weights)
        return dict(zip(meta["names"], weights.values.tolist())), meta

    def _blind_model(self, arrays: TextArrays, lm: Path, references: Sequence[I32]) -> LanguageModel:
        """A language model that has not seen the references. For one that was given, this cannot be known."""
        text = Corpus(arrays.lm, arrays.lm_starts)
        kept = text if self.arpa else without(text, arrays.lm_document, references)
        if len(kept.words) == len(text.words):
            return LanguageModel.load(lm)
        return language_model(kept, Vocab(store.unpack_strings(arrays.target_words)), self.config.lm, None)

    def analyzers(self, text: Path) -> tuple[Analyzer, Analyzer]:
        """The analyzers of the source side, with its splitter, and of the target side."""
        place = self.splitter(text)
        return Analyzer(self.config.source, Splitter.load(place) if place else None), Analyzer(self.config.target)

    @staticmethod
    def splitter(text: Path) -> Path | None:
        """The folder of what splits compounds, if they are split."""
        return text / SPLITTER if (text / SPLITTER).exists() else None


def train(
    pairs: ParallelText, out: PathLike, config: TrainConfig, *, lm_texts: Iterable[PathLike] = (),
    groups: PathLike | None = None, tuning: ParallelText | None = None, alignment: PathLike | None = None,
    arpa: PathLike | None = None, threads: int = 2, report: Report | None = None,
) -> dict[str, Any]:
    """Train a model into the folder `out` and return a summary: sizes, seconds per stage, perplexity and BLEU.

    With `alignment` and `arpa`, files in the Pharaoh and the ARPA format, these are used instead of making our own.
    """
    texts = list(lm_texts)
    check_lm_sources(texts, arpa)
    store.check_replaceable(out, MODEL)
    with stages_beside(Path(out), report) as stages:
        return _train(Trainer(pairs, config, stages, texts, groups, tuning, alignment, arpa, threads), out)


def _train(trainer: Trainer, out: PathLike) -> dict[str, Any]:
    """Go through the stages and put the model together."""
    config = trainer.config
    text = trainer.text()
    links = trainer.align(text)
    lm = trainer.language_model(text)
    bitext = trainer.bitext(text, links)
    weights, tuned = trainer.tune(text, lm, bitext)
    arrays, sizes = store.load(text, "text", TextArrays)
    source, target = trainer.analyzers(text)
    summary: dict[str, Any] = {
        "grammar": grammar_kind(config.decode), **sizes,
        "source_words": len(store.unpack_strings(arrays.source_words)) - 1,
        "target_words": len(store.unpack_strings(arrays.target_words)) - len(SPECIAL_WORDS),
        "ngrams": store.header(lm)["meta"]["counts"], "seconds": trainer.stages.seconds,
        **{key: tuned[key] for key in ("tuned_on", "bleu", "perplexity") if key in tuned},
    }
    meta: dict[str, Any] = {"source": source.to_json(), "target": target.to_json(), "weights": weights,
                            "summary": summary, "decode": asdict(config.decode)}
    meta["signature"] = store.digest(text.name, links.name, lm.name, bitext.name, weights, asdict(config.decode))
    words = Vocabularies(arrays.source_words, arrays.target_words, arrays.group_names)
    write_model(out, ModelParts(words, meta, bitext, lm, compounds=trainer.splitter(text)))
    return {**summary, "signature": meta["signature"]}


def _corpora(text: Path) -> tuple[Corpus, Corpus, I32]:
    arrays, _ = store.load(text, "text", TextArrays)
    return Corpus(arrays.source, arrays.source_starts), Corpus(arrays.target, arrays.target_starts), arrays.group
