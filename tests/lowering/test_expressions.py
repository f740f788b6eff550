"""The meaning of each kind of expression."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from lintgrad.lowering import lower
from lintgrad.program import nodes

Lower = Callable[[str], nodes.Module]
Show = Callable[[str], list[str]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", "Name(a)"),
        ("(a)", "Name(a)"),
        ("None", "Const()"),
        ("True", "Const(True)"),
        ("...", "Const(Ellipsis)"),
        ("a.b.c", "Attribute(Attribute(Name(a), b), c)"),
        (
            "f(a, *b, k=c, **d)",
            (
                "Call(Name(f), [Argument(Name(a)), Argument(Name(b), 1), "
                "Argument(Name(c), k), Argument(Name(d), 2)])"
            ),
        ),
        ("f()(a).b[c]", "Subscript(Attribute(Call(Call(Name(f)), [Argument(Name(a))]), b), Name(c))"),
        (
            "f(a for a in b)",
            ("Call(Name(f), [Argument(Comprehension(generator, Name(a), [Generator(Name(a), Name(b))]))])"),
        ),
        ("a + b * c", "BinOp(+, Name(a), BinOp(*, Name(b), Name(c)))"),
        ("a - b - c", "BinOp(-, BinOp(-, Name(a), Name(b)), Name(c))"),
        ("a ** b ** c", "BinOp(**, Name(a), BinOp(**, Name(b), Name(c)))"),
        ("not -a", "UnaryOp(not, UnaryOp(-, Name(a)))"),
        ("a and b or c", "BoolOp(or, BoolOp(and, Name(a), Name(b)), Name(c))"),
        ("a or b or c", "BoolOp(or, BoolOp(or, Name(a), Name(b)), Name(c))"),
        (
            "a < b is  not c not  in d",
            "Compare(Name(a), [[<, Name(b)], [is not, Name(c)], [not in, Name(d)]])",
        ),
        ("a if b else c if d else e", "IfExp(Name(b), Name(a), IfExp(Name(d), Name(c), Name(e)))"),
        ("a[b]", "Subscript(Name(a), Name(b))"),
        ("a[b:c:d]", "Subscript(Name(a), Slice(Name(b), Name(c), Name(d)))"),
        ("a[:]", "Subscript(Name(a), Slice())"),
        ("a[..., b:]", "Subscript(Name(a), Sequence(tuple, [Const(Ellipsis), Slice(Name(b))]))"),
        ("a[b,]", "Subscript(Name(a), Sequence(tuple, [Name(b)]))"),
        ("a[*b]", "Subscript(Name(a), Sequence(tuple, [Starred(Name(b))]))"),
        ("()", "Sequence(tuple)"),
        ("a, *b", "Sequence(tuple, [Name(a), Starred(Name(b))])"),
        ("[a, b]", "Sequence(list, [Name(a), Name(b)])"),
        ("{a, b}", "Sequence(set, [Name(a), Name(b)])"),
        ("{a: b, **c}", "DictDisplay([[Name(a), Name(b)], [None, Name(c)]])"),
        ("{a: b for a in c}", "Comprehension(dict, Name(a), Name(b), [Generator(Name(a), Name(c))])"),
        ("{a for a in b}", "Comprehension(set, Name(a), [Generator(Name(a), Name(b))])"),
        (
            "[a for a, b in c if d if e for f in a]",
            (
                "Comprehension(list, Name(a), [Generator("
                "Sequence(tuple, [Name(a), Name(b)]), Name(c), [Name(d), Name(e)]), "
                "Generator(Name(f), Name(a))])"
            ),
        ),
        ("(a := b)", "NamedExpr(Name(a), Name(b))"),
        (
            "lambda a, *b: a",
            ("Lambda(FunctionDef(<lambda>, [Parameter(a, normal), Parameter(b, star)], [Return(Name(a))]))"),
        ),
        ("f'{a!r:>{b}} {c=}'", "JoinedStr([Name(a), Name(b), Name(c)])"),
        ("'x' f'{a}' 'y'", "JoinedStr([Name(a)])"),
        ("f'x'", "JoinedStr()"),
    ],
)
def test_expressions(show: Show, text: str, expected: str) -> None:
    assert show(f"{text}\n") == [f"ExprStmt({expected})"]


@pytest.mark.parametrize(
    ("text", "operator"),
    [(f"a {op} b", op) for op in "+ - * / // % ** @ & | ^ << >>".split()]
    + [(f"a {op}= b", op) for op in "+ - * / // % ** @ & | ^ << >>".split()]
    + [(f"a {op} b", op) for op in ("<", ">", "==", "<=", ">=", "!=", "in", "not in", "is", "is not")]
    + [(f"a {op} b", op) for op in ("and", "or")]
    + [(f"{op} a", op) for op in ("not", "-", "+", "~")],
)
def test_operators_are_spelled_as_in_the_source(lower: Lower, text: str, operator: str) -> None:
    statement = lower(text).body[0]
    node: object = statement.value if isinstance(statement, nodes.ExprStmt) else statement
    if isinstance(node, nodes.Compare):
        assert node.rest[0][0] == operator
    else:
        assert isinstance(node, (nodes.BinOp, nodes.BoolOp, nodes.UnaryOp, nodes.AugAssign))
        assert node.op == operator


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "00",
        "1_000",
        "0x_fF",
        "0b101",
        "0o17",
        "1.5",
        "1_0.2_5e-1_0",
        ".5",
        "5.",
        "1e400",
        "2j",
        "1_0.5J",
        "''",
        '""',
        "'a'",
        "r'\\n'",
        "b'a'",
        "rb'\\x41'",
        "Rb'\\''",
        "u'a'",
        "''''a'''",
        '"""a\nb"""',
        "'\\''",
        r"'\n\t\\\'\"\a\b\f\r\v\0\101\x41\u00e9\U0001F600\N{BULLET}\q'",
        r"b'\n\x80\377\u00e9\q'",
        "'a\\\nb'",
        "'é😀'",
        "'a' 'b' \"c\"",
        "b'a' b'\\x00'",
        "'a' r'\\d'",
        '"""a"b\\""""',
        "''''''",
    ],
)
def test_literals_have_the_value_that_python_gives_them(lower: Lower, text: str) -> None:
    statement = lower(f"({text})\n").body[0]
    assert isinstance(statement, nodes.ExprStmt)
    assert isinstance(statement.value, nodes.Const)
    expected = _evaluated(text)
    assert statement.value.value == expected
    assert type(statement.value.value) is type(expected)


def _evaluated(text: str) -> object:
    import ast
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tests have escapes that Python warns of
        return ast.literal_eval(text)


def test_line_ends_in_strings_are_newlines(lower: Lower) -> None:
    statement = lower("x = '''a\r\nb\rc'''\r\n").body[0]
    assert isinstance(statement, nodes.Assign)
    assert isinstance(statement.value, nodes.Const)
    assert statement.value.value == "a\nb\nc"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("9" * 5000, "an integer of too many digits"),
        ("'\\N{no such character}'", "no character is called 'no such character'"),
    ],
)
def test_what_has_no_value_is_unknown(show: Show, text: str, reason: str) -> None:
    assert show(f"{text}\n") == [f"ExprStmt(UnknownExpr({reason}))"]


def test_awaits_and_yields(show: Show) -> None:
    text = "async def f():\n  await a\n  yield\n  yield a\ndef g():\n  x = yield from a\n"
    assert show(text) == [
        "FunctionDef(f, [ExprStmt(Await(Name(a))), ExprStmt(Yield()), ExprStmt(Yield(Name(a)))], True, True)",
        "FunctionDef(g, [Assign([Name(x)], Yield(Name(a), True))], True)",
    ]


def test_template_strings(show: Show) -> None:
    libcst = pytest.importorskip("libcst")
    if not hasattr(libcst, "TemplatedString"):
        pytest.skip("this libcst is too old for them")
    assert show("t'{a:{b}} {c}'\n") == ["ExprStmt(JoinedStr([Name(a), Name(b), Name(c)]))"]


def test_origins() -> None:
    tree = ast.parse("f(a, k=lambda: b)\n")
    statement = lower("a.py", tree).body[0]
    assert isinstance(statement, nodes.ExprStmt)
    assert statement.origin is tree.body[0]
    call = statement.value
    assert isinstance(call, nodes.Call)
    argument = call.arguments[1]
    assert isinstance(argument.origin, ast.keyword)
    assert isinstance(argument.value, nodes.Lambda)
    function = argument.value.function
    assert isinstance(function.origin, ast.Lambda)
    assert function.body[0].origin is function.origin.body
