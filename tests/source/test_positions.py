"""The places of libcst's nodes, against Python's own and on odd texts; and of Python's, against libcst's."""

from __future__ import annotations

import ast
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import cast

import libcst as cst
import pytest

from lintgrad.diagnostics import Span
from lintgrad.lowering import lower
from lintgrad.lowering.counterparts import counterpart, spans
from lintgrad.program import nodes
from lintgrad.source import Problem, SourceFile, concrete_spans, concrete_tree, from_bytes, load, parse
from lintgrad.source.lines import Lines
from lintgrad.source.positions import positions

_LIBRARY = Path(sysconfig.get_path("stdlib"))
_SAMPLE = ["ast.py", "asyncio/tasks.py", "calendar.py", "dataclasses.py", "heapq.py", "textwrap.py"]

# The kinds of Python's own tree that each kind of the program stands for.
_KINDS: dict[type[nodes.Node], tuple[str, ...]] = {
    nodes.Name: ("Name",),
    nodes.Attribute: ("Attribute",),
    nodes.Call: ("Call",),
    nodes.Argument: ("keyword", "expr"),
    nodes.BinOp: ("BinOp",),
    nodes.UnaryOp: ("UnaryOp",),
    nodes.Compare: ("Compare",),
    nodes.IfExp: ("IfExp",),
    nodes.Subscript: ("Subscript",),
    nodes.Sequence: ("Tuple", "List", "Set"),
    nodes.DictDisplay: ("Dict",),
    nodes.Comprehension: ("ListComp", "SetComp", "DictComp"),
    nodes.Lambda: ("Lambda",),
    nodes.Await: ("Await",),
    nodes.NamedExpr: ("NamedExpr",),
    nodes.Assign: ("Assign", "AnnAssign"),
    nodes.AugAssign: ("AugAssign",),
    nodes.ExprStmt: ("Expr",),
    nodes.Raise: ("Raise",),
    nodes.Delete: ("Delete",),
    nodes.Import: ("Import",),
    nodes.ImportFrom: ("ImportFrom",),
    nodes.If: ("If",),
    nodes.For: ("For", "AsyncFor"),
    nodes.While: ("While",),
    nodes.With: ("With", "AsyncWith"),
    nodes.Try: ("Try", "TryStar"),
    nodes.Handler: ("ExceptHandler",),
    nodes.ClassDef: ("ClassDef",),
    nodes.Parameter: ("arg",),
}


def _read(data: str | bytes) -> SourceFile:
    source = from_bytes("a.py", data.encode() if isinstance(data, str) else data)
    assert isinstance(source, SourceFile)
    return source


@dataclass(frozen=True)
class Front:
    """One of the two trees, and how its nodes are placed."""

    tree: Callable[[SourceFile], ast.Module | cst.Module | Problem]
    spans: Callable[[SourceFile, Iterable[object]], dict[int, Span]]

    def program(self, source: SourceFile) -> nodes.Module:
        tree = self.tree(source)
        assert not isinstance(tree, Problem)
        return lower(source.path, tree)


ABSTRACT = Front(parse, spans)
CONCRETE = Front(concrete_tree, concrete_spans)


@pytest.fixture(params=[ABSTRACT, CONCRETE], ids=["abstract", "concrete"])
def front(request: pytest.FixtureRequest) -> Front:
    return cast("Front", request.param)


def _nodes(part: object) -> Iterator[nodes.Node]:
    if isinstance(part, nodes.Node):
        yield part
    if isinstance(part, (nodes.Node, nodes.Module)):
        names = {f.name for f in fields(part)} - {"origin", "functions", "classes"}
        for name in sorted(names):
            yield from _nodes(getattr(part, name))
    elif isinstance(part, tuple):
        for item in part:
            yield from _nodes(item)


def _pythons_own(text: str) -> dict[str, set[Span]]:
    """The spans of Python's tree by the name of the kind, their columns counted in code points."""
    rows = text.split("\n")

    def column(line: int, offset: int) -> int:
        return len(rows[line - 1].encode()[:offset].decode()) + 1

    found: dict[str, set[Span]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.expr, ast.stmt, ast.ExceptHandler, ast.keyword, ast.arg)):
            line, end = node.lineno, node.end_lineno or 0
            span = Span(line, column(line, node.col_offset), end, column(end, node.end_col_offset or 0))
            found.setdefault(type(node).__name__, set()).add(span)
            if isinstance(node, ast.expr):
                found.setdefault("expr", set()).add(span)
    return found


@pytest.mark.parametrize("name", _SAMPLE)
def test_places_are_those_of_pythons_own_tree(name: str) -> None:
    source = load(str(_LIBRARY / name))
    assert isinstance(source, SourceFile)
    own = _pythons_own(source.text)
    where = positions(source)
    wrong = []
    for node in _comparable(CONCRETE.program(source)):
        start, end = where.range(node.origin)  # type: ignore[arg-type]
        span = source.lines.span(start, end)
        if not any(span in own.get(kind, ()) for kind in _KINDS[type(node)]):
            wrong.append((type(node).__name__, span, source.text[start:end]))
    assert wrong == []


