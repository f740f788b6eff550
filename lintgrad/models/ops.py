"""Operations on tensors: their node, what it keeps, what is known of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine.graph import Leaf, Node, Saved
from lintgrad.machine.values import (
    Arguments,
    Cut,
    GradOf,
    ListV,
    Lit,
    Numel,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import contents, factories, optable, shapes
from lintgrad.models.optable import GRAPH, NUMBER, PLAIN, Operand
from lintgrad.models.summands import terms
from lintgrad.models.tensor_ops import OpInfo, op_info
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

BINARY = {
    "+": "add",
    "-": "sub",
    "*": "mul",
    "/": "div",
    "//": "floor_divide",
    "%": "remainder",
    "**": "pow",
    "@": "matmul",
    "&": "bitwise_and",
    "|": "bitwise_or",
    "^": "bitwise_xor",
    "<<": "bitwise_left_shift",
    ">>": "bitwise_right_shift",
    "==": "eq",
    "!=": "ne",
    "<": "lt",
    "<=": "le",
    ">": "gt",
    ">=": "ge",
}
_COMPARISONS = frozenset("eq ne lt le gt ge isnan isinf isfinite logical_not".split())
_AXES = ("dim", "axis")


def flags(args: Arguments) -> dict[str, Value]:
    """The keyword arguments that are no tensors."""
    return {k: v for k, v in args.keywords.items() if not isinstance(v, Tensor)}


def operands(m: Machine, values: list[Value], node: nodes.Node) -> list[tuple[Value, Tensor | None]]:
    """The tensors and numbers among `values`, lists taken apart; texts, None and flags are left out."""
    found: list[tuple[Value, Tensor | None]] = []
    for value in values:
        if isinstance(value, ListV):
            m.spend()
            found += operands(m, [v for v in value.items if not isinstance(v, Lit)], node)
        elif isinstance(value, (Tensor, GradOf)):
            found.append((value, m.as_tensor(value, node)))
        elif isinstance(value, Unknown):
            if value.acts_as is None or isinstance(value.acts_as, Tensor):
                found.append((value, m.as_tensor(value, node)))
        elif isinstance(value, Symbol) or (
            isinstance(value, Lit)
            and isinstance(value.value, (int, float))
            and not isinstance(value.value, bool)
        ):
            found.append((value, None))
    return found


def operand(tensor: Tensor | None) -> Operand:
    """An argument as the table of what operations keep is asked of it; None for a number."""
    if tensor is None:
        return NUMBER
    return PLAIN if tensor.tape is None else GRAPH


def apply(
    m: Machine,
    name: str,
    values: list[Value],
    keywords: dict[str, Value],
    node: nodes.Node,
    *,
    training: bool = True,
    variant: str = "",
) -> Value:
    """The result of the tensor function `name` on `values`."""
    info = op_info(name)
    given = values
    if keywords:
        given = [*values, *[v for v in keywords.values() if isinstance(v, (Tensor, Unknown))]]
    found = operands(m, given, node)
    for value, _ in found:
        if value.__class__ is GradOf and not (info and info.inplace):
            read_gradient(value)
    if info is None:
        return _unlisted(m, name, found, node)
    if info.result in ("python", "none"):
        return Symbol("number") if info.numel == "one" else m.unknown(node, "plain")
    if name == "dropout" and not training and isinstance(values[0], Tensor):
        return values[0]  # the tensor itself, no copy
    if info.inplace or _flag(keywords, "inplace"):
        return in_place(m, name, found, node)
    if info.result == "factory":
        return factories.factory(m, info, values, keywords, node)
    if name in contents.LOSSES:
        contents.note_loss(m, name, values, keywords, node)
    op = Operation(name, info, values, keywords, found, node, training=training, variant=variant)
    made = _compute(m, op)
    if made.node is not None:
        made.node.summed = name == "sum" or _sums(keywords)
    return parts(m, op, made)


def _sums(keywords: dict[str, Value]) -> bool:
    """Whether a loss is, or may be, a sum over its samples."""
    reduction = keywords.get("reduction")
    mean = reduction is None or (isinstance(reduction, Lit) and reduction.value == "mean")
    return not mean or "size_average" in keywords


def _flag(keywords: dict[str, Value], name: str) -> bool:
    value = keywords.get(name)
    return isinstance(value, Lit) and value.value is True


@dataclass(slots=True)
class Operation:
    """One call of a tensor function: what it is, what it was given, what of that are tensors and numbers."""

    name: str
    info: OpInfo
    values: list[Value]
    keywords: dict[str, Value]
    operands: list[tuple[Value, Tensor | None]]
    node: nodes.Node
    training: bool = True
    variant: str = ""

    @property
    def tensors(self) -> list[Tensor]:
        """The tensors among the operands."""
        return [t for _, t in self.operands if t is not None]

    @property
    def has_dim(self) -> bool:
        """Whether a dim is given, by keyword or by position."""
        keywords = self.keywords
        return bool(keywords and ("dim" in keywords or "axis" in keywords)) or _positional_dim(self)


def _compute(m: Machine, op: Operation) -> Tensor:
    info, node, tensors, has_dim = op.info, op.node, op.tensors, op.has_dim
    tapes = tapes_of(tensors)
    doubt, ungraphed = _doubts(tensors)
    result = Tensor(tensors[0].storage if shares(info) and tensors else m.storage(), site=m.site(node))
    result.numel = shapes.numel_of(info, tensors, op.keywords, has_dim)
    result.shape = shapes.of_result(op.name, op.values, op.keywords)
    if result.shape is not None and result.numel is Numel.UNKNOWN:
        result.numel = shapes.numel(result.shape)
    result.integer = info.integer
    result.content = contents.of_result(op.name, op.operands, m.site(node))
    if shares(info) and tensors:
        result.view, result.base = True, tensors[0].base or tensors[0]
        result.leaf = tensors[0].leaf
        result.silent_writes = tensors[0].silent_writes
    # Of nothing at all no loss is made: what should have filled the list was not seen.
    empty = not tensors and op.name in ("cat", "concat", "stack")
    result.doubt = empty or doubt
    result.ungraphed = m.ungraphed(node, tapes, tensors) if ungraphed or not m.grad else ()
    if info.result == "cut" and op.name not in _COMPARISONS:
        m.sever(node, op.name, tapes)
    if info.result == "cut" or not tapes or not m.grad:
        _cut(m, op.name, info, result, tensors, node)
        result.leaf = None if info.result == "cut" and not m.grad else result.leaf
        if info.result == "cut":
            # It shares the memory, yet what is written into it later leaves the other's graph alone.
            result.leaf, result.base, result.view, result.born = None, None, False, m.seq
            result.ungraphed = ()
        return result
    found = _in_order(op)
    kept = optable.saved(
        op.name,
        [operand(t) for _, t in found],
        training=op.training,
        dim=has_dim,
        variant=op.variant,
    )
    result.node = make_node(m, op.name, found, tuple(tapes), kept, result, node)
    result.terms = terms(m, op.name, found)
    return result


def _doubts(tensors: list[Tensor]) -> tuple[bool, bool]:
    """Whether the graph of one of `tensors` is not known, and whether one lacks it as gradients were off."""
    doubt = ungraphed = False
    for tensor in tensors:
        doubt = doubt or (tensor.doubt and tensor.tape is None)
        ungraphed = ungraphed or bool(tensor.ungraphed)
    return doubt, ungraphed


def _in_order(op: Operation) -> list[tuple[Value, Tensor | None]]:
    """The operands in the table's order: `x.where(condition, y)` has the condition first there."""
    if op.name == "where" and len(op.operands) > 2 and op.values and op.values[0] is op.operands[0][0]:
        if isinstance(op.node, nodes.Call) and _is_method_call(op):
            first, condition, *rest = op.operands
            return [condition, first, *rest]
    return op.operands


