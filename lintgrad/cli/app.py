"""The commands, each imported when it is called, so that `--help` and `--version` cost nothing."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click

from lintgrad import __version__

COMMANDS = {
    "check": "Lint files and folders (the default command).",
    "explain": "Print the page of a rule.",
    "rules": "List all rules.",
    "show": "Print what lintgrad understands of a file.",
    "verify": "Lint, then run each finding on real torch, in a sandbox.",
}
"""Each command's name, its module in this package, and what it does in a line."""

_OWN_OPTIONS = frozenset({"-h", "--help", "--version"})


_DEV = Path(__file__).resolve().parents[2] / "scripts" / "dev.py"
"""The commands for those who change lintgrad: a checkout has them, an installation does not."""


def _is_dev(name: str) -> bool:
    return name == "dev" and _DEV.is_file()


def _dev() -> click.Command:
    spec = spec_from_file_location("lintgrad_dev", _DEV)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    command: click.Command = module.command
    return command


class LazyGroup(click.Group):
    """A group whose commands are modules, and whose default command is `check`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `check` in front of arguments that do not start with a command or an own option."""
        if not args:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(2)
        if args[0] not in COMMANDS and args[0] not in _OWN_OPTIONS and not _is_dev(args[0]):
            args = ["check", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """The names of all commands, as the help lists them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command of that name."""
        if _is_dev(cmd_name):
            return _dev()
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"lintgrad.cli.{cmd_name}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyGroup,
    name="lintgrad",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`lintgrad PATH...` is short for `lintgrad check PATH...`; a path that is called like a "
    "command is written `./name`. `lintgrad check --help` lists all options.",
)
@click.version_option(__version__, message="lintgrad %(version)s")
def app() -> None:
    """Find faults in PyTorch training code, without running it."""
