"""The commands around training: train, translate, info, demo, and `data debian`."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from crossbow.cli.shared import (
    AnalyzerOption,
    ArpaOption,
    CompoundsOption,
    LmTextOption,
    OrderOption,
    PopLimit,
    Quiet,
    SourceOption,
    TargetOption,
    Threads,
    cli,
    disk_size,
    given,
    index_rows,
    progress,
    table,
)
from crossbow.errors import CrossbowError

data = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Build test collections.")
cli.add_typer(data, name="data")


@data.command("debian")
def data_debian(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder to write.")],
    source: Annotated[str, typer.Option("--source", help="Language of the queries.")] = "de",
    mirror: Annotated[str | None, typer.Option("--mirror", help="Address of an archive, instead of apt.")] = None,
    lists: Annotated[Path | None, typer.Option("--lists", help="Folder of package lists, instead of apt.")] = None,
    seed: Annotated[int, typer.Option("--seed", help="Decides what falls into train, dev and test.")] = 1,
    quiet: Quiet = False,
) -> None:
    """A real test collection out of Debian's package descriptions and their translations.

    Example: crossbow data debian --source de -o debian-de
    """
    from crossbow.datasets.debian import build

    def say(message: str) -> None:
        if not quiet:
            print(message, file=sys.stderr)

    collection = build(source, out, mirror=mirror, lists=lists, seed=seed, progress=say)
    for name, count in collection.manifest["counts"].items():
        print(f"{name:22} {count:>10,}")
    print(f"{'digest':22} {collection.manifest['digest']:>10}")


@cli.command()
def train(
    source_text: Annotated[Path, typer.Argument(metavar="SRC", help="Source sentences, one a line.")],
    target_text: Annotated[Path, typer.Argument(metavar="TGT", help="Their translations, line by line.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Model folder to write.")],
    source: SourceOption = "de",
    target: TargetOption = "en",
    lm_text: LmTextOption = None,
    tune: Annotated[tuple[Path, Path] | None, typer.Option(
        "--tune", metavar="SRC TGT", help="Held-out sentence pairs to tune the weights on.")] = None,
    groups: Annotated[Path | None, typer.Option(
        "--groups", help="The group (article, package) of each pair, for leave-one-out.")] = None,
    alignment: Annotated[Path | None, typer.Option(
        "--alignment", help="Word alignment in Pharaoh format, instead of our own.")] = None,
    arpa: ArpaOption = None,
    analyzer: AnalyzerOption = "words",
    compounds: CompoundsOption = True,
    order: OrderOption = None,
    grammar: Annotated[str, typer.Option(
        "--grammar", help="'hierarchical': rules with gaps; 'phrase': phrases, reordered.")] = "hierarchical",
    distortion_limit: Annotated[int | None, typer.Option(
        "--distortion-limit", min=0, max=10, help="How far apart phrases may be taken, in words.")] = None,
    pop_limit: PopLimit = None,
    passes: Annotated[int | None, typer.Option("--passes", min=1, help="Passes of tuning.")] = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Train a translation model from parallel text.

    Example: crossbow train train.de train.en -o model --lm-text docs.tsv --tune tune.de tune.en
    """
    from crossbow.lm.estimate import Smoothing
    from crossbow.records import ParallelText
    from crossbow.text.analyzer import Settings
    from crossbow.training.parallel import GRAMMARS, PHRASE, TrainConfig
    from crossbow.training.parallel import train as run

    if arpa and lm_text:
        raise CrossbowError("give --lm-text or --arpa, not both: an ARPA file is a language model that is complete")
    if grammar not in GRAMMARS:
        raise CrossbowError(f"--grammar {grammar} is unknown; there are {' and '.join(GRAMMARS)}")
    if distortion_limit is not None and grammar != PHRASE:
        raise CrossbowError(f"--distortion-limit is for phrases; give --grammar {PHRASE} too")
    decode, tuning = GRAMMARS[grammar]
    config = TrainConfig(
        Settings(source, kind=analyzer), Settings(target, kind=analyzer), compounds, lm=Smoothing(**given(order=order)),
        decode=replace(decode, **given(pop_limit=pop_limit, distortion_limit=distortion_limit)),
        tune=replace(tuning, **given(passes=passes)),
    )
    with progress(quiet) as report:
        summary = run(
            ParallelText(source_text, target_text), out, config, lm_texts=lm_text or [], groups=groups,
            tuning=ParallelText(*tune) if tune else None, alignment=alignment, arpa=arpa, threads=threads,
            report=report,
        )
    table(summary)


