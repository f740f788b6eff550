"""What the machine asks of the files around the one that it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from lintgrad.program import nodes


class Tree(Protocol):
    """The project that a file belongs to, file by file; a path is as `Module.path` has it."""

    def find(self, name: str, importer: str) -> str | None:
        """The path of the module `name`, leading dots as in an import, for the file `importer`.

        A package's path ends in `__init__.py`, whether it has that file or not. None where no file of
        the project is meant.
        """

    def program(self, path: str) -> nodes.Module | None:
        """The lowered file; None where it cannot be had."""
