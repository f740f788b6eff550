"""Running a program path by path, root by root."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lintgrad.machine import classes, functions, keeping, members, protocol, statements
from lintgrad.machine.choices import BudgetError, Choices, Frontier, PathEndError
from lintgrad.machine.definitions import define
from lintgrad.machine.frames import Environment, Frame
from lintgrad.machine.library import Library
from lintgrad.machine.machine import Machine
from lintgrad.machine.observations import Backward, Clear, Run, Step, Trace
from lintgrad.machine.program import Program
from lintgrad.machine.stops import GeneratorStop, ProgramRaise
from lintgrad.machine.tree import Tree
from lintgrad.machine.values import Arguments, ClassV, FunctionV, Instance, Lit
from lintgrad.program import nodes
from lintgrad.program.effects import ROOTS


@dataclass(frozen=True, slots=True)
class Budget:
    """How much may be run: paths of one root, statements of one path and of all paths of a file.

    A root whose first paths have shown no backward and no step gets `quiet_paths` alone, and so does one
    once `imported` statements of other files were run: those files are run for themselves, too.
    """

    paths: int = 10
    quiet_paths: int = 2
    path_steps: int = 5_000
    steps: int = 25_000
    imported: int = 3_000


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


def explore(
    module: nodes.Module, library: Library, budget: Budget | None = None, tree: Tree | None = None
) -> Run:
    """Run the module's own code, then each function that none reached, on all paths within budget.

    With a `tree`, what the program imports from its other files is run as its callers use it.
    """
    budget = budget or Budget()
    program = Program(module, tree)
    run = Run(module.path)
    left = [budget.steps]
    _run_root(program, library, Root(None), budget, run, left)
    for root in _function_roots(program, library):
        if root.function is not None and id(root.function) not in program.reached:
            _run_root(program, library, root, budget, run, left)
    run.exhausted = run.exhausted or any(trace.exhausted for trace in run.traces)
    if tree is not None:
        _number_reached(program, run)
    return run


def _number_reached(program: Program, run: Run) -> None:
    """Name the functions that were reached so that other processes know them: by file and number."""
    numbers = {
        id(function): (module.path, number)
        for module in program.modules.values()
        if module is not None
        for number, function in enumerate(module.functions)
    }
    for origin, entered in program.entered.items():
        run.reached[origin] = frozenset(numbers[one] for one in entered if one in numbers)


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
        entry = cls is not None and library.is_entry(cls, function.name)
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
    quiet, whole = True, 0
    while (script := frontier.next()) is not None:
        if left[0] <= 0:
            run.exhausted = True
            break
        choices = Choices(script)
        steps = min(budget.path_steps, left[0])
        trace = Trace(root.name, origin=program.number(root.function))
        m = Machine(program, library, choices, trace, steps)
        _run_path(m, root)
        if not trace.exhausted:
            program.entered.setdefault(trace.origin, set()).update(m.entered)
        left[0] -= steps - max(m.steps, 0) + 1
        program.imported += m.imported
        frontier.add(choices)
        run.traces.append(trace)
        quiet = quiet and not any(isinstance(event, (Backward, Step, Clear)) for event in trace.events)
        whole += not trace.raised
        if whole >= budget.quiet_paths:
            if quiet:
                break
            if program.imported > budget.imported and frontier.waiting:
                frontier.left = True
                break
    run.exhausted = run.exhausted or frontier.left
    if run.traces and (frontier.left or left[0] <= 0):
        run.traces[-1].last = True


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
            define(m)
            _run_function(m, root)
    except (BudgetError, RecursionError):
        # What runs without end by calls that are no statements (a module that holds itself) ends here.
        m.trace.exhausted = True
    except ProgramRaise:
        m.trace.raised = True
    except (PathEndError, GeneratorStop):
        pass
    m.trace.unseen_step = m.trace.unseen_step or m.touched_all >= 0
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
    if value is not None and getattr(value, "definition", None) is not function:
        value = m.program.made.get(id(function))  # a decorator has put another in its place
    if isinstance(value, FunctionV):
        args = functions.inferred_arguments(m, value, method=False)
        result = functions.call_function(m, value, None, args, function)
        m.escape(result)
        protocol.hand_out(m, result)


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
    if not isinstance(method, FunctionV) or method.definition is not function:
        method = m.program.made.get(id(function))
    if method is not None:
        takes_self = method.kind != "static"
        given = functions.inferred_arguments(m, method, method=takes_self)
        m.escape(functions.call_function(m, method, instance if takes_self else None, given, function))
