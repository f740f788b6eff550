"""Configuration: what files and the command line say, and what holds for one linted file."""

from lintgrad.config.files import Configs, read
from lintgrad.config.patterns import is_pattern, matches
from lintgrad.config.schema import FORMATS, KEYS, Config, ConfigError
from lintgrad.config.settings import Resolver, Settings

__all__ = [
    "FORMATS",
    "KEYS",
    "Config",
    "ConfigError",
    "Configs",
    "Resolver",
    "Settings",
    "is_pattern",
    "matches",
    "read",
]