def _is_method_call(op: Operation) -> bool:
    """Whether the first value is the receiver and stands not among the arguments."""
    return isinstance(op.node, nodes.Call) and len(op.node.arguments) == len(op.values) - 1


def make_node(
    m: Machine,
    name: str,
    found: list[tuple[Value, Tensor | None]],
    tapes: tuple[Node | Leaf, ...],
    kept: optable.Saved,
    result: Tensor,
    node: nodes.Node,
) -> Node:
    """The node of an operation with what it keeps."""
    watched = []
    for position in kept.inputs:
        tensor = found[position][1] if position < len(found) else None
        if tensor is not None:
            watched.append(Saved(tensor.storage, tensor.storage.version))
    if kept.result:
        watched.append(Saved(result.storage, result.storage.version))
    keeps = kept.anything if kept.known else None
    lost = None
    for _, tensor in found:
        if tensor is not None and tensor.cut is not None and tensor.tape is None:
            lost = tensor.cut
            break
    confidence = Confidence.CERTAIN if kept.known else Confidence.LIKELY
    made = m.node(name, node, tapes, tuple(watched), keeps, confidence)
    made.lost = lost if lost is not None and lost.how == "autograd.grad" else None
    return made


def tapes_of(tensors: list[Tensor]) -> list[Node | Leaf]:
    """Where the tensors hang in the graph, each once."""
    found: dict[int, Node | Leaf] = {}
    for tensor in tensors:
        tape = tensor.tape
        if tape is not None:
            found[id(tape)] = tape
    return list(found.values())