def _comparable(part: object) -> Iterator[nodes.Node]:
    """The nodes that Python's own tree has places for, in all versions the same ones."""
    inside_strings: set[nodes.Node] = set()
    for node in _nodes(part):
        if node in inside_strings:
            continue
        if isinstance(node, nodes.JoinedStr):  # before 3.12 they had places in a program of their own
            inside_strings |= set(_nodes(node.values))
        elif isinstance(node, nodes.Argument):
            if not node.star and not _is_generator(node.value):
                yield node
        elif isinstance(node, nodes.Parameter):
            if node.default is None and node.kind not in ("star", "double"):
                yield node
        elif type(node) in _KINDS and not _is_generator(node) and not _is_index(node):
            yield node


def _is_generator(node: nodes.Node) -> bool:
    """Whether `node` may have the parentheses of a call for its own."""
    return isinstance(node, nodes.Comprehension) and node.kind == "generator"


def _is_index(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Sequence) and isinstance(node.origin, cst.Subscript)


@pytest.mark.parametrize(
    ("text", "place", "span"),
    [
        ("if a:\n\tx\n", "x", Span(2, 2, 2, 3)),
        ("'😀é'; x\n", "x", Span(1, 7, 1, 8)),
        ("a\r\nx\r\n", "x", Span(2, 1, 2, 2)),
        ("a\rx\r", "x", Span(2, 1, 2, 2)),
        ("a\n\x0c\nx\n", "x", Span(3, 1, 3, 2)),
        ("a\n\x0cx\n", "x", Span(2, 2, 2, 3)),
        ("if a:\n  b\n\x0c  x\n", "x", Span(3, 4, 3, 5)),
        ("a = \\\n  x\n", "x", Span(2, 3, 2, 4)),
        ("  \\\n  x\n", "x", Span(2, 3, 2, 4)),
        ("'a\x0b\u2028b'; x\n", "x", Span(1, 9, 1, 10)),
        ("'''\n\n'''; x\n", "x", Span(3, 6, 3, 7)),
        ("class A: pass;\n\n  # why\nx\n", "x", Span(4, 1, 4, 2)),
        ("a\n  # why\n\n #how\nx", "x", Span(5, 1, 5, 2)),
        ("f'{a:#x} # {b}'; x\n", "x", Span(1, 18, 1, 19)),
        ("(  # why\n x\n)\n", "x", Span(2, 2, 2, 3)),
    ],
)
def test_odd_texts(front: Front, text: str, place: str, span: Span) -> None:
    source = _read(text)
    found = [n.origin for n in _nodes(front.program(source)) if isinstance(n, nodes.Name) and n.id == place]
    assert [front.spans(source, [origin])[id(origin)] for origin in found] == [span]


@pytest.mark.parametrize("name", [*_SAMPLE, "test/test_patma.py", "typing.py"])
def test_both_trees_place_the_parts_of_a_program_alike(name: str) -> None:
    source = load(str(_LIBRARY / name))
    if not isinstance(source, SourceFile):
        pytest.skip("this Python has no such file")
    parts = [node for node in _nodes(ABSTRACT.program(source)) if not _is_placed_otherwise(node)]
    assert len(parts) > 500
    others = [counterpart(source, node.origin) for node in parts]
    own = ABSTRACT.spans(source, [node.origin for node in parts])
    theirs = CONCRETE.spans(source, others)
    wrong = [
        (type(part).__name__, own[id(part.origin)], theirs[id(other)])
        for part, other in zip(parts, others, strict=True)
        if own[id(part.origin)] != theirs[id(other)]
    ]
    assert wrong == []


def _is_placed_otherwise(node: nodes.Node) -> bool:
    """Whether the trees differ over what belongs to the node: an index's brackets, parentheses."""
    if isinstance(node.origin, (ast.Tuple, ast.pattern)):
        return True
    # It has no node of its own in Python's tree, and so not the parentheses around it.
    return isinstance(node, (nodes.Argument, nodes.WithItem))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("[a for (b) in ((c)) if (d) ]", "for (b) in ((c)) if (d)"),
        ("[a async  for b in c]", "async  for b in c"),
        ("(a for b in (c))", "for b in (c)"),
        ("((a) or (b) # )\n or c)", "(a) or (b)"),
        ("f( a for b in c )", "a for b in c"),
        ("def f(* \\\n a): pass", "* \\\n a"),
        ("lambda **é: 0", "**é"),
        ("f(é=1, *a, b=2)", "*a"),
        ("with (é) as b: pass", "é) as b"),
    ],
)
def test_what_pythons_tree_has_no_place_for(text: str, place: str) -> None:
    source = _read(text + "\n")
    origins = [node.origin for node in _nodes(ABSTRACT.program(source))]
    rows = source.lines
    found = {
        source.text[rows.offset(s.line, s.column) : rows.offset(s.end_line, s.end_column)]
        for s in ABSTRACT.spans(source, origins).values()
    }
    assert place in found


