"""How a worker finds a claim's experiment: by import, or by loading the user's claims file, by path or as text."""

import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from asymp.montecarlo import Experiment
from asymp.montecarlo.executors.finders import finder_for
from asymp.montecarlo.executors.task import CannotLoad, Finder
from asymp.reports.declare import registered
from asymp.reports.running.loading import load_claims

__all__ = ["FromClaimsFile", "finder_of"]

MODULE = "asymp_user_claims"


@dataclass(frozen=True)
class FromClaimsFile:
    """The experiment of one part of a claim in a user's file; its text travels along, in case the file does not."""

    path: str
    text: str
    claim: str
    part: int

    def find(self) -> Experiment:
        """Load the file in this process and take the experiment from it."""
        try:
            if Path(self.path).is_file():
                load_claims(self.path)
            else:
                self._load_text()
            return registered[self.claim].parts[self.part].experiment
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
    found: list[Finder | None] = []

    def once() -> Finder | None:
        if not found:
            found.append(_finder(claim, part, experiment))
        return found[0]

    return once


def _finder(claim: str, part: int, experiment: Experiment) -> Finder | None:
    module = sys.modules.get(MODULE)
    if getattr(experiment.sample, "__module__", None) == MODULE and claim in registered and module is not None:
        path = str(module.__file__)
        return FromClaimsFile(str(Path(path).absolute()), Path(path).read_text(encoding="utf-8"), claim, part)
    return finder_for(experiment)
