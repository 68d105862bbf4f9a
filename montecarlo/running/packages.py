"""Where modules come from: the standard library, asymp, installed packages, whose files count; or a user's own code."""

import ast
import functools
import hashlib
import re
import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

LIBRARIES = ("torch", "sympy", "mpmath", "numpy", "scipy")
# Modules of the standard library that tell of the world outside of the process, or run other code.
OUTSIDE = {
    "os", "posix", "nt", "genericpath", "io", "time", "datetime", "glob", "subprocess", "socket", "urllib", "http",
    "sqlite3", "random", "secrets", "uuid", "tempfile", "shutil", "linecache", "fileinput", "configparser", "runpy",
    "importlib", "pkgutil", "ctypes", "mmap", "gzip", "bz2", "lzma", "zipfile", "tarfile", "shelve", "dbm", "codecs",
}  # fmt: skip
# Libraries may come from another environment than this one (the user's own, the system's, one added by path).
INSTALLED = {"site-packages", "dist-packages"}
STATISTICS = "asymp.montecarlo.experiment"
"""It draws values, and hands them on to what judges them: that changes none of them."""
STANDARD = tuple(Path(path).resolve() for path in {sysconfig.get_path(n) for n in ("stdlib", "platstdlib")})
IMPORTS = re.compile(
    rb"""(?:^|[;:])[ \t]*(?:from[ \t]+([A-Za-z_]\w*)|import[ \t]+(\w[\w., \t]*))|import_module\(\s*["']([A-Za-z_]\w*)""",
    re.MULTILINE,
)


@functools.cache
def of_package(module: str) -> str:
    """A name or a hash for modules that are followed as a whole: the standard library, asymp, what is installed."""
    top = module.partition(".")[0]
    if top in LIBRARIES or is_standard(top):
        return module
    if top == "asymp":
        return digest(repr([(name, digest(_text(name))) for name in sorted(closure(module))]).encode())
    if top == "__main__" or not _is_installed(top):
        return ""
    reached, waiting = dict[str, list[str]](), [top]
    while waiting:
        name = waiting.pop()
        if name in reached or name in LIBRARIES or name == "asymp" or is_standard(name):
            continue
        files = _files(name)
        reached[name] = [digest(file.read_bytes()) for file in files]
        for file in files:
            waiting += _imports(file.read_bytes()) if file.suffix == ".py" else []
    return digest(repr(sorted(reached.items())).encode())


def is_outside(module: str) -> bool:
    """Whether what a module's functions give may change from run to run."""
    return module.partition(".")[0].lstrip("_") in OUTSIDE


def digest(data: bytes) -> str:
    """The hash of some bytes, as text."""
    return hashlib.sha256(data).hexdigest()


@functools.cache
def is_standard(top: str) -> bool:
    """Whether a module is the standard library's: a user's own may be called `code` or `trace`, too."""
    if top in sys.builtin_module_names or top == "builtins":
        return True
    if top not in sys.stdlib_module_names:
        return False
    found = _places(top)
    return not found or not found[0].is_absolute() or any(found[0].resolve().is_relative_to(at) for at in STANDARD)


def _imports(source: bytes) -> list[str]:
    """The packages that a file imports, wherever in it."""
    found = []
    for origin, several, named in IMPORTS.findall(source):
        for words in (origin, named, *several.split(b",")):
            found.append(words.strip().partition(b" ")[0].partition(b".")[0].decode())
    return [name for name in found if name]


@functools.cache
def _places(top: str) -> list[Path]:
    """The file of a module, the folders of a package; nothing if there is no such thing."""
    try:
        spec = getattr(sys.modules.get(top), "__spec__", None) or find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        return []
    return [Path(folder) for folder in spec.submodule_search_locations or [spec.origin or ""]]


def _is_installed(top: str) -> bool:
    return any(not INSTALLED.isdisjoint(place.parts) for place in _places(top))


def _files(top: str) -> list[Path]:
    """The files of an installed package, its data too, but for compiled bytecode; of another one that it uses the code."""
    found, own = list[Path](), not _is_installed(top)
    for place in _places(top):
        if own and place.is_dir() and not (place / "__init__.py").is_file():
            continue  # any folder of the user's that is called like what a library might import
        found += place.rglob("*.py" if own else "*") if place.is_dir() else [place]
    return sorted(file for file in found if file.is_file() and file.suffix != ".pyc")


def closure(module: str) -> set[str]:
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
