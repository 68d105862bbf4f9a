"""All claims by id: `claims/<section>/<id>.py` of a book declares one, and is imported when the claim is first wanted.

What a list shows (title, source, kind of the leading statement) is read off the file's text, so that listing claims
loads neither SymPy nor torch.
"""

import ast
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from asymp.books import LEDGER, Book, BrokenPackage, books, broken, folder_of_added, modules
from asymp.lazy import NEEDS_TORCH
from asymp.theory.names import UnknownName, unknown_name

if TYPE_CHECKING:
    from asymp.reports.claim import Claim

__all__ = [
    "LEDGER_SIZE", "ClaimBook", "Entry", "claims", "declared_in", "files_option", "group_of", "index", "load_packages", "named",
    "origin_of", "register", "registered", "sections", "together",
]  # fmt: skip

KINDS = {name: name.lower() for name in ("Rate", "Identity", "Constant", "Bound", "Capacity", "Order")} | {
    "Entrywise": "identity"
}
"""The classes of statements, and their kinds."""

LEDGER_SIZE = LEDGER.shares
"""The budget of false refutations is divided by this number, so that a claim's share never depends on what else runs."""

registered: "dict[str, Claim]" = {}
"""Claims of users: declared in this process, in files of claims, in installed packages."""

together: dict[str, str] = {}
"""The file or package that declared a claim: what one declares shares a budget. A notebook's claims are not here."""

_loading: list[str] = []
"""The file or package whose claims are being declared, if one is."""


@dataclass(frozen=True)
class Entry:
    """One line of the list of claims."""

    id: str
    section: int
    kind: str
    title: str
    source: str
    module: str
    book: str = LEDGER.id


def index() -> dict[str, Entry]:
    """The claims of all books in the order of their sections, read off their files; an own one is not among them."""
    return _index(books())


@cache
def _index(books: tuple[Book, ...]) -> dict[str, Entry]:
    found: dict[str, Entry] = {}
    every = [(book, folder) for book in books for folder in book.sections]
    for number, (book, folder) in enumerate(every, 1):
        own = [(m, f) for m, f in book.files("claims") if m.startswith(f"{book.claims}.{folder}.")]
        declared = [(module, *_declared(file)) for module, file in own]
        for module, fields, kind in sorted(declared, key=lambda d: (d[1].get("order", 1000), d[0])):
            id = fields["id"]
            if id in found:
                raise ValueError(f"the books {found[id].book!r} and {book.id!r} both have a claim {id!r}")
            found[id] = Entry(id, number, kind, fields["title"], fields["source"], module, book.id)
    return found


def known_everywhere(id: str) -> bool:
    """Whether every process finds the claim by its id: it comes with asymp or with an installed package."""
    return id not in registered and id in index() and not folder_of_added(index()[id].book)


def sections() -> dict[int, tuple[Book, str]]:
    """The sections of all books by number: their book and their title."""
    return dict(enumerate(((book, title) for book in books() for title in book.sections.values()), 1))


def _declared(file: Path) -> tuple[dict[str, Any], str]:
    """The plain fields of the file's `CLAIM = Claim(...)`, and the kind of its leading statement."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    (call,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CLAIM" and isinstance(node.value, ast.Call)
    )
    fields = {k.arg: k.value.value for k in call.keywords if k.arg and isinstance(k.value, ast.Constant)}
    kinds: dict[str, str] = {}
    known = dict(KINDS)
    for node in ast.walk(tree):
        match node:
            # growth = partial(Rate, ...)
            case ast.Assign(
                targets=[ast.Name(id=short)], value=ast.Call(func=ast.Name(id="partial"), args=[ast.Name(id=made), *_])
            ) if made in known:
                known[short] = known[made]
            case ast.Call(func=ast.Name(id=made), args=[ast.Constant(value=name), *_]) if made in known:
                kinds.setdefault(str(name), known[made])
    leading = kinds.get("source") or kinds.get("sharp") or next(iter(kinds.values()))
    return fields, leading


def register(claim: "Claim") -> None:
    """Have a user's claim known. In a notebook it replaces one of its id; in a file or package that would be a mistake."""
    if claim.id in index():
        raise ValueError(f"{claim.id!r} is a claim of the book {index()[claim.id].book!r}; give yours another id")
    origin = _loading[-1] if _loading else ""
    known = together.get(claim.id) if claim.id in registered else None
    if origin and known is not None:
        where = "twice" if known == origin else f"in {known} too"
        raise ValueError(f"claim {claim.id!r} is declared {where}; give one of them another id")
    registered[claim.id] = claim
    together.pop(claim.id, None)
    if origin:
        together[claim.id] = origin


@contextmanager
def declared_in(origin: str) -> Iterator[None]:
    """What is registered meanwhile belongs to a file or a package."""
    _loading.append(origin)
    try:
        yield
    finally:
        _loading.pop()


def group_of(claim: str) -> list[str]:
    """The claims that share a budget with a user's one: those of its file or package."""
    return [id for id in registered if together.get(id) == together.get(claim)]


def origin_of(claim: str) -> str:
    """The file, entry point or folder of a book by which a claim came; nothing for those that asymp and installed books have."""
    return together.get(claim) or folder_of_added(index()[claim].book if claim in index() else "")


def files_option(claim: str) -> str:
    """What has to be added to a command so that it knows the claim: the file or folder that declares it, if one was named."""
    origin = origin_of(claim)
    return f" --claims {quote(origin)}" if origin and origin not in modules() else ""


@cache
def load_packages() -> None:
    """Import the modules by which installed packages declare claims; one that fails is left out with a warning."""
    for name, module in modules().items():
        try:
            with declared_in(name):
                import_module(module)
        except Exception as error:
            warnings.warn(broken(name, error), BrokenPackage, stacklevel=2)


def named(ids: Sequence[str]) -> list[str]:
    """The claims that are meant by ids of claims and of books; a book, file or package stands for all its claims."""
    found: list[str] = []
    for id in ids:
        of_book = [entry.id for entry in index().values() if entry.book == id]
        if not of_book and id not in index() and id not in registered:
            load_packages()
            of_book = [own for own in registered if together.get(own) == id]
            if not of_book and id not in registered:
                raise UnknownName(unknown_name("claim", id, [*claims, *(book.id for book in books())]))
        found += of_book or [id]
    return list(dict.fromkeys(found))


class ClaimBook(Mapping[str, "Claim"]):
    """The claims of all books, of installed packages, and those that the user has declared in this process."""

    def __getitem__(self, id: str) -> "Claim":
        if id in registered:
            return registered[id]
        if id in index():
            try:
                return import_module(index()[id].module).CLAIM  # type: ignore[no-any-return]
            except ModuleNotFoundError as error:
                if error.name != "torch":
                    raise
                raise ModuleNotFoundError(NEEDS_TORCH, name="torch") from None
        load_packages()
        if id in registered:
            return registered[id]
        raise UnknownName(unknown_name("claim", id, list(self)))

    def __iter__(self) -> Iterator[str]:
        load_packages()
        yield from index()
        yield from registered

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<ClaimBook of {len(self)} claims: {', '.join(self)}>"


claims = ClaimBook()