@cli.command()
def translate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Model folder.")],
    nbest: Annotated[int, typer.Option("--nbest", min=1, help="Print so many distinct translations of each.")] = 1,
    forest: Annotated[Path | None, typer.Option("--forest", help="Write the forests to this file, a JSON line each.")]
    = None,
    rules: Annotated[Path | None, typer.Option("--rules", help="Write the rules, as cdec grammar files, here.")] = None,
    pop_limit: PopLimit = None,
    no_lm: Annotated[bool, typer.Option("--no-lm", help="Decode without the language model.")] = False,
    threads: Threads = 2,
) -> None:
    """Translate sentences from standard input, one a line.

    Example: echo "Das Schloss am See" | crossbow translate model --nbest 3
    """
    from crossbow.model import Model
    from crossbow.translate import translate_lines

    settings = given(pop_limit=pop_limit, language_model=False if no_lm else None)
    translate_lines(Model.load(model).with_settings(**settings), sys.stdin.buffer, sys.stdout, nbest, forest, rules,
                    threads)


@cli.command()
def info(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="Folder of a model, an index or a parser.")],
    check: Annotated[bool, typer.Option(
        "--check", help="Read all files of the folder, and say whether any is damaged.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Everything in the header, as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Say what a folder is: sizes, languages, settings, signature.

    Example: crossbow info model
    """
    from crossbow.store import header

    if check and as_json:
        raise CrossbowError("--json prints the header alone; leave it out to --check the files")
    checked = _checked(path, quiet) if check else None
    head = header(path)
    if as_json:
        print(json.dumps(head, ensure_ascii=False, indent=1))
        return
    table(_info_rows(path, head))
    if checked:
        print(checked)


def _checked(path: Path, quiet: bool) -> str:
    """What to say of the files of a folder of which none is damaged."""
    from crossbow.integrity import check_files

    with progress(quiet) as report:
        files, unknown = check_files(path, report)
    if not unknown:
        return f"all {files:,} files are intact"
    rest = "the others are intact" if unknown < files else "build the folder again to have some"
    return f"{unknown:,} of {files:,} files have no checksums, because an older version wrote them; {rest}"


def _info_rows(path: Path, head: dict[str, Any]) -> dict[str, Any]:
    """What to show of a header."""
    meta = head["meta"]
    rows: dict[str, Any] = {"kind": head["kind"], "written by": f"crossbow {head['crossbow']}",
                            "size on disk": disk_size(path)}
    if head["kind"] == "index":
        return {**rows, **index_rows(meta)}
    for side in ("source", "target"):
        if isinstance(meta.get(side), dict):
            rows[side] = meta[side]["lang"]
    if head["kind"] == "parser":
        rows.update({"language": meta["analyzer"]["lang"], **meta["config"]})
    rows.update(meta.get("summary", {}))
    rows.update({key: value for key, value in meta.items() if key in ("decode", "weights", "order", "signature")})
    if head["kind"] == "model":
        rows.update(_retrieval_rows(path))
    return rows


def _retrieval_rows(path: Path) -> dict[str, Any]:
    """What forced decoding has learned, if it has."""
    from crossbow.store import header
    from crossbow.weights import DEFAULT, RETRIEVAL

    place = path / RETRIEVAL
    learned = header(place)["meta"] if place.exists() else {"v": DEFAULT, "expected": 0.0, "terms": 0, "lex": 0}
    return {"v": learned["v"], "expected terms": learned["expected"], "term weights": learned["terms"],
            "LEX weights": learned["lex"]}


@cli.command()
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Folder for all of it.")] = Path("crossbow-demo"),
    quiet: Quiet = False,
) -> None:
    """Train on the embedded German–English data, index, search, evaluate, explain one hit.

    Example: crossbow demo
    """
    from crossbow.demo import run

    with progress(quiet) as report:
        run(out, report)
