"""Whole programs: nothing is lost, nothing crashes, however deep or odd."""

from __future__ import annotations

import ast
import sysconfig
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lintgrad.lowering import lower
from lintgrad.program import nodes
from tests.lowering.conftest import show

Lower = Callable[[str], nodes.Module]

_LIBRARY = Path(sysconfig.get_path("stdlib"))


def _nodes(part: object) -> Iterator[nodes.Node]:
    if isinstance(part, nodes.Node):
        yield part
    if isinstance(part, (nodes.Node, nodes.Module)):
        for name in {f.name for f in fields(part)} - {"origin", "functions", "classes"}:
            yield from _nodes(getattr(part, name))
    elif isinstance(part, tuple):
        for item in part:
            yield from _nodes(item)


class _Statements(cst.CSTVisitor):
    """All statements of a tree, found in another way than by lowering."""

    def __init__(self) -> None:
        self.found: list[cst.CSTNode] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            self.found.append(node)
        return not isinstance(node, cst.BaseParenthesizableWhitespace)


def _check(text: str) -> nodes.Module:
    """Lower `text`; each of its statements must come out once, and no node twice."""
    tree = cst.parse_module(text)
    module = lower("a.py", tree)
    found = list(_nodes(module))
    assert max(Counter(map(id, found)).values(), default=1) == 1
    statements = _Statements()
    tree.visit(statements)
    lambdas = {id(node.function.origin) for node in found if isinstance(node, nodes.Lambda)}
    bodies = {id(node.function.body[0]) for node in found if isinstance(node, nodes.Lambda)}
    origins = Counter(
        id(node.origin)
        for node in found
        if isinstance(node, nodes.Stmt) and id(node.origin) not in lambdas and id(node) not in bodies
    )
    assert origins == Counter(map(id, statements.found))
    _check_the_other_tree(text, module)
    return module


def _check_the_other_tree(text: str, module: nodes.Module) -> None:
    """Python's own tree must make the same program."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return  # generated programs use what is new, and what only the compiler would refuse
    other = lower("a.py", tree)
    assert [show(statement) for statement in other.body] == [show(statement) for statement in module.body]
    assert other.uses == module.uses
    for one, two in zip(other.functions, module.functions, strict=True):
        assert (one.name, one.uses, one.words) == (two.name, two.uses, two.words)
    for first, second in zip(other.classes, module.classes, strict=True):
        assert (first.name, first.uses) == (second.name, second.uses)


def _sample(folder: Path, every: int) -> list[Path]:
    """Every so manieth of the files below `folder` that are neither empty nor long."""
    found = sorted(path for path in folder.rglob("*.py") if 500 < path.stat().st_size < 12_000)
    return [path for path in found if "site-packages" not in path.relative_to(folder).parts][::every]


def _readable(path: Path) -> str | None:
    """The file's text, where it is a program of Python and of libcst."""
    try:
        text = path.read_text("utf-8")
        ast.parse(text)
        cst.parse_module(text)
    except (UnicodeDecodeError, SyntaxError, ValueError, cst.ParserSyntaxError):
        return None
    return text


def test_each_statement_of_the_standard_library_is_lowered_once() -> None:
    texts = [text for path in _sample(_LIBRARY, 23) if (text := _readable(path))]
    assert len(texts) >= 40
    unknown = [node for text in texts for node in _nodes(_check(text)) if type(node) in _UNKNOWN]
    assert unknown == []


def test_each_statement_of_torch_is_lowered_once() -> None:
    from importlib.util import find_spec

    spec = find_spec("torch")
    if spec is None or spec.origin is None:
        pytest.skip("torch is not installed")
    texts = [text for path in _sample(Path(spec.origin).parent / "nn", 3) if (text := _readable(path))]
    assert len(texts) >= 20
    unknown = [node for text in texts for node in _nodes(_check(text)) if type(node) in _UNKNOWN]
    assert unknown == []


_UNKNOWN = (nodes.UnknownExpr, nodes.UnknownStmt)


# --- generated programs -------------------------------------------------------------------------

