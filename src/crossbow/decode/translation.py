"""What decides how a query is translated, besides the model: part of every search configuration.

    decoder = Translation(lm_scale=0.5, pop_limit=30).applied(model.decoder)
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from crossbow.decode.decoder import STRUCTURE, Decoder
from crossbow.settings import Settings, setting

LM = STRUCTURE[-1]  # the language model's feature


@dataclass(frozen=True)
class Translation(Settings):
    """Changes to how a model decodes. Without any, it decodes as it was tuned to."""

    language_model: bool = setting(True, "Score translations with the language model.")
    lm_scale: float = setting(1.0, "Multiply the language model's tuned weight by this.", least=0)
    pop_limit: int | None = setting(None, "Keep this many hypotheses per span; 0 keeps all. None: the model's own, or "
                                    "all if there is no language model.", least=0)
    tuned: float = setting(1.0, "How far the weights go from those before tuning (0) to those after it (1).", least=0,
                           most=1)

    def applied(self, decoder: Decoder) -> Decoder:
        """The decoder with these changes. Without the language model few hypotheses differ, so all can be kept."""
        changes: dict[str, Any] = {} if self.language_model else {"language_model": False, "pop_limit": 0}
        if self.pop_limit is not None:
            changes["pop_limit"] = self.pop_limit
        weights = decoder.weights
        if self.tuned != 1:
            weights = {name: self.tuned * weight + (1 - self.tuned) * decoder.start_weights.get(name, 0.0)
                       for name, weight in weights.items()}
        if self.lm_scale != 1:
            weights = {**weights, LM: self.lm_scale * weights[LM]}
        return decoder.changed(weights, replace(decoder.config, **changes))
