"""The list of commands, and what is wrong with a command that was typed, in one line that says what to type instead.

    problem = usage_problem(error)          # "there is no option '--quite'; did you mean '--quiet'?"
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any

from typer.core import TyperGroup

from crossbow.errors import CrossbowError

NEAR = 0.7  # how alike two names are if one may be a slip for the other
# In the help, commands stand in the order in which they are used: data, models, index, search, measuring, the rest.
ORDER = ("demo", "list", "build", "train", "dictionary", "neural", "grammar", "combine", "pull", "convert", "index",
         "search", "explain", "serve", "evaluate", "fuse", "learn", "methods", "rank", "show", "translate", "info",
         "languages", "data", "parse", "reproduce", "warm")
LONGEST = 200  # characters of the sentence about a command, which is wrapped and never cut


class Commands(TyperGroup):
    """A group of commands that lists them by whole sentences, and suggests the nearest one for a mistyped name."""

    def list_commands(self, ctx: Any) -> list[str]:
        return sorted(super().list_commands(ctx), key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self.commands[name].get_short_help_str(LONGEST))
                                for name in self.list_commands(ctx)])

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if self.get_command(ctx, args[0]) is None:
            raise CrossbowError(f"there is no command {args[0]!r}"
                                + _instead(args[0], self.list_commands(ctx), ctx))
        return super().resolve_command(ctx, args)


def usage_problem(error: Exception) -> str | None:
    """The line for an error of typer's, with the remedy; None for any other error."""
    if not hasattr(error, "format_message"):
        return None
    ctx = getattr(error, "ctx", None)
    name = getattr(error, "option_name", None)
    if name is not None and hasattr(error, "possibilities"):
        known = [option for parameter in (ctx.command.get_params(ctx) if ctx else ())
                 for option in (*parameter.opts, *parameter.secondary_opts)]
        return f"there is no option {name!r}" + _instead(name, known, ctx)
    message = " ".join(error.format_message().split()).rstrip(".")
    return message[:1].lower() + message[1:] + _see(ctx)


def _instead(name: str, known: Iterable[str], ctx: Any) -> str:
    """What may have been meant; if nothing comes near, where to look."""
    bare = {option.lstrip("-"): option for option in known}  # dashes make any two options alike
    near = " or ".join(repr(bare[found]) for found in get_close_matches(name.lstrip("-"), bare, cutoff=NEAR))
    return f"; did you mean {near}?" if near else _see(ctx)


def _see(ctx: Any) -> str:
    return f"; see {ctx.command_path} --help" if ctx else "; see --help"
