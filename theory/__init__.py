"""What the papers say: laws as SymPy declarations, evaluated to any number of digits.

>>> from asymp.theory import laws, missing_mass
>>> round(missing_mass(alpha=2, T=1000), 6)
0.021843
>>> laws["missing-mass:source"].exponent("T")
-1 + 1/alpha

Every law is importable by its id, with underscores. Nothing here knows torch or the other packages.
"""

from importlib import import_module
from typing import Any

from asymp._version import __version__
from asymp.theory.law import Law, law
from asymp.theory.laws import errata, graded, laws, offered
from asymp.theory.param import Domain, Param, choice, integer, real
from asymp.theory.sources import BIBLIOGRAPHY, Condition, Erratum, Source

__all__ = [
    "BIBLIOGRAPHY",
    "Condition",
    "Domain",
    "Erratum",
    "Law",
    "Param",
    "Source",
    "__version__",
    "choice",
    "errata",
    "graded",
    "integer",
    "law",
    "laws",
    "real",
]

# Functions that load numpy, scipy or SymPy are imported when they are first used.
FUNCTIONS = {
    name: f"asymp.theory.{module}"
    for module, names in {
        "exact_recall.exact": ("recall_error",),
        "functions.recall.gaussian_error": ("pi_M",),
        "functions.zipf.law": ("class_sums", "normaliser", "zipf_tail"),
        "functions.schemes.optimal_storage": ("optimal_weights",),
        "functions.schemes.best_threshold": ("optimal_threshold",),
        "functions.schemes.power_constants": ("power_limit",),
        "functions.sgd.iterates": ("sgd_iterate",),
        "functions.sgd.fit": ("fitted_rho", "sgd_weights"),
        "functions.sgd.stopping_time": ("best_stopping", "stopping_limit"),
    }.items()
    for name in names
}


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return getattr(import_module(FUNCTIONS[name]), name)
    if not name.startswith("_"):
        try:
            return laws[name.replace("_", "-")]
        except KeyError:
            pass
    raise AttributeError(f"module 'asymp.theory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *FUNCTIONS, *offered()})
