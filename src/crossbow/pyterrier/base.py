"""What all our transformers and the indexer have in common: how PyTerrier draws them.

PyTerrier would look for every transformer's page in its own documentation, over the network. Ours have none there, and
say so, so that pipelines are drawn offline too.
"""

from __future__ import annotations

from typing import Any

import pyterrier as pt


class Drawn:
    """Something that stands in a drawing."""

    def label(self) -> str:
        """What stands on its box; about 20 characters fit."""
        return type(self).__name__.removeprefix("Crossbow")

    def schematic(self, *, input_columns: list[str] | None = None) -> dict[str, Any]:
        """How PyTerrier draws it."""
        return {"label": self.label(), "help_url": None}


class CrossbowTransformer(Drawn, pt.Transformer):
    """A transformer of ours."""
