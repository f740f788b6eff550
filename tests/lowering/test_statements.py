"""The meaning of each kind of statement."""

from __future__ import annotations

import ast
from collections.abc import Callable

import libcst as cst
import pytest

from lintgrad.lowering import lower
from lintgrad.lowering.abstract import dispatch as abstract
from lintgrad.lowering.concrete import dispatch as concrete
from lintgrad.program import nodes

Lower = Callable[[str], nodes.Module]
Show = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = b.c = d", "Assign([Name(a), Attribute(Name(b), c)], Name(d))"),
        (
            "a, (b, *c) = d",
            ("Assign([Sequence(tuple, [Name(a), Sequence(tuple, [Name(b), Starred(Name(c))])])], Name(d))"),
        ),
        ("[a, b[c]] = d", "Assign([Sequence(list, [Name(a), Subscript(Name(b), Name(c))])], Name(d))"),
        ("a: b = c", "Assign([Name(a)], Name(c), Name(b))"),
        ("a: b", "Declare(Name(a), Name(b))"),
        ("a.b @= c", "AugAssign(Attribute(Name(a), b), @, Name(c))"),
        ("return", "Return()"),
        ("return a, b", "Return(Sequence(tuple, [Name(a), Name(b)]))"),
        ("raise", "Raise()"),
        ("raise a from b", "Raise(Name(a), Name(b))"),
        ("assert a, b", "Assert(Name(a), Name(b))"),
        ("del a", "Delete([Name(a)])"),
        ("del a, b[0]", "Delete([Name(a), Subscript(Name(b), Const(0))])"),
        ("del (a, b)", "Delete([Name(a), Name(b)])"),
        ("pass", "Pass()"),
        ("break", "Break()"),
        ("continue", "Continue()"),
        ("import a.b, c as d, e.f as g", "Import([[a.b, a, False], [c, d, True], [e.f, g, True]])"),
        ("from a.b import c, d as e", "ImportFrom(a.b, 0, [[c, c], [d, e]])"),
        ("from .. import (a,)", "ImportFrom(, 2, [[a, a]])"),
        ("from .a import *", "ImportFrom(a, 1, [[*, *]])"),
        ("global a, b", "Scope(global, [a, b])"),
        ("nonlocal a", "Scope(nonlocal, [a])"),
        ("type A[T] = list[T]", "TypeAlias(A)"),
        ("if a: b; c", "If(Name(a), [ExprStmt(Name(b)), ExprStmt(Name(c))])"),
        ("while a:\n  b\nelse:\n  c", "While(Name(a), [ExprStmt(Name(b))], [ExprStmt(Name(c))])"),
        (
            "for a, b in c:\n  d\nelse:\n  e",
            ("For(Sequence(tuple, [Name(a), Name(b)]), Name(c), [ExprStmt(Name(d))], [ExprStmt(Name(e))])"),
        ),
        (
            "with a as b.c, d:\n  e",
            ("With([WithItem(Name(a), Attribute(Name(b), c)), WithItem(Name(d))], [ExprStmt(Name(e))])"),
        ),
        (
            "with (a as b, c as d,): e",
            ("With([WithItem(Name(a), Name(b)), WithItem(Name(c), Name(d))], [ExprStmt(Name(e))])"),
        ),
        (
            "try:\n  a\nexcept (B, C) as d:\n  e\nexcept:\n  f\nelse:\n  g\nfinally:\n  h",
            (
                "Try([ExprStmt(Name(a))], "
                "[Handler(Sequence(tuple, [Name(B), Name(C)]), d, [ExprStmt(Name(e))]), "
                "Handler([ExprStmt(Name(f))])], [ExprStmt(Name(g))], [ExprStmt(Name(h))])"
            ),
        ),
        (
            "try:\n  a\nexcept* B:\n  c",
            "Try([ExprStmt(Name(a))], [Handler(Name(B), [ExprStmt(Name(c))], True)])",
        ),
    ],
)
def test_statements(show: Show, text: str, expected: str) -> None:
    assert show(f"{text}\n") == [expected]


def test_an_elif_is_an_if_in_the_else(show: Show) -> None:
    assert show("if a:\n  b\nelif c:\n  d\nelse:\n  e\n") == [
        "If(Name(a), [ExprStmt(Name(b))], [If(Name(c), [ExprStmt(Name(d))], [ExprStmt(Name(e))])])"
    ]


