"""What files of the user's do to libraries when they are loaded: `mpmath.mp.dps = 50`, `lib.setup(1)`, `@lib.register`.

Nothing that a sampler names shows it, and yet its values may depend on it. So such statements count by their text and by
what they name.
"""

import ast
import builtins
import linecache
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from importlib.util import resolve_name
from typing import Any

from asymp.montecarlo.running.packages import LIBRARIES, is_standard, of_package

Known = Mapping[str, Any]


def statements(entered: Iterable[Known]) -> Iterator[tuple[str, types.CodeType, Known]]:
    """Statements that act on libraries, in the modules with these globals and those of the user's that they import.

    As text without layout, as code, and the globals without libraries, in which to look up what the code names.
    """
    waiting, done = list(entered), set[int]()
    while waiting:
        known = waiting.pop(0)
        if id(known) in done:
            continue
        done.add(id(known))
        own = {n: v for n, v in known.items() if not _package(v) or not isinstance(v, types.ModuleType)}
        for statement in _top(_parsed(known).body):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                waiting += [vars(module) for module in _named(statement, known) if not of_package(module.__name__)]
            elif _acts(statement, known):
                code = compile(ast.Module([statement], []), "statement", "exec")
                yield ast.dump(statement), code, own


def _parsed(known: Known) -> ast.Module:
    file = known.get("__file__")
    if not isinstance(file, str) or not file.endswith(".py"):
        return ast.Module([], [])
    linecache.checkcache(file)
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # the file is another one by now
        return ast.Module([], [])


def _top(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that run when a module is loaded; a loop as a whole."""
    for statement in body:
        inner = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        if isinstance(statement, ast.If | ast.Try | ast.With):
            yield from _top(one for part in inner for one in part)
            yield from _top(one for handler in getattr(statement, "handlers", []) for one in handler.body)
        else:
            yield statement


def _named(statement: ast.Import | ast.ImportFrom, known: Known) -> Iterator[types.ModuleType]:
    """The modules that an import statement names."""
    if isinstance(statement, ast.Import):
        names = [alias.name for alias in statement.names]
    else:
        home = "." * statement.level + (statement.module or "")
        try:
            home = resolve_name(home, known.get("__package__") or "")
        except ImportError:
            return
        names = [home, *(f"{home}.{alias.name}" for alias in statement.names)]
    for name in names:
        for known_as in (name.partition(".")[0], name):
            if isinstance(sys.modules.get(known_as), types.ModuleType):
                yield sys.modules[known_as]


def _acts(statement: ast.stmt, known: Known) -> bool:
    """Whether a statement calls a library for what it does, or sets something in one."""
    if isinstance(statement, ast.For | ast.While):
        return any(_acts(one, known) for one in _top(statement.body))
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        bases = getattr(statement, "bases", [])
        return any(_of_small_package(known.get(_root(one))) for one in [*statement.decorator_list, *bases])
    on: list[ast.expr] = []
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = statement.value.func
        on = [statement.value.args[0] if _root(called) in ("setattr", "delattr") and statement.value.args else called]
    elif isinstance(statement, ast.Assign | ast.Delete):
        on = [target for target in statement.targets if isinstance(target, ast.Attribute | ast.Subscript)]
    elif isinstance(statement, ast.AugAssign | ast.AnnAssign):
        on = [statement.target] if isinstance(statement.target, ast.Attribute | ast.Subscript) else []
    things = [known.get(_root(one)) for one in on]
    return any(thing is not None and _package(thing) for thing in things)


def _root(node: ast.AST) -> str:
    """The name that `name.attribute[...].method(...)` begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _package(thing: object) -> str:
    """The library that a thing is of: a module, a function, a class, an object; not asymp, and nothing of Python's own."""
    if thing is None or isinstance(thing, bool | int | float | str | list | tuple | dict | set):
        return ""
    home = thing.__name__ if isinstance(thing, types.ModuleType) else getattr(thing, "__module__", None)
    home = home if isinstance(home, str) else type(thing).__module__
    top = home.partition(".")[0]
    return top if top not in ("asymp", builtins.__name__) and of_package(home) else ""


def _of_small_package(thing: object) -> bool:
    """Whether a thing is of an installed package that is none of the large libraries."""
    top = _package(thing)
    return bool(top) and top not in LIBRARIES and not is_standard(top)
