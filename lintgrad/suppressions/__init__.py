"""Suppression comments: `# noqa: LG101`, `# lintgrad: ignore[second-backward] reason`.

Terms. A *directive* is one suppression in a comment, an *item* one rule that it names. A *blanket*
directive, `# noqa`, names none and means all.
"""

from lintgrad.suppressions.directives import Directive, Item, read_directives
from lintgrad.suppressions.judge import split, unused
from lintgrad.suppressions.lines import Comment, read_comments

__all__ = ["Comment", "Directive", "Item", "read_comments", "read_directives", "split", "unused"]
