"""Users' files of claims: loaded once, errors said in one sentence; and how a worker finds an experiment in them."""

import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from asymp.books import Book, add_book, modules
from asymp.lines import line_of
from asymp.montecarlo import Experiment
from asymp.montecarlo.running.series import CannotLoad, Finder, finder_for
from asymp.reports.claims import claims, declared_in, index, origin_of, registered, together

MODULE = "asymp_user_claims"
"""The module of a file of claims; further files of the same run have a number behind it."""


def load_claims(*files: str) -> list[str]:
    """Run files of claims and return the ids that they declare; those of files loaded before are forgotten.

    `files`: Python files, each of which may import its neighbours; or folders of packages that declare claims or hold a `BOOK`.
    """
    for id in [id for id, origin in together.items() if origin not in modules()]:
        registered.pop(id, None)
        del together[id]
    found: list[str] = []
    for number, file in enumerate(dict.fromkeys(files)):
        path = Path(file)
        if not file.strip():
            raise ValueError("--claims has an empty name; give the path of a Python file that declares claims")
        if not path.exists():
            raise ValueError(
                f"the claims file {file} is not there; give the path of a Python file that declares claims"
            )
        found += (
            _of_folder(path.absolute()) if path.is_dir() else _of_file(path, f"{MODULE}_{number}" if number else MODULE)
        )
    return found


def _of_file(path: Path, name: str) -> list[str]:
    spec = spec_from_file_location(name, path.absolute())
    if spec is None or spec.loader is None:
        raise ValueError(f"the claims file {path} must be a Python file whose name ends in .py")
    module = module_from_spec(spec)
    sys.modules[name] = module
    _beside(path.parent)
    with saying_where(str(path)), declared_in(str(path)):
        spec.loader.exec_module(module)
    found = [id for id in registered if together.get(id) == str(path)]
    if not found:
        raise ValueError(
            f"the claims file {path} declares no claim; decorate a function with asymp.claim.rate(...) in it"
        )
    return found


def _of_folder(path: Path) -> list[str]:
    """The claims of a package that need not be installed."""
    if not (path / "__init__.py").is_file():
        raise ValueError(
            f"the folder {path} is no Python package: it has no __init__.py; give a file of claims, or a package"
        )
    _beside(path.parent)
    for known in [m for m in sys.modules if m.split(".")[0] == path.name]:
        del sys.modules[known]  # so that what it declares is declared again
    with saying_where(str(path)), declared_in(str(path)):
        package = import_module(path.name)
        book = getattr(package, "BOOK", None)
        if not isinstance(book, Book) and (path / "claims.py").is_file():
            import_module(f"{path.name}.claims")
    if isinstance(book, Book):
        add_book(book.inside(path.name))
        return [entry.id for entry in index().values() if entry.book == book.id]
    found = [id for id in registered if together.get(id) == str(path)]
    if not found:
        raise ValueError(
            f"the package {path} declares no claims when it is imported, nor in {path.name}/claims.py, and has no BOOK"
        )
    return found


def _beside(folder: Path) -> None:
    """Let a file import its neighbours, as a script may."""
    if str(folder.absolute()) not in sys.path:
        sys.path.insert(0, str(folder.absolute()))


@contextmanager
def saying_where(file: str) -> Iterator[None]:
    """What goes wrong while claims are declared, in one sentence with the file and the line; what they print is no result."""
    try:
        with redirect_stdout(sys.stderr):
            yield
    except SyntaxError as error:
        raise ValueError(
            f"the claims file {error.filename or file} has a syntax error in line {error.lineno}: {error.msg}"
        ) from None
    except (Exception, SystemExit) as error:
        where = line_of(error, str(Path(file).absolute()))
        what = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"the claims file {file} could not be loaded: error{where}: {what}") from None


@dataclass(frozen=True)
class FromClaimsFile:
    """The experiment of one part of a user's claim; the text of its file travels along, in case the file does not.

    `path`: the file, or the folder of a package; empty for a package that is installed. `text`: of the file.
    """

    path: str
    text: str
    claim: str
    part: int

    def find(self) -> Experiment:
        """Load the file in this process and take the experiment from it; a package is imported."""
        try:
            if self.path and Path(self.path).exists():
                load_claims(self.path)
            elif self.path:
                self._load_text()
            return claims[self.claim].parts[self.part].experiment
        except Exception as error:
            words = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
            raise CannotLoad(f"the claims file cannot be loaded on the worker: {words}") from error

    def _load_text(self) -> None:
        module = ModuleType(MODULE)
        module.__file__ = self.path
        # The source is looked up there when the code is compared with the sender's.
        linecache.cache[self.path] = (len(self.text), None, self.text.splitlines(keepends=True), self.path)
        sys.modules[MODULE] = module
        registered.clear()
        exec(compile(self.text, self.path, "exec"), module.__dict__)


def finder_of(claim: str, part: int, experiment: Experiment) -> Callable[[], Finder | None]:
    """How other processes find the experiment of a part, worked out when it is first needed."""

    @cache
    def finder() -> Finder | None:
        origin = origin_of(claim)
        if not origin:
            return finder_for(experiment)
        if origin in modules():
            return FromClaimsFile("", "", claim, part)
        path = Path(origin).absolute()
        return FromClaimsFile(str(path), path.read_text(encoding="utf-8") if path.is_file() else "", claim, part)

    return finder
