"""power-scheme: weights q = p^rho on all inputs."""

import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import ALPHA, CONVENTIONS, MEANINGS, NORMALISED, SCHEME, SUMMABLE_SAMPLES

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

DOMAIN = {name: SCHEME[name] for name in ("alpha", "rho", "M", "d", "N", "T", "outputs")}
EXPONENT = "Piecewise((-(alpha - 1)/(2*alpha*rho), 2*alpha*rho > 1), (0, True))"
STEEP = Condition(
    lambda v: 2 * v["rho"] * v["alpha"] > 1,
    "2 rho alpha must exceed 1: the sum of q^2 is infinite otherwise, and so is the noise",
)


def recall_expression(*, outputs: str = "gaussian") -> "sympy.Expr":
    """The sum over x of p(x) times the probability that x is not recalled."""
    import sympy

    from asymp.theory.recall.symbols import Failure, zipf

    alpha, N, M, d, rho, T = sympy.symbols("alpha N M d rho T", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    return sympy.Sum(zipf(x, alpha, N) * Failure(x, M, d, rho, T), (x, 1, N))


def recall_numeric(**values: Any) -> Any:
    """The exact recall error at every point, to 1e-3."""
    from asymp.theory.storage.schemes import recall_errors

    return recall_errors(**values)


def recall_exact(**values: Any) -> Any:
    """Any number of digits for two outputs on the sphere and T = inf, else no more than 4."""
    from asymp.theory.formulas.exact_recall_error import recall_exact as whole

    return whole(P=math.inf, **values)


def source_expression() -> "sympy.Expr":
    """(d/phi(N))^(-(alpha-1)/(2 rho alpha)), phi = 1, log N or N^(1 - 2 rho alpha)."""
    import sympy

    alpha, rho, d, N = sympy.symbols("alpha rho d N", positive=True)
    slope = 2 * rho * alpha
    phi = sympy.Piecewise((1, slope > 1), (sympy.log(N), sympy.Eq(slope, 1)), (N ** (1 - slope), True))
    return (d / phi) ** (-(alpha - 1) / slope)


def limit_expression() -> "sympy.Expr":
    """C^(1/alpha)/(M (alpha-1)) d^(-beta/2) sum_c E[(Z_c)_+^beta], as the integral of beta a^(beta-1) P(Z_c > a)."""
    import sympy

    from asymp.theory.recall.symbols import ClassSum, normal_cdf

    alpha, rho, M, d = sympy.symbols("alpha rho M d", positive=True)
    c, y = sympy.symbols("c y", integer=True, positive=True)
    a = sympy.Symbol("a", positive=True)
    t = sympy.Symbol("t", real=True)
    beta = (alpha - 1) / (rho * alpha)

    def S(k: Any) -> Any:
        return ClassSum(k, alpha, sympy.oo, M, rho, sympy.oo)

    density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)
    hit = sympy.Product(normal_cdf((a + sympy.sqrt(S(c)) * t) / sympy.sqrt(S(y))), (y, c + 1, c + M - 1))
    lost = 1 - sympy.Integral(density * hit, (t, -sympy.oo, sympy.oo))
    moment = sympy.Integral(beta * a ** (beta - 1) * lost, (a, 0, sympy.oo))
    front = sympy.zeta(alpha) ** (-1 / alpha) / (M * (alpha - 1))
    return front * d ** (-beta / 2) * sympy.Sum(moment, (c, 1, M))


def limit_numeric(*, alpha: Any, rho: Any, M: Any, d: Any) -> Any:
    """The limit in float64; the constant is computed once for equal alpha, rho and M."""
    import numpy as np

    from asymp.theory.storage.schemes import each_point

    return each_point(_constant, alpha=alpha, rho=rho, M=M) * np.asarray(d) ** (-(alpha - 1) / (2 * rho * alpha))


@lru_cache(maxsize=10_000)
def _constant(*, alpha: float, rho: float, M: float) -> float:
    from asymp.theory.storage.power_constants import power_limit

    return power_limit(alpha=alpha, rho=rho, M=int(M)).constant


