"""The hash of an experiment's code, which keeps results of other code from being believed.

It is made of what the sampler reaches in memory: the bytecode of a user's functions and the values that they name (tables,
arrays, nets), the files of asymp that it comes from, the files of other installed packages. Where that cannot be known (a
file read while it runs) nothing is kept.
"""

import builtins
import contextlib
import functools
import hashlib
import io
import pickle
import random
import sys
import threading
import types
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from asymp.montecarlo.lazy import torch
from asymp.montecarlo.running.bytecode import PLAIN, Unknown, bytecode, caught, reached, words_of
from asymp.montecarlo.running.effects import statements
from asymp.montecarlo.running.packages import LIBRARIES, digest, is_outside, is_standard, of_package


def source_hash(sample: Callable[..., Any]) -> str | None:
    """A hash of the sampler's code and of what it uses; None where that cannot be known (`why_not_kept` says why).

    Behind a plus, if there is anything: what the sampler's files do to libraries when they are loaded.
    """
    walk = _Walk()
    try:
        found = walk.described(sample)
        loaded = walk.loaded()
    except Exception:  # a user's object may raise anything when it is asked for its attributes
        return None
    return _short(found) + (f"+{_short(loaded)}" if loaded else "")


def same_code(one: str | None, other: str | None) -> bool:
    """Whether two hashes are of the same code, whatever was done to libraries in the process."""
    return str(one).partition("+")[0] == str(other).partition("+")[0]


