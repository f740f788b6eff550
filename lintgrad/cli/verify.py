"""`lintgrad verify`."""

from __future__ import annotations

import re
from pathlib import Path

import click

from lintgrad.cli.options import Options, with_options
from lintgrad.cli.parts import Parts

_PLACE = re.compile(r"(?P<path>.+):(?P<line>[1-9][0-9]*)", re.DOTALL)


@click.command(name="verify")
@with_options
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> int:
    """Lint, then run each finding's code on real torch and say whether the fault is there.

    PATH:LINE is about the findings on that line alone. The code that is run is yours: it runs in a sandbox
    that keeps it from the network, from your files and from other processes; `--python` names the interpreter
    that has your torch.
    """
    from lintgrad.cli.run import run

    options = {**ctx.params, "verify": True}
    places = [_place(path) for path in ctx.params["paths"]]
    options["paths"] = tuple(dict.fromkeys(path for path, _ in places))
    options["lines"] = tuple((path, line) for path, line in places if line)
    return run(Options(**options), ctx.find_object(Parts) or Parts())


# The command is its own `--verify`.
command.params = [parameter for parameter in command.params if parameter.name != "verify"]


def _place(argument: str) -> tuple[str, int]:
    """`PATH:LINE` as path and line; 0 where no line is named, or a file is called like that."""
    found = _PLACE.fullmatch(argument)
    if found is None or Path(argument).exists():
        return argument, 0
    return found["path"], int(found["line"])
