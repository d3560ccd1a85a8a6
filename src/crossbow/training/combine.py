"""One model of several: all translate a query, and each document picks the translation that it supports.

    summary = combine(["ours", "neural"], "both", scales=(1.0, 0.3))

The models are shared by hard links where the file system has them, so that a combined one takes no disk space of its
own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crossbow import store
from crossbow.errors import CrossbowError
from crossbow.model import MODEL, Model, ModelParts, Vocabularies, write_model
from crossbow.model.combined import CombinedConfig, check_alike
from crossbow.records.lines import PathLike

NEURAL_SCALE = 0.3  # neural systems are too sure of their best translation; chosen on development queries


def combine(
    folders: Sequence[PathLike], out: PathLike, scales: Sequence[float] | None = None,
    priors: Sequence[float] | None = None,
) -> dict[str, Any]:
    """Combine models in the folder `out` and return a summary."""
    if len(folders) < 2:
        raise CrossbowError("give two models at least")
    store.check_replaceable(out, MODEL)
    models = [Model.load(folder) for folder in folders]
    check_alike(models)
    if any(len(model.systems) > 1 for model in models):
        raise CrossbowError("one of the models is combined already; give those that it was made of")
    config = CombinedConfig(tuple(scales or (NEURAL_SCALE if model.kind == "neural" else 1.0 for model in models)),
                            tuple(priors or [0.0] * len(models)))
    decode = {"scales": config.scales, "priors": config.priors}
    for name, values in decode.items():
        if len(values) != len(models):
            raise CrossbowError(f"{len(values)} {name} for {len(models)} models; give one for each")
    if min(config.scales) <= 0:
        raise CrossbowError(f"a scale is {min(config.scales):g}; it must be above 0")
    first = models[0]
    parts = ModelParts.of_folder(folders[0])
    summary = {"systems": ", ".join(model.kind for model in models),
               "signatures": ", ".join(model.signature for model in models)}
    meta: dict[str, Any] = {"source": first.source.to_json(), "target": first.target.to_json(), "weights": {},
                            "summary": summary, "decode": decode}
    meta["signature"] = store.digest(meta)
    write_model(out, ModelParts(Vocabularies.pack([], [], first.groups), meta, compounds=parts.compounds,
                                systems=tuple(Path(folder) for folder in folders)))
    return {"systems": summary["systems"], "signature": meta["signature"]}
