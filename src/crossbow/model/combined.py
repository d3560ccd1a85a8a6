"""Several models in one: each translates, and a document picks the translation it supports from whichever.

    translator = CombinedTranslator([ours, neural], CombinedConfig(scales=(1.0, 0.3), priors=(0.0, 0.0)))

The tokens of a sentence are those of the first model. Others translate it with their own, and their forests are laid
over the first one's by the places of tokens in the text. Each system's best translation scores its prior, whatever it
scores alone (forest/compose.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Self

from crossbow.decode.contract import Sentence, Translator
from crossbow.decode.translation import Translation
from crossbow.errors import CrossbowError
from crossbow.forest.compose import united
from crossbow.forest.hypergraph import Forest, ragged
from crossbow.grammar.lexicon import Lexicon
from crossbow.text.located import located, overlaps

if TYPE_CHECKING:
    from crossbow.model.model import Model

COMBINED = "combined"


@dataclass(frozen=True)
class CombinedConfig:
    """What the scores of each system are multiplied by, and what its best translation scores."""

    scales: tuple[float, ...]
    priors: tuple[float, ...]


class CombinedTranslator(Translator):
    """Makes forests of several systems' forests."""

    config: CombinedConfig
    understands = tuple(field.name for field in fields(Translation))

    def __init__(self, models: Sequence[Model], config: CombinedConfig):
        self.models, self.config, self.weights = list(models), config, {}

    @property
    def kind(self) -> str:
        return COMBINED

    @property
    def max_words(self) -> int:
        return min(model.decoder.max_words for model in self.models)

    @property
    def lexicon(self) -> Lexicon | None:
        """That of the first system that has one."""
        return next((model.lexicon for model in self.models if model.lexicon), None)

    def changed(self, weights: dict[str, float], config: CombinedConfig) -> Self:
        return type(self)(self.models, config)

    def with_translation(self, translation: Translation) -> Self:
        """Systems take what they understand; the scale and the prior are those of all systems but the first."""
        models = [model.with_translation(translation.only(set(model.decoder.understands) - {"scale", "prior"}))
                  for model in self.models]
        others = len(models) - 1
        config = self.config
        if translation.scale is not None:
            config = replace(config, scales=(config.scales[0], *[translation.scale] * others))
        if translation.prior is not None:
            config = replace(config, priors=(config.priors[0], *[translation.prior] * others))
        return type(self)(models, config)

    def translate(self, sentence: Sentence, name: str = "", exclude: int = -1) -> Forest:
        group = self.models[0].groups[exclude] if exclude >= 0 else None
        made = []
        for model, scale in zip(self.models, self.config.scales):
            tokens = model.tokens(sentence.text)
            left_out = model.groups.index(group) if group in model.groups else -1
            forest = model.decoder.translate(Sentence(sentence.text, tokens), name, left_out).without_features()
            made.append(_laid_over(forest, sentence).scaled(scale))
        return united(made, self.config.priors)


def _laid_over(forest: Forest, sentence: Sentence) -> Forest:
    """A forest of other tokens of the sentence as one of these tokens: a token stands for those that it overlaps."""
    if forest.source == sentence.tokens:
        return forest
    shared = overlaps(located(forest.source, sentence.text), located(sentence.tokens, sentence.text)) > 0.0
    tokens = [row.nonzero()[0].tolist() for row in shared]
    lex = [sorted({new for old in forest.lex[begin:end].tolist() for new in tokens[old]})
           for begin, end in zip(forest.lex_starts, forest.lex_starts[1:])]
    align = [[(new, word) for old, word in forest.align[begin:end].tolist() for new in tokens[old]]
             for begin, end in zip(forest.align_starts, forest.align_starts[1:])]
    lex_starts, lex_flat = ragged(lex)
    align_starts, align_flat = ragged(align, 2)
    span = forest.span.copy()
    span[:] = (0, len(sentence.tokens))  # nothing is said of what an edge covers
    return replace(forest, source=list(sentence.tokens), span=span, lex_starts=lex_starts, lex=lex_flat,
                   align_starts=align_starts, align=align_flat)


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
