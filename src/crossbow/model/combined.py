"""Several models in one: each translates, and a document picks the translation that it supports from any.

    translator = CombinedTranslator([ours, neural], CombinedConfig(scales=(1.0, 0.3), priors=(0.0, 0.0)))

The tokens of a sentence are those of the first model. Others translate it with their own, and their forests are laid
over the first one's by the places of tokens in the text. Each system's best translation scores its prior, whatever it
scores alone (forest/compose.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Self

from crossbow.decode.contract import Sentence, Translator
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.forest.compose import united
from crossbow.forest.hypergraph import Forest
from crossbow.grammar.lexicon import Lexicon
from crossbow.model.laid import laid_over
from crossbow.text.located import located, overlaps

if TYPE_CHECKING:
    from crossbow.model.model import Model

COMBINED = "combined"
OWN = {"scale", "prior"}  # settings of translation that say how systems go together, not how they translate


@dataclass(frozen=True)
class CombinedConfig:
    """What the scores of each system are multiplied by, and what its best translation scores."""

    scales: tuple[float, ...]
    priors: tuple[float, ...]
    translation: Translation = field(default_factory=Translation)  # of which each system takes what it understands


class CombinedTranslator(Translator):
    """Makes forests of several systems' forests."""

    config: CombinedConfig
    understands = tuple(one.name for one in fields(Translation))
    candidates = tuple(Translation(scale=scale, prior=prior) for prior in (None, -1.0) for scale in (None, 0.1, 1.0))

    def __init__(self, models: Sequence[Model], config: CombinedConfig):
        self.given, self.config, self.weights = list(models), config, {}
        self.models = [model.with_translation(config.translation.only(set(model.decoder.understands) - OWN))
                       for model in models]

    @property
    def kind(self) -> str:
        return COMBINED

    @property
    def max_words(self) -> int:
        return min(model.decoder.max_words for model in self.models)

    @property
    def lexicon(self) -> Lexicon | None:
        """The lexicon of the first system that has one."""
        return next((model.lexicon for model in self.models if model.lexicon), None)

    def changed(self, weights: dict[str, float], config: CombinedConfig) -> Self:
        return type(self)(self.given, config)

    def with_translation(self, translation: Translation) -> Self:
        """The scale and the prior are those of all systems but the first."""
        others = len(self.given) - 1
        config = replace(self.config, translation=translation.only(set(self.understands) - OWN))
        if translation.scale is not None:
            config = replace(config, scales=(config.scales[0], *[translation.scale] * others))
        if translation.prior is not None:
            config = replace(config, priors=(config.priors[0], *[translation.prior] * others))
        return self.changed({}, config)

    def translate(self, sentence: Sentence, name: str = "", exclude: int = -1) -> Forest:
        group = self.models[0].groups[exclude] if exclude >= 0 else None
        made = []
        for model, scale in zip(self.models, self.config.scales):
            tokens = model.tokens(sentence.text)
            left_out = model.groups.index(group) if group in model.groups else -1
            forest = model.translated(Sentence(sentence.text, tokens), name, left_out).without_features()
            made.append(_laid_over(forest, sentence).scaled(scale))
        return united(made, self.config.priors)


def _laid_over(forest: Forest, sentence: Sentence) -> Forest:
    """A forest of other tokens of the sentence as one of these tokens: a token stands for those that it overlaps."""
    if forest.source == sentence.tokens:
        return forest
    shared = overlaps(located(forest.source, sentence.text), located(sentence.tokens, sentence.text)) > 0.0
    tokens = [row.nonzero()[0].tolist() for row in shared]
    return laid_over(forest, sentence.tokens, tokens)


def check_alike(models: Sequence[Model]) -> None:
    """Raise an error unless models translate between the same languages, into the same words."""
    first = models[0]
    for other in models[1:]:
        for side in ("source", "target"):
            mine, theirs = (getattr(model, side).settings.lang for model in (first, other))
            if mine != theirs:
                raise CrossbowError(f"one model's {side} language is {mine}, another's {theirs}; only models of the "
                                    "same languages can be combined")
        other.target.check_matches(first.target.to_json(), "the models' target languages")
