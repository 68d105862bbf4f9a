"""fill-is-best: is it best to store every input with the same weight?"""

from typing import Any

from asymp.theory.functions.numerics import no_more_digits
from asymp.theory.functions.recall.binary import student_tail_digits
from asymp.theory.functions.schemes.fill_order import (
    fill_crossovers,
    pair_losses,
    power_rate_digits,
    power_rates,
)
from asymp.theory.functions.zipf.law import class_sums_digits
from asymp.theory.law import law
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, CONVENTIONS, LIMIT, RHO, D, M, N
from asymp.theory.lazy import Digits, Expr, mpmath, sympy
from asymp.theory.param import integer, real
from asymp.theory.sources import Condition, Source


def crossover() -> Expr:
    """X(alpha, N, M, rho): a root that has no formula."""
    return sympy.Function("X")(*sympy.symbols("alpha N M rho"))


def crossover_exact(**values: Digits) -> Digits:
    """No more than 9 digits."""
    raise no_more_digits("the crossover", "9", "asymp.theory.functions.schemes.fill_order.fill_crossovers")


def lower_exact(*, alpha: Digits, N: Digits, M: Digits, d: Digits, rho: Digits, digits: int) -> Digits:
    """The same to any number of digits."""
    size, M = int(N), int(M)
    S = class_sums_digits(alpha=alpha, rho=rho, M=M, N=size, digits=digits + 10).squares
    p = [mpmath.mpf(x) ** -alpha for x in range(1, size + 1)]
    total = mpmath.fsum(p)

    def lost(x: int) -> Any:
        share = (p[x - 1] / total) ** (2 * rho) / (S[x % M] + S[(x + 1) % M])
        return p[x - 1] / total * student_tail_digits(d=d, e=share, digits=digits + 10) / 2

    return mpmath.fsum(lost(x) for x in range(1, size + 1))


def _below(values: Any) -> Any:
    crossover = fill_crossovers(**{name: values[name] for name in ("alpha", "N", "M", "rho")})
    return values["d"] * values["M"] <= crossover * values["N"]


SOME_ALPHA = ALPHA.but(domain=real(above=0))
SOME_RHO = RHO.but(domain=real(above=0), default=None)
SEVERAL = N.but(domain=integer(2), default=None)
SIXTEEN = N.but(domain=integer(4), default=None).over(16, 16)
DIVIDES = Condition(lambda v: (v["N"] % v["M"]) == 0, "N must be a multiple of M: classes of equal size")

LAWS = (
    law(
        "fill-is-best",
        "-log(1 - zipf(N, alpha, N)**(2*rho)/(ClassSum(0, alpha, N, M, rho, N) + ClassSum(1, alpha, N, M, rho, N)))/2",
        relation="<=",
        params=(ANY_ALPHA.over(0.5, 2), SIXTEEN, M, RHO.but(default=None).over(0, 1)),
        quantity="R",
        title="Exponential rate in d of the weights p^rho",
        source=Source("asymp", "the rarest input N against the output of x = 1"),
        conventions=CONVENTIONS
        + " T = inf, outputs uniform on the sphere; R is the limit of -log(E)/d at fixed N and M.",
        conditions=DIVIDES,
        numeric=power_rates,
        exact=power_rate_digits,
    ),
    law(
        "fill-is-best:source",
        "1",
        relation="<=",
        params=(ANY_ALPHA.over(0.5, 2), SEVERAL.over(20, 200), M, D.over(100, 1000), SOME_RHO.over(0.05, 1)),
        quantity="ratio",
        typeset=r"E_{\mathrm{fill}} / E_{\rho}",
        title="Equal weights are best with enough capacity, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity: q = 1 is best if we have enough capacity"),
        conventions=CONVENTIONS + " T = inf; the ratio of the errors of q = 1 and q = p^rho.",
    ),
    law(
        "fill-is-best:below",
        "1",
        relation=">=",
        params=(SOME_ALPHA.over(2, 3), SEVERAL.over(100, 200), M, D.over(5, 10), SOME_RHO.over(0.05, 1)),
        quantity="ratio",
        typeset=r"E_{\mathrm{fill}} / E_{\rho}",
        title="Equal weights are no better than p^rho below the crossover",
        source=Source("asymp", "d M/N below `fill-is-best:crossover`, about 1/rho or more for small rho"),
        conventions=CONVENTIONS + " T = inf; the ratio of the errors of q = 1 and q = p^rho. " + LIMIT,
        conditions=Condition(_below, "d M/N must be at most the crossover of these weights, `fill-is-best:crossover`"),
    ),
    law(
        "fill-is-best:lower",
        # Every input x against the class of the next input.
        "Sum(zipf(x, alpha, N)/2*betainc_regularized(d/2, 1/2, 0, 1 - zipf(x, alpha, N)**(2*rho)"
        "/(ClassSum(x, alpha, N, M, rho, N) + ClassSum(x + 1, alpha, N, M, rho, N))), (x, 1, N))",
        relation=">=",
        params=(ANY_ALPHA.over(0.5, 2), SIXTEEN, M, D.over(10, 200), RHO.but(default=None).over(0, 1)),
        title="Weights p^rho lose at least so much",
        source=Source("asymp", "Student's t for every input against one other output, that of the next input"),
        conventions=CONVENTIONS + " T = inf, outputs uniform on the sphere, N a multiple of M.",
        conditions=DIVIDES,
        numeric=pair_losses,
        exact=lower_exact,
    ),
    law(
        "fill-is-best:crossover",
        crossover,
        relation="~",
        params=(SOME_ALPHA.over(0.5, 2), SEVERAL.over(20, 500), M, SOME_RHO.but(default=1)),
        quantity="dM/N",
        typeset=r"\left(d M/N\right)_{*}",
        title="Where equal weights overtake weights p^rho",
        source=Source("asymp", "equal errors in many dimensions"),
        conventions=CONVENTIONS + " T = inf. " + LIMIT,
        exponents={"N": "0"},
        numeric=fill_crossovers,
        exact=crossover_exact,
    ),
)
