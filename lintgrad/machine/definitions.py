"""What a module defines, without what it does: the namespace for roots that are functions, and of imports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lintgrad.machine import statements
from lintgrad.machine.choices import Choices, PathEndError
from lintgrad.machine.frames import Environment, Frame
from lintgrad.machine.stops import GeneratorStop, ProgramRaise
from lintgrad.program import nodes
from lintgrad.program.walk import descend

if TYPE_CHECKING:
    from lintgrad.machine.machine import Machine
    from lintgrad.machine.values import FileV, Value


@dataclass(slots=True)
class Definitions:
    """A module's namespace after its definitions, kept from path to path.

    Functions, classes, constants and names of libraries are shared by all paths; the statements in
    `fresh` make values that a path could change, and are run anew for each.
    """

    env: Environment
    names: dict[str, Value]
    fresh: list[nodes.Stmt]


def define(m: Machine) -> None:
    """Put the program's own definitions into the running frame: the first time by running them all."""
    base = m.program.base
    with _undecided(m):
        if base is None:
            m.program.base = _first(m, m.program.module, m.frame.env)
        else:
            _again(m, base)


def opened(m: Machine, file: FileV) -> Environment:
    """The namespace of a file of the tree on this path; empty where the file cannot be read."""
    if file.path == m.program.module.path:
        return m.frames[0].env
    if file.path not in m.opened:
        m.opened.add(file.path)
        module = m.program.load(file.path)
        if module is None:
            m.trace.note_unread(file.path)
        else:
            with _undecided(m), _aside(m, Frame(file.env, file.path, "<module>", uses=module.uses)):
                _open(m, file, module)
    return file.env


def _open(m: Machine, file: FileV, module: nodes.Module) -> None:
    if file.base is not None:
        _again(m, file.base)
        return
    file.env.names.clear()
    file.base = _first(m, module, file.env)


def _first(m: Machine, module: nodes.Module, env: Environment) -> Definitions:
    fresh: list[nodes.Stmt] = []
    with suppress(ProgramRaise, PathEndError, GeneratorStop):  # what stands above has been defined
        _run(m, module.body, fresh)
    return Definitions(env, dict(env.names), fresh)


def _again(m: Machine, base: Definitions) -> None:
    base.env.names.clear()
    base.env.names.update(base.names)
    for stmt in base.fresh:
        _quietly(m, stmt)


@contextmanager
def _undecided(m: Machine) -> Iterator[None]:
    """Take the defaults of open conditions, and none of the path's decisions.

    Definitions are run on the first path alone; those that follow its script must find the same questions.
    """
    choices, assumed = m.choices, len(m.trace.assumed)
    m.choices = Choices()
    try:
        yield
    finally:
        m.choices = choices
        del m.trace.assumed[assumed:]


@contextmanager
def _aside(m: Machine, frame: Frame) -> Iterator[None]:
    """Run as an import does, before all else: at the clock's start, in no loop, with gradients on.

    What happens there is the concern of the file itself.
    """
    seq, turn, grad, events = m.seq, m.turn, m.grad, len(m.trace.events)
    depth = len(m.frames)
    m.seq, m.turn, m.grad = 0, None, True
    m.frames.append(frame)
    try:
        yield
    finally:
        del m.frames[depth:]
        del m.trace.events[events:]
        m.seq, m.turn, m.grad = max(seq, m.seq), turn, grad


def _run(m: Machine, body: nodes.Block, fresh: list[nodes.Stmt]) -> None:
    """Imports, functions, classes, plain assignments; not what the module does."""
    for stmt in body:
        match stmt:
            case nodes.FunctionDef() | nodes.ClassDef() | nodes.Import() | nodes.ImportFrom():
                statements.block(m, (stmt,))
            case nodes.Assign(value=nodes.Const()) if not any(
                isinstance(target, (nodes.Name, nodes.Sequence)) for target in stmt.targets
            ):
                pass  # a configuration's default, which a user may set otherwise
            case nodes.Assign() if not _trains(stmt):
                if not isinstance(stmt.value, nodes.Const):
                    fresh.append(stmt)
                _quietly(m, stmt)
            case nodes.If() if not _is_main_guard(stmt):
                _run(m, stmt.body, fresh)
                _run(m, stmt.orelse, fresh)
            case nodes.Try():
                _run(m, stmt.body, fresh)
            case _:
                pass


def _quietly(m: Machine, stmt: nodes.Stmt) -> None:
    try:
        statements.block(m, (stmt,))
    except (ProgramRaise, PathEndError):
        return


def _trains(stmt: nodes.Stmt) -> bool:
    return any(isinstance(node, nodes.Name) and node.id in ("train", "main") for node in descend(stmt))


def _is_main_guard(stmt: nodes.If) -> bool:
    return any(isinstance(node, nodes.Name) and node.id == "__name__" for node in descend(stmt.test))
