"""fill-is-best: is it best to store every input with the same weight?"""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import CONVENTIONS, LIMIT, MEANINGS

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]


def rate_expression() -> "sympy.Expr":
    """-log(1 - q(N)^2/(S_0 + S_1))/2."""
    import sympy

    from asymp.theory.recall.symbols import ClassSum, zipf

    alpha, N, M, rho = sympy.symbols("alpha N M rho", positive=True)
    pair = ClassSum(0, alpha, N, M, rho, N) + ClassSum(1, alpha, N, M, rho, N)
    return -sympy.log(1 - zipf(N, alpha, N) ** (2 * rho) / pair) / 2


def rate_numeric(**values: Any) -> Any:
    """The rate in float64, vectorised."""
    from asymp.theory.storage.fill_many import power_rates

    return power_rates(**values)


def rate_exact(**values: Any) -> Any:
    """The rate to any number of digits."""
    from asymp.theory.storage.fill_order import power_rate_digits

    return power_rate_digits(**values)


def crossover_expression() -> "sympy.Expr":
    """The value of d M/N where the two errors are equal: the least load with E_fill <= E_rho, a function without a formula."""
    import sympy

    return sympy.Function("X")(*sympy.symbols("alpha N M rho", positive=True))


def crossover_numeric(**values: Any) -> Any:
    """The crossover, vectorised."""
    from asymp.theory.storage.fill_many import fill_crossovers

    return fill_crossovers(**values)


def crossover_exact(**values: Any) -> Any:
    """No more than 9 digits."""
    from asymp.theory.storage.schemes import no_more_digits

    raise no_more_digits("the crossover", "9", "asymp.theory.storage.fill_order.fill_crossover")


