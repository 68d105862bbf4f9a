"""What a piece of Python's bytecode names, and a text of it that is equal for equal code."""

import builtins
import contextlib
import dis
import sys
import types
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from typing import Any

from asymp.montecarlo.running.packages import of_package

HAS_DOCSTRING = 0x4000000  # a flag of code objects from Python 3.13 on
TAKES_MORE = 0x0C  # flags of code objects: *args, **kwargs
PASSED_OVER = {"EXTENDED_ARG", "CACHE", "PUSH_NULL", "NOP", "RESUME", "PRECALL", "SWAP", "POP_TOP", "LOAD_CLOSURE"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}
PLAIN = (type(None), type(Ellipsis), bool, int, float, complex, str, bytes, range)


class Unknown(Exception):
    """What an object depends on cannot be found out: the reason."""


def caught(function: types.FunctionType) -> dict[str, Any]:
    """What a closure has caught, by name."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # a cell that nothing has been put into
            found[name] = cell.cell_contents
    return found


def reached(code: types.CodeType, known: Mapping[str, Any], local: Mapping[str, Any]) -> Iterator[Any]:
    """What the names in a piece of code stand for: of modules what stands behind their name, in `pkg.core.f` the f.

    `known`: its globals. `local`: what a closure has caught, by name; what the code imports itself is added.
    """
    local = dict(local)
    steps = [step for step in dis.get_instructions(code) if step.opname not in PASSED_OVER]
    source: Any = None  # the module of the import statement that is being read
    bound: Any = None  # what it binds to the next name that is stored
    for i, step in enumerate(steps):
        names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
        if step.opname == "IMPORT_NAME":
            level, taken = (before.argval for before in steps[i - 2 : i])
            bound = _imported(step.argval, level, known)
            source = bound if taken else None
            if (
                not taken and steps[i + 1].opname != "IMPORT_FROM"
            ):  # `import a.b` binds a, `import a.b as x` takes b from a.b
                bound = sys.modules[step.argval.partition(".")[0]]
        elif step.opname == "IMPORT_FROM" and source is not None:
            bound = _member(source, step.argval)
        elif step.opname.startswith("STORE_") and bound is not None:
            local[names[0]], bound = bound, None
        if step.opname.startswith("LOAD_") and step.opname not in (*ATTRIBUTES, "LOAD_CONST"):
            for name in (n for n in names if isinstance(n, str)):
                everywhere = (known, local, vars(builtins))
                for scope in everywhere if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") else (local,):
                    if name in scope:
                        yield _behind(scope[name], steps[i + 1 :])
                        break
    for inner in (c for c in code.co_consts if isinstance(c, types.CodeType)):
        yield from reached(inner, known, {name: local[name] for name in inner.co_freevars if name in local})


def _behind(thing: Any, steps: Iterable[dis.Instruction]) -> Any:
    """What stands behind the name of a module: the attribute that the next steps ask for."""
    for step in steps:
        if not isinstance(thing, types.ModuleType) or step.opname not in ATTRIBUTES:
            break
        holder, thing = thing, _member(thing, step.argval)
        if type(thing) in PLAIN and of_package(holder.__name__):
            return f"{of_package(holder.__name__)} {thing!r}"  # constants of libraries and packages count by these, too
    return thing


def _member(module: types.ModuleType, name: str) -> Any:
    """An attribute of a module, or a module in its package that is not loaded yet."""
    try:
        return getattr(module, name)
    except AttributeError:
        return _imported(f"{module.__name__}.{name}", 0, {})


def _imported(name: str, level: int, known: Mapping[str, Any]) -> types.ModuleType:
    """A module that a function imports when it runs."""
    try:
        return import_module("." * level + name, known.get("__package__"))
    except (ImportError, TypeError) as error:
        raise Unknown(f"it uses {name}, which cannot be imported") from error


def words_of(code: types.CodeType) -> set[str]:
    """The names that a piece of code mentions, and texts that could be names: getattr(module, "name")."""
    found = {str(word) for step in dis.get_instructions(code) for word in [step.argval] if isinstance(word, str)}
    return found.union(*(words_of(c) for c in code.co_consts if isinstance(c, types.CodeType)))


def bytecode(code: types.CodeType) -> str:
    consts = list(code.co_consts)
    documented = code.co_flags & HAS_DOCSTRING if sys.version_info >= (3, 13) else not code.co_name.startswith("<")
    if documented and consts and isinstance(consts[0], str):
        consts[0] = None
    words = [bytecode(c) if isinstance(c, types.CodeType) else _constant(c) for c in consts]
    takes = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & TAKES_MORE
    names = code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars
    return f"{code.co_code.hex()} {code.co_exceptiontable.hex()} {takes} {names} {words}"


def _constant(value: object) -> str:
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)
