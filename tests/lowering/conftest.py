"""Programs made of text, and text made of programs."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import fields
from typing import cast

import libcst as cst
import pytest

from lintgrad.lowering import lower
from lintgrad.program import nodes

Lower = Callable[[str], nodes.Module]
Show = Callable[[str], list[str]]


def show(part: object) -> str:
    """A node as text: its kind and its fields that are not as by default, without its origin."""
    if isinstance(part, nodes.Node):
        shown = [show(getattr(part, f.name)) for f in fields(part) if _tells(part, f.name)]
        return f"{type(part).__name__}({', '.join(shown)})"
    if isinstance(part, tuple):
        return f"[{', '.join(show(item) for item in part)}]"
    return part if isinstance(part, str) else repr(part)


def _tells(part: nodes.Node, name: str) -> bool:
    """Whether a field is worth showing: not what other tests look into, not what is absent."""
    value = getattr(part, name)
    absent = value is None or value is False or value in ((), frozenset()) or (name == "star" and value == 0)
    return not absent and name not in ("origin", "uses", "words")


def concrete(text: str) -> nodes.Module:
    return lower("a.py", cst.parse_module(text))


def abstract(text: str) -> nodes.Module:
    """The program from Python's own tree; from libcst's where this Python is too old for the syntax."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return concrete(text)
    return lower("a.py", tree)


@pytest.fixture(name="lower", params=[abstract, concrete], ids=["abstract", "concrete"])
def lowered(request: pytest.FixtureRequest) -> Lower:
    return cast("Lower", request.param)


@pytest.fixture(name="show")
def shown(lower: Lower) -> Show:
    """The statements of a program, as text."""
    return lambda text: [show(statement) for statement in lower(text).body]
