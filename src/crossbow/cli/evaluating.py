"""The commands about runs: evaluate says how good they are, fuse makes one of several."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.shared import Quiet, cli, given, progress, write_or_print
from crossbow.errors import CrossbowError, InputError

if TYPE_CHECKING:
    from crossbow.evaluation.report import Comparison
    from crossbow.pipeline import Report
    from crossbow.records.trec import Run


@cli.command()
def evaluate(
    qrels: Annotated[str, typer.Argument(
        metavar="QRELS", help="Measure by these judgments: a TREC file, or irds:ID of ir_datasets.")],
    paths: Annotated[list[Path], typer.Argument(metavar="RUN", help="Measure these TREC runs, the baseline first.")],
    measures: Annotated[str | None, typer.Option(
        "-m", "--measures", help="Compute these measures: names of ir_measures, PRES or PRES@N. The default is "
                                 "'AP nDCG PRES RR R@1000 NumRelRet'.")] = None,
    depth: Annotated[int | None, typer.Option(
        "--depth", min=1, help="Look at this many documents per query; the default is 1,000.")] = None,
    per_query: Annotated[Path | None, typer.Option(
        "--per-query", metavar="FILE.tsv", help="Write the values of each query to this file.")] = None,
    out: Annotated[Path | None, typer.Option(
        "-o", "--out", metavar="REPORT", help="Write report.md, report.json and plots to this folder.")] = None,
    trials: Annotated[int | None, typer.Option(
        "--trials", min=1, help="Run this many trials of the randomization test; the default is 100,000.")] = None,
    seed: Annotated[int | None, typer.Option(
        "--seed", min=0, help="Start the test's random numbers from this seed; the default is 1.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
    quiet: Quiet = False,
) -> None:
    """Measure runs, and test for all pairs of them whether they differ by more than chance.

    The test is a paired randomization test, two-sided; its p values are not corrected for the number of comparisons.

    Example: crossbow evaluate qrels.txt dt.txt bowfd.txt -m "AP nDCG PRES"
    """
    from crossbow.evaluation.folder import check_report
    from crossbow.evaluation.measures import DEPTH, measure_names, parse_measure
    from crossbow.evaluation.report import compare
    from crossbow.records import load_qrels, write_lines

    if out:
        check_report(out)
    asked = measure_names(measures.split()) if measures is not None else None  # before files are read: errors at once
    deepest = max((parse_measure(name).cutoff or 0 for name in asked or ()), default=0)
    if depth is None and deepest > DEPTH:
        raise CrossbowError(f"a measure at {deepest:,} needs more than the first {DEPTH:,} documents; add --depth "
                            f"{deepest}, which then holds for all measures")
    with progress(quiet) as report:
        judgments = load_qrels(qrels)
        result = compare(judgments, _read(paths, report), report=report,
                         **given(measures=asked, depth=depth, trials=trials, seed=seed))
        if per_query:
            write_lines(per_query, result.per_query_lines())
        if out:
            _write(result, out, report)
    print(json.dumps(result.to_json(), ensure_ascii=False, indent=1) if as_json else result.text())


@cli.command()
def fuse(
    paths: Annotated[list[Path], typer.Argument(metavar="RUN", help="Fuse these TREC runs, two or more.")],
    method: Annotated[str | None, typer.Option(
        "--method", help="Fuse this way: combsum adds scores, mapped to 0…1 for each query; rrf adds 1 / (60 + rank). "
                         "The default is combsum.")] = None,
    weights: Annotated[str | None, typer.Option(
        "--weights", metavar="'W W …'", help="Multiply the scores of the runs by these weights, one for each run. By "
                                             "default all runs count the same.")] = None,
    k: Annotated[int | None, typer.Option(
        "-k", min=1, help="Write this many documents per query; the default is 1,000.")] = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="RUN", help="Write the run to this file.")] = None,
    tag: Annotated[str, typer.Option("--tag", help="Give the run this name, which is its last "
                                                   "column.")] = "crossbow-fused",
    quiet: Quiet = False,
) -> None:
    """Make one run from several, of Crossbow or of any other system, such as a dense encoder.

    Systems that make forests are better combined before they search: see crossbow combine.

    Example: crossbow fuse bowfd.txt dense.txt --method rrf -o both.txt
    """
    from crossbow.ranking.fusion import fuse as fused

    if len(paths) < 2:
        raise CrossbowError("give two runs or more to fuse")
    with progress(quiet) as report:
        run = fused(_read(paths, report).values(), **given(method=method, weights=_numbers(weights), k=k))
        write_or_print(run.items(), out, tag)


def _numbers(text: str | None) -> list[float] | None:
    """Weights as they were typed, separated by commas or spaces."""
    try:
        return None if text is None else [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise CrossbowError(f"--weights {text!r}: expected numbers, such as '1 0.5'") from None


def _read(paths: list[Path], report: Report | None) -> dict[str, Run]:
    """The runs by name."""
    from crossbow.records import read_run

    runs = {}
    for done, (name, path) in enumerate(zip(_names(paths), paths), 1):
        runs[name] = read_run(path)
        if not runs[name]:
            raise InputError(path, None, "the run is empty", "expected `query Q0 document rank score tag` per line")
        if report:
            report("reading runs", done, len(paths))
    return runs


def _names(paths: list[Path]) -> list[str]:
    """What to call runs: as short as tells them apart."""
    plain = [path.with_suffix("") if path.suffix in (".gz", ".xz") else path for path in paths]
    for names in ([path.stem for path in plain], [path.name for path in paths], [str(path) for path in paths]):
        if len(set(names)) == len(names):
            return names
    return [f"{number}:{path}" for number, path in enumerate(paths, 1)]


def _write(result: Comparison, out: Path, report: Report | None) -> None:
    """The report as a folder."""
    from crossbow.evaluation.folder import write_report

    write_report(out, result.to_json(),
                 lambda pictures: "\n\n".join(["# Evaluation", result.markdown(), *pictures]) + "\n",
                 lambda folder: _plot(result, folder, report))


def _plot(result: Comparison, folder: Path, report: Report | None) -> list[str]:
    """Write the plots, and return the lines that show them in Markdown."""
    from crossbow.evaluation import plots

    measure = result.measures[0]
    pairs = list(combinations(enumerate(result.runs.items(), 1), 2))
    plots.bars(folder / "bars.png", result.runs, f"{len(result.queries):,} queries, 95 % confidence intervals")
    pictures = ["![Each run's measures with 95 % confidence intervals](bars.png)"]
    for done, ((i, (earlier, a)), (j, (later, b))) in enumerate(pairs, 1):
        name = f"scatter-{i}-{j}.png"
        plots.scatter(folder / name, a.by_measure[measure], b.by_measure[measure], (earlier, later), measure)
        pictures.append(f"![{measure} of each query, {later} against {earlier}]({name})")
        if report:
            report("plotting", done, len(pairs))
    return pictures
