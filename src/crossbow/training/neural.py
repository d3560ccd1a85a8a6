"""A model of a neural system that somebody has trained and converted to CTranslate2's format.

    summary = from_neural("opus-mt-de-en.ct2", "model", Settings("de"), Settings("en"))

The files are copied into the model's folder, which is then complete in itself.
"""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crossbow import store
from crossbow.errors import CrossbowError, CrossbowWarning
from crossbow.model import MODEL, ModelParts, Vocabularies, write_model
from crossbow.neural.folder import SystemFiles, copy_system, found_files, open_system
from crossbow.neural.system import System, SystemConfig
from crossbow.neural.translator import NeuralConfig
from crossbow.records.lines import PathLike
from crossbow.text.analyzer import Analyzer, Settings

TRIED = 12  # words that are translated before a model is written


def from_neural(
    folder: PathLike, out: PathLike, source: Settings, target: Settings, *, config: NeuralConfig = NeuralConfig(),
    system: SystemConfig = SystemConfig(), source_pieces: PathLike | None = None, target_pieces: PathLike | None = None,
) -> dict[str, Any]:
    """Make a model of a system in the folder `out` and return a summary of it."""
    store.check_replaceable(out, MODEL)
    files = found_files(folder, source_pieces, target_pieces)
    left, right = Analyzer(source), Analyzer(target)
    beside = Path(out).absolute().parent
    beside.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=beside, prefix=".neural-") as work:
        place = Path(work) / "system"
        digest = copy_system(files, system, place)
        try:
            _try(open_system(place), left, right)
        except CrossbowError as error:  # the user knows the files that were copied, not the copies
            raise CrossbowError(_of_originals(str(error), place, files, Path(folder))) from None
        summary = {"megabytes": round(sum(file.stat().st_size for file in files.files.values()) / 1e6, 1)}
        meta: dict[str, Any] = {"source": left.to_json(), "target": right.to_json(), "weights": {}, "summary": summary,
                                "decode": _recorded(config)}
        meta["signature"] = store.digest(digest, meta)
        write_model(out, ModelParts(Vocabularies.pack([], [], []), meta, neural=place))
    return {**summary, "signature": meta["signature"]}


def _recorded(config: NeuralConfig) -> dict[str, Any]:
    """The settings for the header. It names samples only if there are some, so that other signatures stay."""
    return {name: value for name, value in asdict(config).items() if name != "samples" or value}


def _of_originals(problem: str, place: Path, files: SystemFiles, folder: Path) -> str:
    """The sentence, with the names of the files that were given."""
    for name, file in files.files.items():
        problem = problem.replace(str(place / name), str(file))
    return problem.replace(str(place), str(folder))


def _try(system: System, source: Analyzer, target: Analyzer) -> None:
    """Translate some function words: a system that fails is refused now, and one of other languages is noticed."""
    words = sorted(source.stopwords)
    text = " ".join(words[:: max(1, len(words) // TRIED)][:TRIED]) or "1, 2, 3."
    found = target.tokens(system.hypotheses(text, 1)[1][0].pieces.text)
    if source.stopwords and target.stopwords:
        mine, theirs = (sum(word in analyzer.stopwords for word in found) for analyzer in (target, source))
        if mine <= theirs and any(map(str.isalpha, found)):
            warnings.warn(f"the system translated {text!r} as {' '.join(found)!r}, which does not look like "
                          f"{target.settings.lang}; does it translate from {source.settings.lang} to "
                          f"{target.settings.lang}?", CrossbowWarning, stacklevel=3)
