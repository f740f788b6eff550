"""The command line.

Exit codes: 0 clean, 1 findings that count (an error or a warning was shown, or `--diff` has a diff),
2 lintgrad could not do its work (usage, configuration, a fault of its own), 130 interrupted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lintgrad.cli.parts import Parts

CLEAN = 0
FINDINGS = 1
TROUBLE = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None, parts: Parts | None = None) -> int:
    """Run the command line `arguments` (the process's own by default) and return the exit code.

    `parts` stand in for the real catalog and engine.
    """
    import click

    from lintgrad.cli.app import app
    from lintgrad.cli.output import say_error
    from lintgrad.cli.parts import Parts

    try:
        code = app.main(
            args=None if arguments is None else list(arguments),
            prog_name="lintgrad",
            standalone_mode=False,
            obj=Parts() if parts is None else parts,
        )
    except click.ClickException as error:
        error.show()
        return TROUBLE
    except (click.Abort, KeyboardInterrupt):
        say_error("interrupted")
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001 - any exit but this one would read as "findings"
        say_error(_explained(error))
        return TROUBLE
    return code if isinstance(code, int) else CLEAN


def _explained(error: Exception) -> str:
    """What `error` means to users: its own words where it was made for them."""
    from lintgrad.catalog import CatalogError
    from lintgrad.cli.output import CannotReadError, CannotWriteError
    from lintgrad.config import ConfigError
    from lintgrad.engine.failures import describe
    from lintgrad.project.discovery import MissingPathError
    from lintgrad.verify.process import ChildError

    known = (CannotReadError, CannotWriteError, CatalogError, ChildError, ConfigError, MissingPathError)
    if isinstance(error, known):
        return str(error)
    return f"internal error: {describe(error)}"
