"""Random statements that make, keep and change tensors."""

from __future__ import annotations

from tests.differential.drawing import Pen
from tests.differential.expressions import loss, matrix, scalar
from tests.differential.forms import IN_PLACE, ON_LEAF, ON_MODULE
from tests.differential.names import Scope


def assign(pen: Pen, scope: Scope) -> None:
    """A matrix gets a name."""
    text = matrix(pen, scope)
    name = pen.new("a")
    pen.write(f"{name} = {text}")
    scope.matrices.append(name)
    scope.own(name)


def carry(pen: Pen, scope: Scope) -> None:
    """A matrix that was there before gets a new value, which may hang on the old one."""
    names = [n for n in scope.assignable(scope.matrices) if n not in scope.leaves]
    if not names:
        assign(pen, scope)
        return
    name = pen.pick(names)
    how = (
        "torch.tanh({1} + {0})",
        "{1}",
        "{0}.detach()",
        "{0} + {1}",
        "torch.tanh({1} + {0}.detach())",
        "{0} * 0.5",
    )
    pen.write(f"{name} = " + pen.pick(how).format(name, f"({matrix(pen, scope)})"))


def loss_alone(pen: Pen, scope: Scope) -> None:
    """A scalar gets a name."""
    text = scalar(pen, scope)
    name = pen.new("s")
    pen.write(f"{name} = {text}")
    scope.scalars.append(name)
    scope.own(name)


def sums(pen: Pen, scope: Scope) -> None:
    """Scalars are added up or collected."""
    value = pen.pick(scope.scalars) if scope.scalars else scalar(pen, scope)
    if "." in value or "(" in value or " " in value:
        value = f"({value})"
    shapes = [
        f"{name}.append({value}{cut})" for name in scope.lists for cut in ("", ".detach()", ".item()")[:2]
    ]
    for name in scope.assignable(scope.sums):
        shapes += [
            f"{name} += {value}",
            f"{name} = {name} + {value}",
            f"{name} += {value}.item()",
            f"{name} = 0.0",
        ]
    if shapes:
        pen.write(pen.pick(shapes))


def in_place(pen: Pen, scope: Scope) -> None:
    """A matrix is written to."""
    plain = [name for name in scope.matrices if name not in scope.leaves]
    if not plain:
        return
    text = pen.pick(IN_PLACE)
    targets = scope.assignable(plain) if " " in text.partition("{0}")[2][:2] else plain
    if targets:
        pen.write(text.format(pen.pick(targets), f"({matrix(pen, scope, 1)})"))


def leaf_statement(pen: Pen, scope: Scope) -> None:
    """Something is done to a leaf."""
    pen.write(pen.pick(ON_LEAF).format(pen.pick(scope.leaves)))


def modes(pen: Pen, scope: Scope) -> None:
    """Something is done to a module."""
    if scope.modules:
        pen.write(pen.pick(ON_MODULE).format(pen.pick(scope.modules)))


def containers(pen: Pen, scope: Scope) -> None:
    """Tensors go through tuples, dicts and comprehensions."""
    name = pen.new("s")
    match pen.number(0, 4):
        case 0 if len(scope.modules) > 1:
            pen.write(
                f"{name} = sum([m({pen.pick(scope.matrices)}).mean() for m in ({', '.join(scope.modules)})])"
            )
        case 1:
            pen.write(f'losses = {{"a": {loss(pen, scope, 1)}, "b": {loss(pen, scope, 1)}}}')
            pen.write(
                f"{name} = " + pen.pick(['losses["a"] + losses["b"]', "sum(losses.values())", 'losses["a"]'])
            )
        case 2:
            pen.write(f"pair = ({loss(pen, scope, 1)}, {matrix(pen, scope, 1)})")
            pen.write(f"{name} = pair[0] + pair[1].mean()")
        case 3:
            pen.write(f"{name} = torch.stack([(b * {pen.pick(scope.leaves)}).mean() for b in batches]).sum()")
        case _:
            pen.write(f"{name}, _ = {loss(pen, scope, 1)}, {pen.pick(scope.matrices)}")
    scope.scalars.append(name)
    scope.losses.append(name)
    scope.own(name)
