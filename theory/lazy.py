"""Libraries that take long to import, loaded at the first use of one of their names.

>>> from asymp.theory.lazy import sympy
>>> sympy.sqrt(8)
2*sqrt(2)

A declaration that only mentions SymPy inside its functions is then as cheap to import as a text file.
"""

from typing import TYPE_CHECKING, TypeAlias

from asymp.lazy import Lazy

__all__ = [
    "Bools",
    "Digits",
    "Expr",
    "Floats",
    "Lazy",
    "Numbers",
    "integrate",
    "interpolate",
    "mpmath",
    "np",
    "optimize",
    "spatial",
    "special",
    "stats",
    "sympy",
]


if TYPE_CHECKING:
    import mpmath
    import numpy as np
    import sympy
    from scipy import integrate, interpolate, optimize, spatial, special, stats
else:
    mpmath, np, sympy = map(Lazy, ("mpmath", "numpy", "sympy"))
    integrate, interpolate, optimize, spatial, special, stats = (
        Lazy(f"scipy.{name}") for name in ("integrate", "interpolate", "optimize", "spatial", "special", "stats")
    )

Expr: TypeAlias = "sympy.Expr"
Floats: TypeAlias = "np.typing.NDArray[np.float64]"
Numbers: TypeAlias = "float | np.typing.NDArray[np.float64]"
Bools: TypeAlias = "np.typing.NDArray[np.bool_]"
Digits: TypeAlias = "mpmath.mpf"
"""An expression; numbers in float64, of any shape; a number with as many digits as mpmath has been told to carry."""
