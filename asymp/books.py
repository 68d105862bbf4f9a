"""Books: sections of claims that come together in one package and share one budget of errors.

The ledger is the first. Another comes from an installed package through the entry point group `asymp.claims`, whose value
names a `Book` in the package:

    [project.entry-points."asymp.claims"]
    regression = "power_laws:BOOK"

    BOOK = Book("regression", "Regression with power laws", {"ridge": "Ridge regression"}, shares=14)

An id is a path in every folder of the package: `laws/ridge/<id>.py` has its laws (`LAWS`), `samplers/ridge/<id>.py` its
experiments, `claims/ridge/<id>.py` the claim (`CLAIM`), with notes in Markdown beside them, as CONTRIBUTING.md says of the
ledger; `bibliography.bib` and `quotations/<source>.md` stand beside the folders, where there are sources. A value without a
name behind a colon is a module that declares claims when it is imported: such claims are listed under the entry point's name.
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path

__all__ = ["GROUP", "LEDGER", "Book", "BrokenPackage", "add_book", "books", "broken", "folder_of_added", "modules"]

GROUP = "asymp.claims"
"""The entry point group by which a package offers claims."""


class BrokenPackage(UserWarning):
    """An installed package offers claims that cannot be loaded; it is left out."""


@dataclass(frozen=True, eq=False)
class Book:
    """Sections of claims with one budget of errors.

    Args:
        id: its name on the command line, where it stands for all its claims.
        title: its title on pages.
        sections: the titles of its sections by the names of their folders, in the order in which they are read.
        shares: into how many equal shares its budget is divided; each claim owns one, whatever else is run. At least as
            many as it has claims, and never changed: a claim's share would change with it.
        package: the package that holds its folders `laws`, `samplers` and `claims`; that of an entry point by itself.
        question: what a report of all its claims asks, as its title.
        about: what its claims are about, to follow "statements about" there.
        laws: the package of its laws, if not the folder `laws` of its package; `samplers` and `claims` likewise.
    """

    id: str
    title: str
    sections: Mapping[str, str]
    shares: int
    package: str = ""
    question: str = ""
    about: str = ""
    laws: str = ""
    samplers: str = ""
    claims: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.shares, bool) or not isinstance(self.shares, int) or self.shares < 1:
            raise ValueError(f"shares of book {self.id!r} must be a whole number >= 1; got {self.shares!r}")
        for folder in ("laws", "samplers", "claims"):
            object.__setattr__(self, folder, getattr(self, folder) or f"{self.package}.{folder}")

    def inside(self, package: str) -> "Book":
        """The same book, whose folders are those of a package, unless it names them itself."""
        return self if self.package else replace(self, package=package, laws="", samplers="", claims="")

    def files(self, folder: str) -> Iterator[tuple[str, Path]]:
        """The modules of 'laws', 'samplers' or 'claims' with their files, by section and then by name."""
        package: str = getattr(self, folder)
        for section in self.sections:
            for place in _places(package):
                for file in sorted((place / section).glob("[a-z]*.py")):
                    yield f"{package}.{section}.{file.stem}", file

    @property
    def folders(self) -> list[Path]:
        """Where its bibliography and quotations stand."""
        return _places(self.package) if self.package else []


def _places(package: str) -> list[Path]:
    """The folders of a package, without importing it; none if there is no such package."""
    try:
        spec = find_spec(package)
    except ModuleNotFoundError:
        return []
    return [Path(place) for place in (spec.submodule_search_locations if spec else None) or ()]


LEDGER = Book(
    "associative-memories",
    "Associative memories",
    {
        "scores": "Scores and interference",
        "capacity": "Capacity",
        "scaling": "Scaling laws",
        "training": "Gradients and optimisation",
        "transformers": "Transformers",
    },
    shares=66,
    question="Do the scaling laws of associative memories hold?",
    about="how much a matrix memory stores, how its error falls with size and data, and how training finds it",
    laws="asymp.theory.laws",
    samplers="asymp.montecarlo.samplers",
    claims="asymp.reports.claims",
)
"""The claims that come with asymp."""

_added: dict[str, Book] = {}


def add_book(book: Book) -> None:
    """Have a book known in this process: one of a package that is not installed."""
    known = {one.id: one for one in books()}
    if book.id in known and known[book.id].package != book.package:
        raise ValueError(f"there are two books named {book.id!r}")
    _added[book.id] = book


def folder_of_added(id: str) -> str:
    """The folder of the package of a book that was added in this process; nothing for one that is installed."""
    return str(_places(_added[id].package)[0]) if id in _added else ""


def books() -> tuple[Book, ...]:
    """The ledger, then the books of installed packages by name, then those added in this process."""
    found = {book.id: book for book in (LEDGER, *_installed()[0])}
    return tuple((found | _added).values())


def modules() -> dict[str, str]:
    """The modules of installed packages that declare claims when they are imported, by the names of their entry points."""
    return dict(_installed()[1])


@cache
def _installed() -> tuple[list[Book], list[tuple[str, str]]]:
    from importlib.metadata import entry_points  # the slowest import here

    found: list[Book] = []
    declaring: list[tuple[str, str]] = []
    for point in sorted(entry_points(group=GROUP), key=lambda p: p.name):
        if not point.attr:
            declaring.append((point.name, point.module))
            continue
        try:
            book = point.load()
            if not isinstance(book, Book):
                raise TypeError(f"{point.value} is no asymp.books.Book")
            if book.id in {LEDGER.id, *(one.id for one in found)}:
                raise ValueError(f"there are two books named {book.id!r}")
            found.append(book.inside(point.module))
        except Exception as error:
            warnings.warn(broken(point.name, error), BrokenPackage, stacklevel=2)
    return found, declaring


def broken(name: str, error: Exception) -> str:
    """Why the claims of a package are left out, in a sentence."""
    words = str(error) if isinstance(error, ValueError | TypeError) else f"{type(error).__name__}: {error}"
    return f"the claims of the installed package {name!r} are left out: {words}"
