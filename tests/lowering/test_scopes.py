"""What functions, classes and the module say about the places that they read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lintgrad.program import nodes

Lower = Callable[[str], nodes.Module]
Uses = dict[str, set[str]]


def _plain(uses: object) -> Uses:
    assert isinstance(uses, dict)
    return {place: set(hows) for place, hows in uses.items()}


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("opt.step()", {"opt": {"step"}, "opt.step": {"()"}}),
        ("self.opt.step", {"self": {"opt"}, "self.opt": {"step"}}),
        ("a.b.c.d.e", {"a": {"b"}, "a.b": {"c"}, "a.b.c": {"d"}}),
        ("a().b", {"a": {"()"}}),
        ("a[0].b", {"a": {"[]"}}),
        ("for x in a.b: pass", {"a": {"b"}, "a.b": {"for"}}),
        ("[x for x in a]", {"a": {"for"}}),
        (
            "for i, x in enumerate(tqdm(a), start=b): pass",
            {"a": {"for"}, "enumerate": {"()"}, "tqdm": {"()"}},
        ),
        ("for x in f(a): pass", {"f": {"()"}}),
        ("a.b = c", {}),
        ("a.b.c = d", {"a": {"b"}}),
        ("a.b += c", {"a": {"b"}}),
        ("a[0] = b", {"a": {"[]"}}),
        ("a.b, c.d[0] = e", {"c": {"d"}, "c.d": {"[]"}}),
        ("del a.b", {}),
        ("f'{a.b:{c.d}}'", {"a": {"b"}, "c": {"d"}}),
        ("a: b.c = d", {"b": {"c"}}),
        ("match a.b:\n  case c.D(): pass", {"a": {"b"}, "c": {"D"}}),
    ],
)
def test_uses(lower: Lower, text: str, uses: Uses) -> None:
    assert _plain(lower(f"{text}\n").uses) == uses


def test_uses_add_up(lower: Lower) -> None:
    function = lower("def f(opt):\n  opt.step()\n  if x:\n    opt.zero_grad()\n  opt(y)\n").functions[0]
    assert _plain(function.uses) == {
        "opt": {"step", "zero_grad", "()"},
        "opt.step": {"()"},
        "opt.zero_grad": {"()"},
    }


def test_what_a_nested_function_does_not_bind_is_used_by_the_outer_one(lower: Lower) -> None:
    text = (
        "def f(opt, a, b):\n"
        "  def closure(a):\n"
        "    b = a.x\n    b.y\n    opt.step\n"
        "    global c\n    c = 1\n    c.z\n"
        "  return lambda a: (a.x, sched.step)\n"
    )
    module = lower(text)
    closure, outer = module.functions[1], module.functions[0]
    assert _plain(closure.uses) == {"a": {"x"}, "b": {"y"}, "opt": {"step"}, "c": {"z"}}
    assert closure.globals == {"c"}
    assert _plain(outer.uses) == {"opt": {"step"}, "c": {"z"}, "sched": {"step"}}
    assert _plain(module.uses) == {"c": {"z"}, "sched": {"step"}}


@pytest.mark.parametrize(
    "binding",
    [
        "x = 1",
        "x: int",
        "x += 1",
        "for x in y: pass",
        "with y as (z, *x): pass",
        "import x.z",
        "import y as x",
        "from y import x",
        "def x(): pass",
        "class x: pass",
        "(x := 1)",
        "[0 for x in y]",
        "type x = y",
        "del x",
        "try: pass\n  except y as x: pass",
        "match y:\n    case [x]: pass",
        "match y:\n    case {**x}: pass",
        "match y:\n    case [*x]: pass",
        "match y:\n    case 1 as x: pass",
    ],
)
def test_a_name_is_local_however_it_is_bound(lower: Lower, binding: str) -> None:
    module = lower(f"def f():\n  {binding}\n  x.a\n")
    assert "a" in module.functions[0].uses["x"]
    assert "x" not in module.uses


def test_nonlocal_names_are_not_local(lower: Lower) -> None:
    module = lower("def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 2\n    x.a\n")
    assert module.functions[1].nonlocals == {"x"}
    assert _plain(module.functions[0].uses) == {"x": {"a"}}
    assert _plain(module.uses) == {}


def test_words_are_attributes_and_called_names_nested_ones_too(lower: Lower) -> None:
    text = (
        "@decorator.outside\ndef f(a=default.outside):\n  a.b.c = g(h)\n  x[0]().d\n"
        "  def i(): j(k.l)\n  class M:\n    def n(self): self.o\n  lambda: p()\n"
    )
    assert lower(text).functions[0].words == {"b", "c", "g", "d", "j", "l", "o", "p"}


def test_a_class_unites_what_its_methods_read_of_self(lower: Lower) -> None:
    text = (
        "class A:\n  x = B.c\n  def f(self):\n    self.opt.step()\n    self(x)\n    selfish.y\n"
        "  if D:\n    def g(self):\n      def h(): self.opt.zero_grad\n"
        "  class E:\n    def i(self): self.j\n"
    )
    module = lower(text)
    outer, inner = module.classes
    assert _plain(outer.uses) == {
        "self": {"opt", "()"},
        "self.opt": {"step", "zero_grad"},
        "self.opt.step": {"()"},
    }
    assert _plain(inner.uses) == {"self": {"j"}}
    assert _plain(module.uses) == {"B": {"c"}, "selfish": {"y"}}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("yield", True),
        ("x = yield from y", True),
        ("if a:\n    return (yield a)", True),
        ("return [x for x in y]", False),
        ("def g(): yield", False),
        ("lambda: (yield)", False),
        ("class A:\n    def g(self): yield", False),
    ],
)
def test_generators(lower: Lower, body: str, expected: bool) -> None:
    assert lower(f"def f():\n  {body}\n").functions[0].is_generator is expected


def test_decorators_defaults_and_annotations_belong_to_the_scope_around(lower: Lower) -> None:
    module = lower("@a.b\ndef f(x: c.d = e.f) -> g.h: x.y\n")
    assert _plain(module.functions[0].uses) == {"x": {"y"}}
    assert _plain(module.uses) == {"a": {"b"}, "c": {"d"}, "e": {"f"}, "g": {"h"}}
