"""power-scheme: weights q = p^rho on all inputs."""

import math

from asymp.theory.law import law
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, CONVENTIONS, OUTPUTS, RECALLED, RHO, D, M, N, T
from asymp.theory.laws.scaling.exact_recall_error import recall_law
from asymp.theory.param import integer, real
from asymp.theory.sources import Condition, Source

B = "(alpha - 1)/(2*alpha*rho)"
EXPONENT = f"-{B}"
SOME_RHO = RHO.but(domain=real(above=0), default=None)
STEEP = Condition(
    lambda v: 2 * v["rho"] * v["alpha"] > 1,
    "2 rho alpha must exceed 1: the sum of q^2 is infinite otherwise, and so is the noise",
)


LAWS = (
    recall_law(
        "power-scheme",
        "Sum(zipf(x, alpha, N)*Failure(x, M, d, rho, T), (x, 1, N))",
        params=(ANY_ALPHA.over(1.5, 3), RHO.but(default=None).over(0.5, 1.5), M, D, N, T, OUTPUTS),
        title="Power weights without threshold, numerically exact",
        source=Source("asymp", "the exact recall error with q = p^rho"),
        exponents={"d": RECALLED},
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
        f"PowerConstant(alpha, rho, M)*d**({EXPONENT})",
        relation="~",
        params=(ALPHA.over(1.5, 3), SOME_RHO.over(0.5, 1.5), M.over(2, 3), D.over(1000, 1e9)),
        title="Power weights without threshold: leading order with its constant",
        source=Source("asymp", "x is lost when q(x) sqrt(d) < Z_c; integral over x"),
        conventions=CONVENTIONS + " N = T = inf.",
        conditions=STEEP,
    ),
    law(
        "power-scheme:binary",
        # S^b E[B^b] with b = (alpha-1)/(2 alpha rho), S = sum of q^2 and B ~ Beta(1/2, d/2)
        f"zeta(alpha)**(-1/alpha)/(2*(alpha - 1))*(zeta(2*alpha*rho)*zeta(alpha)**(-2*rho))**({B})"
        f"*gamma({B} + 1/2)/(sqrt(pi)*Rising((d + 1)/2, {B}))",
        relation="~",
        params=(ALPHA.over(1.5, 3), SOME_RHO.over(0.5, 1.5), D.but(domain=integer(2)).over(10, 1e6)),
        title="Power weights with two outputs on the sphere, to all orders in 1/d",
        source=Source("asymp", "moment of a Beta(1/2, d/2) variable, from the closed form for M = 2"),
        conventions=CONVENTIONS + " Two outputs, uniform on the sphere; N = T = inf.",
        conditions=STEEP,
    ),
)
