"""All laws by id. A module of formulas is imported when one of its laws is first wanted."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from asymp.theory.formulas import MODULES
from asymp.theory.law import Law
from asymp.theory.names import UnknownName, unknown_name
from asymp.theory.statement import Erratum

__all__ = ["LawBook", "errata", "laws"]


class LawBook(Mapping[str, Law]):
    """The laws of the ledger by id: `id` is the sharp form, `id:source` what the source says, others `id:word`."""

    def __getitem__(self, id: str) -> Law:
        module = id.split(":")[0].replace("-", "_")
        if module in MODULES:
            for law in import_module(f"asymp.theory.formulas.{module}").LAWS:
                if law.id == id:
                    return law  # type: ignore[no-any-return]
        raise UnknownName(unknown_name("law", id, list(self)))

    def __iter__(self) -> Iterator[str]:
        for module in MODULES:
            yield from (law.id for law in import_module(f"asymp.theory.formulas.{module}").LAWS)

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __repr__(self) -> str:
        return f"<LawBook of {len(self)} laws: {', '.join(self)}>"


laws = LawBook()


def errata() -> list[tuple[str, Erratum]]:
    """Every place where a source's statement is wrong: the id of its law, and the erratum."""
    return [(id, erratum) for id in laws for erratum in laws[id].errata]
