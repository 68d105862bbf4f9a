"""A user's file of claims: loaded once, its errors told in one sentence."""

import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from asymp.reports.declare import registered

__all__ = ["load_claims"]


def load_claims(file: str) -> list[str]:
    """Run a claims file and return the ids that it declares; claims declared before it are forgotten."""
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"the claims file {file} is not there; give the path of a Python file that calls claim(...)")
    registered.clear()
    spec = spec_from_file_location("asymp_user_claims", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"the claims file {file} must be a Python file whose name ends in .py")
    module = module_from_spec(spec)
    sys.modules["asymp_user_claims"] = module
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
