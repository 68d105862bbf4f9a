"""A user's file of claims: loaded once, its errors reported in one sentence; and how a worker finds an experiment in it."""

import linecache
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from asymp.montecarlo import Experiment
from asymp.montecarlo.running.series import CannotLoad, Finder, finder_for
from asymp.reports.claims import registered

MODULE = "asymp_user_claims"


def load_claims(file: str) -> list[str]:
    """Run a claims file and return the ids that it declares; claims declared before it are forgotten."""
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"the claims file {file} is not there; give the path of a Python file that calls claim(...)")
    registered.clear()
    spec = spec_from_file_location(MODULE, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"the claims file {file} must be a Python file whose name ends in .py")
    module = module_from_spec(spec)
    sys.modules[MODULE] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise ValueError(f"the claims file {file} has a syntax error in line {error.lineno}: {error.msg}") from None
    except Exception as error:
        lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        where = f" in line {lines[-1]}" if lines else ""
        what = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
        raise ValueError(f"the claims file {file} could not be loaded: error{where}: {what}") from None
    if not registered:
        raise ValueError(f"the claims file {file} declares no claim; call asymp.reports.claim(...) in it")
    return list(registered)


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

    @cache
    def finder() -> Finder | None:
        module = sys.modules.get(MODULE)
        if getattr(experiment.sample, "__module__", None) == MODULE and claim in registered and module is not None:
            path = Path(str(module.__file__))
            return FromClaimsFile(str(path.absolute()), path.read_text(encoding="utf-8"), claim, part)
        return finder_for(experiment)

    return finder
