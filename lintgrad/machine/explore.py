"""Running a program path by path, root by root."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lintgrad.machine import classes, functions, keeping, members, statements
from lintgrad.machine.choices import BudgetError, Choices, Frontier, PathEndError
from lintgrad.machine.frames import Environment, Frame
from lintgrad.machine.library import Library
from lintgrad.machine.machine import Definitions, Machine, Program
from lintgrad.machine.observations import Backward, Clear, Run, Step, Trace
from lintgrad.machine.stops import GeneratorStop, ProgramRaise
from lintgrad.machine.values import Arguments, ClassV, FunctionV, Instance, Lit
from lintgrad.program import nodes
from lintgrad.program.effects import ROOTS
from lintgrad.program.walk import descend


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be run: paths of one root, statements of one path and of all paths of a file.

    A root whose first paths have shown no backward and no step gets `quiet_paths` alone.
    """

    paths: int = 10
    quiet_paths: int = 2
    path_steps: int = 5_000
    steps: int = 25_000


@dataclass(frozen=True, slots=True)
class Root:
    """Where an execution starts: the module's own code (None), or a function of a class or of none."""

    function: nodes.FunctionDef | None
    cls: nodes.ClassDef | None = None

    @property
    def name(self) -> str:
        """How `lintgrad show` calls it."""
        if self.function is None:
            return "<module>"
        return f"{self.cls.name}.{self.function.name}" if self.cls else self.function.name


def explore(module: nodes.Module, library: Library, budget: Budget | None = None) -> Run:
    """Run the module's own code, then each function that none reached, on all paths within budget."""
    budget = budget or Budget()
    program = Program(module)
    run = Run(module.path)
    left = [budget.steps]
    _run_root(program, library, Root(None), budget, run, left)
    for root in _function_roots(program, library):
        if root.function is not None and id(root.function) not in program.reached:
            _run_root(program, library, root, budget, run, left)
    run.exhausted = run.exhausted or any(trace.exhausted for trace in run.traces)
    return run


def _function_roots(program: Program, library: Library) -> list[Root]:
    """Functions worth running by themselves: a framework's entries first, those that others name last."""
    owners = {
        id(s): cls for cls in program.module.classes for s in cls.body if isinstance(s, nodes.FunctionDef)
    }
    top = {id(s) for s in descend_top(program.module.body)}
    naming = Counter(word for function in program.module.functions for word in function.words)
    found: list[tuple[int, Root]] = []
    for function in program.module.functions:
        cls = owners.get(id(function))
        if cls is None and id(function) not in top:
            continue
        entry = cls is not None and library.is_entry(function.name)
        if not entry and not program.effects.of_function(function) & ROOTS:
            continue
        named = naming[function.name] > (function.name in function.words)
        found.append((int(named) - 2 * entry, Root(function, cls)))
    return [root for _, root in sorted(found, key=lambda pair: pair[0])]


def descend_top(body: nodes.Block) -> list[nodes.FunctionDef]:
    """Functions defined at module level, also inside `if` and `try`."""
    found: list[nodes.FunctionDef] = []
    for stmt in body:
        match stmt:
            case nodes.FunctionDef():
                found.append(stmt)
            case nodes.If():
                found += descend_top(stmt.body) + descend_top(stmt.orelse)
            case nodes.Try():
                found += descend_top(stmt.body)
            case _:
                pass
    return found


def _run_root(
    program: Program, library: Library, root: Root, budget: Budget, run: Run, left: list[int]
) -> None:
    frontier = Frontier(budget.paths)
    quiet = True
    while (script := frontier.next()) is not None:
        if left[0] <= 0:
            run.exhausted = True
            return
        choices = Choices(script)
        steps = min(budget.path_steps, left[0])
        trace = Trace(root.name)
        m = Machine(program, library, choices, trace, steps)
        _run_path(m, root)
        left[0] -= steps - max(m.steps, 0) + 1
        frontier.add(choices)
        run.traces.append(trace)
        quiet = quiet and not any(isinstance(event, Backward | Step | Clear) for event in trace.events)
        if quiet and frontier.started >= budget.quiet_paths:
            break
    run.exhausted = run.exhausted or frontier.left


def _run_path(m: Machine, root: Root) -> None:
    """One path, to its end, its exit or its budget's end."""
    module = m.program.module
    env = Environment({}, None, born=0) if m.program.base is None else m.program.base.env
    env.names["__name__"] = Lit("__main__" if root.function is None else "module")
    m.frames.append(Frame(env, module.path, "<module>", uses=module.uses))
    try:
        if root.function is None:
            statements.block(m, module.body)
        else:
            _define(m)
            _run_function(m, root)
    except (BudgetError, RecursionError):
        # What runs without end by calls that are no statements (a module that holds itself) ends here.
        m.trace.exhausted = True
    except (PathEndError, ProgramRaise, GeneratorStop):
        pass
    del m.frames[1:]
    keeping.settle(m)


def _run_function(m: Machine, root: Root) -> None:
    function = root.function
    assert function is not None
    m.trace.events.clear()
    owner = m.frame.env.lookup(root.cls.name) if root.cls is not None else None
    if isinstance(owner, ClassV):
        _run_method(m, owner, function)
        return
    value = m.frame.env.lookup(function.name)
    if isinstance(value, FunctionV) and value.definition is function:
        args = functions.inferred_arguments(m, value, method=False)
        m.escape(functions.call_function(m, value, None, args, function))


def _run_method(m: Machine, owner: ClassV, function: nodes.FunctionDef) -> None:
    """Make an instance as its own constructor would, then call the method on it."""
    initializer = members.class_member(owner, "__init__")
    args = Arguments()
    if isinstance(initializer, FunctionV):
        args = functions.inferred_arguments(m, initializer, method=True)
    if function.name == "__init__":
        classes.instantiate(m, owner, args, function)
        return
    instance = classes.instantiate(m, owner, args, function)
    m.trace.events.clear()
    if isinstance(instance, Instance) and m.library.drive(m, instance, function):
        return
    method = owner.members.get(function.name)
    if isinstance(method, FunctionV) and method.definition is function:
        takes_self = method.kind != "static"
        given = functions.inferred_arguments(m, method, method=takes_self)
        m.escape(functions.call_function(m, method, instance if takes_self else None, given, function))


def _define(m: Machine) -> None:
    """Put the module's definitions into the running frame: the first time by running them all."""
    base = m.program.base
    if base is None:
        fresh: list[nodes.Stmt] = []
        definitions(m, m.program.module.body, fresh)
        env = m.frame.env
        m.program.base = Definitions(env, dict(env.names), fresh)
        return
    base.env.names.clear()
    base.env.names.update(base.names)
    for stmt in base.fresh:
        _quietly(m, stmt)


def definitions(m: Machine, body: nodes.Block, fresh: list[nodes.Stmt]) -> None:
    """Run what a module defines, and not what it does: imports, functions, classes, plain assignments."""
    for stmt in body:
        match stmt:
            case nodes.FunctionDef() | nodes.ClassDef() | nodes.Import() | nodes.ImportFrom():
                statements.block(m, (stmt,))
            case nodes.Assign() if not _trains(stmt):
                if not isinstance(stmt.value, nodes.Const):
                    fresh.append(stmt)
                _quietly(m, stmt)
            case nodes.If() if not _is_main_guard(stmt):
                definitions(m, stmt.body, fresh)
                definitions(m, stmt.orelse, fresh)
            case nodes.Try():
                definitions(m, stmt.body, fresh)
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
