"""Queries with words of several languages: each piece is translated by the model of its language.

    model = MixedModel({"de": german, "ja": japanese, "en": Model.untranslated(analyzer)}, tongues)
    model.forests("Haus am See 図書館")         # the German forest of three words and the Japanese one, side by side

Pieces stand beside one another like the sentences of a query, so a search joins them exactly and an explanation shows
each one's words. No general lexicon serves several languages, so what words mean is read off the forests alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from crossbow.decode.contract import Sentence
from crossbow.decode.translation import Translation
from crossbow.forest.compose import joined
from crossbow.forest.hypergraph import Forest
from crossbow.model.model import Model
from crossbow.model.tongues import Tongues
from crossbow.model.untranslated import Untranslated
from crossbow.store import digest

MIXED = "mixed"


class MixedModel(Model):
    """The models of several languages, of which each takes what is in its own. Safe to share between threads."""

    def __init__(self, models: Mapping[str, Model], tongues: Tongues):
        target = next(iter(models.values())).target
        meta: dict[str, Any] = {"source": {}, "target": target.to_json(), "weights": {}, "decode": {}, "summary": {},
                                "signature": digest([MIXED, *(model.signature for model in models.values())])}
        super().__init__(Untranslated(), target, target, [], meta)
        self.models, self.tongues = models, tongues

    @property
    def kind(self) -> str:
        return MIXED

    def __repr__(self) -> str:
        return f"<MixedModel {', '.join(self.models)} → {self.target.settings.lang}, signature {self.signature}>"

    def with_translation(self, translation: Translation) -> MixedModel:
        """All models as a configuration has them, as far as each understands it."""
        return MixedModel({code: model.with_translation(translation.only(model.decoder.understands))
                           for code, model in self.models.items()}, self.tongues)

    def sentences(self, text: str) -> list[str]:
        return [sentence for model, piece in self._pieces(text) for sentence in model.sentences(piece)]

    def tokens(self, text: str) -> list[str]:
        return [token for model, piece in self._pieces(text) for token in model.tokens(piece)]

    def words(self, text: str) -> list[str]:
        return [word for model, piece in self._pieces(text) for word in model.words(piece)]

    def pieces(self, text: str) -> list[Sentence]:
        return [one for model, piece in self._pieces(text) for one in model.pieces(piece)]

    def forests(self, text: str, name: str = "", exclude: int = -1) -> list[Forest]:
        return [forest for model, piece in self._pieces(text) for forest in model.forests(piece, name)]

    def forest(self, text: str, name: str = "", exclude: int = -1) -> Forest:
        return joined([model.forest(piece, name) for model, piece in self._pieces(text)])

    def _pieces(self, text: str) -> list[tuple[Model, str]]:
        return [(self.models[piece.language], piece.text) for piece in self.tongues.pieces(text)]