def why_not_kept(sample: Callable[..., Any]) -> str:
    """Why the results of a sampler cannot be kept, in a few words."""
    try:
        _Walk().described(sample)
    except Unknown as reason:
        return str(reason)
    except RecursionError:
        pass
    except Exception as error:
        return f"what it uses cannot be read ({type(error).__name__}: {error})"
    return "what it uses is nested too deeply"


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# What a sampler may call that makes its values depend on more than code and values in memory, by its last name.
READS = {
    "open", "load", "loads", "loadtxt", "genfromtxt", "fromfile", "memmap", "read_text", "read_bytes", "read_csv", "read_json",
    "read_parquet", "read_table", "read_excel", "load_dataset", "environ", "getenv", "argv", "urlopen", "check_output", "Popen",
    "import_module", "__import__", "eval", "exec", "globals", "spec_from_file_location",
    # what looks at code from outside
    "__globals__", "f_globals", "f_locals", "f_lineno", "_getframe", "currentframe", "getsource", "__subclasses__",
    "get_objects", "__doc__", "__annotations__", "get_type_hints",
}  # fmt: skip
HARMLESS = {"sleep", "perf_counter", "process_time", "monotonic", "_exit", "fspath"}  # what they do changes no value
OF_THE_HEAP = 1 << 9  # a flag of classes that were not compiled into Python
NOT_OF_A_CLASS = {"__dict__", "__weakref__", "__doc__", "__dataclass_params__", "__match_args__", "__annotations__",
                  "__annotate_func__", "__annotations_cache__", "__module__", "__firstlineno__", "__static_attributes__",
                  "__abstractmethods__", "_abc_impl", "__slotnames__"}  # fmt: skip


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
        self.entered: list[Mapping[str, Any]] = []
        """The globals of the user's functions that were followed."""

    def described(self, thing: Any) -> str:
        """A text that is equal for equal code and values."""
        if type(thing) in PLAIN or (isinstance(thing, np.generic) and not isinstance(thing, np.void)):
            return f"{type(thing).__name__} {thing!r}"
        if id(thing) in self._seen:
            return f"the same as {self._seen[id(thing)]}"
        self._seen[id(thing)] = len(self._seen)
        self._held.append(thing)
        return f"{type(thing).__qualname__}({self._inside(thing)})"

    def loaded(self) -> str:
        """What the files that functions are in do to libraries when they are loaded, such as `mpmath.mp.dps = 50`."""
        if not self.entered:
            return ""
        words = [f"dtype {torch.get_default_dtype()}"] if torch.get_default_dtype() != torch.float32 else []
        for text, code, known in statements(self.entered):
            words.append(text)
            for thing in reached(code, known, {}):
                with contextlib.suppress(Exception):
                    words.append(_Walk().described(thing))
        return "\n".join(words)

    def _all(self, things: Iterable[Any]) -> str:
        return ", ".join(map(self.described, things))

    def _items(self, things: Mapping[Any, Any]) -> str:
        return self._all(pair for item in things.items() for pair in item)

    def _each(self, things: Iterable[Any]) -> str:
        """Things without an order: each by itself, so that the order in which they happen to come does not count."""
        found = []
        for thing in things:
            alone = _Walk()
            found.append(alone.described(thing))
            self.entered += alone.entered
        return ", ".join(sorted(found))

    def _inside(self, thing: Any) -> str:
        if isinstance(thing, types.ModuleType):
            return self._module(thing)
        if type(thing) in (list, tuple):
            return self._all(thing)
        if type(thing) in (dict, types.MappingProxyType) and thing is not sys.modules:
            return self._items(thing)
        if type(thing) in (set, frozenset):
            return self._each(thing)
        if type(thing) is functools.partial:
            return self._all((thing.func, thing.args, thing.keywords))
        if isinstance(thing, types.MethodType):
            return self._all((thing.__func__, thing.__self__))
        if type(thing) is property:
            return self._all((thing.fget, thing.fset))
        if type(thing) is functools.cached_property:
            return self.described(thing.func)
        if type(thing) in (staticmethod, classmethod, functools._lru_cache_wrapper):
            return self.described(thing.__wrapped__)
        if isinstance(thing, threading.local):
            return self._items(vars(thing))
        if _home(type(thing)).startswith("asymp.") and hasattr(thing, "depends_on"):
            used, words = thing.depends_on()
            return f"{of_package(_home(type(thing)))}, {self._all(used)}, {words}"
        if isinstance(thing, types.FunctionType) and "_torchdynamo_orig_callable" in vars(thing):
            return self.described(vars(thing)["_torchdynamo_orig_callable"])  # torch.compile
        if isinstance(thing, type | types.FunctionType | types.BuiltinFunctionType):
            return self._named(thing)
        return self._object(thing)

    def _module(self, module: types.ModuleType) -> str:
        """A module that is a value itself, such as one that a dictionary holds."""
        whole = of_package(module.__name__)
        if whole and not is_outside(module.__name__):
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
        home = (_home(thing) if isinstance(thing, type) else thing.__module__) or "builtins"
        if isinstance(thing, types.FunctionType):
            home = str(thing.__globals__.get("__name__"))
            own = vars(sys.modules.get(home, builtins)) is thing.__globals__
        else:
            own = (
                not isinstance(thing, type)
                or not thing.__flags__ & OF_THE_HEAP
                or _at(home, thing.__qualname__) is thing
            )
        whole = of_package(home) if own else ""
        if whole and thing.__name__ not in HARMLESS and (is_outside(home) or thing.__name__ in READS):
            raise Unknown(f"it uses {home.lstrip('_')}.{thing.__qualname__}, whose outcome may change from run to run")
        if whole:
            # what a function made by a library, such as a decorator of one, was made from
            made = isinstance(thing, types.FunctionType) and _at(home, thing.__qualname__) is not thing
            return f"{whole} {thing.__qualname__} {self._all(_given(thing, home) if made else [])}"
        if isinstance(thing, types.BuiltinFunctionType):
            raise Unknown(f"it uses {home}.{thing.__name__}, which is compiled")
        return self._class(thing) if isinstance(thing, type) else self._function(thing)

    def _function(self, function: types.FunctionType) -> str:
        code, known = function.__code__, function.__globals__
        reading = sorted(READS & words_of(code))
        if reading:
            raise Unknown(f"{function.__name__} calls {reading[0]}, whose outcome may change from run to run")
        self.entered.append(known)
        used = self._all(reached(code, known, caught(function)))
        rest = self._all((function.__defaults__ or (), function.__kwdefaults__ or {}, vars(function)))
        return "\n".join([function.__name__, bytecode(code), used, rest])

    def _class(self, kind: type) -> str:
        own = {n: v for n, v in vars(kind).items() if n not in NOT_OF_A_CLASS}
        fields = own.pop("__dataclass_fields__", {}).values()
        slots = [n for n, v in own.items() if isinstance(v, types.MemberDescriptorType | types.GetSetDescriptorType)]
        rest = {n: v for n, v in own.items() if n not in slots}
        made = [(field.default_factory, field.metadata) for field in fields if field.metadata]
        return f"{kind.__qualname__}: {self._all((type(kind), *kind.__bases__, slots, *made))}; {self._items(rest)}"

    def _object(self, thing: Any) -> str:
        if isinstance(thing, torch.Tensor) and thing.layout is torch.strided:
            values = thing.detach().cpu().resolve_conj().resolve_neg().contiguous()
            raw = digest(values.reshape(-1).view(torch.uint8).numpy().tobytes())
            return f"{thing.dtype} {tuple(thing.shape)} {raw}{self._rest(thing)}"
        if isinstance(thing, np.ndarray | np.void) and not thing.dtype.hasobject and not np.ma.isMaskedArray(thing):
            raw = digest(np.ascontiguousarray(np.asarray(thing)).tobytes())
            return f"{thing.dtype.str} {thing.shape} {raw}{self._rest(thing)}"
        if isinstance(thing, (torch.Generator, *GENERATORS)):
            raise Unknown("it uses a random generator that is not the one of `draw`")
        if thing is sys.modules:
            raise Unknown("it looks modules up by name")
        whole = of_package(_home(type(thing)))
        if whole and getattr(thing, "__name__", "") in READS:
            raise Unknown(f"it uses {thing.__name__}, whose outcome may change from run to run")
        if not whole or isinstance(thing, torch.nn.Module):
            return f"{self.described(type(thing))} {self._content(thing)}{self._rest(thing)}"
        return f"{self.described(type(thing))} {self._pickled(thing)}"

    def _rest(self, thing: Any) -> str:
        """The attributes of an object, those in slots too, and its class where that is a user's."""
        kind, own = type(thing), dict(getattr(thing, "__dict__", {}))
        for base in kind.__mro__:
            for name, slot in vars(base).items():
                if isinstance(slot, types.MemberDescriptorType) and not of_package(_home(base)):
                    with contextlib.suppress(AttributeError):  # one that nothing has been put into
                        own[name] = slot.__get__(thing)
        return (f" {self._items(own)}" if own else "") + ("" if of_package(_home(kind)) else self.described(kind))

    def _content(self, thing: Any) -> str:
        """What an object of a user's class is besides its attributes, as a kind of dictionary, list, number or text."""
        if isinstance(thing, dict):
            factory = thing.default_factory if isinstance(thing, defaultdict) else None
            return self._all((factory, *dict.items(thing)))
        if isinstance(thing, set | frozenset):
            return self._each(iter(thing))
        base: Any
        for base in (list, tuple, deque):
            if isinstance(thing, base):
                return self._all(base.__iter__(thing))
        for base in (int, float, complex, str, bytes):
            if isinstance(thing, base):
                return str(base.__repr__(thing))
        solid = next(base for base in type(thing).__mro__ if not base.__flags__ & OF_THE_HEAP)
        return "" if solid is object else self._pickled(thing)

    def _pickled(self, thing: Any) -> str:
        stream = io.BytesIO()
        pickler = _Pickler(stream, self, thing)
        try:
            pickler.dump(thing)
        except Unknown:
            raise
        except Exception:
            raise Unknown(f"it uses an object of type {type(thing).__name__}, whose value cannot be read") from None
        return digest(stream.getvalue())


