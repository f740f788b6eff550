"""From a plan, in terms of the program, to edits of the text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import libcst as cst

from lintgrad.diagnostics import (
    Action,
    AssignResult,
    Edit,
    Fix,
    FixPlan,
    InsertAfter,
    InsertStatement,
    RemoveArgument,
    RemoveStatement,
    ReplaceName,
    Site,
)
from lintgrad.fixes.edits import Change, overlap
from lintgrad.fixes.removing import without_argument, without_statement
from lintgrad.fixes.statements import Placed, Statements
from lintgrad.lowering.counterparts import counterpart
from lintgrad.source import Problem, SourceFile, concrete_tree
from lintgrad.source.positions import Positions, positions

_PRIMARY = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.List,
    cst.ListComp,
    cst.Set,
    cst.SetComp,
    cst.Dict,
    cst.DictComp,
    cst.SimpleString,
    cst.FormattedString,
)


def resolve(source: SourceFile, plan: FixPlan) -> Fix | None:
    """The edits that carry out `plan` on `source`; None where it cannot be done there.

    The plan's places are parts of `lintgrad.source.parse(source)`.
    """
    tree = concrete_tree(source)
    if isinstance(tree, Problem) or any(action.site.path != source.path for action in plan.actions):
        return None
    where = positions(source)
    changes = _Resolver(source, tree, where, plan).changes()
    if not changes or overlap(changes):
        return None
    edits = [Edit(source.lines.span(change.start, change.end), change.text) for change in sorted(changes)]
    return Fix(plan.title, plan.applicability, tuple(edits))


@dataclass
class _Resolver:
    source: SourceFile
    tree: cst.Module
    positions: Positions
    plan: FixPlan

    @cached_property
    def statements(self) -> Statements:
        return Statements(self.tree, self.positions)

    def changes(self) -> list[Change] | None:
        """The changes of all actions; None where one of them cannot be carried out."""
        found: list[Change] = []
        for action in self.plan.actions:
            changes = self._action(action)
            if not changes:
                return None
            found += changes
        return found

    def _action(self, action: Action) -> list[Change]:
        match action:
            case InsertAfter():
                return self._insert_after(action)
            case ReplaceName():
                return self._replace_name(action)
            case RemoveArgument():
                return self._remove_argument(action)
            case RemoveStatement():
                return self._remove_statement(action)
            case InsertStatement():
                return self._insert_statement(action)
            case AssignResult():
                return self._assign_result(action)

    def _node(self, site: Site) -> cst.CSTNode:
        """The node of libcst's tree at `site`."""
        origin = site.origin
        return origin if isinstance(origin, cst.CSTNode) else counterpart(self.source, origin)

    def _insert_after(self, action: InsertAfter) -> list[Change]:
        node = _expression(self._node(action.site))
        start, end = self.positions.whole(node)
        if action.text[:1] in (".", "(", "[") and not _takes_postfix(node):
            return [Change(start, start, "("), Change(end, end, ")" + action.text)]
        return [Change(end, end, action.text)]

    def _replace_name(self, action: ReplaceName) -> list[Change]:
        node = _expression(self._node(action.site))
        if isinstance(node, cst.Call):
            node = node.func
        if not isinstance(node, cst.Attribute):
            return []
        return [Change(*self.positions.range(node.attr), action.text)]

    def _remove_argument(self, action: RemoveArgument) -> list[Change]:
        node = _expression(self._node(action.site))
        if not isinstance(node, cst.Call):
            return []
        change = without_argument(self.positions, node, action.keyword)
        return [] if change is None else [change]

    def _remove_statement(self, action: RemoveStatement) -> list[Change]:
        placed = self.statements.at(self._node(action.site))
        if placed is None:
            return []
        change = without_statement(self.source, self.positions, placed, self._gone())
        return [] if change is None else [change]

    def _gone(self) -> set[int]:
        """The identities of the statements that the plan takes out."""
        sites = [action.site for action in self.plan.actions if isinstance(action, RemoveStatement)]
        found = [self.statements.at(self._node(site)) for site in sites]
        return {id(placed.node) for placed in found if placed is not None}

    def _insert_statement(self, action: InsertStatement) -> list[Change]:
        placed = self.statements.around(self._node(action.site))
        if placed is None or not self._may_precede(placed, self._node(action.site)):
            return []
        start = self.positions.range(placed.first_node)[0]
        first = self.source.lines.start(start)
        indent = self.source.text[first:start]
        if placed.inline or indent.strip():
            return [Change(start, start, f"{action.text}; ")]
        # At the line's start, so that the same plan may take out the statement itself.
        return [Change(first, first, indent + action.text + self.source.newline)]

    def _may_precede(self, placed: Placed, node: cst.CSTNode) -> bool:
        """Whether what is written before the statement is run before `node` each time."""
        if placed.is_elif:
            return False
        return placed.node is node or not isinstance(placed.node, cst.While)

    def _assign_result(self, action: AssignResult) -> list[Change]:
        placed = self.statements.at(self._node(action.site))
        if placed is None or not isinstance(placed.node, cst.Expr):
            return []
        start = self.positions.range(placed.node)[0]
        return [Change(start, start, f"{action.target} = ")]


def _expression(node: cst.CSTNode) -> cst.CSTNode:
    """The expression at a site, which may be named by its statement or its argument."""
    return node.value if isinstance(node, (cst.Expr, cst.Arg, cst.Element)) else node


def _takes_postfix(node: cst.CSTNode) -> bool:
    """Whether `.name`, `(...)` or `[...]` right behind `node` applies to all of it."""
    return isinstance(node, _PRIMARY) or bool(getattr(node, "lpar", ()))
