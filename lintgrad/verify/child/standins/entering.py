"""Running one entry of a file: its top level as far as it goes, then the function on stand-ins."""

from __future__ import annotations

import ast
import builtins
import inspect
import sys
import types
from typing import Any

import torch

from lintgrad.verify.child.frames import Program
from lintgrad.verify.child.run import Run
from lintgrad.verify.child.standins import guards
from lintgrad.verify.child.standins.easing import ease
from lintgrad.verify.child.standins.helpers import Helpers
from lintgrad.verify.child.standins.kinds import Makers
from lintgrad.verify.child.standins.repair import repaired
from lintgrad.verify.child.standins.values import Bold, Standing
from lintgrad.verify.protocol import Entry

_CALLS = 3
"""How often a function is called: what only shows the second time is to show."""


class _Builtins(dict[str, Any]):
    """Python's own names; any other name that nothing defines is stood in for."""

    def __init__(self, makers: Makers) -> None:
        super().__init__(vars(builtins))
        self.makers = makers

    def __missing__(self, name: str) -> Any:
        if name.startswith("__"):
            raise KeyError(name)
        return self.makers.make(name)


def run_entry(run: Run) -> None:
    """Run the plan's entry; for `Run.go`."""
    entry = run.plan.entry
    assert entry is not None
    makers = Makers(entry.kinds)
    run.watch.repair = repaired
    ease()
    if run.plan.bold:
        model = makers.make("lg_model")
        Bold.graph = lambda: model(None).lg_graph
    run.watch.nodes.is_firm = lambda: Standing.depth == 0
    run.watch.gradients.is_firm = lambda _: not makers.shared
    module = types.ModuleType("lintgrad_probe")
    sys.modules[module.__name__] = module
    names = module.__dict__
    names.update(run.names(), __file__=run.plan.path, __builtins__=_Builtins(makers))
    names.update(Helpers(run, makers).names())
    tree = guards.Guards().visit(_without_main(run.tree, entry))
    assert isinstance(tree, ast.Module)
    exec(compile(ast.fix_missing_locations(tree), Program.file, "exec"), names)  # noqa: S102 - see whole_file
    try:
        if entry.function:
            _call(entry, names, makers)
    finally:
        run.record.guessed = Standing.guessed


def _without_main(tree: ast.Module, entry: Entry) -> ast.Module:
    """The file's top level without its main block, and for a function without its loops."""
    if entry.function:
        tree.body = [s for s in tree.body if not isinstance(s, (ast.For, ast.While)) and not _is_main(s)]
    return tree


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__name__" in ast.dump(statement.test)


def _call(entry: Entry, names: dict[str, Any], makers: Makers) -> None:
    *owners, name = entry.function.split(".")
    function: Any = names[owners[0] if owners else name]
    if owners:
        made = _instance(function, makers)
        function = getattr(made, name)
    for _ in range(_CALLS):
        args, kwargs = _arguments(function, makers)
        result = function(*args, **kwargs)
        if inspect.isgenerator(result):
            for _ in zip(range(_CALLS), result):  # noqa: B905 - the first few of however many
                pass


def _instance(owner: Any, makers: Makers) -> Any:
    """An instance, by the class's own `__init__` as far as that goes; what it lacks is stood in for."""

    def missing(self: Any, name: str) -> Any:
        if isinstance(self, torch.nn.Module):
            for table in ("_parameters", "_buffers", "_modules"):
                if name in self.__dict__.get(table, {}):
                    return self.__dict__[table][name]
        if name.startswith("__"):
            raise AttributeError(name)
        return makers.make(f"self.{name}")

    kind = type(owner.__name__, (owner,), {"__getattr__": missing, "__module__": owner.__module__})
    made: Any = object.__new__(kind)
    if isinstance(made, torch.nn.Module):
        torch.nn.Module.__init__(made)
    args, kwargs = _arguments(made.__init__, makers)
    made.__init__(*args, **kwargs)
    return made


def _arguments(function: Any, makers: Makers) -> tuple[list[Any], dict[str, Any]]:
    """Stand-ins for the parameters that have no default, or None for one."""
    args, kwargs = list[Any](), dict[str, Any]()
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return args, kwargs
    for parameter in parameters:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        given = parameter.default is not parameter.empty and parameter.default is not None
        value = parameter.default if given else makers.make(parameter.name)
        if parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[parameter.name] = value
        else:
            args.append(value)
    return args, kwargs
