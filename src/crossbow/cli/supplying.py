"""Commands for what others bring: dictionary, grammar, neural and combine make models, convert makes parallel text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.shared import (
    AnalyzerOption,
    ArpaOption,
    CompoundsOption,
    LmTextOption,
    OrderOption,
    PopLimit,
    SourceOption,
    TargetOption,
    cli,
    given,
    say_what_is_missing,
    table,
)
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.text.filenames import Languages
    from crossbow.training.supplied import SuppliedConfig

Out = Annotated[Path, typer.Option("-o", "--out", help="Write the model to this folder.")]
GrammarSource = Annotated[str | None, typer.Option(
    "--source", metavar="CODE", help="Translate from this language. By default it is taken from the name of the file; "
                                     "otherwise it is de.")]
GrammarTarget = Annotated[str | None, typer.Option(
    "--target", metavar="CODE", help="Translate into this language. By default it is taken from the name of the file; "
                                     "otherwise it is en.")]


@cli.command()
def dictionary(
    path: Annotated[Path, typer.Argument(
        metavar="DICT", help="Read this dictionary: TSV, FreeDict's .tei, or dictd's .index and .dict.dz.")],
    out: Out,
    source: SourceOption = None,
    target: TargetOption = None,
    lm_text: LmTextOption = None,
    arpa: ArpaOption = None,
    analyzer: AnalyzerOption = "words",
    compounds: CompoundsOption = True,
    order: OrderOption = None,
    pop_limit: PopLimit = None,
) -> None:
    """Make a translation model from a bilingual dictionary, if there is no parallel text.

    The languages may be taken from the name of the file, such as de-en.tsv or deu-eng.tei.

    Example: crossbow dictionary deu-eng.tei -o model --lm-text docs.tsv
    """
    from crossbow.text.filenames import languages_of_file
    from crossbow.training.dictionary import from_dictionary

    languages = languages_of_file(path, source, target)
    config = _config(languages, analyzer, compounds, order, pop_limit)
    table({**languages._asdict(), **from_dictionary(path, out, config, lm_texts=lm_text or [], arpa=arpa)})


@cli.command()
def grammar(
    path: Annotated[Path, typer.Argument(
        metavar="RULES", help="Read this grammar in cdec's format, plain or compressed (.gz, .xz).")],
    out: Out,
    source: GrammarSource = None,
    target: GrammarTarget = None,
    lm_text: LmTextOption = None,
    arpa: ArpaOption = None,
    weights: Annotated[Path | None, typer.Option(
        "--weights", help="Read the weights of features from this file, as cdec writes them.")] = None,
    analyzer: AnalyzerOption = "words",
    order: OrderOption = None,
    pop_limit: PopLimit = None,
) -> None:
    """Make a translation model from a grammar that another system extracted.

    Example: crossbow grammar rules.gz -o model --source de --target en --arpa english.arpa.gz
    """
    from crossbow.text.filenames import Languages, languages_of_file, pair_in
    from crossbow.training.grammar import from_grammar

    languages = languages_of_file(path, source, target, default=Languages("de", "en"))
    config = _config(languages, analyzer, False, order, pop_limit)
    summary = from_grammar(path, out, config, lm_texts=lm_text or [], arpa=arpa, weights=weights)
    told = pair_in(path) or (None, None)
    shown = {side: code if asked or hint else f"{code} (the default; --{side} chooses another)"
             for (side, code), asked, hint in zip(languages._asdict().items(), (source, target), told)}
    table({**shown, **summary})


@cli.command()
def neural(
    folder: Annotated[Path, typer.Argument(
        metavar="CT2_FOLDER", help="Read this model in CTranslate2's format, with its SentencePiece models.")],
    out: Out,
    source: Annotated[str | None, typer.Option(
        "--source", metavar="CODE", help="Translate from this language. By default it is taken from "
                                         "tokenizer_config.json.")]
    = None,
    target: Annotated[str | None, typer.Option(
        "--target", metavar="CODE", help="Translate into this language. By default it is taken from "
                                         "tokenizer_config.json.")]
    = None,
    nbest: Annotated[int | None, typer.Option(
        "--nbest", min=1, max=1000, help="List this many translations per query; longer lists find more and take "
                                         "longer. The default is 24.")] = None,
    samples: Annotated[int | None, typer.Option(
        "--samples", min=0, max=1000, help="Add this many translations drawn at random, with a fixed seed, for more "
                                           "variety. The system is opened again for each text. The default is 0.")]
    = None,
    source_tag: Annotated[list[str] | None, typer.Option(
        "--source-tag", metavar="TAG", help="Put this control tag before every query, such as '>>eng<<' or deu_Latn.")]
    = None,
    target_tag: Annotated[list[str] | None, typer.Option(
        "--target-tag", metavar="TAG", help="Let every translation begin with this tag, such as eng_Latn.")] = None,
    source_spm: Annotated[Path | None, typer.Option(
        "--source-spm", help="Take this SentencePiece model for queries. By default it is source.spm or the shared one "
                             "in the folder.")] = None,
    target_spm: Annotated[Path | None, typer.Option(
        "--target-spm", help="Take this SentencePiece model for translations. By default it is target.spm or the "
                             "shared one in the folder.")] = None,
) -> None:
    """Make a translation model from a neural system: Marian, Opus-MT, NLLB and others, converted to CTranslate2.

    This needs an extra: pip install 'crossbow-clir[neural]'.

    Example: crossbow neural opus-mt-de-en.ct2 -o model --source de --target en
    """
    from crossbow.neural.folder import named_languages
    from crossbow.neural.system import SystemConfig
    from crossbow.neural.translator import NeuralConfig
    from crossbow.text.analyzer import Settings
    from crossbow.training.neural import from_neural

    languages = named_languages(folder, source, target)
    analyzers = [Settings(code) for code in languages]
    say_what_is_missing(analyzers[1])
    summary = from_neural(folder, out, *analyzers, config=NeuralConfig(**given(nbest=nbest, samples=samples)),
                          system=SystemConfig(tuple(source_tag or ()), tuple(target_tag or ())),
                          source_pieces=source_spm, target_pieces=target_spm)
    table({"source": languages[0], "target": languages[1], **summary})


@cli.command()
def combine(
    models: Annotated[list[Path], typer.Argument(metavar="MODEL…", help="Combine these models, two or more.")],
    out: Out,
    scale: Annotated[list[float] | None, typer.Option(
        "--scale", min=0, help="Multiply a model's scores by this factor; give one for each model. The default is 0.3 "
                               "for neural models and 1 for others.")] = None,
    prior: Annotated[list[float] | None, typer.Option(
        "--prior", help="Give a model's best translation this score; give one score for each model. The default is 0 "
                        "for all.")] = None,
) -> None:
    """Make one model from several: each document picks the translation that it supports, whichever model made it.

    Example: crossbow combine trained neural -o both
    """
    from crossbow.training.combine import combine as combined

    table(combined(models, out, scale, prior))


def _config(
    languages: Languages, analyzer: str, compounds: bool, order: int | None, pop_limit: int | None
) -> SuppliedConfig:
    from crossbow.decode.decoder import DecodeConfig
    from crossbow.lm.estimate import Smoothing
    from crossbow.text.analyzer import Settings
    from crossbow.training.supplied import SuppliedConfig

    source, target = (Settings(code, kind=analyzer) for code in languages)
    say_what_is_missing(target)
    return SuppliedConfig(source, target, compounds, Smoothing(**given(order=order)),
                          DecodeConfig(**given(pop_limit=pop_limit)))


@cli.command()
def convert(
    files: Annotated[list[Path], typer.Argument(
        metavar="FILE…", help="Read these translation memories (.tmx) and gettext catalogs (.po), also compressed "
                              "(.gz, .xz).")],
    out: Annotated[str, typer.Option("-o", "--out", help="Write files that begin with this name and end with the codes "
                                                         "of the languages, such as OUT.de and OUT.en.")],
    source: Annotated[str | None, typer.Option(
        "--source", metavar="CODE", help="Take this source language, such as de. By default it is taken from the names "
                                         "of .po files.")] = None,
    target: Annotated[str, typer.Option(
        "--target", metavar="CODE", help="Take this target language, such as en.")] = "en",
    msgid: Annotated[str, typer.Option(
        "--msgid", metavar="CODE", help="The messages in .po files are in this language.")]
    = "en",
) -> None:
    """Turn translation memories and gettext catalogs into parallel text to train on.

    Example: crossbow convert memory.tmx po/de.po -o train --source de --target en
    """
    from crossbow.records.parallel import write_pairs
    from crossbow.text.language import language_code

    source = source or _catalog_language(files, target, msgid)
    codes = language_code(source), language_code(target)
    if codes[0] == codes[1]:
        raise CrossbowError(f"--source and --target are both {codes[0]!r}; choose two languages")
    counts: dict[str, int] = {}

    def pairs() -> Iterator[tuple[str, str]]:
        for path in files:
            counts[str(path)] = 0
            for pair in _converted(path, source, target, msgid):
                counts[str(path)] += 1
                yield pair

    write_pairs(f"{out}.{codes[0]}", f"{out}.{codes[1]}", pairs())
    table({**(counts if len(counts) > 1 else {}), "pairs": sum(counts.values())})


def _catalog_language(files: list[Path], target: str, msgid: str) -> str:
    """The source language by the names of the catalogs: the one in the names, or that of the messages."""
    from crossbow.records.lines import plain_suffix
    from crossbow.text.filenames import catalog_language
    from crossbow.text.language import same_language

    told = {catalog_language(path) for path in files if plain_suffix(path) == ".po"}
    language = told.pop() if len(told) == 1 else None
    if language is None:
        raise CrossbowError("the source language is unknown; give it with --source, such as --source de")
    return msgid if same_language(language, target) else language


def _converted(path: Path, source: str, target: str, msgid: str) -> Iterator[tuple[str, str]]:
    """The pairs of a file. Files spell languages in many ways, and so do people."""
    from crossbow.records.lines import plain_suffix
    from crossbow.records.po import read_po
    from crossbow.records.tmx import read_tmx
    from crossbow.text.language import language_code, spelled

    suffix = plain_suffix(path)
    if suffix == ".tmx":
        return read_tmx(path, source, target, spelled)
    if suffix != ".po":
        raise CrossbowError(f"{path}: is neither .tmx nor .po; convert it first, e.g. with the Translate Toolkit")
    if language_code(msgid) == language_code(target):
        return ((right, left) for left, right in read_po(path, source, spelled))
    if language_code(msgid) == language_code(source):
        return read_po(path, target, spelled)
    raise CrossbowError(f"--msgid is {msgid!r}, which is neither --source {source} nor --target {target}")
