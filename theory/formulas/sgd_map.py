"""sgd-map: the weight that SGD gives to an input after seeing it n times."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

MEANINGS = {
    "gamma": "step size of SGD",
    "M": "number of outputs",
    "n": "how often the input has been seen",
    "q": "weight of the input before the step",
}
CONVENTIONS = (
    "SGD with batch one on the cross-entropy from W = 0; q is the weight of an input in W = sum of q(x) u_f(x) e_x^T; "
    "one sight of the input takes q to f(q) = q + gamma/(1 + e^q/(M - 1))."
)
DOMAIN = {"gamma": real(above=0), "M": integer(2), "n": integer(0)}
TYPICAL = {"gamma": (0.01, 10.0), "M": (2.0, 100.0), "n": (0.0, 1e6)}


def iterate() -> "sympy.Expr":
    """f^n(0)."""
    import sympy

    from asymp.theory.sgd.symbolic import SGDIterate

    gamma, M, n = sympy.symbols("gamma M n", positive=True)
    return SGDIterate(n, gamma, M)


def orthonormal() -> "sympy.Expr":
    """The iterate of the exact map: the margin q M/(M-1) follows f with the step gamma M/(M-1)."""
    import sympy

    from asymp.theory.sgd.symbolic import SGDIterate

    gamma, M, n = sympy.symbols("gamma M n", positive=True)
    return (M - 1) / M * SGDIterate(n, gamma * M / (M - 1), M)


def expansion() -> "sympy.Expr":
    """log((M-1) [gamma n + (gamma/2 - 1) log n + c])."""
    import sympy

    from asymp.theory.sgd.symbolic import GrowthConstant

    gamma, M, n = sympy.symbols("gamma M n", positive=True)
    return sympy.log((M - 1) * (gamma * n + (gamma / 2 - 1) * sympy.log(n) + GrowthConstant(gamma, M)))


def iterate_numeric(**values: Any) -> Any:
    """f^n(0) in float64, vectorised."""
    from asymp.theory.sgd.iterates import sgd_iterate

    return sgd_iterate(**values)


def iterate_exact(**values: Any) -> Any:
    """f^n(0) to any number of digits."""
    from asymp.theory.sgd.iterates import sgd_iterate_digits

    return sgd_iterate_digits(**values)


def orthonormal_numeric(**values: Any) -> Any:
    """The exact map's iterate in float64, vectorised."""
    from asymp.theory.sgd.iterates import orthonormal_iterate

    return orthonormal_iterate(**values)


def orthonormal_exact(**values: Any) -> Any:
    """The exact map's iterate to any number of digits."""
    from asymp.theory.sgd.iterates import orthonormal_iterate_digits

    return orthonormal_iterate_digits(**values)


def flow_numeric(**values: Any) -> Any:
    """The flow in float64, vectorised, in the log domain."""
    from asymp.theory.sgd.flow import sgd_flow

    return sgd_flow(**values)


def flow_exact(**values: Any) -> Any:
    """The flow to any number of digits."""
    from asymp.theory.sgd.flow import sgd_flow_digits

    return sgd_flow_digits(**values)


def bracket(gamma: Any, M: Any, n: Any) -> Any:
    """gamma n + (gamma/2 - 1) log n + c, vectorised."""
    import numpy as np

    from asymp.theory.sgd.iterates import growth_constant

    return gamma * n + (gamma / 2 - 1) * np.log(n) + growth_constant(gamma=gamma, M=M)


def expansion_numeric(*, gamma: Any, M: Any, n: Any) -> Any:
    """The expansion in float64, vectorised."""
    import numpy as np

    return np.log(M - 1) + np.log(bracket(gamma, M, n))


def expansion_exact(*, gamma: Any, M: Any, n: Any, digits: int) -> Any:
    """The expansion to any number of digits."""
    import mpmath

    from asymp.theory.sgd.iterates import growth_constant_digits

    c = growth_constant_digits(gamma=gamma, M=M, digits=digits)
    return mpmath.log((M - 1) * (gamma * n + (gamma / 2 - 1) * mpmath.log(n) + c))


SHARED: dict[str, Any] = {"meanings": MEANINGS, "quantity": "q", "conventions": CONVENTIONS}

