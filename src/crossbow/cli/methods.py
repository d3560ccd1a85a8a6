"""The command that says how documents can be ranked: methods."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from crossbow.cli.configuring import ConfigOption, SetOption, configured
from crossbow.cli.shared import cli


@cli.command()
def methods(
    name: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="Show this method alone.")] = None,
    model: Annotated[Path | None, typer.Option("--model", help="Show the settings of this model.")] = None,
    config_file: ConfigOption = None,
    settings: SetOption = None,
    save: Annotated[Path | None, typer.Option(
        "--save", metavar="FILE", help="Write the settings to a file that --config reads.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print everything as JSON.")] = False,
) -> None:
    """List the methods and the settings that each looks at.

    Example: crossbow methods bowfd --set weights.v=1.6 --save mine.json
    """
    from crossbow.model import Model
    from crossbow.ranking.methods import METHODS

    opened = Model.load(model) if model else None
    config = configured(opened, config_file, settings, method=name)
    if save:
        config.save(save)
    shown = [METHODS[name].name] if name else list(METHODS)
    if as_json:
        print(json.dumps([described(replace(config, method=one)) for one in shown], ensure_ascii=False, indent=1))
        return
    for one in shown:
        record = described(replace(config, method=one))
        print(f"{record['name']}: {record['help']}")
        for setting in record["settings"]:
            limits = f" ({setting['limits']})" if setting["limits"] else ""
            print(f"  {setting['path']:26} {setting['value']!s:>8}  {setting['help']}{limits}")
        print()


def described(config: Any) -> dict[str, Any]:
    """A method and its settings as plain values."""
    from crossbow.ranking.methods import METHODS

    method = METHODS[config.method]
    return {"name": method.name, "label": method.label, "help": method.help, "settings": [
        {"path": one.path, "kind": one.kind, "value": one.default, "help": one.help,
         "limits": ", ".join(one.limits.choices) if one.limits.choices is not None else one.limits.sentence()}
        for one in config.described()]}
