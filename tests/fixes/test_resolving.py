"""Each action of a plan, carried out on text."""

from __future__ import annotations

from collections.abc import Callable

import libcst as cst
import pytest

from lintgrad.diagnostics import (
    Applicability,
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
    Span,
)
from lintgrad.fixes import resolve
from lintgrad.source import Problem, SourceFile, concrete_tree, from_bytes

Repair = Callable[..., str | None]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("loss.backward(retain_graph=True)\n", "loss.backward()\n"),
        ("loss.backward( retain_graph = True , )\n", "loss.backward()\n"),
        ("loss.backward(g, retain_graph=True)\n", "loss.backward(g)\n"),
        ("loss.backward(g, retain_graph=True,)\n", "loss.backward(g,)\n"),
        ("loss.backward(retain_graph=True, create_graph=c)\n", "loss.backward(create_graph=c)\n"),
        ("loss.backward(g, retain_graph=True, inputs=i)\n", "loss.backward(g, inputs=i)\n"),
        (
            "loss.backward(\n    retain_graph=True,  # why\n    inputs=i,\n)\n",
            "loss.backward(\n    inputs=i,\n)\n",
        ),
        ("loss.backward(\n    inputs=i,\n    retain_graph=True,\n)\n", "loss.backward(\n    inputs=i,\n)\n"),
        ("f(x).backward(*a, retain_graph=True, **k)\n", "f(x).backward(*a, **k)\n"),
        ("loss.backward(create_graph=True)\n", None),
    ],
)
def test_an_argument_goes_with_its_comma(repair: Repair, before: str, after: str | None) -> None:
    call = (cst.Call, before.rstrip(), lambda site: RemoveArgument(site, "retain_graph"))
    assert repair(before, call) == after


@pytest.mark.parametrize(
    ("before", "statement", "after"),
    [
        ("a()\nb()\nc()\n", "b()", "a()\nc()\n"),
        ("a()\nb()  # why\nc()\n", "b()", "a()\nc()\n"),
        ("a()\nb()", "b()", "a()"),
        ("a()\r\nb()", "b()", "a()"),
        ("b()", "b()", ""),
        ("b()\n", "b()", ""),
        ("a(); b(); c()\n", "a()", "b(); c()\n"),
        ("a(); b(); c()\n", "b()", "a(); c()\n"),
        ("a(); b(); c()\n", "c()", "a(); b()\n"),
        ("a(); b();  # why\n", "b()", "a()  # why\n"),
        ("if x:\n    b()\nelse:\n    c()\n", "b()", "if x:\n    pass\nelse:\n    c()\n"),
        ("if x:\n    b()  # why\n", "b()", "if x:\n    pass  # why\n"),
        ("if x: b()\n", "b()", "if x: pass\n"),
        ("if x: a(); b()\n", "b()", "if x: a()\n"),
        ("if x:\n    a()\n    b()\n", "b()", "if x:\n    a()\n"),
        (
            "def f():\n    x\n    b(\n        1,\n    )\n    y\n",
            "b(\n        1,\n    )",
            "def f():\n    x\n    y\n",
        ),
        ("try:\n    x\nfinally:\n    b()\n", "b()", "try:\n    x\nfinally:\n    pass\n"),
        ("match x:\n    case 1:\n        b()\n", "b()", "match x:\n    case 1:\n        pass\n"),
        ("class C:\n\tb()\n\tc()\n", "b()", "class C:\n\tc()\n"),
    ],
)
def test_a_statement_goes_with_its_line(repair: Repair, before: str, statement: str, after: str) -> None:
    assert repair(before, (cst.Expr, statement, RemoveStatement)) == after


def test_a_compound_statement_goes_with_its_decorators(repair: Repair) -> None:
    before = "a = 1\n\n@first\n@second\ndef f():\n    pass\nb = 2\n"
    compound = (cst.FunctionDef, "def f():\n    pass", RemoveStatement)
    assert repair(before, compound) == "a = 1\n\nb = 2\n"


def test_an_elif_cannot_go(repair: Repair) -> None:
    before = "if a:\n    b\nelif c:\n    d\n"
    assert repair(before, (cst.If, "elif c:\n    d", RemoveStatement)) is None