LAWS = (
    law(
        "sgd-map",
        iterate,
        relation="=",
        domain=DOMAIN,
        typical=TYPICAL,
        title="Weight after n steps of the SGD map, exact",
        source=Source("asymp", "iterates by the Abel function of the map"),
        exponents={"n": "0"},
        numeric=iterate_numeric,
        exact=iterate_exact,
        notes=(
            "f has no finite fixed point: q rises beyond every bound, like log n for every step size.",
            "Weights of other outputs are ignored, as in the source; `sgd-map:orthonormal` is what SGD does.",
        ),
        **SHARED,
    ),
    law(
        "sgd-map:source",
        "q + gamma/(1 + exp(q)/(M - 1))",
        relation="=",
        domain={"q": real(-700, 700), "gamma": real(above=0), "M": integer(2)},
        typical={"q": (0.0, 10.0), "gamma": (0.01, 10.0), "M": (2.0, 100.0)},
        title="One update of a weight by SGD, as the source states it",
        source=Source("cabannes2024", "update rule of SGD with batch size one, Figure 5 left"),
        notes=(
            "The weight after n sights of the input is the n-th iterate from 0: `sgd-map`.",
            "It leaves the scores of the wrong outputs at 0. SGD lowers them to -q/(M-1), so that with orthonormal "
            "embeddings e^(q M/(M-1)) stands in place of e^q: `sgd-map:orthonormal`. The source's q is too large, by a "
            "factor that tends to M/(M-1) in long runs.",
        ),
        errata=(
            Erratum(
                regime="Iterated, q = f^n(0), as the weight that SGD itself gives to an input seen n times.",
                discrepancy="SGD also lowers the other outputs, so that the margin grows faster and the steps shrink sooner: the "
                "source's q is too large, by 7 % after two steps of 1 (M = 5) and by a factor that tends to M/(M-1).",
                corrected_by="sgd-map:orthonormal",
            ),
        ),
        exponents={"gamma": "1"},
        meanings=MEANINGS,
        quantity="f",
        typeset=r"f\left(q\right)",
        conventions=CONVENTIONS,
    ),
    law(
        "sgd-map:orthonormal",
        orthonormal,
        relation="=",
        domain=DOMAIN,
        typical=TYPICAL,
        title="Weight after n sights of an input, SGD with orthonormal embeddings, exact",
        source=Source("asymp", "gradient of the cross-entropy with orthonormal embeddings"),
        exponents={"n": "0"},
        numeric=orthonormal_numeric,
        exact=orthonormal_exact,
        notes=(
            "The margin m = q M/(M-1) follows the source's map f with the step gamma M/(M-1).",
            "Needs d >= max(N, M) and orthonormal input and output embeddings; then inputs do not interact.",
        ),
        **SHARED,
    ),
    law(
        "sgd-map:ode",
        "gamma*n + 1/(M - 1) - LambertW(exp(gamma*n + 1/(M - 1))/(M - 1))",
        relation="~",
        domain={"gamma": real(above=0), "M": integer(2), "n": real(0)},
        typical=TYPICAL,
        title="Weight after n small steps of the SGD map: the flow",
        source=Source("asymp", "q + (e^q - 1)/(M-1) = gamma n"),
        exponents={"n": "0"},
        numeric=flow_numeric,
        exact=flow_exact,
        notes=(
            "A lower bound of `sgd-map` for every step size; the limit gamma -> 0 at fixed gamma n.",
            "Computed in the log domain: the exponential in the formula overflows beyond gamma n = 709, this does not.",
        ),
        **SHARED,
    ),
    law(
        "sgd-map:asymptotic",
        expansion,
        relation="~",
        domain={"gamma": real(above=0, high=700), "M": integer(2), "n": integer(1)},
        typical={"gamma": (0.1, 8.0), "M": (2.0, 20.0), "n": (1e3, 1e9)},
        title="Weight after many steps of the SGD map: expansion with its constant",
        source=Source("asymp", "Abel function of the map"),
        conditions=(
            Condition(
                lambda v: bracket(v["gamma"], v["M"], v["n"]) > 0,
                "n must be large enough for gamma n + (gamma/2 - 1) log n + c > 0: the expansion is for large n",
            ),
        ),
        exponents={"n": "0"},
        numeric=expansion_numeric,
        exact=expansion_exact,
        notes=("What is left out of the bracket is of order log(n)/n.",),
        **SHARED,
    ),
    law(
        "sgd-map:small-step",
        "n*gamma*(M - 1)/M",
        relation="~",
        domain={"gamma": real(above=0), "M": integer(2), "n": real(0)},
        typical={"gamma": (1e-6, 1e-3), "M": (2.0, 100.0), "n": (0.0, 100.0)},
        title="Weight after few small steps of the SGD map",
        source=Source("asymp", "limit gamma n -> 0"),
        notes=(
            "An upper bound of `sgd-map` for every step size, since its increments fall; n proportional to p: rho = 1.",
        ),
        **SHARED,
    ),
    law(
        "sgd-map:large-step",
        "gamma*(M - 1)/M",
        relation="~",
        domain={"gamma": real(above=0), "M": integer(2), "n": integer(1)},
        typical={"gamma": (20.0, 100.0), "M": (2.0, 100.0), "n": (1.0, 100.0)},
        title="Weight after large steps of the SGD map: the plateau",
        source=Source("asymp", "limit gamma -> oo at fixed n"),
        notes=(
            "A lower bound of `sgd-map` for n >= 1, and too small by at most (n-1) gamma (M-1) e^(-gamma (M-1)/M): "
            "the same weight for every input seen, rho = 0.",
        ),
        **SHARED,
    ),
)