def shares(info: OpInfo) -> bool:
    """Whether the result is surely a view of the first argument."""
    return info.view


def _positional_dim(op: Operation) -> bool:
    """`x.sum(1)`, `torch.max(x, 1)`: a number behind the tensor is a dim."""
    values = op.values
    if op.info.numel != "reduce" or len(values) < 2:
        return False
    at = 2 if op.name in ("norm", "vector_norm") else 1
    return len(values) > at and not isinstance(values[at], Tensor) and not _is_none(values[at])


def _is_none(value: Value) -> bool:
    return isinstance(value, Lit) and value.value is None


def _cut(
    m: Machine, name: str, info: OpInfo, result: Tensor, tensors: list[Tensor], node: nodes.Node
) -> None:
    """Remember where a graph was lost, for the rules on losses without one."""
    if info.integer:
        return
    if info.result == "cut":
        source = next((t for t in tensors if t.tape is not None), None)
        if source is not None and m.grad:
            result.cut = Cut(m.site(node), name, source)
            return
        if name == "detach":  # said outright: nothing was lost by mistake
            return
    result.cut = next((t.cut for t in tensors if t.cut is not None), None)


def parts(m: Machine, op: Operation, result: Tensor) -> Value:
    """A result of several tensors as a tuple, where the operation returns one."""
    info = op.info
    if info.parts == 1:
        return result
    if info.parts_with_dim and result.numel is Numel.ONE:
        return result
    if info.parts_with_dim and len(op.tensors) > 1 and not any(a in op.keywords for a in _AXES):
        return result  # max(a, b) of two tensors
    count = info.parts or 2
    copies: list[Value] = [result]
    for _ in range(count - 1):
        other = Tensor(result.storage if result.view else m.storage(), site=result.site)
        if not info.first_only:
            other.node, other.leaf, other.view, other.base = (
                result.node,
                result.leaf,
                result.view,
                result.base,
            )
            other.cut = result.cut
            other.content = result.content
        else:
            other.integer = True
        copies.append(other)
    return ListV("tuple", copies, info.parts != 0, m.tick())


def _unlisted(m: Machine, name: str, found: list[tuple[Value, Tensor | None]], node: nodes.Node) -> Value:
    """An operation without a model still carries its inputs' graph."""
    result = m.unknown(node, "call", *(v for v, _ in found))
    result.place = name
    return result


# --- in place -----------------------------------------------------------------------------------


def in_place(m: Machine, name: str, found: list[tuple[Value, Tensor | None]], node: nodes.Node) -> Value:
    """An in-place operation: the first operand's memory and graph change."""
    if not found:
        return m.unknown(node, "call")
    value, target = found[0]
    if isinstance(value, GradOf) or target is None:
        return value
    others = found[1:]
    kept = optable.saved(
        name,
        [operand(t) for _, t in found],
        inplace=True,
    )
    tapes = tapes_of([t for _, t in found if t is not None])
    carries = any(t is not None and t.tape is not None for _, t in others)
    m.write(node, target, name, name=target.name, carries=carries)
    target.content = contents.of_result(name.rstrip("_"), found, m.site(node))
    hit = (
        m.grad
        and target.leaf is not None
        and target.leaf.requires_grad
        and (target.node is None or target.view)
    )
    if m.grad and tapes and not target.silent_writes and not hit and not target.integer:
        made = make_node(m, name, [(value, None), *others], tuple(tapes), kept, target, node)
        target.node = made
        if target.base is not None and target.base is not target:
            target.base.node = m.node(
                "copy_slices", node, tuple(_unique([target.base.tape, made])), keeps=True
            )
        note_write(m, target, node)
        target.terms = (*target.terms, *terms(m, name.rstrip("_"), others))
    if name == "zero_" and target.node is None:
        target.cut = None
    return value


def _unique(tapes: list[Node | Leaf | None]) -> list[Node | Leaf]:
    return list({id(t): t for t in tapes if t is not None}.values())


def note_write(m: Machine, target: Tensor, node: nodes.Node) -> None:
    """A tensor that outlives the loop has got a graph written into it."""
    from lintgrad.machine import keeping

    holder = target.base or target
    born = holder.born if holder.born >= 0 else holder.storage.born
    keeping.note(m, holder, born, holder.name, holder, node, how="write", read=lambda: holder)


def augmented(m: Machine, op: str, left: Tensor, right: Value, node: nodes.Stmt) -> Value:
    """`left op= right` on a tensor: in place."""
    name = BINARY.get(op, "add")
    return in_place(m, name + "_", operands(m, [left, right], node), node)


def read_gradient(value: GradOf) -> None:
    """A gradient is used for something else than a step."""
    for gradient in value.leaf.gradients:
        gradient.read = True
