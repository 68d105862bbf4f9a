"""All claims by id: `claims/<section>/<id>.py` declares one, and is imported when the claim is first wanted.

What a list shows (title, source, kind of the leading statement) is read off the file's text, so that listing claims
loads neither SymPy nor torch.
"""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asymp.lazy import NEEDS_TORCH
from asymp.theory.names import UnknownName, unknown_name

if TYPE_CHECKING:
    from asymp.reports.claim import Claim

__all__ = ["LEDGER_SIZE", "SECTIONS", "ClaimBook", "Entry", "claims", "index", "registered"]

FOLDERS = {
    "scores": "Scores and interference",
    "capacity": "Capacity",
    "scaling": "Scaling laws",
    "training": "Gradients and optimisation",
    "transformers": "Transformers",
}
"""The folders of claims, with their titles."""
SECTIONS = dict(enumerate(FOLDERS.values(), 1))
"""The titles of the sections, by number."""

KINDS = {name: name.lower() for name in ("Rate", "Identity", "Constant", "Bound", "Capacity", "Order")} | {
    "Entrywise": "identity"
}
"""The classes of statements, and their kinds."""

LEDGER_SIZE = 66
"""The budget of false refutations is divided by this number, so that a claim's share never depends on what else runs."""

registered: "dict[str, Claim]" = {}
"""Claims that the user declared in this process; declaring one again replaces it, as running a notebook's cell again should."""


@dataclass(frozen=True)
class Entry:
    """One line of the list of claims."""

    id: str
    section: int
    kind: str
    title: str
    source: str
    module: str


@cache
def index() -> dict[str, Entry]:
    """The claims of the ledger in the order of their sections, read off their files."""
    found: dict[str, Entry] = {}
    for number, folder in enumerate(FOLDERS, 1):
        declared = [_declared(file) for file in sorted((Path(__file__).parent / folder).glob("[a-z]*.py"))]
        for stem, fields, kind in sorted(declared, key=lambda d: (d[1].get("order", 1000), d[0])):
            module = f"asymp.reports.claims.{folder}.{stem}"
            found[fields["id"]] = Entry(fields["id"], number, kind, fields["title"], fields["source"], module)
    return found


def _declared(file: Path) -> tuple[str, dict[str, Any], str]:
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
    return file.stem, fields, leading


class ClaimBook(Mapping[str, "Claim"]):
    """The claims of the ledger, and those that the user has declared in this process."""

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
        raise UnknownName(unknown_name("claim", id, list(self)))

    def __iter__(self) -> Iterator[str]:
        yield from index()
        yield from (id for id in registered if id not in index())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<ClaimBook of {len(self)} claims: {', '.join(self)}>"


claims = ClaimBook()