CODE = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial)
GENERATORS = (np.random.Generator, np.random.RandomState, random.Random)
FOLLOWED = (*CODE, *GENERATORS, types.ModuleType, set, frozenset, np.ndarray)


class _Pickler(pickle.Pickler):
    """Pickles a library's object; functions, classes and the like that are in it are described as everywhere else."""

    def __init__(self, stream: io.BytesIO, walk: _Walk, whole: object) -> None:
        super().__init__(stream, 4)
        self._walk, self._whole = walk, whole

    def persistent_id(self, thing: Any) -> str | None:
        """A description in the place of a reference by name."""
        if thing is self._whole:
            return None
        users = not isinstance(thing, PLAIN) and not of_package(_home(type(thing)))
        followed = users or isinstance(thing, (*FOLLOWED, torch.Tensor, torch.Generator))
        return self._walk.described(thing) if followed else None


def _given(function: types.FunctionType, home: str) -> list[Any]:
    """What a function that a library has made was made from; of caches and the like of large libraries only code and data."""
    inside = list(caught(function).values())
    if home.partition(".")[0] == "asymp":
        return [one for one in inside if isinstance(one, CODE)]
    more = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values(), *vars(function).values()]
    given = [*inside, *(one for one in more if not any(one is other for other in inside))]
    if home.partition(".")[0] not in LIBRARIES and not is_standard(home.partition(".")[0]):
        return given
    data = (*CODE, *PLAIN, list, tuple, dict, set, types.MappingProxyType, np.ndarray, torch.Tensor)
    return [one for one in given if isinstance(one, data)]


def _home(kind: type) -> str:
    """The module of a class; nothing for one that keeps something else under that name."""
    home = getattr(kind, "__module__", "")
    return home if isinstance(home, str) else ""


def _at(module: str, name: str) -> object:
    """What a module holds under a dotted name."""
    found: object = sys.modules.get(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
