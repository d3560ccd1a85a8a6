"""Which folders a command searches with: a model and an index; an index alone; or an index and models by language.

    searcher = opened(paths, models, language, None, configure, wrap)

An index alone is searched in the language of its documents, or with forests that another system made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from crossbow.cli.clustering import RayOptions
from crossbow.cli.external import External
from crossbow.errors import CrossbowError

if TYPE_CHECKING:
    from crossbow.index import Index
    from crossbow.model import Model
    from crossbow.ranking.config import SearchConfig
    from crossbow.ranking.polyglot import Polyglot
    from crossbow.ranking.searcher import Searcher, Wrap

ModelsOption = Annotated[list[str] | None, typer.Option(
    "--model", metavar="CODE=FOLDER", help="With INDEX alone, translate queries in this language with the model in "
                                           "this folder, such as de=model.de-en. May be given several times; each "
                                           "query is searched in the language it is in.")]
LanguageOption = Annotated[str | None, typer.Option(
    "--language", metavar="CODE", help="With --model, take all queries to be in this language.")]


def opened(
    paths: Sequence[Path], models: Sequence[str] | None, language: str | None, external: External | None,
    configure: Callable[[Model | None], SearchConfig], rerank: Callable[[Index], Wrap | None] | None,
    cluster: RayOptions | None = None,
) -> Searcher | Polyglot:
    """What searches with the folders that the arguments name, on a cluster if one is given."""
    from crossbow.index import Index
    from crossbow.model import Model
    from crossbow.ranking.polyglot import Polyglot
    from crossbow.ranking.searcher import Searcher

    expected = ("INDEX alone, as forests need no model" if external else
                "INDEX alone, as --model names the models" if models else
                "MODEL INDEX, or INDEX alone for queries in the documents' language")
    if len(paths) not in ((1,) if external or models else (1, 2)):
        raise CrossbowError(f"expected {expected}, found {' '.join(map(str, paths)) or 'nothing'}; see --help")
    if external and models:
        raise CrossbowError("forests need no model; leave --model out")
    if language and not models:
        raise CrossbowError("--language chooses between models; give them with --model")
    if cluster and (models or rerank):
        raise CrossbowError("with --ray, give one model as MODEL INDEX, and leave --rerank out")
    index = Index.outline(paths[-1]) if cluster else Index.load(paths[-1])
    wrap = rerank(index) if rerank else None
    if models:
        polyglot = Polyglot(map(named_model, models), index, configure, wrap=wrap)
        return polyglot.only(language) if language else polyglot
    model = None if external else Model.load(paths[0]) if len(paths) == 2 else Model.untranslated(index.analyzer)
    config = configure(model)
    if external:
        external.check(config)
    if cluster:
        from crossbow.ranking.shards import ShardedSearcher

        return ShardedSearcher(model, cluster.shards(paths[-1]), config, partial=cluster.partial)
    return Searcher(model, index, config, wrap=wrap)


def named_model(one: str) -> Model:
    """The model that --model names, which must translate from the language that it is named for."""
    from crossbow.model import Model
    from crossbow.text.language import language_code, primary

    code, equal, folder = one.partition("=")
    if not equal or not folder:
        raise CrossbowError(f"--model {one}: write CODE=FOLDER, such as de=model.de-en")
    model = Model.load(folder)
    if primary(language_code(code)) != primary(model.source.settings.lang):
        raise CrossbowError(f"--model {one}: this model translates from {model.source.settings.lang!r}")
    return model
