"""The rules: read from their documents, paired with their checks, selected.

Terms. A *selector* is what users write to mean rules: a code (`LG101`), a name (`second-backward`),
a prefix (`LG1`) or `ALL`. A rule is *enabled* when the selectors of a run leave it on.
"""

from lintgrad.catalog.catalog import ALL, Catalog, load
from lintgrad.catalog.rule import ENGINE_CODES, SYNTAX_ERROR, UNUSED_SUPPRESSION, CatalogError, Rule
from lintgrad.catalog.selection import (
    Layer,
    UnknownSelectorError,
    check_selectors,
    enabled,
    hidden_previews,
)

__all__ = [
    "ALL",
    "ENGINE_CODES",
    "SYNTAX_ERROR",
    "UNUSED_SUPPRESSION",
    "Catalog",
    "CatalogError",
    "Layer",
    "Rule",
    "UnknownSelectorError",
    "check_selectors",
    "enabled",
    "hidden_previews",
    "load",
]
