"""The commands around training: train, translate, info and demo."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from crossbow.cli.configuring import configured
from crossbow.cli.shared import (
    DEMO,
    AnalyzerOption,
    ArpaOption,
    CompoundsOption,
    LmTextOption,
    OrderOption,
    PopLimit,
    Quiet,
    SegmenterOption,
    SourceOption,
    TargetOption,
    Threads,
    cli,
    disk_size,
    given,
    index_rows,
    progress,
    say_what_is_missing,
    table,
)
from crossbow.errors import CrossbowError, InputError

if TYPE_CHECKING:
    from crossbow.text.analyzer import Settings


@cli.command()
def train(
    source_text: Annotated[Path, typer.Argument(
        metavar="SRC", help="Read the source sentences from this file, one per line.")],
    target_text: Annotated[Path, typer.Argument(
        metavar="TGT", help="Read their translations from this file, line by line.")],
    out: Annotated[Path, typer.Option("-o", "--out", help="Write the model to this folder.")],
    source: SourceOption = None,
    target: TargetOption = None,
    lm_text: LmTextOption = None,
    tune: Annotated[tuple[Path, Path] | None, typer.Option(
        "--tune", metavar="SRC TGT", help="Tune the weights on these sentence pairs, which must not be in the training "
                                          "text.")] = None,
    groups: Annotated[Path | None, typer.Option(
        "--groups", help="Read the group of each pair, such as its article, from the lines of this file, for "
                         "leave-one-out.")] = None,
    alignment: Annotated[Path | None, typer.Option(
        "--alignment", help="Use this word alignment in the Pharaoh format instead of aligning words.")] = None,
    arpa: ArpaOption = None,
    analyzer: AnalyzerOption = "words",
    segmenter: SegmenterOption = None,
    compounds: CompoundsOption = True,
    order: OrderOption = None,
    grammar: Annotated[str, typer.Option(
        "--grammar", help="Translate by rules with gaps ('hierarchical') or by phrases that are reordered "
                          "('phrase').")] = "hierarchical",
    distortion_limit: Annotated[int | None, typer.Option(
        "--distortion-limit", min=0, max=10, help="Let phrases jump over at most this many words.")] = None,
    pop_limit: PopLimit = None,
    passes: Annotated[int | None, typer.Option(
        "--passes", min=1, help="Tune in at most this many passes (default 12), until BLEU no longer rises.")] = None,
    threads: Threads = 2,
    quiet: Quiet = False,
) -> None:
    """Train a translation model from parallel text.

    Example: crossbow train train.de train.en -o model --lm-text docs.tsv --tune tune.de tune.en
    """
    from crossbow.lm.estimate import Smoothing
    from crossbow.text.filenames import languages_of_texts
    from crossbow.training.front import train as run
    from crossbow.training.parallel import GRAMMARS, PHRASE, TrainConfig

    if grammar not in GRAMMARS:
        raise CrossbowError(f"--grammar {grammar} is unknown; there are {' and '.join(GRAMMARS)}")
    if distortion_limit is not None and grammar != PHRASE:
        raise CrossbowError(f"--distortion-limit is for phrases; give --grammar {PHRASE} too")
    decode, tuning = GRAMMARS[grammar]
    languages = languages_of_texts(source_text, target_text, source, target)
    ours, theirs = _analyzers(languages, analyzer, segmenter or [])
    config = TrainConfig(
        ours, theirs, compounds, lm=Smoothing(**given(order=order)),
        decode=replace(decode, **given(pop_limit=pop_limit, distortion_limit=distortion_limit)),
        tune=replace(tuning, **given(passes=passes)),
    )
    if not quiet:
        say_what_is_missing(config.target)
    with progress(quiet) as report:
        model = run(source_text, target_text, out, lm_text=lm_text or (), tune=tune, groups=groups, alignment=alignment,
                    arpa=arpa, threads=threads, report=report, config=config)
    table({**languages._asdict(), **model.meta["summary"], "signature": model.signature})


def _analyzers(languages: Sequence[str], kind: str, segmenters: list[str]) -> list[Settings]:
    """How both languages are analyzed; segmenters are given as zh=jieba."""
    from crossbow.text.analyzer import Settings
    from crossbow.text.language import language_code

    chosen = {language_code(code): name for code, _, name in (one.partition("=") for one in segmenters)}
    for code, name in chosen.items():
        if code not in languages or not name:
            raise CrossbowError(f"--segmenter is for {' and '.join(languages)}; write {languages[-1]}=NAME")
    return [Settings(code, kind=kind, segmenter=chosen.get(code, "")) for code in languages]


@cli.command()
def translate(
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Translate with the model in this folder.")],
    nbest: Annotated[int, typer.Option(
        "--nbest", min=1, help="Print this many different translations of each sentence.")] = 1,
    forest: Annotated[Path | None, typer.Option(
        "--forest", help="Write the forests to this file, one JSON line each.")] = None,
    rules: Annotated[Path | None, typer.Option(
        "--rules", help="Write the rules of each sentence into this folder, as grammar files of cdec.")] = None,
    config_file: Annotated[Path | None, typer.Option(
        "--config", metavar="FILE", help="Translate with the settings of the search configuration in this "
                                         "file.")] = None,
    settings: Annotated[list[str] | None, typer.Option(
        "--set", metavar="PATH=VALUE", help="Change one setting, such as translation.pop_limit=30.")] = None,
    threads: Threads = 2,
) -> None:
    """Translate sentences from standard input, one per line.

    Example: echo "Das Schloss am See" | crossbow translate model --nbest 3
    """
    from crossbow.model import Model
    from crossbow.translate import translate_lines

    for one in settings or ():
        if not one.startswith("translation."):
            raise CrossbowError(f"--set {one}: translating looks only at settings that begin with 'translation.'")
    config = configured(None, config_file, settings)
    opened = Model.load(model).with_translation(config.translation)
    translate_lines(opened, sys.stdin.buffer, sys.stdout, nbest, forest, rules, threads)


@cli.command()
def info(
    path: Annotated[Path, typer.Argument(
        metavar="PATH", help="Describe this model, index or parser, given by its folder, or this configuration file.")],
    check: Annotated[bool, typer.Option(
        "--check", help="Read all files of the folder, and say whether any is damaged.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything in the header as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Describe a folder or a configuration file: its kind, sizes, languages, settings and signature.

    Example: crossbow info model
    """
    from crossbow.store import header

    if check and as_json:
        raise CrossbowError("--json prints the header alone; leave it out to --check the files")
    if path.is_file():
        _print_config(path, as_json)
        return
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
    if head["kind"] == "model":
        from crossbow.model import info_rows

        rows.update(info_rows(path))
        rows["search"] = _search_row(meta)
    elif head["kind"] == "index":
        from crossbow.index import Index
        from crossbow.index.summary import field_rows

        rows.update(index_rows(meta))
        try:
            rows.update(field_rows(Index.load(path)))
        except InputError:
            rows["fields"] = "damaged; --check says where"
    else:
        if head["kind"] == "parser":
            rows.update({"language": meta["analyzer"]["lang"], **meta["config"]})
        rows.update({key: value for key, value in meta.items() if key in ("order", "signature")})
    return rows


