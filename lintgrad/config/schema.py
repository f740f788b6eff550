"""What a configuration file may say: its keys, their types, and how a mistake is told.

TOML readers do not keep positions, so the line of a mistake is found by looking for the key or the
value in the text of the table it stands in.
"""

from __future__ import annotations

import difflib
import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from lintgrad.catalog import Catalog, Layer, UnknownSelectorError, check_selectors
from lintgrad.config.patterns import is_pattern
from lintgrad.diagnostics import Confidence, Severity

FORMATS = (
    "text",
    "concise",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "sonar",
    "markdown",
)
"""The output formats, as `lintgrad.reporters` has them, which this layer may not import."""

KEYS = (
    "select",
    "ignore",
    "extend-select",
    "confidence",
    "severity",
    "exclude",
    "per-file-ignores",
    "format",
    "preview",
)

Choice = TypeVar("Choice", bound=enum.Enum)


class ConfigError(Exception):
    """A configuration that cannot be used; `str()` names the file, the line and the mistake."""


@dataclass(frozen=True, slots=True)
class Config:
    """What one source says: a file, or the command line.

    None, or nothing, where the source is silent. Patterns of `exclude` and `per_file_ignores` are
    git's, relative to `root`.
    """

    root: Path
    path: Path | None = None
    layer: Layer = field(default_factory=Layer)
    confidence: Confidence | None = None
    severity: Severity | None = None
    exclude: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    format: str | None = None
    preview: bool | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The table that holds the configuration, with what is needed to point into it."""

    path: Path
    text: str
    header: str
    values: Mapping[str, object] = field(default_factory=dict)

    def fail(self, needle: str, problem: str) -> ConfigError:
        """The error to raise for `problem`, at the first line of the table that holds `needle`."""
        line = self._line_of(needle)
        place = f"{self.path}:{line}" if line else str(self.path)
        return ConfigError(f"{place}: {problem}")

    def _line_of(self, needle: str) -> int | None:
        lines = self.text.splitlines()
        start = 0
        if self.header:
            header = re.compile(r"^\s*\[\s*" + r"\s*\.\s*".join(self.header.split(".")) + r"\b")
            start = next((i for i, line in enumerate(lines) if header.match(line)), 0)
        word = re.compile(rf"(?<![\w-]){re.escape(needle)}(?![\w-])")
        for number, line in enumerate(lines[start:], start + 1):
            if word.search(line) and not line.lstrip().startswith("#"):
                return number
        return None


def parse(table: Table, root: Path, catalog: Catalog) -> Config:
    """The configuration that `table` holds; raises `ConfigError` for the first mistake in it."""
    for key in table.values:
        if key not in KEYS:
            raise table.fail(key, _unknown_key(key))
    config = Config(
        root=root,
        path=table.path,
        layer=Layer(
            select=_strings(table, "select") if "select" in table.values else None,
            ignore=_strings(table, "ignore"),
            extend_select=_strings(table, "extend-select"),
        ),
        confidence=_choice(table, "confidence", Confidence),
        severity=_choice(table, "severity", Severity),
        exclude=_strings(table, "exclude"),
        per_file_ignores=_per_file_ignores(table, "per-file-ignores"),
        format=_format(table, "format"),
        preview=_boolean(table, "preview"),
    )
    _check_codes(table, config, catalog)
    _check_patterns(table, config)
    return config


def _unknown_key(key: str) -> str:
    close = difflib.get_close_matches(key, KEYS, n=1, cutoff=0.5)
    hint = f"; did you mean {close[0]!r}?" if close else f"; known are {', '.join(KEYS)}"
    return f"unknown key {key!r}{hint}"


def _check_codes(table: Table, config: Config, catalog: Catalog) -> None:
    selectors = [*(config.layer.select or ()), *config.layer.ignore, *config.layer.extend_select]
    selectors += [selector for _, ignored in config.per_file_ignores for selector in ignored]
    try:
        check_selectors(catalog, selectors)
    except UnknownSelectorError as error:
        raise table.fail(error.selector, str(error)) from None


def _check_patterns(table: Table, config: Config) -> None:
    for pattern in (*config.exclude, *(pattern for pattern, _ in config.per_file_ignores)):
        if not is_pattern(pattern):
            raise table.fail(pattern, f"{pattern!r} is no pattern as in .gitignore")


def _strings(table: Table, key: str) -> tuple[str, ...]:
    return _string_list(table, key, table.values.get(key, []))


def _string_list(table: Table, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise table.fail(key, f"{key!r} must be a list of strings")
    return tuple(value)


def _choice(table: Table, key: str, choices: type[Choice]) -> Choice | None:
    value = table.values.get(key)
    if value is None:
        return None
    try:
        return choices(value)
    except ValueError:
        names = ", ".join(repr(member.value) for member in choices)
        raise table.fail(key, f"{key!r} must be one of {names}") from None


def _format(table: Table, key: str) -> str | None:
    value = table.values.get(key)
    if value is not None and value not in FORMATS:
        raise table.fail(key, f"{key!r} must be one of {', '.join(map(repr, FORMATS))}")
    return value if isinstance(value, str) else None


def _boolean(table: Table, key: str) -> bool | None:
    value = table.values.get(key)
    if value is not None and not isinstance(value, bool):
        raise table.fail(key, f"{key!r} must be true or false")
    return value


def _per_file_ignores(table: Table, key: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    value = table.values.get(key, {})
    if not isinstance(value, dict):
        raise table.fail(key, f"{key!r} must be a table from patterns to lists of rules")
    return tuple((pattern, _string_list(table, pattern, ignored)) for pattern, ignored in value.items())
