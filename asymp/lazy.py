"""Names and libraries that are loaded when they are first used, by one mechanism for all packages.

A package lists what it offers once, as imports that only a type checker sees, and has Python look them up on demand:

    if TYPE_CHECKING:
        from asymp.reports.verdict import Verdict as Verdict
    else:
        __getattr__, __dir__, __all__ = lazy_names(__name__, __file__)

So `asymp list` loads neither SymPy nor torch, `dir()` and completion know every name, and mypy knows its type. A module
of the package may have the name of something that is offered (`check` is in check.py): it does not hide it.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["NEEDS_TORCH", "Lazy", "lazy_names"]

NEEDS_TORCH = 'this simulates, and torch, which simulations need, is not installed; run: pip install "asymp[sim]"'


class Lazy(ModuleType):
    """A module that is imported when one of its names is first asked for.

    Importing takes Python's own lock and a name is kept only once it is known, so that threads may share it.
    """

    def __getattr__(self, name: str) -> Any:
        try:
            value = getattr(import_module(self.__name__), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ModuleNotFoundError(NEEDS_TORCH, name="torch") from None
        self.__dict__[name] = value
        return value


def lazy_names(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]], list[str]]:
    """A package's `__getattr__`, `__dir__` and `__all__`: what its file imports by the form `from x import y as y`.

    Args:
        package: the package's dotted name.
        file: its `__init__.py`.
    """
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    homes = {
        alias.name: str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name == alias.asname
    }

    def get(name: str) -> object:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        try:
            home = homes[name]
            return import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)
        except ModuleNotFoundError as error:
            if error.name != "torch":
                raise
            raise ModuleNotFoundError(f"{package}.{name}: {NEEDS_TORCH}", name="torch") from error

    class Offering(ModuleType):
        def __setattr__(self, name: str, value: object) -> None:
            # Python sets the name of every module that is imported
            if homes.get(name, package) == package or not isinstance(value, ModuleType):
                super().__setattr__(name, value)

    sys.modules[package].__class__ = Offering

    def names() -> list[str]:
        return sorted({*homes, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return get, names, sorted(homes)
