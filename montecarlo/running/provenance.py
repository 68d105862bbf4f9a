"""Where a result comes from: the code behind it, versions, processor, device, commit, command. No host, user or path.

The hash of an experiment's code keeps results of other code from being believed. It is made of what the sampler reaches in
memory: the bytecode of a user's functions and the values that they name (tables, arrays, nets), the files of asymp that it
comes from, the files of other installed packages. Where that cannot be known (a file read while it runs) nothing is kept.
"""

import ast
import builtins
import dis
import functools
import hashlib
import os
import pickle
import platform
import random
import subprocess
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from asymp._version import __version__
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
    """A hash of the sampler's code and of what it uses; None where that cannot be known (`why_not_kept` says why)."""
    try:
        return hashlib.sha256(_Walk().described(sample).encode()).hexdigest()[:16]
    except (Unknown, RecursionError):
        return None


def why_not_kept(sample: Callable[..., Any]) -> str:
    """Why the results of a sampler cannot be kept, in a few words."""
    try:
        _Walk().described(sample)
    except Unknown as reason:
        return str(reason)
    except RecursionError:
        pass
    return "what it uses is nested too deeply"


class Unknown(Exception):
    """What an object depends on cannot be found out: the reason."""


# What a sampler may call that makes its values depend on more than code and values in memory.
READS = {
    "open", "load", "loads", "loadtxt", "genfromtxt", "fromfile", "memmap", "read_text", "read_bytes", "read_csv", "read_json",
    "read_parquet", "read_table", "read_excel", "load_dataset", "environ", "getenv", "argv", "urlopen", "check_output", "Popen",
    "import_module", "__import__", "eval", "exec", "globals", "spec_from_file_location",
}  # fmt: skip
STANDARD = {*sys.stdlib_module_names, *sys.builtin_module_names, "builtins"}
HAS_DOCSTRING = 0x4000000  # a flag of code objects from Python 3.13 on