def limit_exact(*, alpha: Any, rho: Any, M: Any, d: Any, digits: int) -> Any:
    """The limit to any number of digits."""
    from asymp.theory.storage.constants_digits import power_constant_digits

    constant = power_constant_digits(alpha=alpha, rho=rho, M=M, digits=digits)
    return constant * d ** (-(alpha - 1) / (2 * rho * alpha))


def binary_expression() -> "sympy.Expr":
    """C^(1/alpha)/(2 (alpha-1)) S^b Gamma(b + 1/2)/(sqrt(pi) ((d+1)/2)_b), b = (alpha-1)/(2 alpha rho), S = sum of q^2."""
    import sympy

    alpha, rho, d = sympy.symbols("alpha rho d", positive=True)
    b = (alpha - 1) / (2 * alpha * rho)
    S = sympy.zeta(2 * alpha * rho) * sympy.zeta(alpha) ** (-2 * rho)
    moment = sympy.gamma(b + sympy.Rational(1, 2)) / (sympy.sqrt(sympy.pi) * sympy.RisingFactorial((d + 1) / 2, b))
    return sympy.zeta(alpha) ** (-1 / alpha) / (2 * (alpha - 1)) * S**b * moment


def binary_numeric(*, alpha: Any, rho: Any, d: Any) -> Any:
    """The same in float64, vectorised."""
    import numpy as np
    from scipy.special import gamma, zeta

    from asymp.theory.storage.schemes import rising

    b = (alpha - 1) / (2 * alpha * rho)
    S = zeta(2 * alpha * rho) * zeta(alpha) ** (-2 * rho)
    return (
        zeta(alpha) ** (-1 / alpha)
        / (2 * (alpha - 1))
        * S**b
        * gamma(b + 0.5)
        / (np.sqrt(np.pi) * rising((d + 1) / 2, b))
    )


