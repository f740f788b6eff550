"""`lintgrad check`."""

from __future__ import annotations

import click

from lintgrad.cli.options import Options, with_options
from lintgrad.cli.parts import Parts


@click.command(name="check")
@with_options
@click.pass_context
def command(ctx: click.Context, /, **_: object) -> int:
    """Lint files and folders; the current folder when no PATH is given.

    Exit code 0 means that nothing of severity error or warning was found, 1 that something was, 2
    that lintgrad could not do its work.
    """
    from lintgrad.cli.run import run

    return run(Options(**ctx.params), ctx.find_object(Parts) or Parts())
