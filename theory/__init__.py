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

from asymp.theory._version import __version__
from asymp.theory.bibliography import BIBLIOGRAPHY
from asymp.theory.domain import Domain, choice, integer, real
from asymp.theory.law import Law, law
from asymp.theory.lawbook import errata, laws
from asymp.theory.statement import Condition, Erratum, Source

__all__ = [
    "BIBLIOGRAPHY",
    "Condition",
    "Domain",
    "Erratum",
    "Law",
    "Source",
    "__version__",
    "choice",
    "errata",
    "integer",
    "law",
    "laws",
    "real",
]

# Functions that load numpy, scipy or SymPy are imported when they are first used.
FUNCTIONS = {
    name: f"asymp.theory.{module}"
    for module, names in {
        "recall.exact": ("recall_error",),
        "recall.limits": ("balanced_limit", "pi_M"),
        "zipf.law": ("class_sums", "normaliser", "zipf_pmf", "zipf_tail"),
        "storage.optimal_storage": ("optimal_constant", "optimal_weights"),
        "storage.best_threshold": ("optimal_threshold",),
        "storage.power_constants": ("power_limit",),
        "sgd.iterates": ("orthonormal_iterate", "sgd_iterate"),
        "sgd.flow": ("margin_flow",),
        "sgd.fit": ("fitted_rho", "sgd_weights"),
        "sgd.stopping_time": ("best_stopping", "stopping_limit"),
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