LAWS = (
    law(
        "power-scheme",
        recall_expression,
        relation="=",
        domain=DOMAIN,
        typical={"alpha": (1.5, 3), "rho": (0.5, 1.5), "M": (2, 8), "d": (10, 10_000)},
        defaults={"N": math.inf, "T": math.inf, "outputs": "gaussian"},
        meanings={name: MEANINGS[name] for name in DOMAIN},
        title="Power weights without threshold, numerically exact",
        source=Source("asymp", "the exact recall error with q = p^rho"),
        conventions=CONVENTIONS,
        conditions=(
            NORMALISED,
            Condition(lambda v: SUMMABLE_SAMPLES.holds({**v, "P": math.inf}), SUMMABLE_SAMPLES.message),
        ),
        exponents={"d": EXPONENT},
        numeric=recall_numeric,
        exact=recall_exact,
        notes=(
            "The exponent is for N = T = inf. At 2 rho alpha <= 1 the noise of infinitely many inputs drowns every memory. "
            "With N finite the power law ends where d/phi(N) is about N^(2 rho alpha), and the decay is exponential.",
            "No more than 3 to 4 digits can be had: the integral has some hundred dimensions and is randomised.",
        ),
    ),
    law(
        "power-scheme:source",
        source_expression,
        relation="~",
        domain={"alpha": ALPHA, "rho": real(above=0), "d": integer(1), "N": integer(2, infinite=True)},
        typical={"alpha": (1.2, 3), "rho": (0.2, 1.5), "d": (10, 100_000), "N": (100, 100_000)},
        meanings={name: MEANINGS[name] for name in ("alpha", "rho", "d", "N")},
        title="Power weights without threshold, as the source states it",
        source=Source("cabannes2024", "Proposition 2 (recalled); Figure 3 right, d^-1/4 at rho = 1, alpha = 2"),
        conventions=CONVENTIONS + " Up to a constant (and logarithms).",
        conditions=(Condition(lambda v: (v["N"] < math.inf) | STEEP.holds(v), STEEP.message),),
        exponents={
            "d": "-(alpha - 1)/(2*alpha*rho)",
            "N": "(alpha - 1)*Max(0, 1 - 2*alpha*rho)/(2*alpha*rho)",
        },
        notes=(
            "The constant is hidden; `power-scheme:asymptotic` has it for 2 rho alpha > 1. Classes are unequal under x mod M, "
            "so it is no function of pi_M.",
        ),
        errata=(
            Erratum(
                regime="N finite and d/phi(N) above N^(2 rho alpha): d > N for 2 rho alpha < 1, d > N^(2 rho alpha) for > 1.",
                discrepancy="Every input is recalled there and the error falls exponentially in d, below every power: at "
                "alpha = 2, rho = 0.1, N = 100, M = 5 the local slope is -5.8 at d = 500 and -10 at d = 1000, not -2.5.",
                corrected_by="power-scheme",
            ),
        ),
    ),
    law(
        "power-scheme:samples",
        "T**(-1 + 1/alpha) + d**(-(alpha - 1)/(2*alpha))",
        relation="<~",
        domain={"alpha": ALPHA, "T": real(1), "d": integer(1)},
        typical={"alpha": (1.2, 3), "T": (10, 1e6), "d": (10, 100_000)},
        meanings={name: MEANINGS[name] for name in ("alpha", "T", "d")},
        title="Weights that count samples, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity, item 1: q(z) = number of samples of z"),
        conventions=CONVENTIONS + " rho = 1 with the empirical frequencies of T samples; up to a constant.",
        notes=(
            "At fixed T the bound does not fall with d beyond its first term, nor the other way round: exponent 0.",
        ),
    ),
    law(
        "power-scheme:asymptotic",
        limit_expression,
        relation="~",
        domain={"alpha": ALPHA, "rho": real(above=0), "M": integer(2), "d": integer(1)},
        typical={"alpha": (1.5, 3), "rho": (0.5, 1.5), "M": (2, 3), "d": (1000, 1e9)},
        meanings={name: MEANINGS[name] for name in ("alpha", "rho", "M", "d")},
        title="Power weights without threshold: leading order with its constant",
        source=Source("asymp", "x is lost when q(x) sqrt(d) < Z_c; integral over x"),
        conventions=CONVENTIONS + " N = T = inf.",
        conditions=(STEEP,),
        exponents={"d": "-(alpha - 1)/(2*alpha*rho)"},
        numeric=limit_numeric,
        exact=limit_exact,
        notes=(
            "In float64 the constant takes about 10 ms for every new (alpha, rho, M), some hundred points a second; it is kept, "
            "and points that differ in d only run at some hundred thousand a second.",
            "E[(Z_c)_+^beta] with beta = (alpha-1)/(rho alpha), Z_c = max_{y != c} sqrt(S_y) xi_y - sqrt(S_c) xi_c, averaged "
            "over the classes c. For gaussian or sphere outputs alike; what is left out is of relative order 1/d (1 to 4 % at "
            "d = 100).",
        ),
    ),
    law(
        "power-scheme:binary",
        binary_expression,
        relation="~",
        domain={"alpha": ALPHA, "rho": real(above=0), "d": integer(2)},
        typical={"alpha": (1.5, 3), "rho": (0.5, 1.5), "d": (10, 1e6)},
        meanings={name: MEANINGS[name] for name in ("alpha", "rho", "d")},
        title="Power weights with two outputs on the sphere, to all orders in 1/d",
        source=Source("asymp", "moment of a Beta(1/2, d/2) variable, from the closed form for M = 2"),
        conventions=CONVENTIONS + " Two outputs, uniform on the sphere; N = T = inf.",
        conditions=(STEEP,),
        exponents={"d": "-(alpha - 1)/(2*alpha*rho)"},
        numeric=binary_numeric,
        notes=(
            "The last two factors are E[B^((alpha-1)/(2 alpha rho))] for B ~ Beta(1/2, d/2). What is left out oscillates and is "
            "smaller than every power of d, like exp(-c d^(1/(2 alpha rho + 1))): 1.5 % at alpha = 2, rho = 1, d = 10.",
        ),
    ),
)
