"""Where a result comes from: the code behind it, versions, processor, device, commit, command. No host, user or path.

The hash of an experiment's code keeps results of other code from being believed. From the sampler on, every function,
class and constant that it names is followed through our modules (and a user's own). Docstrings, comments, layout and the
words of errors do not count: they change no value.
"""

import ast
import functools
import hashlib
import linecache
import os
import pickle
import platform
import subprocess
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from asymp._version import __version__
from asymp.montecarlo.draws import canonical
from asymp.montecarlo.lazy import torch

PACKAGES = ("theory", "models", "montecarlo", "reports")
LIBRARIES = ("torch", "sympy", "mpmath", "numpy", "scipy")
PATHS = ("--store", "--claims", "-o", "--output")
"""Options of the command line whose value is a path."""


def describe_machine() -> dict[str, str | int]:
    """CPU model, number of cores, GPU if any, and the versions that matter."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "gpu": torch.cuda.get_device_name(0) if torch.cuda.is_available() else "none",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


@functools.lru_cache(maxsize=4)
def machine(device: str) -> dict[str, Any]:
    """What computed: versions, processor, device, random generator, commit of asymp where it runs from a checkout."""
    described = describe_machine()
    on_gpu = device.startswith("cuda")
    return {
        "asymp": __version__,
        "commit": _commit(),
        **{name: described[name] for name in ("python", "torch", "numpy", "cpu")},
        "device": str(described["gpu"]) if on_gpu else "cpu",
        "generator": "torch cuda (Philox)" if on_gpu else "torch cpu (Mersenne Twister)",
    }


def _commit() -> str | None:
    """The commit that asymp runs from, `+` if files were changed since; None if it is not run from a checkout."""
    here = Path(__file__).resolve()

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "--no-optional-locks", "-C", str(here.parent), *words],
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", here.name)  # asymp may be installed inside another project's checkout
        return git("rev-parse", "HEAD") + ("+" if git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def command_line(store: Path | None) -> str:
    """The command as it was typed, without the machine: paths in the store relative to it, others by their last name."""
    program = Path(sys.argv[0] or "-c").name
    shown = ["python" if program in ("-c", "__main__.py") else program]
    for before, word in zip(["", *sys.argv[1:]], sys.argv[1:], strict=False):
        name, equals, value = word.partition("=")
        if before in PATHS or word.startswith((os.sep, f".{os.sep}", f"..{os.sep}", "~")):
            shown.append(_private(word, store))
        elif equals and name in PATHS:
            shown.append(f"{name}={_private(value, store)}")
        elif "://" in word:
            shown.append(word.partition("://")[0] + "://...")
        else:
            shown.append(word)
    return " ".join(shown)


def _private(word: str, store: Path | None) -> str:
    path = Path(word).absolute()
    if store is not None and path.is_relative_to(store.absolute()):
        return path.relative_to(store.absolute()).as_posix()
    return path.name


@functools.cache
def code_hash(packages: tuple[str, ...] = PACKAGES) -> str:
    """The hash of asymp's own source and of the versions of the libraries: other code may give other values."""
    whole = hashlib.sha256(" ".join(f"{name} {version(name)}" for name in LIBRARIES).encode())
    for package in packages:
        folder = Path(str(files(f"asymp.{package}")))
        for path in sorted(folder.rglob("*.py")):
            whole.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return whole.hexdigest()


