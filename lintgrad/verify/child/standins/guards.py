"""The program's tree with its statements guarded: what fails is skipped, its names are stood in for.

Headers of loops, conditions and contexts are guarded as well, and what is taken apart is made to have as many
parts as it is taken into.
"""

from __future__ import annotations

import ast

SKIP, STAND, UNKNOWN, EACH, TAKE, TRY, KIND = (
    "__lg_skip__",
    "__lg_stand__",
    "__lg_unknown__",
    "__lg_each__",
    "__lg_take__",
    "__lg_try__",
    "__lg_kind__",
)
_SIMPLE = (
    ast.Expr,
    ast.Assign,
    ast.AugAssign,
    ast.AnnAssign,
    ast.Import,
    ast.ImportFrom,
    ast.Delete,
    ast.Assert,
)
_NO_LAMBDA = (ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


class Guards(ast.NodeTransformer):
    """Wraps each statement that may fail."""

    def visit(self, node: ast.AST) -> ast.AST | list[ast.stmt]:
        """The node with its statements guarded; imports of the future and docstrings stay as they are."""
        done = self.generic_visit(node)
        if isinstance(done, ast.ImportFrom) and done.module == "__future__":
            return done
        if isinstance(done, ast.Expr) and isinstance(done.value, ast.Constant):
            return done
        if isinstance(done, (ast.For, ast.comprehension)):
            done.iter = _call(EACH, _later(done.iter), _arity(done.target))
        elif isinstance(done, (ast.If, ast.While)):
            done.test = _call(TRY, _later(done.test))
        elif isinstance(done, (ast.With, ast.AsyncWith)):
            for item in done.items:
                item.context_expr = _call(TRY, _later(item.context_expr))
        elif isinstance(done, ast.Return) and done.value is not None:
            return _guarded(done, [ast.Return(_stand("result"))])
        elif isinstance(done, (*_SIMPLE, ast.ClassDef)):
            return self._simple(done)
        return done

    def _simple(self, done: ast.stmt) -> ast.stmt:
        if isinstance(done, ast.Assign):
            target = done.targets[0]
            if isinstance(target, (ast.Tuple, ast.List)):
                done.value = _call(TAKE, done.value, _arity(target))
            elif isinstance(target, (ast.Name, ast.Attribute)):
                owner = target.value if isinstance(target, ast.Attribute) else ast.Constant(None)
                loaded = ast.parse(ast.unparse(owner), mode="eval").body
                done.value = _call(KIND, done.value, ast.Constant(ast.unparse(target)), loaded)
        return _guarded(done, [_bind(name, done) for name in _bound(done)])


def _later(value: ast.expr) -> ast.expr:
    """`value` as a function, so that its failure can be caught; in a tuple where it cannot be one."""
    if any(isinstance(node, _NO_LAMBDA) for node in ast.walk(value)):
        held = ast.Constant(None)
        return ast.Tuple([value, held], ast.Load())
    none = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    return ast.Lambda(none, value)


def _arity(target: ast.expr) -> ast.expr:
    """What a target takes apart, as nested tuples; 0 for a part that is taken whole, -1 for any number."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return ast.Tuple([_arity(part) for part in target.elts], ast.Load())
    return ast.Constant(-1 if isinstance(target, ast.Starred) else 0)


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        names = [alias.asname or alias.name.split(".")[0] for alias in statement.names]
        return [name for name in names if name != "*"]
    if isinstance(statement, ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [
        n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    ]


def _guarded(statement: ast.stmt, instead: list[ast.stmt]) -> ast.stmt:
    is_import = isinstance(statement, (ast.Import, ast.ImportFrom))
    error = ast.Name("__lg_error__", ast.Load())
    skip = ast.Expr(_call(SKIP, ast.Constant(statement.lineno), error))
    caught = "ImportError" if is_import else "Exception"
    body = [*([] if is_import else [skip]), *instead] or [ast.Pass()]
    handler = ast.ExceptHandler(ast.Name(caught, ast.Load()), "__lg_error__", body)
    guarded = ast.Try([statement], [handler], [], [])
    for node in ast.walk(guarded):
        if not hasattr(node, "lineno") and isinstance(node, (ast.stmt, ast.expr, ast.ExceptHandler)):
            ast.copy_location(node, statement)
    return guarded


def _stand(name: str) -> ast.expr:
    return _call(STAND, ast.Constant(name))


def _bind(name: str, failed: ast.stmt) -> ast.stmt:
    # What an import or a class is called says nothing of what calling it gives.
    is_definition = isinstance(failed, (ast.Import, ast.ImportFrom, ast.ClassDef))
    value = _call(UNKNOWN, ast.Constant(name)) if is_definition else _stand(name)
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