def _print_config(path: Path, as_json: bool) -> None:
    """What a configuration file says."""
    from crossbow.ranking.config import SearchConfig

    config = SearchConfig.load(path)
    if as_json:
        print(json.dumps(config.record(), ensure_ascii=False, indent=1))
        return
    table({"kind": "search configuration", "signature": config.signature, "method": config.method,
           **{one.path: one.default for one in config.described()},
           "learned weights": config.weights.learned.signature or "none",
           **{f"decided, {name}": value for name, value in config.decided.__dict__.items() if value}})


def _search_row(meta: dict[str, Any]) -> str:
    """How a model is searched with by default: the settings that differ from the paper's."""
    from crossbow.learn.axes import shown
    from crossbow.ranking.config import SearchConfig

    if not meta.get("search"):
        return "standard settings (crossbow learn can choose others)"
    changes = SearchConfig.from_json(meta["search"]).differences_to(SearchConfig())
    return "  ".join(f"{path} {shown(value)}" for path, value in changes.items()) or "the paper's settings"


@cli.command()
def demo(
    out: Annotated[Path, typer.Option("-o", "--out", help="Write everything to this folder.")] = DEMO,
    quiet: Quiet = False,
) -> None:
    """Train on the embedded German–English data, index its documents, search, evaluate, and explain one hit.

    Example: crossbow demo
    """
    from crossbow.demo import run

    with progress(quiet) as report:
        run(out, report)
