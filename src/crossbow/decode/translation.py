"""What decides how a query is translated, besides the model: part of every search configuration.

    model.with_translation(Translation(lm_scale=0.5, pop_limit=30))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from crossbow.errors import CrossbowError
from crossbow.settings import Settings, setting


@dataclass(frozen=True)
class Translation(Settings):
    """Changes to how a model translates. Without any, it translates as it was made to."""

    language_model: bool = setting(True, "Score translations with the language model.")
    lm_scale: float = setting(1.0, "Multiply the language model's tuned weight by this.", least=0)
    pop_limit: int | None = setting(None, "Keep this many hypotheses per span; 0 keeps all. None: the model's own, or "
                                    "all if there is no language model.", least=0)
    tuned: float = setting(1.0, "How far the weights go from those before tuning (0) to those after it (1).", least=0,
                           most=1)
    nbest: int | None = setting(None, "List this many translations of a neural model. None: the model's own.", least=1,
                                most=1000)
    scale: float = setting(1.0, "Multiply the scores of a neural model's translations by this: below 1, it is less "
                                "sure of its best one.", above=0, most=100)

    def only(self, names: Iterable[str], kind: str) -> None:
        """Raise an error if anything besides these settings is changed: a model of this kind knows no other."""
        plain = Translation()
        for name, value in self.__dict__.items():
            if name not in names and value != getattr(plain, name):
                raise CrossbowError(f"translation.{name} means nothing to a {kind} model; leave it out")