def slope_expression() -> "sympy.Expr":
    """a pi_M'(a) sum_x (p - 1/N) log p, a = sqrt(d M/N)."""
    import sympy

    from asymp.theory.recall.symbols import normal_cdf, zipf

    alpha, N, M, d = sympy.symbols("alpha N M d", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    t = sympy.Symbol("t", real=True)
    a = sympy.sqrt(d * M / N)
    density = sympy.exp(-(t**2) / 2 - (a + t) ** 2 / 2) / (2 * sympy.pi)
    slope = -(M - 1) * sympy.Integral(density * normal_cdf(a + t) ** (M - 2), (t, -sympy.oo, sympy.oo))
    p = zipf(x, alpha, N)
    return a * slope * sympy.Sum((p - 1 / N) * sympy.log(p), (x, 1, N))


def slope_numeric(**values: Any) -> Any:
    """The slope in float64, point by point."""
    from asymp.theory.storage.fill_order import fill_slope
    from asymp.theory.storage.schemes import each_point

    return each_point(fill_slope, **values)


def slope_exact(**values: Any) -> Any:
    """The slope to any number of digits."""
    from asymp.theory.storage.fill_order import fill_slope_digits

    return fill_slope_digits(**values)


def lower_expression() -> "sympy.Expr":
    """sum_x p(x)/2 I_{1 - q(x)^2/(S_x + S_(x+1))}(d/2, 1/2), S_x the class of x, S_(x+1) that of the next input."""
    import sympy

    from asymp.theory.recall.symbols import ClassSum, zipf

    alpha, N, M, rho, d = sympy.symbols("alpha N M rho d", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    pair = ClassSum(x, alpha, N, M, rho, N) + ClassSum(x + 1, alpha, N, M, rho, N)
    p, half = zipf(x, alpha, N), sympy.Rational(1, 2)
    lost = sympy.betainc_regularized(d / 2, half, 0, 1 - p ** (2 * rho) / pair)
    return sympy.Sum(p / 2 * lost, (x, 1, N))


def lower_numeric(**values: Any) -> Any:
    """The same in float64, vectorised; one by one where N is large."""
    import numpy as np
    from scipy.special import betaincc

    from asymp.theory.storage.fill_many import pair_losses
    from asymp.theory.zipf.law import class_sums

    def one(*, alpha: float, N: float, M: float, d: float, rho: float) -> float:
        x = np.arange(1, int(N) + 1)
        p = x**-alpha / np.sum(x**-alpha)
        S = class_sums(alpha=alpha, rho=rho, M=int(M), N=N).squares
        share = p ** (2 * rho) / (S[x % int(M)] + S[(x + 1) % int(M)])
        return float(p @ betaincc(0.5, d / 2, share) / 2)

    return pair_losses(one, **values)


def lower_exact(*, alpha: Any, N: Any, M: Any, d: Any, rho: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    from asymp.theory.recall.binary import student_tail_digits
    from asymp.theory.zipf.law import class_sums_digits

    size, M = int(N), int(M)
    S = class_sums_digits(alpha=alpha, rho=rho, M=M, N=size, digits=digits + 10).squares
    p = [mpmath.mpf(x) ** -alpha for x in range(1, size + 1)]
    total = mpmath.fsum(p)

    def lost(x: int) -> Any:
        share = (p[x - 1] / total) ** (2 * rho) / (S[x % M] + S[(x + 1) % M])
        return p[x - 1] / total * student_tail_digits(d=d, e=share, digits=digits + 10) / 2

    return mpmath.fsum(lost(x) for x in range(1, size + 1))


def _below(values: Any) -> Any:
    crossover = crossover_numeric(**{name: values[name] for name in NAMES})
    return values["d"] * values["M"] <= crossover * values["N"]


NAMES = ("alpha", "N", "M", "rho")
DIVIDES = Condition(lambda v: (v["N"] % v["M"]) == 0, "N must be a multiple of M: classes of equal size")

LAWS = (
    law(
        "fill-is-best",
        rate_expression,
        relation="<=",
        domain={"alpha": real(0), "N": integer(4), "M": integer(2), "rho": real(0)},
        typical={"alpha": (0.5, 2), "N": (16, 16), "M": (2, 8), "rho": (0, 1)},
        meanings={name: MEANINGS[name] for name in NAMES},
        quantity="R",
        title="Exponential rate in d of the weights p^rho",
        source=Source("asymp", "the rarest input N against the output of x = 1"),
        conventions=CONVENTIONS
        + " T = inf, outputs uniform on the sphere; R is the limit of -log(E)/d at fixed N and M.",
        conditions=(DIVIDES,),
        exponents={"N": "-Max(1, 2*alpha*rho)"},
        numeric=rate_numeric,
        exact=rate_exact,
        notes=(
            "What is true of the source's statement: this bound is largest at rho = 0, where it is log(1/(1 - M/(2N)))/2 and is "
            "attained. No weights have a better rate than equal ones, so that these beat any other fixed weights from some d on.",
        ),
    ),
    law(
        "fill-is-best:source",
        "1",
        relation="<=",
        domain={"alpha": real(0), "N": integer(2), "M": integer(2), "d": integer(1), "rho": real(above=0)},
        typical={"alpha": (0.5, 2), "N": (20, 200), "M": (2, 8), "d": (100, 1000), "rho": (0.05, 1)},
        meanings={**{name: MEANINGS[name] for name in NAMES}, "d": MEANINGS["d"]},
        quantity="ratio",
        typeset=r"E_{\mathrm{fill}} / E_{\rho}",
        title="Equal weights are best with enough capacity, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity: q = 1 is best if we have enough capacity"),
        conventions=CONVENTIONS + " T = inf; the ratio of the errors of q = 1 and q = p^rho.",
        errata=(
            Erratum(
                regime="Against rho = 1, d M/N below a crossover: N = 100, M = 5: 2.1 (alpha = 0.5), 2.7 (1), 7.4 (2), 11 (3).",
                discrepancy="The memory overflows: weights by frequency are better, by a factor 1.7 at d = N = 100, alpha = 2.",
                corrected_by="fill-is-best:below",
            ),
            Erratum(
                regime="Every d, against a small rho > 0, unless p is uniform.",
                discrepancy="dE/drho is negative at rho = 0: some rho > 0 is better. N = 100, M = 5: twenty times at alpha "
                "= 2 (rho = 0.1 at d = 400, 0.05 at d = 1000), twice at alpha = 1.",
                corrected_by="fill-is-best:below",
            ),
        ),
    ),
    law(
        "fill-is-best:below",
        "1",
        relation=">=",
        domain={"alpha": real(above=0), "N": integer(2), "M": integer(2), "d": integer(1), "rho": real(above=0)},
        typical={"alpha": (2, 3), "N": (100, 200), "M": (2, 8), "d": (5, 10), "rho": (0.05, 1)},
        meanings={**{name: MEANINGS[name] for name in NAMES}, "d": MEANINGS["d"]},
        quantity="ratio",
        typeset=r"E_{\mathrm{fill}} / E_{\rho}",
        title="Equal weights are no better than p^rho below the crossover",
        source=Source("asymp", "d M/N below `fill-is-best:crossover`, about 1/rho or more for small rho"),
        conventions=CONVENTIONS + " T = inf; the ratio of the errors of q = 1 and q = p^rho. " + LIMIT,
        conditions=(
            Condition(_below, "d M/N must be at most the crossover of these weights, `fill-is-best:crossover`"),
        ),
        exponents={"d": "0"},
        notes=(
            "The crossover grows without end as rho falls to 0: at every d some rho > 0 is better than equal weights, unless p is "
            "uniform (`fill-is-best:slope`).",
        ),
    ),
    law(
        "fill-is-best:lower",
        lower_expression,
        relation=">=",
        domain={"alpha": real(0), "N": integer(4), "M": integer(2), "d": integer(1), "rho": real(0)},
        typical={"alpha": (0.5, 2), "N": (16, 16), "M": (2, 8), "d": (10, 200), "rho": (0, 1)},
        meanings={**{name: MEANINGS[name] for name in NAMES}, "d": MEANINGS["d"]},
        title="Weights p^rho lose at least so much",
        source=Source("asymp", "Student's t for every input against one other output, that of the next input"),
        conventions=CONVENTIONS + " T = inf, outputs uniform on the sphere, N a multiple of M.",
        conditions=(DIVIDES,),
        exponents={"d": "-oo"},
        numeric=lower_numeric,
        exact=lower_exact,
        notes=(
            "For every d, and exact at M = 2: the other outputs only add symmetric noise to the pair. The rarest input's term "
            "falls like exp(-d R), R of `fill-is-best`, which is largest for equal weights: no weights p^rho do better.",
        ),
    ),
    law(
        "fill-is-best:crossover",
        crossover_expression,
        relation="~",
        domain={"alpha": real(above=0), "N": integer(2), "M": integer(2), "rho": real(above=0)},
        typical={"alpha": (0.5, 2), "N": (20, 500), "M": (2, 8)},
        defaults={"rho": 1},
        meanings={name: MEANINGS[name] for name in NAMES},
        quantity="dM/N",
        typeset=r"\left(d M/N\right)_{*}",
        title="Where equal weights overtake weights p^rho",
        source=Source("asymp", "equal errors in many dimensions"),
        conventions=CONVENTIONS + " T = inf. " + LIMIT,
        exponents={"N": "0"},
        numeric=crossover_numeric,
        exact=crossover_exact,
        notes=(
            "X solves pi_M(sqrt X) = sum p pi_M(q sqrt(X N/sum q^2)). Not monotone in alpha: for N = 100, M = 5, rho = 1 it falls "
            "from 3.1 (alpha -> 0) to 1.75 (0.5) and rises to 2.3 (1), 6.5 (2), 10 (3). The exact law at finite d has it 5 to 20 % "
            "higher.",
            "No more than 9 digits can be had: the root of an integral in float64.",
        ),
    ),
    law(
        "fill-is-best:slope",
        slope_expression,
        relation="~",
        domain={"alpha": real(0), "N": integer(2), "M": integer(2), "d": integer(1)},
        typical={"alpha": (0.5, 2), "N": (20, 500), "M": (2, 8), "d": (20, 500)},
        meanings={name: MEANINGS[name] for name in ("alpha", "N", "M", "d")},
        quantity="dE/drho",
        typeset=r"\left.\frac{d E}{d \rho}\right|_{\rho = 0}",
        title="How the error changes when equal weights give way to p^rho",
        source=Source("asymp", "first order in rho"),
        conventions=CONVENTIONS + " T = inf. " + LIMIT,
        exponents={"d": "-oo"},
        numeric=slope_numeric,
        exact=slope_exact,
        notes=(
            "The sum is the two relative entropies between p and the uniform law: the slope is negative unless alpha = 0.",
        ),
    ),
)
