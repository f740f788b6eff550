"""Which rules are on.

Selectors come in layers: the configuration file first, the command line over it. A layer with a
`select` starts afresh; one without builds on the layer below. Inside a layer the narrower selector
wins over the wider one, so that `select = ["LG101"], ignore = ["LG1"]` leaves LG101 on, and of two
equally narrow ones the ignore wins.

`syntax-error` is on unless it is ignored: a file that cannot be parsed was not linted, and a run that
looks for one rule must not pass for that reason.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lintgrad.catalog.catalog import ALL, Catalog
from lintgrad.catalog.rule import SYNTAX_ERROR


class UnknownSelectorError(Exception):
    """A selector that stands for no rule; `str()` says so, with the nearest known one."""

    def __init__(self, selector: str, nearest: str | None) -> None:
        hint = f"; did you mean {nearest!r}?" if nearest else ""
        super().__init__(f"unknown rule {selector!r}{hint}")
        self.selector = selector


@dataclass(frozen=True, slots=True)
class Layer:
    """One source's selectors; `select` is None where the source has none."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()


def check_selectors(catalog: Catalog, selectors: Iterable[str]) -> None:
    """Raise `UnknownSelectorError` for the first selector that stands for no rule."""
    for selector in selectors:
        if not catalog.expand(selector):
            raise UnknownSelectorError(selector, catalog.nearest(selector))


def enabled(catalog: Catalog, layers: Sequence[Layer], *, preview: bool) -> frozenset[str]:
    """The codes that are on after all `layers`; preview rules among them only with `preview`."""
    on = catalog.expand(ALL)
    for layer in layers:
        on = _apply(catalog, layer, on)
    return on if preview else on - frozenset(rule.code for rule in catalog.rules if rule.preview)


def hidden_previews(catalog: Catalog, layers: Iterable[Layer]) -> list[str]:
    """The preview rules that a layer selects by their own code or name, which needs `preview`."""
    hidden: set[str] = set()
    for layer in layers:
        for selector in (*(layer.select or ()), *layer.extend_select):
            rule = catalog.find(selector)
            if rule is not None and rule.preview:
                hidden.add(rule.code)
    return sorted(hidden)


def _apply(catalog: Catalog, layer: Layer, below: frozenset[str]) -> frozenset[str]:
    on = set(below if layer.select is None else catalog.expand(SYNTAX_ERROR))
    votes = [(selector, True) for selector in (*(layer.select or ()), *layer.extend_select)]
    votes += [(selector, False) for selector in layer.ignore]
    # The narrowest is heard last; False sorts first among equals, so it must be heard last too.
    for selector, add in sorted(votes, key=lambda vote: (_width(catalog, vote[0]), not vote[1])):
        codes = catalog.expand(selector)
        on = on | codes if add else on - codes
    return frozenset(on)


def _width(catalog: Catalog, selector: str) -> int:
    """A rank by how narrow `selector` is: `ALL` 0, a prefix its length, one rule the most."""
    if selector.upper() == ALL:
        return 0
    return 100 if catalog.find(selector) is not None else len(selector)
