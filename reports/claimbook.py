"""All claims of the ledger by id. A claim's module is imported when the claim is first wanted."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from asymp.reports.declare import Claim, registered
from asymp.reports.index import INDEX
from asymp.theory.names import UnknownName, unknown_name

__all__ = ["ClaimBook", "claims"]


class ClaimBook(Mapping[str, Claim]):
    """The claims of the ledger, and those that the user has declared in this process."""

    def __getitem__(self, id: str) -> Claim:
        if id in registered:
            return registered[id]
        if id in INDEX:
            return import_module(f"asymp.reports.ledger.{id.replace('-', '_')}").CLAIM  # type: ignore[no-any-return]
        raise UnknownName(unknown_name("claim", id, list(self)))

    def __iter__(self) -> Iterator[str]:
        yield from INDEX
        yield from (id for id in registered if id not in INDEX)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<ClaimBook of {len(self)} claims: {', '.join(self)}>"


claims = ClaimBook()
