"""The command that says what there is for each language: languages."""

from __future__ import annotations

from typing import Annotated

import typer

from crossbow.cli.shared import cli, table


@cli.command()
def languages(
    code: Annotated[str | None, typer.Argument(metavar="[CODE]", help="Show this language alone.")] = None,
    as_markdown: Annotated[bool, typer.Option("--markdown", help="Print the table of docs/languages.md.")] = False,
) -> None:
    """List the languages that have more than the defaults: segmentation, stems, function words, compounds.

    Example: crossbow languages th
    """
    from crossbow.text.language import language_code, language_name
    from crossbow.text.languages import language
    from crossbow.text.languages.table import markdown, row, rows

    if code is not None:
        wanted = language_code(code)
        record = language(wanted)
        own = row(record)
        table({"language": f"{language_name(wanted)} ({wanted})", "script": own.script,
               "segmentation": own.segmentation, "stems": own.stems, "function words": own.stopwords,
               "compounds": own.compounds or "not split", "lacks": "; ".join(record.lacks()) or "nothing"})
    elif as_markdown:
        print(markdown(), end="")
    else:
        for one in rows():
            print(f"{one.code:10} {one.name:17} {one.segmentation:26} {one.stems:34} {one.stopwords:>5}")
