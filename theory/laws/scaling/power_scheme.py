"""power-scheme: weights q = p^rho on all inputs."""

import math
from functools import lru_cache
from typing import Any

from asymp.theory.exact_recall.exact import recall_errors
from asymp.theory.functions.numerics import each_point, rising
from asymp.theory.functions.schemes.constants_digits import power_constant_digits
from asymp.theory.functions.schemes.power_constants import power_limit
from asymp.theory.law import law
from asymp.theory.laws.pieces import symbols
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, CONVENTIONS, OUTPUTS, RECALLABLE, RECALLED, RHO, D, M, N, T
from asymp.theory.laws.scaling.exact_recall_error import recall_exact
from asymp.theory.lazy import Digits, Expr, Floats, np, special, sympy
from asymp.theory.param import integer, real
from asymp.theory.sources import Condition, Erratum, Source

B = "(alpha - 1)/(2*alpha*rho)"
EXPONENT = f"-{B}"
SOME_RHO = RHO.but(domain=real(above=0), default=None)
STEEP = Condition(
    lambda v: 2 * v["rho"] * v["alpha"] > 1,
    "2 rho alpha must exceed 1: the sum of q^2 is infinite otherwise, and so is the noise",
)


def limit_expression() -> Expr:
    """C^(1/alpha)/(M (alpha-1)) d^(-beta/2) sum_c E[(Z_c)_+^beta], as the integral of beta a^(beta-1) P(Z_c > a)."""
    alpha, rho, M, d = sympy.symbols("alpha rho M d", positive=True)
    c, y = sympy.symbols("c y", integer=True, positive=True)
    a = sympy.Symbol("a", positive=True)
    t = sympy.Symbol("t", real=True)
    beta = (alpha - 1) / (rho * alpha)

    def S(k: Any) -> Any:
        return symbols.ClassSum(k, alpha, sympy.oo, M, rho, sympy.oo)

    density = sympy.exp(-(t**2) / 2) / sympy.sqrt(2 * sympy.pi)
    hit = sympy.Product(symbols.normal_cdf((a + sympy.sqrt(S(c)) * t) / sympy.sqrt(S(y))), (y, c + 1, c + M - 1))
    lost = 1 - sympy.Integral(density * hit, (t, -sympy.oo, sympy.oo))
    moment = sympy.Integral(beta * a ** (beta - 1) * lost, (a, 0, sympy.oo))
    front = sympy.zeta(alpha) ** (-1 / alpha) / (M * (alpha - 1))
    return front * d ** (-beta / 2) * sympy.Sum(moment, (c, 1, M))


def limit_numeric(*, alpha: Floats, rho: Floats, M: Floats, d: Floats) -> Floats:
    """The limit in float64; the constant is computed once for equal alpha, rho and M."""
    return each_point(_constant, alpha=alpha, rho=rho, M=M) * np.asarray(d) ** (-(alpha - 1) / (2 * rho * alpha))


@lru_cache(maxsize=10_000)
def _constant(*, alpha: float, rho: float, M: float) -> float:
    return power_limit(alpha=alpha, rho=rho, M=int(M)).constant


def limit_exact(*, alpha: Digits, rho: Digits, M: Digits, d: Digits, digits: int) -> Digits:
    """The limit to any number of digits."""
    constant = power_constant_digits(alpha=alpha, rho=rho, M=M, digits=digits)
    return constant * d ** (-(alpha - 1) / (2 * rho * alpha))


def binary_numeric(*, alpha: Floats, rho: Floats, d: Floats) -> Floats:
    """The same in float64, vectorised."""
    b = (alpha - 1) / (2 * alpha * rho)
    S = special.zeta(2 * alpha * rho) * special.zeta(alpha) ** (-2 * rho)
    return np.asarray(
        special.zeta(alpha) ** (-1 / alpha)
        / (2 * (alpha - 1))
        * S**b
        * special.gamma(b + 0.5)
        / (np.sqrt(np.pi) * rising((d + 1) / 2, b))
    )


