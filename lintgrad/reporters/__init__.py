"""Diagnostics in the formats that people and programs read."""

from lintgrad.reporters.report import (
    FORMATS,
    Report,
    RuleInfo,
    UnknownFormatError,
    render,
)

__all__ = ["FORMATS", "Report", "RuleInfo", "UnknownFormatError", "render"]