def test_all_statements_of_a_block_leave_one_pass(repair: Repair) -> None:
    before = "if x:\n    a()\n    b()\nc()\n"
    actions = [(cst.Expr, text, RemoveStatement) for text in ("a()", "b()")]
    assert repair(before, *actions) == "if x:\n    pass\nc()\n"


def _zero(site: Site) -> InsertStatement:
    return InsertStatement(site, "opt.zero_grad()")


@pytest.mark.parametrize(
    ("before", "kind", "place", "after"),
    [
        ("a()\nb()\n", cst.Expr, "b()", "a()\nopt.zero_grad()\nb()\n"),
        ("for x in y:\n\tb()\n", cst.Expr, "b()", "for x in y:\n\topt.zero_grad()\n\tb()\n"),
        ("a()\r\nb()\r\n", cst.Expr, "b()", "a()\r\nopt.zero_grad()\r\nb()\r\n"),
        ("a(); b()\n", cst.Expr, "b()", "a(); opt.zero_grad(); b()\n"),
        ("if x: b()\n", cst.Expr, "b()", "if x: opt.zero_grad(); b()\n"),
        ("if x:\n    # why\n    b()\n", cst.Expr, "b()", "if x:\n    # why\n    opt.zero_grad()\n    b()\n"),
        ("b()", cst.Expr, "b()", "opt.zero_grad()\nb()"),
        ("if x:\n  y = f(b(1))\n", cst.Call, "b(1)", "if x:\n  opt.zero_grad()\n  y = f(b(1))\n"),
        ("for x in b():\n  y\n", cst.Call, "b()", "opt.zero_grad()\nfor x in b():\n  y\n"),
        ("while b():\n  y\n", cst.Call, "b()", None),
        ("while b:\n  y\n", cst.While, "while b:\n  y", "opt.zero_grad()\nwhile b:\n  y\n"),
        ("if a:\n  y\nelif b:\n  y\n", cst.Name, "b", None),
        ("@d\ndef f(): pass\n", cst.FunctionDef, "def f(): pass", "opt.zero_grad()\n@d\ndef f(): pass\n"),
    ],
)
def test_a_statement_is_written_before_another(
    repair: Repair, before: str, kind: type[cst.CSTNode], place: str, after: str | None
) -> None:
    assert repair(before, (kind, place, _zero)) == after


@pytest.mark.parametrize(
    ("before", "kind", "place", "after"),
    [
        ("x = loss\n", cst.Name, "loss", "x = loss.item()\n"),
        ("x = a + b\n", cst.BinaryOperation, "a + b", "x = (a + b).item()\n"),
        ("x = (a + b)\n", cst.BinaryOperation, "a + b", "x = (a + b).item()\n"),
        ("x = ( # c\n  a + b\n)\n", cst.BinaryOperation, "a + b", "x = ( # c\n  a + b\n).item()\n"),
        ("x += f(a)[0].b\n", cst.Attribute, "f(a)[0].b", "x += f(a)[0].b.item()\n"),
        ("x = -a\n", cst.UnaryOperation, "-a", "x = (-a).item()\n"),
        ("x = await a\n", cst.Await, "await a", "x = (await a).item()\n"),
        ("x = a if b else c\n", cst.IfExp, "a if b else c", "x = (a if b else c).item()\n"),
        ("f(a for a in b)\n", cst.GeneratorExp, "a for a in b", "f((a for a in b).item())\n"),
        ("x = a, b\n", cst.Tuple, "a, b", "x = (a, b).item()\n"),
        ("x = (a, b)\n", cst.Tuple, "(a, b)", "x = (a, b).item()\n"),
        ("x = 1\n", cst.Integer, "1", "x = (1).item()\n"),
        ("f(k=a + b)\n", cst.Arg, "k=a + b", "f(k=(a + b).item())\n"),
        ("f(a)\n", cst.Expr, "f(a)", "f(a).item()\n"),
        ('f"{a + b:.2f}"\n', cst.BinaryOperation, "a + b", 'f"{(a + b).item():.2f}"\n'),
    ],
)
def test_a_postfix_applies_to_the_whole_expression(
    repair: Repair, before: str, kind: type[cst.CSTNode], place: str, after: str
) -> None:
    assert repair(before, (kind, place, lambda site: InsertAfter(site, ".item()"))) == after


