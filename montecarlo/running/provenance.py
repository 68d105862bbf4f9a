"""Where a result comes from: the code behind it, versions, processor, device, commit, command. No host, user or path.

The hash of an experiment's code keeps results of other code from being believed. It is made of what the sampler reaches in
memory: the bytecode of a user's functions and the values that they name (tables, arrays, nets), the files of asymp that it
comes from, the files of other installed packages. Where that cannot be known (a file read while it runs) nothing is kept.
"""

import ast
import builtins
import contextlib
import dis
import functools
import hashlib
import io
import os
import pickle
import platform
import random
import re
import subprocess
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
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


# What a sampler may call that makes its values depend on more than code and values in memory, by its last name.
READS = {
    "open", "load", "loads", "loadtxt", "genfromtxt", "fromfile", "memmap", "read_text", "read_bytes", "read_csv", "read_json",
    "read_parquet", "read_table", "read_excel", "load_dataset", "environ", "getenv", "argv", "urlopen", "check_output", "Popen",
    "import_module", "__import__", "eval", "exec", "globals", "spec_from_file_location",
}  # fmt: skip
# Modules of the standard library that tell of the world outside of the process, or run other code.
OUTSIDE = {
    "os", "posix", "nt", "genericpath", "io", "time", "datetime", "glob", "subprocess", "socket", "urllib", "http",
    "sqlite3", "random", "secrets", "uuid", "tempfile", "shutil", "linecache", "fileinput", "configparser", "runpy",
    "importlib", "pkgutil", "ctypes", "mmap", "gzip", "bz2", "lzma", "zipfile", "tarfile", "shelve", "dbm", "codecs",
}  # fmt: skip
HARMLESS = {"sleep", "perf_counter", "process_time", "monotonic", "_exit", "fspath"}  # what they do changes no value
STANDARD = {*sys.stdlib_module_names, *sys.builtin_module_names, "builtins"}
HAS_DOCSTRING = 0x4000000  # a flag of code objects from Python 3.13 on
OF_THE_HEAP = 1 << 9  # a flag of classes that were not compiled into Python
PASSED_OVER = {"EXTENDED_ARG", "CACHE", "PUSH_NULL", "NOP", "RESUME", "PRECALL", "SWAP", "POP_TOP", "LOAD_CLOSURE"}
ATTRIBUTES = {"LOAD_ATTR", "LOAD_METHOD"}


