"""Random statements that train: backward, clear, step, alone or in some order."""

from __future__ import annotations

from tests.differential.drawing import Pen
from tests.differential.expressions import grounded, loss, matrix
from tests.differential.names import Scope


def train(pen: Pen, scope: Scope) -> None:
    """Forward, clear, backward, step, in the usual order or another one, complete or not."""
    name = pen.new("s")
    pen.write(f"{name} = {loss(pen, scope)}")
    scope.scalars.append(name)
    scope.losses.append(name)
    scope.own(name)
    optimizer = pen.pick(scope.optimizers)
    parts = [f"{optimizer}.zero_grad()", _backward(pen, name), f"{optimizer}.step()"]
    order = pen.pick(["012", "120", "12", "102", "1", "021", "0122", "01", "112", "2", "210", "0"])
    for part in order:
        pen.write(parts[int(part)])


def _backward(pen: Pen, root: str) -> str:
    how = (
        "{0}.backward()",
        "{0}.backward()",
        "{0}.backward(retain_graph=True)",
        "torch.autograd.backward([{0}])",
    )
    return pen.pick(how).format(root)


def backward(pen: Pen, scope: Scope) -> None:
    """Backward from one or two scalars, or (which raises) from a matrix."""
    if not scope.scalars:
        pen.write(_backward(pen, f"({loss(pen, scope)})"))
    elif scope.losses and pen.number(0, 3):
        pen.write(_backward(pen, pen.pick(scope.losses)))
    elif pen.chance(10):
        pen.write(f"{pen.pick(scope.matrices)}.backward()")
    elif pen.chance(6):
        roots = ", ".join(dict.fromkeys([pen.pick(scope.scalars), pen.pick(scope.scalars)]))
        pen.write(f"torch.autograd.backward([{roots}])")
    elif pen.chance(6):
        pen.write(f"{pen.pick(scope.matrices)}.backward(torch.ones(3, 3))")
    else:
        pen.write(_backward(pen, pen.pick(scope.scalars)))


def clear(pen: Pen, scope: Scope) -> None:
    """Gradients are cleared, in one of many ways."""
    leaf, optimizer = pen.pick(scope.leaves), pen.pick(scope.optimizers)
    how = [f"{optimizer}.zero_grad()", f"{leaf}.grad = None", f"{optimizer}.zero_grad(set_to_none=False)"]
    if scope.modules:
        how.append(f"{pen.pick(scope.modules)}.zero_grad()")
    at = pen.number(0, len(how) + 1)
    if at < len(how):
        pen.write(how[at])
    elif at == len(how) or not scope.modules:
        with pen.block(f"if {leaf}.grad is not None:"):
            pen.write(f"{leaf}.grad.zero_()")
    else:
        with pen.block(f"for p in {pen.pick(scope.modules)}.parameters():"):
            pen.write("p.grad = None")


def step(pen: Pen, scope: Scope) -> None:
    """An optimizer steps."""
    pen.write(f"{pen.pick(scope.optimizers)}.step()")


def clip(pen: Pen, scope: Scope) -> None:
    """Gradients are made smaller."""
    if scope.modules:
        pen.write(f"torch.nn.utils.clip_grad_norm_({pen.pick(scope.modules)}.parameters(), 1.0)")


def gradient(pen: Pen, scope: Scope) -> None:
    """`autograd.grad`, and a penalty on what it returns."""
    leaf = pen.pick(scope.leaves)
    name = pen.new("g")
    flags = pen.pick([", create_graph=True", "", ", retain_graph=True"])
    root = f"({leaf} ** 2 * ({matrix(pen, scope, 1)})).sum()"
    pen.write(f"{name} = torch.autograd.grad({root}, {leaf}{flags})[0]")
    scope.matrices.append(name)
    scope.own(name)


def method(pen: Pen, scope: Scope) -> None:
    """A method or function that trains is called."""
    if scope.trainers:
        call = f"{pen.pick(scope.trainers)}({pen.pick(scope.matrices)})"
        if pen.chance(2):
            name = pen.new("s")
            pen.write(f"{name} = {call}")
            scope.scalars.append(name)
            scope.own(name)
        else:
            pen.write(call)


def by_hand(pen: Pen, scope: Scope) -> None:
    """A step without an optimizer, or one statement for all optimizers."""
    leaf = pen.pick(scope.leaves)
    match pen.number(0, 4):
        case 0:
            with pen.block(f"if {leaf}.grad is not None:"), pen.block("with torch.no_grad():"):
                pen.write(f"{leaf}.sub_({leaf}.grad, alpha=0.1)")
        case 1 if scope.modules:
            with (
                pen.block(f"for p in {pen.pick(scope.modules)}.parameters():"),
                pen.block("if p.grad is not None:"),
            ):
                pen.write("p.data.add_(p.grad, alpha=-0.1)")
        case 2:
            with pen.block(f"for optimizer in [{', '.join(scope.optimizers)}]:"):
                pen.write(pen.pick(["optimizer.zero_grad()", "optimizer.step()"]))
        case 3 if scope.modules:
            with pen.block(f"for p in {pen.pick(scope.modules)}.parameters():"):
                pen.write(
                    pen.pick(["p.requires_grad_(False)", "p.requires_grad = True", "p.requires_grad_(True)"])
                )
        case _:
            with pen.block("with torch.no_grad():"):
                pen.write(f"{leaf}.mul_(0.9)")


def shared(pen: Pen, scope: Scope) -> None:
    """Two losses on one part, each with its own backward."""
    part, losses = pen.new("a"), [pen.new("s"), pen.new("s")]
    pen.write(f"{part} = {grounded(pen, scope, 1)}")
    scope.matrices.append(part)
    scope.own(part)
    for name in losses:
        how = (
            "{0}.sum()",
            "({0} * {1}).mean()",
            "F.mse_loss({0}, {1})",
            "({0} + {1}).mean()",
            "{0}[0].sum()",
            "{0}.exp().sum()",
        )
        pen.write(f"{name} = {pen.pick(how).format(part, pen.pick(scope.matrices))}")
        scope.scalars.append(name)
        scope.losses.append(name)
        scope.own(name)
    first, second = losses
    optimizer = pen.pick(scope.optimizers)
    lines = {
        "a": f"{first}.backward()",
        "b": f"{second}.backward()",
        "r": f"{first}.backward(retain_graph=True)",
        "+": f"({first} + 0.5 * {second}).backward()",
        "s": f"{optimizer}.step()",
        "z": f"{optimizer}.zero_grad()",
        "w": f"{pen.pick(scope.optimizers)}.step()",
    }
    for key in pen.pick(
        ["zrbs", "zabs", "z+s", "zrsbs", "zrszbw", "+", "rzbs", "zrswz", "ra", "zaszbw", "zrsb"]
    ):
        pen.write(lines[key])


def closure(pen: Pen, scope: Scope) -> None:
    """A step with a closure, or a function inside that is called at once."""
    name = pen.new("f")
    optimizer = pen.pick(scope.optimizers)
    with pen.block(f"def {name}():"):
        if pen.number(0, 2):
            pen.write(f"{optimizer}.zero_grad()")
        pen.write(f"value = {loss(pen, scope, 1)}")
        pen.write("value.backward()")
        pen.write("return value")
    pen.write(f"{optimizer}.step({name})" if pen.number(0, 2) else f"{name}()")