def test_what_is_no_postfix_is_written_plainly(repair: Repair) -> None:
    argument = (cst.Arg, "a + b", lambda site: InsertAfter(site, ", create_graph=True"))
    assert repair("f(a + b)\n", argument) == "f(a + b, create_graph=True)\n"


def test_a_name_is_replaced(repair: Repair) -> None:
    before = "p . require_grad = f( p ).x\n"
    attribute = (cst.Attribute, "p . require_grad", lambda site: ReplaceName(site, "requires_grad"))
    assert repair(before, attribute) == "p . requires_grad = f( p ).x\n"
    call = (cst.Call, "a.b.c()", lambda site: ReplaceName(site, "d"))
    assert repair("a.b.c()\n", call) == "a.b.d()\n"
    assert repair("c()\n", (cst.Call, "c()", lambda site: ReplaceName(site, "d"))) is None


def test_a_result_is_assigned(repair: Repair) -> None:
    def assigned(site: Site) -> AssignResult:
        return AssignResult(site, "h")

    assert repair("if x:\n  a; h.detach()\n", (cst.Expr, "h.detach()", assigned)) == (
        "if x:\n  a; h = h.detach()\n"
    )
    assert repair("h.detach()\n", (cst.Call, "h.detach()", assigned)) == "h = h.detach()\n"
    assert repair("y = h.detach()\n", (cst.Call, "h.detach()", assigned)) is None


def test_a_plan_may_replace_a_statement(repair: Repair) -> None:
    before = "for x in y:\n    a()\n    b()\n"
    plan = ((cst.Expr, "b()", RemoveStatement), (cst.Expr, "b()", _zero))
    assert repair(before, *plan) == "for x in y:\n    a()\n    opt.zero_grad()\n"


def test_a_plan_is_carried_out_whole_or_not_at_all(repair: Repair) -> None:
    good = (cst.Expr, "a()", RemoveStatement)
    bad = (cst.Call, "b()", lambda site: RemoveArgument(site, "missing"))
    assert repair("a()\nb()\n", good, bad) is None


def test_actions_that_touch_each_other_are_refused(repair: Repair) -> None:
    outer = (cst.Expr, "f(a=1)", RemoveStatement)
    inner = (cst.Call, "f(a=1)", lambda site: RemoveArgument(site, "a"))
    assert repair("x\nf(a=1)\n", outer, inner) is None


def _expression(source: SourceFile) -> object:
    tree = concrete_tree(source)
    assert not isinstance(tree, Problem)
    line = tree.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    return line.body[0]


def test_a_fix_is_made_of_spans() -> None:
    source = from_bytes("a.py", "é = 1; f()\n".encode())
    assert isinstance(source, SourceFile)
    tree = concrete_tree(source)
    assert not isinstance(tree, Problem)
    line = tree.body[0]
    assert isinstance(line, cst.SimpleStatementLine)
    action = InsertStatement(Site("a.py", line.body[1]), "g()")
    assert resolve(source, FixPlan("t", Applicability.UNSAFE, (action,))) == Fix(
        "t", Applicability.UNSAFE, (Edit(Span(1, 8, 1, 8), "g(); "),)
    )


def test_a_plan_for_another_file_is_refused() -> None:
    source = from_bytes("a.py", b"f()\n")
    assert isinstance(source, SourceFile)
    action = RemoveStatement(Site("b.py", _expression(source)))
    assert resolve(source, FixPlan("t", Applicability.SAFE, (action,))) is None


def test_a_plan_for_a_broken_file_is_refused() -> None:
    source = from_bytes("a.py", b"f(\n")
    assert isinstance(source, SourceFile)
    action = RemoveStatement(Site("a.py", object()))
    assert resolve(source, FixPlan("t", Applicability.SAFE, (action,))) is None