_NAMES = st.sampled_from(["a", "b", "self", "opt.step", "x.y.z"])


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    shapes = [
        "({} + {})", "{}({}, k={})", "[{}, *{}]", "{{{}: {}}}", "({} if {} else {})", "(lambda q={}: {})",
        "[{} for i in {} if {}]", "({} < {})", "(w := {})", "f'{{a.b:{{c}}}} {{d}}'", "{}[{}:{}]", "(not {})",
        "({}, {})", "{{**{}}}", "({} or {} and {})", "'s' 't'", "-1.5", "(yield)",
    ]  # fmt: skip

    def fill(shape: str) -> st.SearchStrategy[str]:
        holes = shape.replace("{{", "").replace("}}", "").count("{}")
        return st.tuples(*[inner] * holes).map(lambda parts: shape.format(*parts))

    return st.sampled_from(shapes).flatmap(fill)


_EXPRESSIONS = st.recursive(_NAMES, _grown, max_leaves=6)
_SIMPLE = st.sampled_from(
    [
        "{}",
        "a = {}",
        "a.b, *c = {}",
        "a: {}",
        "a += {}",
        "return {}",
        "raise {}",
        "assert {}",
        "del a",
        "pass",
        "global g",
        "import a.b",
        "from . import c",
        "a; b = {}",
        "type T = {}",
    ]
)


@st.composite
def _programs(draw: st.DrawFn, depth: int = 0) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        if depth < 3 and draw(st.booleans()):
            lines += _compound(draw, depth)
        else:
            lines.append(draw(_SIMPLE).replace("{}", draw(_EXPRESSIONS)))
    return lines


def _compound(draw: st.DrawFn, depth: int) -> list[str]:
    def indented(by: int = 1) -> list[str]:
        return ["  " * by + line for line in draw(_programs(depth + 1))]

    test = draw(_EXPRESSIONS)
    kind = draw(st.sampled_from(["if", "loop", "with", "try", "def", "class", "match"]))
    if kind == "if":
        return [f"if {test}:", *indented(), "elif a:", *indented(), "else:", *indented()]
    if kind == "loop":
        return [f"for i, j in {test}:", *indented(), "else:", *indented()]
    if kind == "try":
        return ["try:", *indented(), f"except {test} as e:", *indented(), "finally:", *indented()]
    if kind == "match":
        return [f"match {test}:", f"  case [a, *_] if {test}:", *indented(2)]
    header = {"with": f"with {test} as w:", "def": f"def f(a, *, k={test}):", "class": f"class A({test}):"}[
        kind
    ]
    return [header, *indented()]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_programs())
def test_each_statement_of_a_generated_program_is_lowered_once(lines: list[str]) -> None:
    _check("\n".join(lines) + "\n")


# --- depth --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a" + " + a" * 1000, nodes.BinOp),
        ("a" + ".b" * 1000, nodes.Attribute),
        ("a" + ".b(c)" * 500, nodes.Call),
        ("a" + "[b]" * 1000, nodes.Subscript),
        ("a or " * 1000 + "a", nodes.BoolOp),
        ("a if b else " * 600 + "a", nodes.IfExp),
        ("'a' " * 1000, nodes.Const),
    ],
    ids=["sum", "attributes", "calls", "subscripts", "or", "if", "strings"],
)
def test_long_chains_need_no_stack(lower: Lower, text: str, kind: type[nodes.Expr]) -> None:
    statement = lower(f"{text}\n").body[0]
    assert isinstance(statement, nodes.ExprStmt)
    assert type(statement.value) is kind


def test_many_elifs_need_no_stack(lower: Lower) -> None:
    text = "if a:\n  b\n" + "elif a:\n  b\n" * 1500
    assert type(lower(text).body[0]) is nodes.If


def test_what_is_deeper_than_the_stack_is_unknown(lower: Lower) -> None:
    text = "before\nif a:\n  " + "- " * 1200 + "a\n  inside\nafter\n"
    module = lower(text)
    before, branch, after = module.body
    assert isinstance(branch, nodes.If)
    deep, inside = branch.body
    assert isinstance(deep, nodes.UnknownStmt)
    assert deep.reason == "nested too deeply"
    assert all(isinstance(statement, nodes.ExprStmt) for statement in (before, inside, after))
