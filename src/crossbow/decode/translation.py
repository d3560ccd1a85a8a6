"""What decides how a query is translated, apart from the model: part of every search configuration.

    model.with_translation(Translation(lm_scale=0.5, pop_limit=30))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crossbow.errors import CrossbowError
from crossbow.settings import Settings, setting

if TYPE_CHECKING:
    from crossbow.decode.contract import Translator


@dataclass(frozen=True)
class Translation(Settings):
    """Changes to how a model translates. Without any, it translates as it was made to."""

    language_model: bool = setting(True, "Score translations with the language model.")
    lm_scale: float = setting(1.0, "Multiply the language model's tuned weight by this.", least=0)
    pop_limit: int | None = setting(None, "Keep this many hypotheses per span; 0 keeps all. None takes the model's own "
                                          "number, or all if there is no language model.", least=0)
    tuned: float = setting(1.0, "How far the weights are from those before tuning (0) to those after it (1).", least=0,
                           most=1)
    nbest: int | None = setting(None, "List this many translations of a neural model. None takes the model's own "
                                      "number.", least=1,
                                most=1000)
    samples: int | None = setting(None, "Add this many translations of a neural model that are drawn at random, with a "
                                        "fixed seed. None takes the model's own number.", least=0, most=1000)
    scale: float | None = setting(None, "Multiply the scores of a neural model's translations by this, or in a "
                                        "combined model those of all systems but the first. Below 1, the best "
                                        "translation stands out less. None takes the model's own "
                                        "factor.", above=0, most=100)
    prior: float | None = setting(None, "In a combined model, give the best translation of every system but the first "
                                        "this score. None takes the model's own scores.", least=-1000, most=1000)

    spellings: int = setting(0, "Also read a word that the model does not know as up to this many known words with a "
                                "similar spelling.", least=0, most=10)
    letters: int = setting(0, "Also read an unknown word in another script as up to this many words of the target "
                              "language, spelled as names in the training text are.", least=0, most=10)

    @property
    def changes(self) -> dict[str, Any]:
        """The settings that differ from their defaults."""
        return {name: value for name, value in self.__dict__.items() if value != getattr(Translation, name)}

    def suits(self, translator: Translator) -> bool:
        """Whether all changed settings have an effect on a translator."""
        return self.changes.keys() <= set(translator.understands)

    def check(self, translator: Translator) -> None:
        """Raise an error if a changed setting has no effect on a translator."""
        for name in self.changes:
            if name not in translator.understands:
                raise CrossbowError(f"translation.{name} has no effect on a {translator.kind} model; leave it out")

    def only(self, names: Iterable[str]) -> Translation:
        """The same with only these settings; all others get their defaults."""
        return Translation(**{name: getattr(self, name) for name in names})
