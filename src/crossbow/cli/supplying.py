"""The commands for those who bring their own: dictionary and grammar make models, convert makes parallel text."""

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
    table,
)
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.training.supplied import SuppliedConfig

Out = Annotated[Path, typer.Option("-o", "--out", help="Model folder to write.")]


@cli.command()
def dictionary(
    path: Annotated[Path, typer.Argument(metavar="DICT", help="TSV, FreeDict's .tei, or dictd's .index and .dict.dz.")],
    out: Out,
    source: SourceOption = "de",
    target: TargetOption = "en",
    lm_text: LmTextOption = None,
    arpa: ArpaOption = None,
    analyzer: AnalyzerOption = "words",
    compounds: CompoundsOption = True,
    order: OrderOption = None,
    pop_limit: PopLimit = None,
) -> None:
    """Make a translation model of a bilingual dictionary, for want of parallel text.

    Example: crossbow dictionary deu-eng.tei -o model --lm-text docs.tsv
    """
    from crossbow.training.supplied import from_dictionary

    config = _config(source, target, analyzer, compounds, order, pop_limit)
    table(from_dictionary(path, out, config, lm_texts=lm_text or [], arpa=arpa))


@cli.command()
def grammar(
    path: Annotated[Path, typer.Argument(metavar="RULES", help="A grammar in cdec's format, plain, .gz or .xz.")],
    out: Out,
    source: SourceOption = "de",
    target: TargetOption = "en",
    lm_text: LmTextOption = None,
    arpa: ArpaOption = None,
    weights: Annotated[Path | None, typer.Option("--weights", help="Feature weights, as cdec writes them.")] = None,
    analyzer: AnalyzerOption = "words",
    order: OrderOption = None,
    pop_limit: PopLimit = None,
) -> None:
    """Make a translation model of a grammar that another system extracted.

    Example: crossbow grammar rules.gz -o model --arpa english.arpa.gz
    """
    from crossbow.training.supplied import from_grammar

    config = _config(source, target, analyzer, False, order, pop_limit)
    table(from_grammar(path, out, config, lm_texts=lm_text or [], arpa=arpa, weights=weights))


def _config(
    source: str, target: str, analyzer: str, compounds: bool, order: int | None, pop_limit: int | None
) -> SuppliedConfig:
    from crossbow.decode.decoder import DecodeConfig
    from crossbow.lm.estimate import Smoothing
    from crossbow.text.analyzer import Settings
    from crossbow.training.supplied import SuppliedConfig

    return SuppliedConfig(Settings(source, kind=analyzer), Settings(target, kind=analyzer), compounds,
                          Smoothing(**given(order=order)), DecodeConfig(**given(pop_limit=pop_limit)))


@cli.command()
def convert(
    files: Annotated[list[Path], typer.Argument(
        metavar="FILE…", help="Translation memories (.tmx) and gettext catalogues (.po), also .gz and .xz.")],
    out: Annotated[str, typer.Option("-o", "--out", help="Writes OUT.de and OUT.en, or whichever languages.")],
    source: SourceOption = "de",
    target: TargetOption = "en",
    msgid: Annotated[str, typer.Option("--msgid", help="Language of the messages in .po files.")] = "en",
) -> None:
    """Turn translation memories and gettext catalogues into parallel text to train on.

    Example: crossbow convert memory.tmx po/de.po -o train --source de --target en
    """
    from crossbow.records.lines import plain_suffix
    from crossbow.records.parallel import write_pairs
    from crossbow.records.po import read_po
    from crossbow.records.tmx import read_tmx

    if source == target:
        raise CrossbowError(f"--source and --target are both {source!r}; choose two languages")
    counts: dict[str, int] = {}

    def pairs() -> Iterator[tuple[str, str]]:
        for path in files:
            suffix = plain_suffix(path)
            counts[str(path)] = 0
            if suffix == ".tmx":
                found = read_tmx(path, source, target)
            elif suffix != ".po":
                raise CrossbowError(f"{path}: neither .tmx nor .po; convert it first, e.g. with the Translate Toolkit")
            elif msgid == target:
                found = ((right, left) for left, right in read_po(path, source))
            elif msgid == source:
                found = read_po(path, target)
            else:
                raise CrossbowError(f"--msgid is {msgid!r}, which is neither --source {source} nor --target {target}")
            for pair in found:
                counts[str(path)] += 1
                yield pair

    write_pairs(f"{out}.{source}", f"{out}.{target}", pairs())
    table({**(counts if len(counts) > 1 else {}), "pairs": sum(counts.values())})
