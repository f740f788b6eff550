"""What holds for one file, once the configuration and the command line are put together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from lintgrad.catalog import Catalog, enabled
from lintgrad.config.files import Configs
from lintgrad.config.patterns import matches
from lintgrad.config.schema import Config
from lintgrad.diagnostics import Confidence, Severity


@dataclass(frozen=True, slots=True)
class Settings:
    """What the engine needs to know to lint a file: small, and fit to be sent to a process."""

    enabled: frozenset[str]
    confidence: Confidence = Confidence.LIKELY
    severity: Severity = Severity.INFO


class Resolver:
    """Settings for each file: the nearest configuration, with the command line over it."""

    def __init__(self, catalog: Catalog, configs: Configs, overrides: Config) -> None:
        self._catalog = catalog
        self._configs = configs
        self._overrides = overrides
        self._by_root: dict[tuple[Path, Path | None], Settings] = {}

    def config(self, folder: Path) -> Config:
        """The configuration file's word for `folder`, an absolute path."""
        return self._configs.for_folder(folder)

    def format(self, folder: Path) -> str:
        """The output format: the command line's, or the one configured for `folder`."""
        return self._overrides.format or self.config(folder).format or "text"

    def settings(self, path: Path) -> Settings:
        """The settings for the file `path`, an absolute path; raises `ConfigError`."""
        config = self.config(path.parent)
        key = (config.root, config.path)
        if key not in self._by_root:
            self._by_root[key] = self._combine(config)
        settings = self._by_root[key]
        ignored = self._ignored(config, path)
        if not ignored & settings.enabled:
            return settings
        return Settings(settings.enabled - ignored, settings.confidence, settings.severity)

    def excluded(self, path: Path, *, is_folder: bool) -> bool:
        """Whether the `exclude` patterns of the configuration or the command line match `path`."""
        return any(
            matches(source.root, source.exclude, path, is_folder=is_folder)
            for source in (self.config(path.parent), self._overrides)
            if source.exclude
        )

    def _combine(self, config: Config) -> Settings:
        over = self._overrides
        preview = over.preview if over.preview is not None else bool(config.preview)
        return Settings(
            enabled(self._catalog, (config.layer, over.layer), preview=preview),
            over.confidence or config.confidence or Confidence.LIKELY,
            over.severity or config.severity or Severity.INFO,
        )

    def _ignored(self, config: Config, path: Path) -> frozenset[str]:
        codes: set[str] = set()
        for pattern, selectors in config.per_file_ignores:
            if matches(config.root, (pattern,), path, is_folder=False):
                codes.update(*(self._catalog.expand(selector) for selector in selectors))
        return frozenset(codes)