LAWS = (
    law(
        "power-scheme",
        "Sum(zipf(x, alpha, N)*Failure(x, M, d, rho, T), (x, 1, N))",
        relation="=",
        params=(ANY_ALPHA.over(1.5, 3), RHO.but(default=None).over(0.5, 1.5), M, D, N, T, OUTPUTS),
        title="Power weights without threshold, numerically exact",
        source=Source("asymp", "the exact recall error with q = p^rho"),
        conventions=CONVENTIONS,
        conditions=RECALLABLE,
        exponents={"d": RECALLED},
        numeric=recall_errors,
        exact=recall_exact,
    ),
    law(
        "power-scheme:source",
        "(d/Piecewise((1, 2*rho*alpha > 1), (log(N), Eq(2*rho*alpha, 1)), (N**(1 - 2*rho*alpha), True)))"
        f"**({EXPONENT})",
        relation="~",
        params=(
            ALPHA,
            SOME_RHO.over(0.2, 1.5),
            D.over(10, 100_000),
            N.but(domain=integer(2, infinite=True), default=None).over(100, 100_000),
        ),
        title="Power weights without threshold, as the source states it",
        source=Source("cabannes2024", "Proposition 2 (recalled); Figure 3 right, d^-1/4 at rho = 1, alpha = 2"),
        conventions=CONVENTIONS + " Up to a constant (and logarithms).",
        conditions=Condition(lambda v: (v["N"] < math.inf) | STEEP.holds(v), STEEP.message),
        exponents={"d": EXPONENT, "N": "(alpha - 1)*Max(0, 1 - 2*alpha*rho)/(2*alpha*rho)"},
        errata=Erratum(
            regime="N finite and d/phi(N) above N^(2 rho alpha): d > N for 2 rho alpha < 1, d > N^(2 rho alpha) for > 1.",
            discrepancy="Every input is recalled there and the error falls exponentially in d, below every power: at "
            "alpha = 2, rho = 0.1, N = 100, M = 5 the local slope is -5.8 at d = 500 and -10 at d = 1000, not -2.5.",
            corrected_by="power-scheme",
        ),
    ),
    law(
        "power-scheme:samples",
        "T**(-1 + 1/alpha) + d**(-(alpha - 1)/(2*alpha))",
        relation="<~",
        params=(ALPHA, T.but(domain=real(1), default=None).over(10, 1e6), D.over(10, 100_000)),
        title="Weights that count samples, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity, item 1: q(z) = number of samples of z"),
        conventions=CONVENTIONS + " rho = 1 with the empirical frequencies of T samples; up to a constant.",
    ),
    law(
        "power-scheme:asymptotic",
        limit_expression,
        relation="~",
        params=(ALPHA.over(1.5, 3), SOME_RHO.over(0.5, 1.5), M.over(2, 3), D.over(1000, 1e9)),
        title="Power weights without threshold: leading order with its constant",
        source=Source("asymp", "x is lost when q(x) sqrt(d) < Z_c; integral over x"),
        conventions=CONVENTIONS + " N = T = inf.",
        conditions=STEEP,
        exponents={"d": EXPONENT},
        numeric=limit_numeric,
        exact=limit_exact,
    ),
    law(
        "power-scheme:binary",
        # S^b E[B^b] with b = (alpha-1)/(2 alpha rho), S = sum of q^2 and B ~ Beta(1/2, d/2)
        f"zeta(alpha)**(-1/alpha)/(2*(alpha - 1))*(zeta(2*alpha*rho)*zeta(alpha)**(-2*rho))**({B})"
        f"*gamma({B} + 1/2)/(sqrt(pi)*RisingFactorial((d + 1)/2, {B}))",
        relation="~",
        params=(ALPHA.over(1.5, 3), SOME_RHO.over(0.5, 1.5), D.but(domain=integer(2)).over(10, 1e6)),
        title="Power weights with two outputs on the sphere, to all orders in 1/d",
        source=Source("asymp", "moment of a Beta(1/2, d/2) variable, from the closed form for M = 2"),
        conventions=CONVENTIONS + " Two outputs, uniform on the sphere; N = T = inf.",
        conditions=STEEP,
        exponents={"d": EXPONENT},
        numeric=binary_numeric,
    ),
)