def source_hash(sample: Callable[..., Any]) -> str | None:
    """A hash of the sampler's code and of what it uses; None where that cannot be known (a callable object's state)."""
    try:
        text = _described(sample)
    except (Unknown, RecursionError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Unknown(Exception):
    """The code behind an object cannot be found out."""


def _described(thing: Any) -> str:
    if isinstance(thing, functools.partial):
        return f"partial({_described(thing.func)}, {_plain(list(thing.args))}, {_plain(thing.keywords)})"
    if hasattr(thing, "depends_on"):
        used, words = thing.depends_on()
        code = [_from_source(type(thing).__module__, type(thing).__name__), *map(_described, used)]
        return ", ".join((*code, words))
    if not isinstance(thing, types.FunctionType):
        raise Unknown
    if _is_top_level(thing):
        return _from_source(thing.__module__, thing.__name__)
    return _from_code(thing, seen=set())


def _plain(value: Any) -> str:
    try:
        return repr(canonical(value))
    except ValueError:
        raise Unknown from None


def _is_top_level(function: types.FunctionType) -> bool:
    name = function.__name__
    module = sys.modules.get(function.__module__)
    if module is None or getattr(module, name, None) is not function or function.__qualname__ != name:
        return False
    return any(isinstance(node, ast.FunctionDef) for node in _definitions(function.__module__).get(name, []))


def _from_source(module: str, name: str) -> str:
    """The texts of all definitions that `name` reaches, in a fixed order."""
    reached: dict[tuple[str, str], str] = {}
    waiting = [(module, name)]
    while waiting:
        at = waiting.pop()
        if at in reached:
            continue
        reached[at] = ""
        for node in _definitions(at[0]).get(at[1], []):
            text, used = _read(node, *at)
            reached[at] += text
            waiting += used
    return "\n".join(f"{where}:{what}\n{text}" for (where, what), text in sorted(reached.items()) if text)


@functools.lru_cache(maxsize=8192)
def _read(node: ast.AST, module: str, name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """The text of a definition that matters, and what it names."""
    text = ""
    if not isinstance(node, ast.Import | ast.ImportFrom):
        copied = pickle.loads(pickle.dumps(node))  # in a tenth of the time of copy.deepcopy
        text = ast.unparse(_Bare().visit(copied))
    return text, tuple(sorted(set(_uses(module, node, name))))


def _uses(module: str, node: ast.AST, name: str) -> Iterator[tuple[str, str]]:
    """What a definition names: in its own module, or, through imports (also those inside it), in others of ours."""
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            yield module, part.id
        elif isinstance(part, ast.ImportFrom) and part.module and not part.level and _is_followed(part.module):
            for alias in part.names:
                if not isinstance(node, ast.ImportFrom) or (alias.asname or alias.name) == name:
                    yield part.module, alias.name
                    yield f"{part.module}.{alias.name}", "*"
        elif isinstance(part, ast.Import):
            for alias in part.names:
                if _is_followed(alias.name):
                    yield alias.name, "*"


def _is_followed(module: str) -> bool:
    """Whether a module is ours or the user's own, not a library's."""
    if module.split(".")[0] == "asymp":
        return True
    file = _origin(module)
    return file is not None and not _is_library(file)


# Libraries may come from another environment than this one (the user's own, the system's, one added by path).
INSTALLED = {"site-packages", "dist-packages"}


@functools.lru_cache(maxsize=4096)
def _is_library(file: str) -> bool:
    path, paths = Path(file), sysconfig.get_paths()
    return not INSTALLED.isdisjoint(path.parts) or any(
        path.is_relative_to(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")
    )


def _origin(module: str) -> str | None:
    """The file of a module, loaded or not: what is imported late must not change the hash."""
    loaded = sys.modules.get(module)
    return _sought(module) if loaded is None else getattr(loaded, "__file__", None)


@functools.lru_cache(maxsize=2048)
def _sought(module: str) -> str | None:
    try:
        spec = find_spec(module)
    except (ImportError, ValueError, AttributeError):
        return None
    return spec.origin if spec is not None and spec.has_location else None


def _definitions(module: str) -> dict[str, list[ast.AST]]:
    """The top-level names of a module and the statements that bind or change them; `*` is the whole module."""
    file = _origin(module)
    if file is None:
        return {}
    try:
        status = os.stat(file)
        return _parsed(_text(file, status.st_mtime_ns, status.st_size))
    except (OSError, UnicodeDecodeError):
        # The text of a file that came from another machine is kept there.
        return _parsed("".join(linecache.getlines(file))) if file in linecache.cache else {}


@functools.lru_cache(maxsize=512)
def _text(file: str, changed: int, size: int) -> str:
    return Path(file).read_text(encoding="utf-8")


@functools.lru_cache(maxsize=512)
def _parsed(text: str) -> dict[str, list[ast.AST]]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return {}
    found: dict[str, list[ast.AST]] = {"*": [tree]}
    for node in tree.body:
        for name in dict.fromkeys(_bound(node)):
            found.setdefault(name, []).append(node)
    return found


# What is bound inside these is not a name of the module.
SCOPES = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a statement of a module binds, also inside `if`, `try`, `with` and `for`."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from ((alias.asname or alias.name).split(".")[0] for alias in node.names)
    elif isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store):
            yield node.id
    elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
        yield from (part.id for part in ast.walk(node.value) if isinstance(part, ast.Name))
    elif not isinstance(node, SCOPES):
        for part in ast.iter_child_nodes(node):
            yield from _bound(part)


class _Bare(ast.NodeTransformer):
    """Without docstrings, annotations and the words of errors."""

    def without_docstring(self, node: ast.Module | ast.FunctionDef | ast.ClassDef) -> ast.AST:
        self.generic_visit(node)
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
            node.body = node.body[1:] or [ast.Pass()]
        return node

    visit_Module = visit_ClassDef = without_docstring

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.without_docstring(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        if isinstance(node.exc, ast.Call):
            node.exc, node.cause = node.exc.func, None
        return node


def _from_code(function: types.FunctionType, seen: set[int]) -> str:
    """A function without a home (a closure, a lambda, a notebook's): its bytecode and the values that it catches."""
    if id(function) in seen:
        return "again"
    seen.add(id(function))
    if _is_followed(function.__module__) and _is_top_level(function):
        return _from_source(function.__module__, function.__name__)
    caught = [cell.cell_contents for cell in function.__closure__ or ()]
    known = function.__globals__
    named = [known[name] for name in sorted(_names(function.__code__)) if name in known]
    defaults = [*(function.__defaults__ or ()), *(v for _, v in sorted((function.__kwdefaults__ or {}).items()))]
    return "\n".join([_code(function.__code__), *(_value(v, seen) for v in [*caught, *named, *defaults])])


def _value(value: Any, seen: set[int]) -> str:
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, types.FunctionType) and _is_followed(value.__module__):
        return _from_code(value, seen)
    if isinstance(value, type | types.FunctionType | types.BuiltinFunctionType):
        if _is_followed(value.__module__ or "") and (value.__module__ or "") != "builtins":
            text = _from_source(value.__module__, value.__name__)
            if not text:
                raise Unknown
            return text
        return f"{value.__module__}.{value.__qualname__}"
    return _plain(value)


def _names(code: types.CodeType) -> set[str]:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner)) if inner else set(code.co_names)


def _code(code: types.CodeType) -> str:
    consts = [_code(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {consts}"
