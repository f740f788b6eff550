"""All rules, found in their folder, and the way from a rule to its check and its page."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from lintgrad.catalog.rule import ENGINE_CODES, CatalogError, Rule, page, read_head

if TYPE_CHECKING:
    from lintgrad.diagnostics import Finding
    from lintgrad.machine import Run

    if sys.version_info >= (3, 11):
        from importlib.resources.abc import Traversable
    else:
        from importlib.abc import Traversable

    Check = Callable[[Run], Iterable[Finding]]

ALL = "ALL"


@dataclass(frozen=True, slots=True)
class Catalog:
    """The rules in the order of their codes.

    `folder` is where their documents lie and `package` the package of their checks. A catalog is
    small and can be sent to another process.
    """

    rules: tuple[Rule, ...]
    folder: Traversable
    package: str = "lintgrad.checks"
    _by_token: Mapping[str, Rule] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        by_token = {rule.code.upper(): rule for rule in self.rules}
        by_token |= {rule.name.upper(): rule for rule in self.rules}
        if len(by_token) != 2 * len(self.rules):
            raise CatalogError("two rules share a code or a name")
        object.__setattr__(self, "_by_token", by_token)

    def find(self, token: str) -> Rule | None:
        """The rule whose code or name is `token`, in either case."""
        return self._by_token.get(token.upper())

    def expand(self, selector: str) -> frozenset[str]:
        """The codes that `selector` stands for: a code, a name, a prefix such as `LG1`, or `ALL`.

        Empty where it stands for none.
        """
        wanted = selector.upper()
        if wanted == ALL:
            return frozenset(rule.code for rule in self.rules)
        rule = self.find(selector)
        if rule is not None:
            return frozenset({rule.code})
        if not wanted.startswith("LG"):
            return frozenset()
        return frozenset(rule.code for rule in self.rules if rule.code.startswith(wanted))

    def nearest(self, token: str) -> str | None:
        """The known code or name most like `token`, as a hint to who mistyped it."""
        known = [spelling for rule in self.rules for spelling in (rule.code, rule.name)]
        folded = {spelling.upper(): spelling for spelling in [*known, ALL]}
        close = difflib.get_close_matches(token.upper(), folded, n=1, cutoff=0.5)
        return folded[close[0]] if close else None

    def load_check(self, rule: Rule) -> Check | None:
        """The check of `rule`, or None where the engine makes its findings."""
        if rule.code in ENGINE_CODES:
            return None
        check: Check = import_module(f"{self.package}.{rule.module}").check
        return check

    def page(self, rule: Rule) -> str:
        """The text of the rule's document without its front matter."""
        return page((self.folder / rule.document).read_text(encoding="utf-8"))


def rules_folder() -> Traversable:
    """Where the documents lie: inside the package when installed, beside it in a checkout."""
    package = Path(__file__).parent.parent
    for folder in (package / "rules", package.parent / "rules"):
        if folder.is_dir():
            return folder
    # The package may be read from a zip file. Not asked first: importing this costs as much as
    # reading all documents.
    from importlib.resources import files

    return files("lintgrad") / "rules"


def load(folder: Traversable | None = None, package: str = "lintgrad.checks") -> Catalog:
    """The rules whose documents (`LG*.md`) lie in `folder`; raises `CatalogError`."""
    folder = rules_folder() if folder is None else folder
    documents = [d for d in folder.iterdir() if d.name.startswith("LG") and d.name.endswith(".md")]
    rules = sorted((read_head(document) for document in documents), key=lambda rule: rule.code)
    return Catalog(tuple(rules), folder, package)