def test_what_is_in_a_format_string_is_placed_in_the_text() -> None:
    source = _read("x = f'''{a}\n é {b:{c}} {f'{d}'}'''\n")
    names = [node for node in _nodes(ABSTRACT.program(source)) if isinstance(node, nodes.Name)]
    found = ABSTRACT.spans(source, [name.origin for name in names])
    assert {name.id: found[id(name.origin)] for name in names} == {
        "x": Span(1, 1, 1, 2),
        "a": Span(1, 10, 1, 11),
        "b": Span(2, 5, 2, 6),
        "c": Span(2, 8, 2, 9),
        "d": Span(2, 16, 2, 17),
    }


def test_a_byte_order_mark_takes_no_column(front: Front) -> None:
    source = _read(b"\xef\xbb\xbfx = 1\n")
    statement = front.program(source).body[0]
    assert front.spans(source, [statement.origin]) == {id(statement.origin): Span(1, 1, 1, 6)}


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("for x in y:  # why\n    a\nelse:\n    b\n", Span(1, 1, 1, 12)),
        ("for x in y: a\n", Span(1, 1, 1, 12)),
        ("async def f():\n  pass\n", Span(1, 1, 1, 15)),
        ("@d\ndef f(\n  a,\n) -> b :\n  pass\n", Span(2, 1, 4, 9)),
        ("# why\n\nif a:\n  b\n", Span(3, 1, 3, 6)),
        ("with a as b, c:\n  d\n", Span(1, 1, 1, 16)),
        ("while a:\n  b\n", Span(1, 1, 1, 9)),
        ("@d\nclass A(B):\n  pass\n", Span(2, 1, 2, 12)),
        ("try:\n  a\nfinally:\n  b\n", Span(1, 1, 1, 5)),
        ("match a:\n  # why\n  case b:\n    c\n", Span(1, 1, 1, 9)),
        ("f(\n  a\n);  # why\n", Span(1, 1, 3, 2)),
        ("return_ = 1 ; b\n", Span(1, 1, 1, 12)),
    ],
)
def test_a_statement_ends_before_its_line_end_and_a_compound_one_with_its_header(
    front: Front, text: str, span: Span
) -> None:
    source = _read(text)
    origin = front.program(source).body[0].origin
    assert front.spans(source, [origin]) == {id(origin): span}


def test_parts_of_compound_statements(front: Front) -> None:
    source = _read(
        "try:\n  a\n# why\nexcept B as e:\n  c\n"
        "match d:\n  # why\n  case e if f:\n    g\n"
        "if h:\n  i\nelif j :\n  k\n"
    )
    body = front.program(source).body
    wanted = [node for node in _nodes(body) if isinstance(node, (nodes.Handler, nodes.Case, nodes.If))]
    found = front.spans(source, [node.origin for node in wanted])
    assert [found[id(node.origin)] for node in wanted] == [
        Span(4, 1, 4, 15),
        Span(8, 3, 8, 15),
        Span(10, 1, 10, 6),
        Span(12, 1, 12, 9),
    ]


def test_parts_of_calls_and_comprehensions(front: Front) -> None:
    source = _read("f( a , *b, k = c , **d)\n[e for g in  h  if i for j in k]\nf(lambda x : y )\n")
    text = source.text.split("\n")
    kinds = (nodes.Argument, nodes.Generator, nodes.FunctionDef, nodes.Return)
    wanted = [node for node in _nodes(front.program(source)) if isinstance(node, kinds)]
    found = [front.spans(source, [node.origin])[id(node.origin)] for node in wanted]
    assert sorted(text[s.line - 1][s.column - 1 : s.end_column - 1] for s in found) == sorted(
        ["a", "*b", "k = c", "**d", "for g in  h  if i for j in k", "for j in k", "y", *["lambda x : y"] * 2]
    )


def test_the_places_are_found_once() -> None:
    source = _read("a = 1\n")
    assert positions(source) is positions(source)


def test_a_broken_file_has_no_places(front: Front) -> None:
    with pytest.raises(ValueError, match="no syntax tree"):
        front.spans(_read("a b"), [])


def test_a_deep_tree_says_so() -> None:
    source = _read("a" + " + a" * 500 + "\n")
    assert isinstance(concrete_tree(source), cst.Module)
    with pytest.raises(RecursionError):
        positions(source)


def test_lines() -> None:
    lines = Lines("ab\r\nc\rd\n")
    assert [lines.place(offset) for offset in range(9)] == [
        (1, 1), (1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (3, 1), (3, 2), (4, 1),
    ]  # fmt: skip
    assert [lines.offset(*lines.place(offset)) for offset in range(9)] == list(range(9))
    assert (lines.count, lines.start(5), lines.end(5), lines.end(8)) == (4, 4, 6, 8)
    assert lines.span(1, 6) == Span(1, 2, 3, 1)
    for line in (0, 5):
        with pytest.raises(ValueError, match="no line"):
            lines.offset(line, 1)
