"""The library of models: it answers the machine for torch and the parts of Python around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lintgrad.machine import calls, members, protocol
from lintgrad.machine.engines import EngineV
from lintgrad.machine.values import (
    NONE,
    Arguments,
    ClassV,
    ContextV,
    FunctionV,
    GradOf,
    Instance,
    LibV,
    Lit,
    ModuleV,
    Numel,
    OptimizerV,
    SuperV,
    Symbol,
    Tensor,
    Unknown,
    Value,
)
from lintgrad.models import (
    attributes,
    distributed,
    dropouts,
    engines,
    frameworks,
    functions,
    kinds,
    lightning,
    loading,
    module_methods,
    modules,
    ops,
    optimizers,
    special,
    tensors,
    trainers,
)
from lintgrad.models.managing import Managing
from lintgrad.models.optim_names import OPTIMIZERS
from lintgrad.models.questions import Questions
from lintgrad.models.tensor_ops import op_info
from lintgrad.program import nodes

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine

_FUNCTION_MODULES = (
    "torch.",
    "torch.nn.functional.",
    "torch.linalg.",
    "torch.special.",
    "torch.fft.",
    "torch.Tensor.",
)


class TorchLibrary(Questions, Managing):
    """Models of torch, torch.nn, torch.optim, torch.autograd, torch.utils.data and Python's library."""

    # --- calls --------------------------------------------------------------------------------

    def call(self, m: Machine, name: str, args: Arguments, node: nodes.Expr) -> Value | None:
        """A function or class by its qualified name."""
        handler = functions.HANDLERS.get(name)
        if handler is not None:
            return handler(m, args, node)
        module, _, last = name.rpartition(".")
        if name in engines.CONSTRUCTORS:
            return engines.construct(m, engines.CONSTRUCTORS[name], args, node)
        if last in distributed.COLLECTIVES and module == "torch.distributed":
            distributed.note_collective(m, last, args, node)
        if name.startswith("torch."):
            found = self._torch(m, module, last, args, node)
            if found is not None:
                return found
        elif last in OPTIMIZERS or (last.endswith("Optimizer") and "optim" in name):
            return optimizers.construct(m, last, args, node)
        for prefix, by_prefix in functions.PREFIXES.items():
            if name.startswith(prefix):
                return by_prefix(m, args, node)
        if last == "tqdm":
            return functions.passes_through(m, args, node)
        if last == "from_pretrained" and module.rpartition(".")[2][:1].isupper() and "oken" not in module:
            return modules.opaque(m, node, "model")
        return None

    def _torch(self, m: Machine, module: str, last: str, args: Arguments, node: nodes.Expr) -> Value | None:
        if module.startswith("torch.optim") and "lr_scheduler" not in module and last[:1].isupper():
            return optimizers.construct(m, last, args, node)
        if module.startswith("torch.nn") and last[:1].isupper():
            return modules.construct(m, last, args, node)
        if module == "torch.nn.functional" and last in dropouts.FUNCTIONS and dropouts.always_drops(args):
            if dropouts.in_forward(m):
                dropouts.note(m, None, node)
        if module + "." in _FUNCTION_MODULES and op_info(last) is not None:
            return self._function(m, last, args, node)
        return None

    def _function(self, m: Machine, name: str, args: Arguments, node: nodes.Expr) -> Value:
        """`torch.name(...)` or `F.name(...)`."""
        values, keywords = list(args.positional), dict(args.keywords)
        training = tensors.flag(keywords.get("training"), True) is not False
        out = keywords.pop("out", None)
        for key in ("input", "self", "tensors"):
            if not values and key in keywords:
                values.append(keywords.pop(key))
        result = ops.apply(m, name, [*values, *args.extra], keywords, node, training=training)
        if isinstance(out, Tensor):
            m.write(node, out, name, name=out.name)
            return out
        return result

    # --- methods ------------------------------------------------------------------------------

    def method(
        self, m: Machine, receiver: Value, name: str, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        """A method of something of a library."""
        match receiver:
            case Tensor():
                return tensors.method(m, receiver, name, args, node)
            case GradOf():
                return tensors.grad_method(m, receiver, name, args, node)
            case OptimizerV():
                return optimizers.method(m, receiver, name, args, node)
            case ModuleV() | Instance() | SuperV():
                return self._method_of_module(m, receiver, name, args, node)
            case ClassV():
                return special.of_class(m, receiver, name, args, node)
            case Unknown():
                return self._unknown_method(m, receiver, name, args, node)
            case ContextV():
                return special.of_context(m, receiver, name)
            case EngineV():
                return trainers.method(m, receiver, name, args, node)
            case Symbol() if name == "backward" and receiver.cut is not None:
                lost = Tensor(m.storage(), cut=receiver.cut, site=receiver.cut.site)
                return tensors.run_backward(m, [lost], args, node)
            case _:
                return None

    def _method_of_module(
        self, m: Machine, receiver: ModuleV | Instance | SuperV, name: str, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        if isinstance(receiver, ModuleV):
            return self._module_method(m, receiver, name, args, node)
        if isinstance(receiver, SuperV):
            return self._super_method(m, receiver, name, args, node)
        return self._instance_method(m, receiver, name, args, node)

    def _module_method(
        self, m: Machine, receiver: ModuleV, name: str, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        if receiver.state.opaque:
            found = frameworks.method(m, receiver, name, args, node)
            if found is not None:
                return found
        known = module_methods.method(m, receiver, name, args, node)
        if known is not None:
            return known
        result = m.unknown(node, "output", *args.all(), foreign=True)
        m.output(node, result, (*result.sources, *m.leaves_of(receiver)[:8]), name, seen=False)
        return result

    def _instance_method(
        self, m: Machine, receiver: Instance, name: str, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        found = frameworks.method(m, receiver, name, args, node)
        if found is not None:
            return found
        if name == "__init__":
            modules.init_base(m, receiver, args, node)
            return NONE
        if receiver.module is not None:
            if lightning.is_managed(receiver):
                found = lightning.method(m, receiver, name, args, node)
                if found is not None:
                    return found
            return module_methods.method(m, receiver, name, args, node)
        return None

    def _super_method(
        self, m: Machine, receiver: SuperV, name: str, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        target = receiver.receiver
        if isinstance(target, Instance):
            if name in ("forward", "__call__"):
                return modules.invoke_instance(m, target, args, node)
            found = self._instance_method(m, target, name, args, node)
            if found is not None:
                return found
            if members.has_unknown_base(target.cls):
                if name == "step" and any("Optimizer" in getattr(b, "name", "") for b in target.cls.order):
                    m.touch(target)
                return calls.foreign_call(m, name, receiver, args, node)
        return NONE

    def _unknown_method(
        self, m: Machine, receiver: Unknown, name: str, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        known = special.of_known_kind(m, receiver, name, args, node)
        if known is not None:
            return known
        if name == "backward" and not (
            frameworks.carries(args) and frameworks.is_engine(m, receiver, name, args)
        ):
            return self._backward_of_unknown(m, receiver, args, node)
        found = frameworks.method(m, receiver, name, args, node)
        if found is not None:
            return found
        plain = name in ("item", "tolist", "numpy", "cpu", "detach", "data")
        if (plain and not args.positional) or frameworks.is_tensor(receiver):
            tensor = m.as_tensor(receiver, node)
            if tensor is not None and op_info(name) is not None:
                return tensors.method(m, tensor, name, args, node)
        if receiver.acts_as is None:
            place = protocol.written(node) or receiver.place
            kind = kinds.acts_as(m, receiver, name, place, m.frame.uses_of(place), node)
            if kind is not None:
                receiver.acts_as = kind
                if receiver.reason in ("argument", "optional"):
                    protocol.mark_given(kind)
                return self.method(m, kind, name, args, node)
        if name == "_replace":
            return receiver
        if name in ("to", "cuda") and receiver.acts_as is None:
            return receiver
        return None

    def _backward_of_unknown(
        self, m: Machine, receiver: Unknown, args: Arguments, node: nodes.Expr
    ) -> Value | None:
        tensor = m.as_tensor(receiver, node)
        if tensor is None:
            return None
        if tensor.tape is None:
            tensors.believe(m, tensor, node)
        return tensors.run_backward(m, [tensor], args, node)

    def invoke(self, m: Machine, callee: Value, args: Arguments, node: nodes.Expr) -> Value | None:
        """Call a module, or an object that is not understood."""
        match callee:
            case ModuleV():
                output = modules.forward(m, callee, args, node)
                if output is not None and callee.state.hooks:
                    output = modules.run_hooks(m, callee, args, output, node)
                return output
            case Instance():
                return modules.invoke_instance(m, callee, args, node)
            case EngineV():
                return engines.invoke(m, callee, args, node)
            case ContextV():
                function = args.get(0)
                if isinstance(function, FunctionV) and callee.grad is not None:
                    function.wrappers = (*function.wrappers, callee)
                return function
            case Tensor() | GradOf() | OptimizerV():
                return m.unknown(node, "call", callee, *args.all())
            case _:
                return None

    def entered(self, m: Machine, callee: Instance, args: Arguments, node: nodes.Expr) -> None:
        """Note a call of a module whose forward is the program's own."""
        modules.entered(m, callee, args, node)

    # --- attributes ---------------------------------------------------------------------------

    def attribute(self, m: Machine, receiver: Value, name: str, node: nodes.Node) -> Value | None:
        """An attribute of something of a library."""
        match receiver:
            case Tensor():
                return tensors.attribute(m, receiver, name, node)
            case GradOf():
                return tensors.grad_attribute(m, receiver, name, node)
            case OptimizerV():
                return optimizers.attribute(m, receiver, name, node)
            case EngineV():
                return engines.attribute(m, receiver, name, node)
            case ModuleV():
                return attributes.of_module(m, receiver, name, node)
            case Instance() if receiver.module is not None:
                return attributes.of_instance(m, receiver, name, node)
            case Unknown():
                return attributes.of_unknown(m, receiver, name, node)
            case LibV():
                return attributes.of_library(m, receiver, name)
            case _:
                return None

    def store(self, m: Machine, receiver: Value, name: str, value: Value, node: nodes.Node) -> bool:
        """Write an attribute."""
        if name in attributes.MISSPELT:
            self.note_typo(m, node, "name", name)
        elif name == "requires_grad" and protocol.module_state(receiver) is not None:
            self.note_typo(m, node, "module", name)
        if name == "automatic_optimization" and isinstance(receiver, Instance):
            lightning.switched(m, receiver, node)
        match receiver:
            case Tensor():
                return tensors.store(m, receiver, name, value, node)
            case GradOf():
                return True
            case Unknown() if name == "grad" or (name == "requires_grad" and frameworks.is_tensor(receiver)):
                tensor = m.as_tensor(receiver, node)
                return tensors.store(m, tensor, name, value, node) if tensor is not None else False
            case Instance() | ModuleV():
                state = protocol.module_state(receiver)
                if state is not None:
                    module_methods.register(m, receiver, state, name, value, node)
                    if isinstance(receiver, ModuleV) and name in state.parameters:
                        state.parameters[name] = (
                            value if isinstance(value, Tensor) else state.parameters[name]
                        )
                return False
            case _:
                return False

    # --- operators ----------------------------------------------------------------------------

    def binary(self, m: Machine, op: str, left: Value, right: Value, node: nodes.Expr) -> Value | None:
        """An operator with a tensor among its operands."""
        name = ops.BINARY.get(op)
        if name is None:
            return None
        if isinstance(left, Lit) and op == "/":
            name = "div"
        result = ops.apply(m, name, [left, right], {}, node)
        return _keep_numel(result, left, right)

    def augmented(self, m: Machine, op: str, left: Value, right: Value, node: nodes.Stmt) -> Value | None:
        """An augmented assignment to a tensor."""
        if isinstance(left, GradOf):
            return left
        return ops.augmented(m, op, left, right, node) if isinstance(left, Tensor) else None

    def item(self, m: Machine, receiver: Value, index: Value, node: nodes.Expr) -> Value | None:
        """Indexing."""
        match receiver:
            case Tensor():
                return tensors.item(m, receiver, index, node)
            case ModuleV():
                return module_methods.item(m, receiver, index, node)
            case Instance() if receiver.module is not None and isinstance(index, Lit):
                return receiver.module.children.get(str(index.value))
            case _:
                return None

    def store_item(self, m: Machine, receiver: Value, index: Value, value: Value, node: nodes.Node) -> bool:
        """Assignment to an item."""
        if isinstance(receiver, Unknown) and isinstance(receiver.acts_as, Tensor):
            receiver = receiver.acts_as
        if isinstance(receiver, Tensor):
            tensors.store_item(m, receiver, value, node)
            return True
        if isinstance(receiver, ModuleV) and receiver.kind in modules.CONTAINERS:
            _replace_layer(receiver, index, value)
            return True
        return isinstance(receiver, GradOf)

    def elements(self, m: Machine, iterable: Value, node: nodes.Node) -> tuple[list[Value], bool] | None:
        """What a loop walks."""
        loading.note_pass(m, iterable, node)
        match iterable:
            case Tensor():
                return tensors.elements(m, iterable, node), False
            case Instance() if iterable.module is not None and iterable.module.children:
                return list(iterable.module.children.values()), True
            case _:
                return None


def _keep_numel(result: Value, left: Value, right: Value) -> Value:
    """A number and a tensor of one element give one element."""
    if isinstance(result, Tensor) and result.numel is Numel.UNKNOWN:
        tensor = left if isinstance(left, Tensor) else right
        other = right if tensor is left else left
        plain = isinstance(other, Lit) or not tensors.is_tensor_like(other)
        if plain and isinstance(tensor, Tensor) and not isinstance(other, Unknown):
            result.numel = tensor.numel
    return result


def _replace_layer(receiver: ModuleV, index: Value, value: Value) -> None:
    if isinstance(index, Lit) and isinstance(index.value, str):
        receiver.state.children[index.value] = value
        receiver.items = list(receiver.state.children.values())
    elif isinstance(index, Lit) and isinstance(index.value, int):
        if -len(receiver.items) <= index.value < len(receiver.items):
            receiver.items[index.value] = value
