"""Functions of Python's own library that the machine needs to understand."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lintgrad.machine import calls, containers, loops, members
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ClassV,
    ContextV,
    DictV,
    Instance,
    LibV,
    ListV,
    Lit,
    ModuleV,
    PartialV,
    Range,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import attributes, copying
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine


COPIED = (ModuleV, Instance, ListV, DictV, Tensor)

Handler = Callable[["Machine", Arguments, "nodes.Expr"], Value | None]


def deepcopy(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`copy.deepcopy`: modules get leaves of their own."""
    value = args.first
    if isinstance(value, Unknown) and value.acts_as is not None:
        value = value.acts_as
    if isinstance(value, Unknown) and value.reason == "state":
        return copying.copy(m, value, {})
    return copying.copy(m, value, {}) if isinstance(value, COPIED) else value


def partial(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`functools.partial`."""
    if not args.positional:
        return m.unknown(node, "partial", foreign=True)
    return PartialV(args.positional[0], Arguments(args.positional[1:], args.keywords, args.extra))


def reduce(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`functools.reduce`."""
    if len(args.positional) < 2:
        return m.unknown(node, "reduce", *args.all())
    items, _ = loops.elements(m, args.positional[1], node)
    items = [*args.positional[2:3], *items]
    if not items:
        return NONE
    value = items[0]
    for one in items[1:]:
        value = calls.call_value(m, args.positional[0], Arguments([value, one]), node)
    return value


def chain(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`itertools.chain`, and `chain.from_iterable` of a list."""
    items: list[Value] = []
    exact = not args.extra
    for part in args.positional:
        more, bounded = _all_of(m, part, node)
        items += more
        exact = exact and bounded
    return containers.joined(m, "list", items, exact)


def _all_of(m: Machine, part: Value, node: nodes.Expr) -> tuple[list[Value], bool]:
    if isinstance(part, ListV):
        return list(part.items), part.exact
    if isinstance(part, Unknown) and part.acts_as is None:
        return [part], False
    return loops.elements(m, part, node)


def chain_from_iterable(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`itertools.chain.from_iterable`."""
    items, _ = loops.elements(m, args.first, node)
    return chain(m, Arguments(items), node)


def counting(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`itertools.count`, `tqdm.trange`: an index over turns that are not counted."""
    return Range("range", (args.get(0, "start") or Lit(0) if len(args.positional) > 1 else Lit(0),))


def deque(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`collections.deque`."""
    made = ListV("deque", [], True, m.tick())
    if args.positional:
        made.items, made.exact = loops.elements(m, args.positional[0], node)
    bound = args.get(1, "maxlen")
    if bound is not None and not (isinstance(bound, Lit) and bound.value is None):
        made.limit = 1
    return made


def defaultdict(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`collections.defaultdict`."""
    return DictV({}, factory=args.first, born=m.tick())


def namedtuple(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`collections.namedtuple(name, fields)`."""
    names = args.get(1, "field_names")
    fields: list[str] = []
    if isinstance(names, Lit):
        fields = str(names.value).replace(",", " ").split()
    elif isinstance(names, ListV):
        fields = [str(one.value) for one in names.items if isinstance(one, Lit)]
    title = args.first
    definition = nodes.ClassDef(node.origin, str(title.value) if isinstance(title, Lit) else "", (), ())
    cls = ClassV(definition, m.environment(m.frame.env), m.frame.path, (), {}, record="namedtuple")
    cls.fields, cls.order = tuple(fields), (cls,)
    return cls


def field(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`dataclasses.field`: keeps its default for the instances."""
    made = Unknown("field", m.site(node))
    made.members.update(args.keywords)
    return made


def some_of(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`random.choice`, `random.sample`: elements of what is given."""
    value = args.first
    items, _ = loops.elements(m, value, node)
    return ListV("list", items[-2:], False, m.tick())


def one_of(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`random.choice`: an element of what is given."""
    items, _ = loops.elements(m, args.first, node)
    return items[0] if items else m.unknown(node, "element")


def wraps(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`functools.wraps(f)`: a decorator that changes nothing here."""
    return ContextV("plain")


def exit_program(m: Machine, args: Arguments, node: nodes.Expr) -> Value:
    """`sys.exit()`."""
    from lintgrad.machine.choices import PathEndError

    raise PathEndError


def _builtin(name: str) -> Value:
    return LibV(f"builtins.{name}")


def getenv(m: Machine, args: Arguments, node: nodes.Expr) -> Value | None:
    """`os.getenv(name)` is `os.environ.get(name)`."""
    around = attributes.of_library(m, LibV("os"), "environ")
    return None if around is None or not args.positional else members.item(m, around, args.first, node)


HANDLERS: dict[str, Handler] = {
    "os.getenv": getenv,
    "tqdm.trange": counting,
    "tqdm.auto.trange": counting,
    "copy.deepcopy": deepcopy,
    "functools.partial": partial,
    "functools.reduce": reduce,
    "functools.wraps": wraps,
    "functools.lru_cache": wraps,
    "functools.cache": wraps,
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chain_from_iterable,
    "itertools.count": counting,
    "collections.deque": deque,
    "collections.defaultdict": defaultdict,
    "collections.OrderedDict": lambda m, args, node: calls.call_value(m, _builtin("dict"), args, node),
    "collections.namedtuple": namedtuple,
    "dataclasses.field": field,
    "random.sample": some_of,
    "random.choices": some_of,
    "random.choice": one_of,
    "sys.exit": exit_program,
    "os._exit": exit_program,
}
