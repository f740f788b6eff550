"""Tensors' own methods and attributes: backward, detach, requires_grad, grad, indexing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.diagnostics import Confidence
from lintgrad.machine import protocol
from lintgrad.machine.graph import Leaf, Node, ancestors
from lintgrad.machine.occasions import NonleafGrad, Rebound
from lintgrad.machine.values import (
    FALSE,
    NONE,
    TRUE,
    Arguments,
    Cut,
    GradOf,
    LibV,
    ListV,
    Lit,
    Numel,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import ops
from lintgrad.models.tensor_ops import op_info
from lintgrad.program.nodes import Assign, Const, Slice, Subscript

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.program import nodes


def method(m: Machine, receiver: Tensor, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """Call a tensor's method."""
    known = _own_method(m, receiver, name, args, node)
    if known is not None:
        return known
    if name in ("dim", "ndimension", "numel", "nelement") and receiver.numel is Numel.MANY:
        return positive(m, node)
    if name in ("item", "tolist", "numpy"):
        return number(m, receiver, name, node) if name == "item" else m.unknown(node, "plain")
    if op_info(name) is None:
        return None
    return ops.apply(m, name, [receiver, *args.positional, *args.extra], args.keywords, node)


def _own_method(m: Machine, receiver: Tensor, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
    """A method that is about the tensor's place in the graph."""
    match name:
        case "backward":
            return run_backward(m, [receiver], args, node)
        case "requires_grad_":
            wanted = flag(args.get(0, "requires_grad"), True)
            require(m, receiver, node, wanted is not False)
        case "detach_":
            receiver.node, receiver.cut = None, None
            if receiver.leaf is not None:
                receiver.leaf.requires_grad = False
        case "retain_grad":
            receiver.keeps_grad = True
        case "register_hook" | "register_post_accumulate_grad_hook" | "share_memory_":
            if receiver.leaf is not None:
                receiver.leaf.touched = m.seq
            return m.unknown(node, "hook")
        case "new_tensor":
            return Tensor(m.storage(), site=m.site(node))
        case _:
            return _same(m, receiver, name, args, node) if name in _COPIES else None
    return receiver


_COPIES = frozenset("to cuda cpu float double half type contiguous clone type_as".split())


def number(m: Machine, receiver: Tensor, how: str, node: nodes.Node) -> Symbol:
    """A number read from a tensor: its graph ends here."""
    made = Symbol("number", cut=receiver.cut)
    if receiver.tape is not None and m.grad:
        made.cut = Cut(m.site(node), how, receiver)
        m.sever(node, how, [receiver.tape])
    return made


def positive(m: Machine, node: nodes.Node) -> Value:
    """A number that is not known but greater than zero."""
    number = m.unknown(node, "length")
    number.facts.update({"true": True, "==:('lit', 0)": False, ">:('lit', 0)": True})
    return number


def _same(m: Machine, receiver: Tensor, name: str, args: Arguments, node: nodes.Expr) -> Value:
    """A copy, or the tensor itself where nothing is to change: it keeps the graph and what is known."""
    result = ops.apply(m, name, [receiver], {}, node)
    if isinstance(result, Tensor):
        result.numel, result.terms, result.cut = receiver.numel, receiver.terms, receiver.cut
        if result.node is not None:
            result.node.keeps = False
            result.node.saved = ()
    return result


def believe(m: Machine, tensor: Tensor, node: nodes.Node) -> None:
    """A tensor of unknown origin is sent backward: it has a graph, then, which was made outside."""
    tensor.node = m.node("outside", node, (), opaque=True, confidence=Confidence.POSSIBLE)


def run_backward(
    m: Machine,
    roots: list[Tensor],
    args: Arguments,
    node: nodes.Expr,
    *,
    name: str = "",
    framework: bool = False,
) -> Value:
    """`tensor.backward(gradient, retain_graph, create_graph, inputs)`."""
    gradient = args.get(0, "gradient")
    create = flag(args.get(2, "create_graph"), False)
    kept = args.get(1, "retain_graph") or args.keywords.get("retain_variables")
    retain = flag(kept, create)
    inputs = args.get(3, "inputs")
    given = m.as_tensor(gradient, node) if isinstance(gradient, Tensor) else None
    if isinstance(gradient, GradOf):
        ops.read_gradient(gradient)  # what was found at a cut is handed on
    m.backward(
        node,
        roots,
        name=name,
        retain=retain,
        create=create,
        gradient=gradient is not None and not (isinstance(gradient, Lit) and gradient.value is None),
        own_gradient=given is not None and _is_same(given, roots),
        inputs=tensors_in(m, inputs, node) if inputs is not None else None,
        framework=framework,
    )
    return NONE


def _is_same(given: Tensor, roots: list[Tensor]) -> bool:
    """Whether the upstream gradient is the root itself, or its values without the graph."""
    return any(given is root or (given.cut is not None and given.cut.source is root) for root in roots)


def flag(value: Value | None, default: bool | None) -> bool | None:
    """A flag's value; None where the program does not tell."""
    if value is None or (isinstance(value, Lit) and value.value is None):
        return default
    return bool(value.value) if isinstance(value, Lit) else None


def tensors_in(m: Machine, value: Value | None, node: nodes.Node) -> list[Tensor]:
    """The tensors of an argument that is a tensor or a sequence of them."""
    if isinstance(value, ListV):
        m.spend()
        return [t for item in value.items for t in tensors_in(m, item, node)]
    if value is None or isinstance(value, Lit):
        return []
    from lintgrad.machine.values import Range

    if isinstance(value, Range):
        from lintgrad.machine import loops

        return [t for item in loops.elements(m, value, node)[0] for t in tensors_in(m, item, node)]
    tensor = m.as_tensor(value, node)
    return [tensor] if tensor is not None else []


def require(m: Machine, tensor: Tensor, node: nodes.Node, wanted: bool) -> None:
    """Set requires_grad: a tensor without graph becomes a leaf."""
    if tensor.node is not None:
        return
    if tensor.leaf is not None:
        tensor.leaf.requires_grad = tensor.leaf.asked = wanted
    elif wanted and not tensor.integer:
        tensor.leaf = Leaf(tensor.name, m.site(node), tensor.storage, is_parameter=False, born=m.tick())
        tensor.leaf.rewrapped = tensor.cut
        tensor.leaf.tensor = tensor


def attribute(m: Machine, receiver: Tensor, name: str, node: nodes.Node) -> Value | None:
    """Read a tensor's attribute."""
    match name:
        case "grad":
            if receiver.leaf is not None and receiver.node is None:
                return GradOf(receiver.leaf, m.site(node))
            return _grad_of_nonleaf(m, receiver, node)
        case "data":
            result = Tensor(receiver.storage, numel=receiver.numel, site=m.site(node), name=receiver.name)
            result.silent_writes = True
            result.integer = receiver.integer
            if receiver.tape is not None and m.grad:
                result.cut = Cut(m.site(node), "data", receiver)
                m.sever(node, "data", [receiver.tape])
            return result
        case "requires_grad":
            return TRUE if receiver.tape is not None else FALSE if receiver.node is None else TRUE
        case "is_leaf":
            return TRUE if receiver.node is None else FALSE
        case "ndim" if receiver.numel is Numel.MANY:
            return positive(m, node)
        case "shape" | "device" | "dtype" | "ndim" | "layout" | "grad_fn" | "names" | "is_cuda":
            return m.unknown(node, name)
        case "T" | "mT" | "H" | "mH" | "real" | "imag":
            return ops.apply(m, name, [receiver], {}, node)
        case _:
            return None


def _is_computed(node: Node) -> bool:
    """Whether the node surely exists: an element of what is not seen may be a parameter as it is."""
    if node.op != "getitem":
        return node.grounded
    walk = ancestors([node])
    return node.grounded and all(one.confidence is Confidence.CERTAIN for one in walk.nodes)


def _grad_of_nonleaf(m: Machine, receiver: Tensor, node: nodes.Node) -> Value:
    """`.grad` of a tensor that is no leaf: None, unless it was asked to keep it."""
    site = m.site(node)
    if receiver.rebound is not None:
        found = receiver.rebound
        m.record(
            Rebound(site=found.site, name=found.name, seq=m.tick(), read=site, stack=m.stack, turn=m.turn)
        )
    elif receiver.node is not None and _is_computed(receiver.node) and not receiver.keeps_grad:
        m.record(
            NonleafGrad(
                site=site, seq=m.tick(), stack=m.stack, turn=m.turn, name=receiver.name, tensor=receiver
            )
        )
    return m.unknown(node, "grad")


def store(m: Machine, receiver: Tensor, name: str, value: Value, node: nodes.Node) -> bool:
    """Write a tensor's attribute."""
    match name:
        case "requires_grad":
            wanted = flag(value, True)
            if wanted is not None:
                require(m, receiver, node, wanted)
        case "grad":
            store_gradient(m, receiver, value, node)
        case "data":
            receiver.silent_writes = False
        case _:
            return False
    return True


def store_gradient(m: Machine, receiver: Tensor, value: Value, node: nodes.Node) -> None:
    """`p.grad = None` clears, anything else puts a gradient there."""
    leaf = receiver.leaf
    if leaf is None:
        m.touched_all = m.seq
        return
    if isinstance(value, Lit) and value.value is None:
        m.clear(node, [leaf], name=leaf.name, wild=leaf.opaque)
    else:
        protocol.assign_gradient(m, node, leaf)
        if leaf.opaque:
            m.touched_all = m.seq


def item(m: Machine, receiver: Tensor, index: Value, node: nodes.Node) -> Value:
    """`tensor[index]`: a view, or a copy for an index that is a tensor."""
    given = [receiver]
    if isinstance(index, Tensor):
        given.append(index)
    elif isinstance(index, ListV) and not _is_slice(index):
        given += [i for i in index.items if isinstance(i, Tensor)]
    result = ops.apply(m, "getitem", list(given), {}, node)
    if isinstance(result, Tensor):
        if len(given) > 1:
            result.view, result.base, result.leaf = False, None, None
            result.storage = m.storage()
        if receiver.numel is Numel.ONE:
            result.numel = Numel.ONE
    return result


def _is_slice(index: ListV) -> bool:
    """Whether the index is `a:b:c`: its bounds are read as numbers, and nothing keeps them."""
    return bool(index.items) and isinstance(index.items[0], LibV)


def store_item(m: Machine, receiver: Tensor, value: Value, node: nodes.Node) -> None:
    """`tensor[index] = value`."""
    source = m.as_tensor(value, node)
    carries = source is not None and source.tape is not None
    m.write(node, receiver, "setitem", name=receiver.name, carries=carries)
    # Writing a part makes a node that can be run once; writing the whole is a copy.
    keeps = not _whole(node)
    if source is not None and source.tape is not None:
        m.rewrite(node, receiver, "setitem", source, keeps)
        ops.note_write(m, receiver, node)
    elif receiver.node is not None:
        m.rewrite(node, receiver, "setitem", None, keeps)


def _whole(node: nodes.Node) -> bool:
    """Whether all targets of an assignment are `x[:]` or `x[...]`."""
    targets = node.targets if isinstance(node, Assign) else ()
    indices = [target.index for target in targets if isinstance(target, Subscript)]
    return bool(indices) and all(_is_everything(index) for index in indices)


def _is_everything(index: nodes.Expr) -> bool:
    if isinstance(index, Slice):
        return index.lower is None and index.upper is None and index.step is None
    return isinstance(index, Const) and index.value is Ellipsis


def elements(m: Machine, receiver: Tensor, node: nodes.Node) -> list[Value]:
    """The rows that a loop over a tensor walks."""
    return [item(m, receiver, Lit(k), node) for k in range(2)]


# --- .grad --------------------------------------------------------------------------------------


def grad_method(m: Machine, receiver: GradOf, name: str, args: Arguments, node: nodes.Expr) -> Value:
    """A method of `p.grad`: clearing it, changing it, or reading it."""
    if name == "zero_":
        leaf = receiver.leaf
        m.clear(node, [leaf], name=f"{leaf.name}.grad", wild=leaf.opaque, zeros=True)
        return receiver
    if name in ("detach_", "requires_grad_") or (name.endswith("_") and not name.endswith("__")):
        return receiver
    if name in ("detach", "data"):
        return receiver
    ops.read_gradient(receiver)
    if name in ("item", "tolist", "numpy"):
        return Symbol("number")
    return ops.apply(m, name, [receiver, *args.positional], args.keywords, node)


def grad_attribute(m: Machine, receiver: GradOf, name: str, node: nodes.Node) -> Value | None:
    """An attribute of `p.grad`."""
    if name == "data":
        return receiver
    if name in ("shape", "device", "dtype"):
        return m.unknown(node, name)
    return None


def is_tensor_like(value: Value) -> bool:
    """Whether `value` is a tensor or may be one."""
    return isinstance(value, (Tensor, GradOf)) or (
        isinstance(value, Unknown) and (isinstance(value.acts_as, Tensor) or bool(value.sources))
    )
