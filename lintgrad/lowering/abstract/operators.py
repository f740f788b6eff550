"""The spelling of each operator, by the type of its node."""

from __future__ import annotations

import ast
from typing import Final

BINARY: Final[dict[type[ast.operator], str]] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}

BOOLEAN: Final[dict[type[ast.boolop], str]] = {ast.And: "and", ast.Or: "or"}

UNARY: Final[dict[type[ast.unaryop], str]] = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}

COMPARISON: Final[dict[type[ast.cmpop], str]] = {
    ast.Lt: "<",
    ast.Gt: ">",
    ast.Eq: "==",
    ast.LtE: "<=",
    ast.GtE: ">=",
    ast.NotEq: "!=",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Is: "is",
    ast.IsNot: "is not",
}
