"""threshold-scheme: weights q = p^rho on the P most frequent inputs only."""

import math
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source
from asymp.theory.storage.scheme_domain import (
    ALPHA,
    CONVENTIONS,
    LIMIT,
    MEANINGS,
    NORMALISED,
    SCHEME,
    SCHEME_DEFAULTS,
    SUMMABLE_SAMPLES,
)

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]


def recall_expression(*, outputs: str = "gaussian") -> "sympy.Expr":
    """The sum over x of p(x) times the probability that x is not recalled."""
    from asymp.theory.formulas.exact_recall_error import recall_expression as whole

    return whole(outputs=outputs)


def recall_numeric(**values: Any) -> Any:
    """The exact recall error at every point, to 1e-3."""
    from asymp.theory.storage.schemes import recall_errors

    return recall_errors(**values)


def recall_exact(**values: Any) -> Any:
    """Any number of digits for two outputs on the sphere, else no more than 4."""
    from asymp.theory.formulas.exact_recall_error import recall_exact as whole

    return whole(**values)


def floor_expression() -> "sympy.Expr":
    """(1 - 1/M) tail + (1 - tail) pi_M(sqrt(M/k)), tail = zeta(alpha, floor(k d) + 1)/zeta(alpha)."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error

    alpha, M, d, k = sympy.symbols("alpha M d k", positive=True)
    P = sympy.floor(k * d)
    tail = sympy.zeta(alpha, P + 1) / sympy.zeta(alpha)
    return (1 - 1 / M) * tail + (1 - tail) * gaussian_error(sympy.sqrt(d * M / P), M)


def floor_numeric(*, alpha: Any, M: Any, d: Any, k: Any) -> Any:
    """The same in float64, vectorised."""
    import numpy as np

    from asymp.theory.recall.limits import pi_M
    from asymp.theory.zipf.law import zipf_tail

    P = np.floor(k * d)
    tail = np.asarray(zipf_tail(alpha=alpha, P=P))
    return (1 - 1 / M) * tail + (1 - tail) * np.asarray(pi_M(a=np.sqrt(d * M / P), M=M))


def floor_exact(*, alpha: Any, M: Any, d: Any, k: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits
    from asymp.theory.zipf.law import zipf_tail_digits

    P = mpmath.floor(k * d)
    tail = zipf_tail_digits(alpha=alpha, P=P, digits=digits)
    missed = gaussian_error_digits(a=mpmath.sqrt(d * M / P), M=M, digits=digits)
    return (1 - 1 / mpmath.mpf(M)) * tail + (1 - tail) * missed


def best_expression() -> "sympy.Expr":
    """inf over P of sum_{x<=P} p(x) pi_M(q(x) sqrt(d M/sum q^2)) + (1 - 1/M) p{x > P}."""
    import sympy

    from asymp.theory.recall.symbols import Infimum, gaussian_error, zipf

    alpha, N, M, d, rho = sympy.symbols("alpha N M d rho", positive=True)
    x, j, P = sympy.symbols("x j P", integer=True, positive=True)
    q = zipf(x, alpha, N) ** rho
    whole = sympy.Sum(zipf(j, alpha, N) ** (2 * rho), (j, 1, P))
    stored = sympy.Sum(zipf(x, alpha, N) * gaussian_error(q * sympy.sqrt(d * M / whole), M), (x, 1, P))
    return Infimum(stored + (1 - 1 / M) * sympy.Sum(zipf(x, alpha, N), (x, P + 1, N)), (P, 1, N))


def best_numeric(*, rho: Any, **values: Any) -> Any:
    """The least error over P at every point; those at rho = 0 together."""
    import numpy as np

    from asymp.theory.storage.best_threshold import best_equal_weights, optimal_threshold
    from asymp.theory.storage.schemes import each_point

    def one(*, M: float, **point: float) -> float:
        return optimal_threshold(M=int(M), **point).error

    names = [*values, "rho"]
    grid = np.broadcast_arrays(*(np.asarray(v, dtype=np.float64) for v in (*values.values(), rho)))
    flat = dict(zip(names, (a.ravel() for a in grid), strict=True))
    equal = flat["rho"] == 0
    found = np.empty(equal.shape)
    if equal.any():
        found[equal] = best_equal_weights(**{name: v[equal] for name, v in flat.items() if name != "rho"})
    if not equal.all():
        found[~equal] = each_point(one, **{name: v[~equal] for name, v in flat.items()})
    return found.reshape(grid[0].shape)


def best_exact(*, digits: int, rho: Any, **values: Any) -> Any:
    """Any number of digits at rho = 0: float64 finds P, mpmath looks around it."""
    import mpmath

    from asymp.theory.recall.gaussian_error import gaussian_error_digits
    from asymp.theory.storage.best_threshold import optimal_threshold
    from asymp.theory.storage.schemes import no_more_digits
    from asymp.theory.zipf.law import zipf_tail_digits

    if rho != 0:
        raise no_more_digits(
            "the best threshold at rho > 0", "11", "asymp.theory.storage.best_threshold.optimal_threshold"
        )
    alpha, M, d, N = (values[name] for name in ("alpha", "M", "d", "N"))
    # Around its least value E(P) is flat: float64 tells P apart from its neighbours only where they differ by 1e-13.
    P = optimal_threshold(alpha=float(alpha), M=int(M), d=float(d), N=float(N)).P

    def error(stored: int) -> Any:
        tail = zipf_tail_digits(alpha=alpha, P=stored, N=N, digits=digits)
        missed = gaussian_error_digits(a=mpmath.sqrt(d * M / stored), M=M, digits=digits)
        return (1 - 1 / mpmath.mpf(M)) * tail + (1 - tail) * missed

    best = error(P)
    for step in (1, -1):
        stored = P + step
        while 1 <= stored <= N and error(stored) < best:
            best, stored = error(stored), stored + step
    return best


LAWS = (
    law(
        "threshold-scheme",
        recall_expression,
        relation="=",
        domain=SCHEME,
        typical={"alpha": (1.2, 3), "P": (4, 200), "M": (2, 8), "d": (10, 2000)},
        defaults={**SCHEME_DEFAULTS, "N": math.inf},
        meanings={name: MEANINGS[name] for name in SCHEME},
        title="Weights with a threshold, numerically exact",
        source=Source("asymp", "the exact recall error with q = p^rho on x <= P"),
        conventions=CONVENTIONS,
        conditions=(NORMALISED, SUMMABLE_SAMPLES),
        exponents={"d": "0"},
        numeric=recall_numeric,
        exact=recall_exact,
        notes=(
            "At fixed P the error tends to about (1 - 1/M) p{x > P}: exponent 0. With P growing, see the other laws here.",
            "No more than 3 to 4 digits can be had: the integral has some hundred dimensions and is randomised.",
        ),
    ),
    law(
        "threshold-scheme:source",
        "d**(-(alpha - 1)/(2*alpha*rho + 1))",
        relation="~",
        domain={"alpha": ALPHA, "rho": real(0), "d": integer(1)},
        typical={"alpha": (1.2, 3), "d": (10, 100_000)},
        defaults={"rho": 0},
        meanings={name: MEANINGS[name] for name in ("alpha", "rho", "d")},
        title="Weights with the prescribed threshold, as the source states it",
        source=Source(
            "cabannes2024", "Proposition 3 (recalled), Figures 1 and 3: P ~ d^(1/(2 alpha rho + 1)), P = d/8 at rho = 0"
        ),
        conventions=CONVENTIONS
        + " P is proportional to d^(1/(2 alpha rho + 1)), N = inf; up to a constant and logarithms.",
        errata=(
            Erratum(
                regime="rho = 0, P = k d (the source's d/8) and large d: d > 2000 for M = 2, alpha = 2; d > 4e5 for M = 5.",
                discrepancy="The stored inputs' margin is sqrt(M/k) at every d, so that the error tends to the floor "
                "pi_M(sqrt(M/k)), 2.3e-3 for M = 2 and 1.5e-5 for M = 5 at k = 1/8: the local slope tends to 0, not to "
                "1 - alpha. The statement holds for P = d/log d.",
                corrected_by="threshold-scheme:asymptotic",
            ),
            Erratum(
                regime="2 alpha rho > 1 with the prescribed P.",
                discrepancy="The exponent is right for that P, but storing all inputs does better: (alpha - 1)/(2 alpha rho) "
                "against (alpha - 1)/(2 alpha rho + 1), 1/4 against 1/5 at alpha = 2, rho = 1.",
                corrected_by="threshold-scheme:best",
            ),
            Erratum(
                regime="0 < 2 alpha rho < 1 with the prescribed P.",
                discrepancy="P proportional to d does better: alpha - 1, without a logarithm, against "
                "(alpha - 1)/(2 alpha rho + 1). At alpha = 2, M = 5: E = 1.47/d for rho = 0.1, P = 0.47 d, 16 % above the best "
                "weights, where rho = 0 pays a logarithm.",
                corrected_by="threshold-scheme:best",
            ),
            Erratum(
                regime="N finite, rho = 0, P = k d < N (Figure 3 right: N = 100, P = d/8, alpha = 2).",
                discrepancy="What is not stored has the mass of P^(1-alpha) - N^(1-alpha), which falls faster than d^(1-alpha) all "
                "the way: at alpha = 2 the local slope is -1/(1 - P/N), -2 where half of the inputs are stored. For N = 100 the "
                "mean slope from d = 16 to 512 is -1.22, before interference.",
                corrected_by="threshold-scheme",
            ),
        ),
    ),
    law(
        "threshold-scheme:asymptotic",
        floor_expression,
        relation="~",
        domain={"alpha": ALPHA, "M": integer(2), "d": integer(1), "k": real(above=0)},
        typical={"alpha": (1.2, 3), "M": (2, 8), "d": (100, 100_000)},
        defaults={"k": 0.125},
        meanings={name: MEANINGS[name] for name in ("alpha", "M", "d", "k")},
        title="Equal weights on P = k d inputs in many dimensions: a power law that ends at a floor",
        source=Source("asymp", "all stored inputs have the margin sqrt(d M/P)"),
        conventions=CONVENTIONS + " " + LIMIT + " N = inf, rho = 0.",
        conditions=(),
        exponents={"d": "0"},
        numeric=floor_numeric,
        exact=floor_exact,
        notes=(
            "(1 - 1/M) C (k d)^(1-alpha)/(alpha-1) until that meets the floor pi_M(sqrt(M/k)). k d must be at least 1; "
            "classes are balanced only for k d well above M.",
        ),
    ),
    law(
        "threshold-scheme:best",
        best_expression,
        relation="~",
        domain={"alpha": real(0), "M": integer(2), "d": real(1), "N": SCHEME["N"], "rho": real(0)},
        typical={"alpha": (1.2, 3), "M": (2, 8), "d": (100, 100_000)},
        defaults={"N": math.inf, "rho": 0},
        meanings={name: MEANINGS[name] for name in ("alpha", "M", "d", "N", "rho")},
        title="Weights with the best threshold, in many dimensions",
        source=Source("asymp", "least error over the number of stored inputs"),
        conventions=CONVENTIONS + " " + LIMIT,
        conditions=(NORMALISED,),
        exponents={"d": "-(alpha - 1)/Max(1, 2*alpha*rho)"},
        numeric=best_numeric,
        exact=best_exact,
        notes=(
            "At rho = 0 the exponent is up to (log d)^(alpha-1): E ~ (1 - 1/M) C/(alpha-1) P*^(1-alpha) with P* as in "
            "`threshold-scheme:best-P`. For 0 < 2 alpha rho < 1 there is no logarithm and P* is proportional to d; at "
            "2 alpha rho = 1 one comes back; for 2 alpha rho > 1 a threshold gains nothing in the exponent.",
            "At rho > 0 no more than 11 digits can be had: sums by quadrature in float64.",
        ),
    ),
    law(
        "threshold-scheme:best-P",
        "M*d/(4*(alpha - 1)*log(d))",
        relation="~",
        domain={"alpha": ALPHA, "M": integer(2), "d": real(above=1)},
        typical={"alpha": (1.2, 3), "M": (2, 8), "d": (1000, 1e9)},
        meanings={name: MEANINGS[name] for name in ("alpha", "M", "d")},
        quantity="P",
        title="The best number of inputs to store with equal weights",
        source=Source("asymp", "exp(-d M/(4 P)) meets P^(1-alpha)"),
        conventions=CONVENTIONS + " " + LIMIT + " N = inf, rho = 0.",
        notes=("The next terms are of relative order log log d/log d: 2 to 30 % for d = 1e3 to 1e12.",),
    ),
)
