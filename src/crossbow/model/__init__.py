"""A trained translation model: its folder (folder.py), and what can be done with it (model.py).

    from crossbow.model import Model, ModelParts, write_model

    model = Model.load("model.de-en")
    model.translate("Das Haus am See.", n=3)
"""

from __future__ import annotations

from crossbow.model.folder import KIND as MODEL
from crossbow.model.folder import SEARCH, ModelParts, Vocabularies, info_rows, write_model
from crossbow.model.model import Model, Translated

__all__ = ["MODEL", "SEARCH", "Model", "ModelParts", "Translated", "Vocabularies", "info_rows", "write_model"]
