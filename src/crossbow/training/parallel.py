"""Training: from parallel text to a model folder, in resumable stages.

    summary = train(ParallelText("train.de", "train.en"), Path("model"), TrainConfig("de", "en"), lm_texts=["docs.tsv"])

    text    tokenise both sides and the language model's texts, learn to split compounds, number the words
    align   word alignment in both directions
    lm      the language model on the target side and the additional texts
    bitext  the suffix array over the aligned text
    tune    weights that maximise BLEU on held-out pairs, if there are any
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from crossbow import store
from crossbow.align import pharaoh
from crossbow.align.config import AlignConfig
from crossbow.align.driver import align
from crossbow.align.symmetrise import Links
from crossbow.arrays import F64, I32, I64, U8
from crossbow.decode.decoder import DecodeConfig
from crossbow.decode.phrases import PhraseConfig, decoder_for
from crossbow.decode.tune import TuneConfig, tune
from crossbow.errors import CrossbowError
from crossbow.grammar.bitext import Bitext, build_bitext
from crossbow.lm.arpa import arpa_words, read_arpa
from crossbow.lm.estimate import Smoothing, estimate
from crossbow.lm.model import LanguageModel
from crossbow.lm.words import SPECIAL_WORDS, new_vocab
from crossbow.model import KIND, Vocabularies
from crossbow.pipeline import Report, Stages, adopt, file_digest, stages_beside
from crossbow.records import ParallelText, open_lines, read_docs
from crossbow.records.lines import plain_suffix
from crossbow.records.texts import JSONL
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.compounds import LANGUAGES as COMPOUND_LANGUAGES
from crossbow.text.compounds import Splitter
from crossbow.vocab import Corpus, Vocab

BREAK_WORD = " "  # takes the source vocabulary's id 0, which separates sentences in the bitext; never a token


@dataclass(frozen=True)
class TrainConfig:
    """All settings of training. Compounds are split in the languages that write them as one word."""

    source: Settings = field(default_factory=lambda: Settings("de"))
    target: Settings = field(default_factory=lambda: Settings("en"))
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


HIERARCHICAL, PHRASE = "hierarchical", "phrase"
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
    lm_texts: list[Path]
    groups: Path | None
    tuning: ParallelText | None
    alignment: Path | None
    arpa: Path | None
    threads: int

    def text(self) -> Path:
        """Tokenise and number everything."""
        config = self.config
        files = [self.pairs.source, self.pairs.target, *self.lm_texts, self.groups, *([self.arpa] if self.arpa else [])]
        analyzers = [Analyzer(settings).to_json() for settings in (config.source, config.target)]
        key = {"files": [file_digest(f) if f else None for f in files], "analyzers": analyzers,
               "compounds": config.compounds, "longest": config.longest}
        return self.stages.run("text", key, self._make_text)

    def _make_text(self, folder: Path) -> None:
        rows = list(self._rows())
        source = Analyzer(self.config.source)
        sentences = [source.tokens(left) for left, _, _ in rows]
        if self._splits_compounds():
            splitter = Splitter.learn(Counter(word for s in sentences for word in s), self.config.source.lang)
            splitter.save(folder / "compounds")
            source = Analyzer(self.config.source, splitter)
            sentences = [source.tokens(left) for left, _, _ in rows]
        target = Analyzer(self.config.target)
        translations = [plain(target.tokens(right)) for _, right, _ in rows]
        longest = self.config.longest
        fits = [0 < len(s) <= longest and 0 < len(t) <= longest for s, t in zip(sentences, translations)]
        if not any(fits):
            raise CrossbowError(f"no sentence pair has 1 to {longest} tokens on both sides; is this parallel text?")
        source_vocab, target_vocab, group_vocab = Vocab([BREAK_WORD]), new_vocab(), Vocab()
        left = Corpus.encode((s for s, ok in zip(sentences, fits) if ok), source_vocab)
        right = Corpus.encode((t for t, ok in zip(translations, fits) if ok), target_vocab)
        group = group_vocab.add_all(row[2] for row, ok in zip(rows, fits) if ok)
        extra = Corpus.encode((plain(target.tokens(line)) for line in lm_lines(self.lm_texts)), target_vocab)
        if self.arpa:
            target_vocab.add_all(arpa_words(self.arpa))
        arrays = TextArrays(
            left.words, left.starts, right.words, right.starts, np.concatenate((right.words, extra.words)),
            np.concatenate((right.starts, right.starts[-1] + extra.starts[1:])),
            store.pack_strings(source_vocab.words), store.pack_strings(target_vocab.words), group,
            store.pack_strings(group_vocab.words),
        )
        meta = {"pairs": len(group), "empty": self.pairs.skipped, "too_long": len(fits) - sum(fits),
                "source_tokens": len(left.words), "target_tokens": len(right.words), "lm_tokens": len(arrays.lm)}
        store.save(folder, "text", arrays, meta)

    def _splits_compounds(self) -> bool:
        settings = self.config.source
        return self.config.compounds and settings.kind == "words" and settings.lang.split("-")[0] in COMPOUND_LANGUAGES

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
            lm_of(Corpus(arrays.lm, arrays.lm_starts), Vocab(words), self.config.lm, self.arpa).save(folder)

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
            record = build_bitext(source, target, alignment, source_words, target_words, group)
            store.save(folder, "bitext", record, {"sentences": len(group), "groups": int(group.max()) + 1})

        return self.stages.run("bitext", {"text": text.name, "links": links.name}, make)

    def tune(self, text: Path, lm: Path, bitext: Path) -> tuple[dict[str, float], dict[str, Any]]:
        """Tuned weights and what tuning reports, or the weights it would start from when there are no pairs for it."""
        if self.tuning is None:
            return dict(decoder_for(self.config.decode).start_weights), {}
        pairs = list(self.tuning)
        key = {"text": text.name, "lm": lm.name, "bitext": bitext.name, "pairs": pairs,
               "config": asdict(self.config.tune), "decode": asdict(self.config.decode)}

        def make(folder: Path) -> None:
            arrays, _ = store.load(text, "text", TextArrays)
            language_model = LanguageModel.load(lm)
            target_vocab = Vocab(store.unpack_strings(arrays.target_words))
            kind = decoder_for(self.config.decode)
            decoder = kind(store.load(bitext, "bitext", Bitext)[0], Vocab(store.unpack_strings(arrays.source_words)),
                           target_vocab, language_model, kind.start_weights, self.config.decode)
            source, target = self.analyzers(text)
            references = [target.tokens(right) for _, right in pairs]
            sources = [source.tokens(left) for left, _ in pairs]
            result = tune(decoder, sources, references, self.config.tune, self.threads, self.stages.report)
            held_out = Corpus.encode(references, Vocab(target_vocab.words))
            meta = {"names": list(result.weights), "bleu": [round(b, 2) for b in result.bleu],
                    "sentences": result.sentences, "perplexity": round(language_model.perplexity(held_out), 1)}
            store.save(folder, "weights", Weights(np.array(list(result.weights.values()))), meta)

        weights, meta = store.load(self.stages.run("tune", key, make), "weights", Weights)
        return dict(zip(meta["names"], weights.values.tolist())), meta

    def analyzers(self, text: Path) -> tuple[Analyzer, Analyzer]:
        """Those of the source side, with its splitter, and of the target side."""
        splitter = Splitter.load(text / "compounds") if (text / "compounds").exists() else None
        return Analyzer(self.config.source, splitter), Analyzer(self.config.target)


def train(
    pairs: ParallelText, out: Path, config: TrainConfig, *, lm_texts: Iterable[Path] = (), groups: Path | None = None,
    tuning: ParallelText | None = None, alignment: Path | None = None, arpa: Path | None = None, threads: int = 2,
    report: Report | None = None,
) -> dict[str, Any]:
    """Train a model into the folder `out` and return a summary: sizes, seconds per stage, perplexity and BLEU.

    With `alignment` and `arpa`, files in the Pharaoh and the ARPA format, these are used instead of making our own.
    """
    store.check_replaceable(out, KIND)
    with stages_beside(out, report) as stages:
        return _train(Trainer(pairs, config, stages, list(lm_texts), groups, tuning, alignment, arpa, threads), out)


def _train(trainer: Trainer, out: Path) -> dict[str, Any]:
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
        "grammar": PHRASE if isinstance(config.decode, PhraseConfig) else HIERARCHICAL, **sizes,
        "source_words": len(store.unpack_strings(arrays.source_words)) - 1,
        "target_words": len(store.unpack_strings(arrays.target_words)) - len(SPECIAL_WORDS),
        "ngrams": store.header(lm)["meta"]["counts"], "seconds": trainer.stages.seconds,
        **{key: tuned[key] for key in ("bleu", "perplexity") if key in tuned},
    }
    meta: dict[str, Any] = {"source": source.to_json(), "target": target.to_json(), "weights": weights,
                            "summary": summary, "decode": asdict(config.decode)}
    meta["signature"] = store.digest(text.name, links.name, lm.name, bitext.name, weights, asdict(config.decode))
    with store.replacing(out, KIND) as fresh:
        adopt(bitext, fresh / "bitext")
        adopt(lm, fresh / "lm")
        if (text / "compounds").exists():
            adopt(text / "compounds", fresh / "compounds")
        store.save(fresh, KIND, Vocabularies(arrays.source_words, arrays.target_words, arrays.group_names), meta)
    return {**summary, "signature": meta["signature"]}


def lm_lines(paths: Iterable[Path]) -> Iterator[str]:
    """Lines of texts for the language model; of a TSV file the last column, of JSONL documents title and text."""
    for path in paths:
        if plain_suffix(path) in JSONL:
            for doc in read_docs(path):
                yield from (doc.title, doc.text)
        else:
            for _, line in open_lines(path):
                yield line.rpartition("\t")[2]


def lm_of(text: Corpus, vocab: Vocab, smoothing: Smoothing, arpa: Path | None) -> LanguageModel:
    """A language model of the text, or that of an ARPA file, whose words the vocabulary has already."""
    if arpa is None:
        return LanguageModel.from_ngrams(estimate(text, len(vocab), smoothing))
    model = LanguageModel.from_ngrams(read_arpa(arpa, vocab)[0])
    if len(text.words) and not model.knows(text.words).any():
        raise CrossbowError(f"{arpa}: knows no word of the target text; is it of this language, and of text that is "
                            "split into words and lower-cased as `crossbow translate` writes it?")
    return model


def _corpora(text: Path) -> tuple[Corpus, Corpus, I32]:
    arrays, _ = store.load(text, "text", TextArrays)
    return Corpus(arrays.source, arrays.source_starts), Corpus(arrays.target, arrays.target_starts), arrays.group


def plain(tokens: list[str]) -> list[str]:
    """Tokens spelt like the language model's special words would begin or end sentences; they become ordinary words."""
    return [token.replace("<", "‹") if token in SPECIAL_WORDS else token for token in tokens]
