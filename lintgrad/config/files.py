"""Finding and reading configuration files: the nearest one upward from a linted file counts.

A folder's `lintgrad.toml` counts before its `pyproject.toml`, and a `pyproject.toml` counts only
when it has a `[tool.lintgrad]` table.
"""

from __future__ import annotations

from pathlib import Path

from lintgrad.catalog import Catalog
from lintgrad.catalog.toml import TOMLDecodeError, loads
from lintgrad.config.schema import Config, ConfigError, Table, parse

OWN_FILE = "lintgrad.toml"
PROJECT_FILE = "pyproject.toml"


def read(path: Path, catalog: Catalog, root: Path | None = None) -> Config:
    """The configuration in the file `path`, its patterns relative to `root` or the file's folder.

    Raises `ConfigError`. A `pyproject.toml` without a table for lintgrad is an empty one.
    """
    table = _table(path)
    root = path.parent if root is None else root
    return Config(root=root, path=path) if table is None else parse(table, root, catalog)


class Configs:
    """The configuration for each folder, read once.

    `fixed` is the one for all folders, where a run has been given one.
    """

    def __init__(self, catalog: Catalog, fixed: Config | None = None) -> None:
        self._catalog = catalog
        self._fixed = fixed
        self._by_folder: dict[Path, Config | None] = {}

    def for_folder(self, folder: Path) -> Config:
        """The configuration for files in `folder`, an absolute path; raises `ConfigError`."""
        if self._fixed is not None:
            return self._fixed
        found = self._nearest(folder)
        return Config(root=folder) if found is None else found

    def _nearest(self, folder: Path) -> Config | None:
        passed: list[Path] = []
        config: Config | None = None
        for candidate in (folder, *folder.parents):
            if candidate in self._by_folder:
                config = self._by_folder[candidate]
                break
            passed.append(candidate)
            config = self._in_folder(candidate)
            if config is not None:
                break
        self._by_folder.update(dict.fromkeys(passed, config))
        return config

    def _in_folder(self, folder: Path) -> Config | None:
        for name in (OWN_FILE, PROJECT_FILE):
            path = folder / name
            table = _table(path) if path.is_file() else None
            if table is not None:
                return parse(table, folder, self._catalog)
        return None


def _table(path: Path) -> Table | None:
    """The table for lintgrad in the file `path`; None for a `pyproject.toml` that has none."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror or error}") from None
    is_project = path.name == PROJECT_FILE
    if is_project and b"lintgrad" not in data:
        return None  # not parsed: another tool's mistake in it is none of ours
    try:
        text = data.decode("utf-8")
        values = loads(text)
    except (TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from None
    if not is_project:
        return Table(path, text, "", values)
    tool = values.get("tool")
    own = tool.get("lintgrad") if isinstance(tool, dict) else None
    if own is None:
        return None
    if not isinstance(own, dict):
        raise ConfigError(f"{path}: tool.lintgrad is no table")
    return Table(path, text, "tool.lintgrad", own)
