"""A model of a neural system that somebody has trained and converted to CTranslate2's format.

    summary = from_neural("opus-mt-de-en.ct2", "model", Settings("de"), Settings("en"))

The files are copied into the model's folder, which is then complete in itself.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crossbow import store
from crossbow.errors import CrossbowError, CrossbowWarning
from crossbow.model import MODEL, ModelParts, Vocabularies, write_model
from crossbow.neural.folder import SystemFiles, check_tags, copy_system, found_files, open_system
from crossbow.neural.system import System, SystemConfig
from crossbow.neural.translator import NeuralConfig
from crossbow.records.lines import PathLike
from crossbow.text.analyzer import Analyzer, Settings
from crossbow.text.languages import LANGUAGES, language

TRIED = 12  # function words in a text that is translated before a model is written …
TEXTS = 3  # … and how many such texts there are
ENOUGH = 10  # different function words of another language that must be in a translation …
CLEARLY = 2  # … and how many times those of the target language, before it is doubted


def from_neural(
    folder: PathLike, out: PathLike, source: Settings, target: Settings, *, config: NeuralConfig = NeuralConfig(),
    system: SystemConfig = SystemConfig(), source_pieces: PathLike | None = None, target_pieces: PathLike | None = None,
) -> dict[str, Any]:
    """Make a model of a system in the folder `out` and return a summary of it."""
    store.check_replaceable(out, MODEL)
    files = found_files(folder, source_pieces, target_pieces)
    check_tags(files, system)
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
    """Translate something: a system that fails is refused now, and one of other languages is noticed."""
    texts = _tried(source)
    listed = [target.tokens(system.hypotheses(text, 1)[1][0].pieces.text) for text in texts]
    words = {word for found in listed for word in found}
    if not source.stopwords or not target.stopwords or not any(map(str.isalpha, words)):
        return
    other = resembled(words, target.settings.lang)
    if other is not None or len(words & target.stopwords) <= len(words & source.stopwords):
        warnings.warn(f"the system translated {texts[0]!r} as {' '.join(listed[0])!r}, which does not look like "
                      f"{target.settings.lang}{f' but like {other}' if other else ''}; does it translate from "
                      f"{source.settings.lang} to {target.settings.lang}?", CrossbowWarning, stacklevel=3)


def _tried(source: Analyzer) -> list[str]:
    """Some texts of function words, and the sentence that there is for each language we know."""
    words = sorted(source.stopwords)
    step = max(1, len(words) // TRIED)
    texts = [" ".join(words[first::step][:TRIED]) for first in range(min(step, TEXTS))]
    return [text for text in (*texts, language(source.settings.lang).example[0]) if text] or ["1, 2, 3."]


def resembled(words: Collection[str], code: str) -> str | None:
    """The language whose function words are far more frequent among these words than those of the given one, if any.

    Near languages share so many that none of them is taken for the other.
    """
    own = language(code)
    found = {name: len(LANGUAGES[name].function_words.intersection(LANGUAGES[name].clean(" ".join(words)).split()))
             for name in LANGUAGES}
    most = max(found, key=found.__getitem__)
    clear = found[most] >= ENOUGH and found[most] > CLEARLY * found.get(own.code, 0)
    return most if clear and own.function_words else None