class _Walk:
    """What a sampler reaches, as text: bytecode of functions, values of data, whole files of asymp and installed packages.

    From each function on, the names that it mentions are followed as they are in memory, however they came there: by a
    relative import, `import *`, an alias, a decorator. Of a module, those attributes are followed that stand behind its name;
    a module of the user's that is passed on as a value could be asked for anything, and then nothing is known. Docstrings,
    comments and layout do not count.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._held: list[object] = []  # so that no id is given to another object meanwhile

    def described(self, thing: Any) -> str:
        """A text that is equal for equal code and values."""
        plain = _plain(thing)
        if plain is not None:
            return plain
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
        if isinstance(thing, types.ModuleType):
            return self._module(thing)
        if type(thing) in (list, tuple):
            return self._all(thing)
        if type(thing) in (dict, types.MappingProxyType) and thing is not sys.modules:
            return self._items(thing)
        if type(thing) in (set, frozenset):
            return ", ".join(sorted(map(self.described, thing)))
        if isinstance(thing, functools.partial):
            return self._all((thing.func, thing.args, thing.keywords))
        if isinstance(thing, types.MethodType):
            return self._all((thing.__func__, thing.__self__))
        if isinstance(thing, property):
            return self._all((thing.fget, thing.fset))
        if isinstance(thing, functools.cached_property):
            return self.described(thing.func)
        if isinstance(thing, staticmethod | classmethod) or hasattr(thing, "cache_clear"):
            return self.described(thing.__wrapped__)
        if hasattr(thing, "depends_on") and not isinstance(thing, type):
            used, words = thing.depends_on()
            return f"{_of_package(type(thing).__module__)}, {self._all(used)}, {words}"
        if isinstance(thing, type | types.FunctionType | types.BuiltinFunctionType):
            return self._named(thing)
        return self._object(thing)

    def _module(self, module: types.ModuleType) -> str:
        """A module that is a value itself, such as one that a dictionary holds."""
        whole = _of_package(module.__name__)
        if whole and not _is_outside(module.__name__):
            return whole
        raise Unknown(f"it passes the module {module.__name__} on as a value, of which it may use anything")

    def _named(self, thing: Any) -> str:
        """A function or a class: by name and package where a package holds it under its name, else by what is in it."""
        within = getattr(thing, "__self__", None)
        if (
            isinstance(thing, types.BuiltinFunctionType)
            and within is not None
            and not isinstance(within, types.ModuleType)
        ):
            return f"{thing.__name__} of {self.described(within)}"
        home = thing.__module__ or "builtins"
        if isinstance(thing, types.FunctionType):
            home = str(thing.__globals__.get("__name__"))
            own = vars(sys.modules.get(home, builtins)) is thing.__globals__
        else:
            own = (
                not isinstance(thing, type)
                or not thing.__flags__ & OF_THE_HEAP
                or _at(home, thing.__qualname__) is thing
            )
        whole = _of_package(home) if own else ""
        if whole and thing.__name__ not in HARMLESS and (_is_outside(home) or thing.__name__ in READS):
            raise Unknown(f"it uses {home.lstrip('_')}.{thing.__qualname__}, whose outcome may change from run to run")
        if whole:
            # a function made by a library, such as a decorator of one, holds the functions that it was made from, and caches
            made = isinstance(thing, types.FunctionType) and _at(home, thing.__qualname__) is not thing
            held = [one for one in _caught(thing).values() if isinstance(one, CODE)] if made else []
            return f"{whole} {thing.__qualname__} {self._all(held)}"
        if isinstance(thing, types.BuiltinFunctionType):
            raise Unknown(f"it uses {home}.{thing.__name__}, which is compiled")
        return self._class(thing) if isinstance(thing, type) else self._function(thing)

    def _function(self, function: types.FunctionType) -> str:
        code, known = function.__code__, function.__globals__
        reading = sorted(READS & _words(code))
        if reading:
            raise Unknown(f"{function.__name__} calls {reading[0]}, whose outcome may change from run to run")
        used = self._all(_reached(code, known, _caught(function)))
        rest = self._all((function.__defaults__ or (), function.__kwdefaults__ or {}, vars(function)))
        return "\n".join([_bytecode(code), used, rest])

    def _class(self, kind: type) -> str:
        own = {n: v for n, v in vars(kind).items() if n not in NOT_OF_A_CLASS}
        return f"{kind.__qualname__}: {self._all((type(kind), *kind.__bases__))}; {self._items(own)}"

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
        if thing is sys.modules:
            raise Unknown("it looks modules up by name")
        whole = _of_package(type(thing).__module__)
        if whole and getattr(thing, "__name__", "") in READS:
            raise Unknown(f"it uses {thing.__name__}, whose outcome may change from run to run")
        if hasattr(thing, "__dict__") and (not whole or isinstance(thing, torch.nn.Module)):
            return f"{self.described(type(thing))} {self._items(vars(thing))}"
        kind = self.described(type(thing))
        stream = io.BytesIO()
        pickler = _Pickler(stream, self, thing)
        try:
            pickler.dump(thing)
        except Unknown:
            raise
        except Exception:
            raise Unknown(f"it uses an object of type {type(thing).__name__}, whose value cannot be read") from None
        return f"{kind} {_digest(stream.getvalue())}"


CODE = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)
FOLLOWED = (*CODE, types.ModuleType, np.ndarray, np.random.Generator, np.random.RandomState, random.Random)


class _Pickler(pickle.Pickler):
    """Pickles a library's object; functions, classes and the like that are in it are described as everywhere else."""

    def __init__(self, stream: io.BytesIO, walk: _Walk, whole: object) -> None:
        super().__init__(stream, 4)
        self._walk, self._whole = walk, whole

    def persistent_id(self, thing: Any) -> str | None:
        """A description in the place of a reference by name."""
        if thing is not self._whole and isinstance(thing, (*FOLLOWED, torch.Tensor, torch.Generator)):
            return self._walk.described(thing)
        return None