def test_async_statements(show: Show) -> None:
    text = "async def f():\n  async for a in b: pass\n  async with c: pass\n"
    assert show(text) == [
        (
            "FunctionDef(f, ["
            "For(Name(a), Name(b), [Pass()], True), With([WithItem(Name(c))], [Pass()], True)], True)"
        )
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("1", "Pattern(value, Const(1))"),
        ("-1", "Pattern(value, UnaryOp(-, Const(1)))"),
        ("a.b", "Pattern(value, Attribute(Name(a), b))"),
        ("None", "Pattern(singleton, Const())"),
        ("a", "Pattern(capture, a)"),
        ("_", "Pattern(capture)"),
        ("(a)", "Pattern(capture, a)"),
        ("[a, *b]", "Pattern(sequence, [Pattern(capture, a), Pattern(star, b)])"),
        ("(a, *_)", "Pattern(sequence, [Pattern(capture, a), Pattern(star)])"),
        ("a, b", "Pattern(sequence, [Pattern(capture, a), Pattern(capture, b)])"),
        ("1 | a", "Pattern(or, [Pattern(value, Const(1)), Pattern(capture, a)])"),
        ("{'k': a, **b}", "Pattern(mapping, b, [Pattern(capture, a)], [Const(k)])"),
        (
            "A(a, k=1)",
            "Pattern(class, Name(A), [Pattern(capture, a), Pattern(value, Const(1))], [Const(k)])",
        ),
        ("[1] as a", "Pattern(as, a, [Pattern(sequence, [Pattern(value, Const(1))])])"),
    ],
)
def test_patterns(show: Show, pattern: str, expected: str) -> None:
    assert show(f"match x:\n  case {pattern} if y:\n    z\n") == [
        f"Match(Name(x), [Case({expected}, Name(y), [ExprStmt(Name(z))])])"
    ]


def test_functions(show: Show) -> None:
    text = "@d(1)\ndef f(a, /, b: c = 1, *args, k, l=2, **kw) -> r:\n  'doc'\n  return\n"
    assert show(text) == [
        (
            "FunctionDef(f, [Parameter(a, positional), Parameter(b, normal, Const(1), Name(c)), "
            "Parameter(args, star), Parameter(k, keyword), Parameter(l, keyword, Const(2)), "
            "Parameter(kw, double)], [ExprStmt(Const(doc)), Return()], "
            "[Call(Name(d), [Argument(Const(1))])], Name(r))"
        )
    ]


def test_a_star_alone_is_no_parameter(show: Show) -> None:
    assert show("def f(*, a): pass\n") == ["FunctionDef(f, [Parameter(a, keyword)], [Pass()])"]


def test_classes(show: Show) -> None:
    assert show("@d\nclass A[T](B, metaclass=C, **k):\n  x: int = 1\n  def f(self): pass\n") == [
        (
            "ClassDef(A, [Argument(Name(B)), Argument(Name(C), metaclass), Argument(Name(k), 2)], "
            "[Assign([Name(x)], Const(1), Name(int)), FunctionDef(f, [Parameter(self, normal)], [Pass()])], "
            "[Name(d)])"
        )
    ]


def test_several_statements_on_a_line(show: Show) -> None:
    assert show("a; b = 1; del c;\n") == [
        "ExprStmt(Name(a))",
        "Assign([Name(b)], Const(1))",
        "Delete([Name(c)])",
    ]


def test_all_definitions_are_listed_in_the_order_of_the_text(lower: Lower) -> None:
    text = (
        "class A:\n  def a(self):\n    def b(): pass\n    class C:\n      def c(self): pass\n"
        "if x:\n  def d(): pass\nf = lambda: 0\n"
    )
    module = lower(text)
    assert [function.name for function in module.functions] == ["a", "b", "c", "d"]
    assert [node.name for node in module.classes] == ["A", "C"]
    assert isinstance(module.body[0], nodes.ClassDef)
    assert module.body[0] is module.classes[0]
    assert module.body[0].body[0] is module.functions[0]
    assert module.path == "a.py"


def test_a_node_of_a_later_grammar_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    own: tuple[type[ast.expr], type[ast.stmt]] = (ast.Await, ast.Assert)
    theirs: tuple[type[cst.CSTNode], type[cst.CSTNode]] = (cst.Await, cst.Assert)
    monkeypatch.delitem(abstract.EXPRESSIONS, own[0])
    monkeypatch.delitem(abstract.STATEMENTS, own[1])
    monkeypatch.delitem(concrete.EXPRESSIONS, theirs[0])
    monkeypatch.delitem(concrete.STATEMENTS, theirs[1])
    text = "async def f():\n  await a\n  assert b\n"
    for tree in (ast.parse(text), cst.parse_module(text)):
        awaited, asserted = lower("a.py", tree).functions[0].body
        assert isinstance(awaited, nodes.ExprStmt)
        assert isinstance(awaited.value, nodes.UnknownExpr)
        assert awaited.value.reason == "Await is not modelled"
        assert isinstance(asserted, nodes.UnknownStmt)
        assert asserted.reason == "Assert is not modelled"


def test_origins() -> None:
    tree = ast.parse("a; b = 1\nif c:\n  d\nelif e:\n  f\n")
    body = lower("a.py", tree).body
    assert [statement.origin for statement in body] == tree.body
    branch = body[2]
    assert isinstance(branch, nodes.If)
    assert isinstance(branch.origin, ast.If)
    assert branch.orelse[0].origin is branch.origin.orelse[0]