class _Walk:
    """What a sampler reaches, as text: bytecode of functions, values of data, whole files of asymp and installed packages.

    From each function on, the globals that it names are followed as they are in memory, however they came there: by a
    relative import, `import *`, an alias, a decorator. Of a module, those of its names are followed that the function
    mentions. Docstrings, comments and layout do not count.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._held: list[object] = []  # so that no id is given to another object meanwhile

    def described(self, thing: Any, names: frozenset[str] = frozenset()) -> str:
        """A text that is equal for equal code and values. `names`: what the code that uses it mentions."""
        plain = _plain(thing)
        if plain is not None:
            return plain
        if isinstance(thing, types.ModuleType):
            return self._module(thing, names)
        if id(thing) in self._seen:
            return f"the same as {self._seen[id(thing)]}"
        self._seen[id(thing)] = len(self._seen)
        self._held.append(thing)
        return f"{type(thing).__qualname__}({self._inside(thing)})"

    def _all(self, things: Iterable[Any]) -> str:
        return ", ".join(map(self.described, things))

    def _items(self, things: Mapping[Any, Any]) -> str:
        return self._all(pair for item in things.items() for pair in item)

    def _inside(self, thing: Any) -> str:
        if isinstance(thing, list | tuple):
            return self._all(thing)
        if isinstance(thing, dict | types.MappingProxyType):
            return self._items(thing)
        if isinstance(thing, set | frozenset):
            return ", ".join(sorted(map(self.described, thing)))
        if isinstance(thing, functools.partial):
            return self._all((thing.func, thing.args, thing.keywords))
        if isinstance(thing, types.MethodType):
            return self._all((thing.__func__, thing.__self__))
        if isinstance(thing, property):
            return self._all((thing.fget, thing.fset))
        if isinstance(thing, staticmethod | classmethod) or hasattr(thing, "cache_clear"):
            return self.described(thing.__wrapped__)
        if hasattr(thing, "depends_on") and not isinstance(thing, type):
            used, words = thing.depends_on()
            return f"{_of_package(type(thing).__module__)}, {self._all(used)}, {words}"
        if isinstance(thing, type | types.FunctionType):
            whole = _of_package(thing.__module__)
            if whole:
                return f"{whole} {thing.__qualname__}"
            return self._class(thing) if isinstance(thing, type) else self._function(thing)
        return self._object(thing)

    def _function(self, function: types.FunctionType) -> str:
        code, known = function.__code__, function.__globals__
        mentioned = _mentioned(code)
        reading = sorted(READS & mentioned.names & {*known, *vars(builtins), *mentioned.attributes})
        if reading:
            raise Unknown(f"{function.__name__} calls {reading[0]}, whose outcome may change from run to run")
        cells = [cell.cell_contents for cell in function.__closure__ or ()]
        named = [known[name] for name in sorted(mentioned.globals) if name in known]
        imported = [self._imported(name, level, function, mentioned.names) for name, level in mentioned.imports]
        caught = [self.described(value, mentioned.names) for value in [*cells, *named]]
        rest = [self._all((function.__defaults__ or (), function.__kwdefaults__ or {}, vars(function)))]
        return "\n".join([_bytecode(code), *caught, *imported, *rest])

    def _imported(self, name: str, level: int, function: types.FunctionType, names: frozenset[str]) -> str:
        """A module that a function imports when it runs."""
        package = str(function.__globals__.get("__package__") or "")
        try:
            return self.described(import_module("." * level + name, package or None), names)
        except (ImportError, TypeError) as error:
            raise Unknown(f"{function.__name__} imports {name}, which cannot be imported") from error

    def _module(self, module: types.ModuleType, names: frozenset[str]) -> str:
        whole = _of_package(module.__name__)
        if whole:
            return whole
        found = {}
        for name in sorted(names):
            try:
                found[name] = vars(module)[name] if name in vars(module) else getattr(module, name)
            except AttributeError:
                continue
        mentioned = (name for name in found if found[name] is not module)
        return f"{module.__name__}: " + ", ".join(f"{n} {self.described(found[n], names)}" for n in mentioned)

    def _class(self, kind: type) -> str:
        own = {n: v for n, v in vars(kind).items() if n not in NOT_OF_A_CLASS}
        return f"{kind.__qualname__}: {self._all(kind.__bases__)}; {self._items(own)}"

    def _object(self, thing: Any) -> str:
        if isinstance(thing, torch.Tensor):
            thing = thing.detach().cpu().contiguous()
            return (
                f"{thing.dtype} {tuple(thing.shape)} {_digest(thing.reshape(-1).view(torch.uint8).numpy().tobytes())}"
            )
        if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
            return f"{thing.dtype.str} {thing.shape} {_digest(np.ascontiguousarray(thing).tobytes())}"
        if isinstance(thing, torch.Generator | np.random.Generator | np.random.RandomState | random.Random):
            raise Unknown("it uses a random generator that is not the one of `draw`")
        whole = _of_package(type(thing).__module__)
        if hasattr(thing, "__dict__") and (not whole or isinstance(thing, torch.nn.Module)):
            return f"{self.described(type(thing))} {self._items(vars(thing))}"
        try:
            return f"{self.described(type(thing))} {_digest(pickle.dumps(thing, 4))}"
        except Exception:
            raise Unknown(f"it uses an object of type {type(thing).__name__}, whose value cannot be read") from None


NOT_OF_A_CLASS = {"__dict__", "__weakref__", "__doc__", "__annotations__", "__annotate_func__", "__annotations_cache__",
                  "__module__", "__firstlineno__", "__static_attributes__", "__abstractmethods__", "_abc_impl"}  # fmt: skip


def _plain(value: Any) -> str | None:
    """Numbers, texts and the like."""
    if (
        value is None
        or value is Ellipsis
        or isinstance(value, bool | int | float | complex | str | bytes | range | np.generic)
    ):
        return f"{type(value).__name__} {value!r}"
    return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass(frozen=True)
class _Mentioned:
    """What a piece of code mentions: globals, attributes, and the modules that it imports itself, with their level."""

    globals: frozenset[str]
    attributes: frozenset[str]
    imports: tuple[tuple[str, int], ...]

    @property
    def names(self) -> frozenset[str]:
        return self.globals | self.attributes


def _mentioned(code: types.CodeType) -> _Mentioned:
    found, attributes, imports = set(), set(), []
    level: object = 0
    before: object = 0
    for step in dis.get_instructions(code):
        if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            found.add(step.argval)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD", "IMPORT_FROM"):
            attributes.add(step.argval)
        elif step.opname == "IMPORT_NAME":
            imports.append((step.argval, level if isinstance(level, int) else 0))
        elif isinstance(step.argval, str) and step.argval.isidentifier() and step.opname == "LOAD_CONST":
            attributes.add(step.argval)  # getattr(module, "name")
        level, before = before, step.argval
    for inner in (c for c in code.co_consts if isinstance(c, types.CodeType)):
        more = _mentioned(inner)
        found, attributes, imports = found | more.globals, attributes | more.attributes, [*imports, *more.imports]
    return _Mentioned(frozenset(found), frozenset(attributes), tuple(imports))


def _bytecode(code: types.CodeType) -> str:
    consts = list(code.co_consts)
    documented = code.co_flags & HAS_DOCSTRING if sys.version_info >= (3, 13) else not code.co_name.startswith("<")
    if documented and consts and isinstance(consts[0], str):
        consts[0] = None
    words = [_bytecode(c) if isinstance(c, types.CodeType) else _constant(c) for c in consts]
    return f"{code.co_code.hex()} {code.co_names} {code.co_varnames} {code.co_freevars} {words}"


def _constant(value: object) -> str:
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)


# Libraries may come from another environment than this one (the user's own, the system's, one added by path).
INSTALLED = {"site-packages", "dist-packages"}
STATISTICS = "asymp.montecarlo.experiment"
"""It draws values, and hands them on to what judges them: that changes none of them."""


@functools.cache
def _of_package(module: str) -> str:
    """A name or a hash for modules that are followed as a whole: the standard library, asymp, what is installed."""
    top = module.partition(".")[0]
    if top in STANDARD or top in LIBRARIES:
        return module
    if top == "asymp":
        return _digest(repr([(name, _digest(_text(name))) for name in sorted(_closure(module))]).encode())
    origin = getattr(sys.modules.get(top), "__file__", None)
    place = Path(origin or "")
    if top == "__main__" or INSTALLED.isdisjoint(place.parts):
        return ""
    sources = sorted(place.parent.rglob("*.py")) if place.name == "__init__.py" else [place]
    return _digest(repr([(file.name, _digest(file.read_bytes())) for file in sources]).encode())


def _closure(module: str) -> set[str]:
    """The modules of asymp that one imports, they import, and so on."""
    reached, waiting = set(), [module, "asymp.montecarlo.draws"]
    while waiting:
        name = waiting.pop()
        if name in reached or not _text(name):
            continue
        reached.add(name)
        if name != STATISTICS:
            waiting += _imported_by(name)
    return reached


@functools.cache
def _imported_by(module: str) -> list[str]:
    """The modules of asymp that one names in its imports, and what it takes from them, which may be modules too."""
    found = []
    for node in ast.walk(ast.parse(_text(module))):
        if isinstance(node, ast.ImportFrom):
            found += [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
    return [name for name in found if name.partition(".")[0] == "asymp"]


@functools.cache
def _text(module: str) -> bytes:
    """The source of a module of asymp; nothing if there is no such module."""
    try:
        spec = find_spec(module)
    except ModuleNotFoundError:
        return b""
    return Path(spec.origin).read_bytes() if spec is not None and spec.origin else b""