def _caught(function: types.FunctionType) -> dict[str, Any]:
    """What a closure has caught, by name."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # a cell that nothing has been put into
            found[name] = cell.cell_contents
    return found


def _is_outside(module: str) -> bool:
    return module.partition(".")[0].lstrip("_") in OUTSIDE


def _at(module: str, name: str) -> object:
    """What a module holds under a dotted name."""
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _reached(code: types.CodeType, known: Mapping[str, Any], local: Mapping[str, Any]) -> Iterator[Any]:
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
                for scope in (known, local) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME") else (local,):
                    if name in scope:
                        yield _behind(scope[name], steps[i + 1 :])
                        break
    for inner in (c for c in code.co_consts if isinstance(c, types.CodeType)):
        yield from _reached(inner, known, {name: local[name] for name in inner.co_freevars if name in local})


def _behind(thing: Any, steps: Iterable[dis.Instruction]) -> Any:
    """What stands behind the name of a module: the attribute that the next steps ask for."""
    for step in steps:
        if not isinstance(thing, types.ModuleType) or step.opname not in ATTRIBUTES:
            break
        holder, thing = thing, _member(thing, step.argval)
        if _plain(thing) is not None and _of_package(holder.__name__):
            return _of_package(holder.__name__)  # constants of libraries and packages count by these
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


def _words(code: types.CodeType) -> set[str]:
    """The names that a piece of code mentions, and texts that could be names: getattr(module, "name")."""
    found = {str(word) for step in dis.get_instructions(code) for word in [step.argval] if isinstance(word, str)}
    return found.union(*(_words(c) for c in code.co_consts if isinstance(c, types.CodeType)))


NOT_OF_A_CLASS = {"__dict__", "__weakref__", "__doc__", "__dataclass_fields__", "__dataclass_params__", "__match_args__",
                  "__annotations__", "__annotate_func__", "__annotations_cache__",
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
    if top == "__main__" or not _is_installed(top):
        return ""
    reached, waiting = dict[str, list[str]](), [top]
    while waiting:
        name = waiting.pop()
        if name in reached or name in STANDARD or name in LIBRARIES or name == "asymp" or not _is_installed(name):
            continue
        files = _files(name)
        reached[name] = [_digest(file.read_bytes()) for file in files]
        for file in files:
            waiting += [word.decode() for word in IMPORTS.findall(file.read_bytes())] if file.suffix == ".py" else []
    return _digest(repr(sorted(reached.items())).encode())


IMPORTS = re.compile(rb"^\s*(?:from|import)\s+([A-Za-z_]\w*)", re.MULTILINE)


@functools.cache
def _place(top: str) -> Path:
    """The file of a module, the folder of a package; an empty path if there is no such thing."""
    try:
        spec = getattr(sys.modules.get(top), "__spec__", None) or find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return Path()
    folders = list(spec.submodule_search_locations or ())
    return Path(folders[0] if folders else spec.origin or "")


def _is_installed(top: str) -> bool:
    return not INSTALLED.isdisjoint(_place(top).parts)


def _files(top: str) -> list[Path]:
    """The files of an installed package, its data too, but for compiled bytecode."""
    place = _place(top)
    return sorted(f for f in place.rglob("*") if f.is_file() and f.suffix != ".pyc") if place.is_dir() else [place]


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
