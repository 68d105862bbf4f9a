"""What is drawn: `samplers/<section>/<id>.py` holds the experiments of the claim with that id.

Code that several claims share is next to the folders of the sections, in modules named for what they draw.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pkgutil import walk_packages

from asymp.books import books
from asymp.montecarlo.experiment import Experiment

__all__ = ["Experiments", "experiments"]


class Experiments(Mapping[str, Experiment]):
    """Every experiment by its id, such as experiments["missing-mass"]; samplers are imported when one is first asked for."""

    @cached_property
    def _declared(self) -> dict[str, Experiment]:
        found: dict[str, Experiment] = {}
        of_books = (module for book in books() for module, _ in book.files("samplers"))
        for module in dict.fromkeys([*(m.name for m in walk_packages(__path__, f"{__name__}.")), *of_books]):
            for value in vars(import_module(module)).values():
                if isinstance(value, Experiment) and found.setdefault(value.id, value) is not value:
                    raise ValueError(f"an id must name one experiment; {value.id!r} is declared again in {module}")
        return dict(sorted(found.items()))

    def __getitem__(self, id: str) -> Experiment:
        return self._declared[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._declared)

    def __len__(self) -> int:
        return len(self._declared)

    def __repr__(self) -> str:
        return f"Experiments({', '.join(self)})"


experiments = Experiments()
