"""attention-retrieval: softmax attention is one step of retrieval in a dense memory over the context."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

ENERGY = (
    "Patterns xi_1, ..., xi_N in R^d, E(x) = |x|^2/2 - (1/beta) log sum over i of exp(beta xi_i . x). Attention with the "
    "query x, keys and values xi and inverse temperature beta returns a(x) = sum over i of softmax_i(beta xi . x) xi_i; "
)
SPHERE = (
    "N patterns uniform on the unit sphere of R^d, the query is one of them, xi_1. The quantity is the mean of the "
    "weight of the others over its own: sum over i > 1 of exp(beta (xi_i . xi_1 - 1))."
)
MEANINGS = {
    "d": "dimension of the patterns",
    "N": "number of patterns",
    "beta": "inverse temperature",
    "eta": "step size of the gradient step",
    "delta": "distance |x - a(x)| of the query from what attention returns",
    "lam": "inverse temperature per dimension, beta/d",
    "s": "length of the noise added to the query, N(0, s^2 I/d)",
}


def leak_per_pattern(d: Any, beta: Any) -> "sympy.Expr":
    """E exp(beta (u.u' - 1)) for two points of the sphere: exp(-beta) 0F1(d/2; beta^2/4)."""
    import sympy

    return sympy.exp(-beta) * sympy.hyper([], [d / 2], beta**2 / 4)


def leak() -> "sympy.Expr":
    """(N - 1) E exp(beta (u.u' - 1))."""
    import sympy

    d, N, beta = sympy.symbols("d N beta", positive=True)
    return (N - 1) * leak_per_pattern(d, beta)


def capacity() -> "sympy.Expr":
    """The N at which the mean leak is one."""
    import sympy

    d, beta = sympy.symbols("d beta", positive=True)
    return 1 + 1 / leak_per_pattern(d, beta)


def log_leak(d: Any, beta: Any) -> Any:
    """log E exp(beta (u.u' - 1)) = log[Gamma(d/2) (2/beta)^(d/2 - 1) I_(d/2 - 1)(beta) exp(-beta)] in float64."""
    import numpy as np
    from scipy.special import gammaln, ive

    order = d / 2 - 1
    return gammaln(d / 2) + order * np.log(2 / beta) + np.log(ive(order, beta))


def leak_numeric(*, d: Any, N: Any, beta: Any) -> Any:
    """The mean leak in float64."""
    import numpy as np

    return (N - 1) * np.exp(log_leak(d, beta))


def leak_exact(*, d: Any, N: Any, beta: Any, digits: int) -> Any:
    """The mean leak to any number of digits."""
    import mpmath

    return (N - 1) * mpmath.exp(-beta) * mpmath.hyp0f1(d / 2, beta**2 / 4)


def capacity_numeric(*, d: Any, beta: Any) -> Any:
    """The capacity in float64."""
    import numpy as np

    return 1 + np.exp(-log_leak(d, beta))


def capacity_exact(*, d: Any, beta: Any, digits: int) -> Any:
    """The capacity to any number of digits."""
    import mpmath

    return 1 + mpmath.exp(beta) / mpmath.hyp0f1(d / 2, beta**2 / 4)


def colder(d: Any, beta: Any, s: Any) -> Any:
    """The inverse temperature at which a clean query leaks as much as a noisy one does at beta.

    A pattern xi_i has the weight exp(beta (xi_i - xi_1) . x); over the noise its mean has beta^2 s^2 |xi_i - xi_1|^2/(2 d) more
    in the exponent, and |xi_i - xi_1|^2 = 2 - 2 xi_i . xi_1.
    """
    return beta * (1 - beta * s**2 / d)


def noise() -> "sympy.Expr":
    """The mean leak of a noisy query."""
    import sympy

    d, N, beta, s = sympy.symbols("d N beta s", positive=True)
    return (N - 1) * leak_per_pattern(d, colder(d, beta, s))


def noise_numeric(*, d: Any, N: Any, beta: Any, s: Any) -> Any:
    """The same in float64."""
    return leak_numeric(d=d, N=N, beta=colder(d, beta, s))


def noise_exact(*, d: Any, N: Any, beta: Any, s: Any, digits: int) -> Any:
    """The same to any number of digits."""
    return leak_exact(d=d, N=N, beta=colder(d, beta, s), digits=digits)


FEW: dict[str, Any] = {"d": (8, 64), "beta": (8, 64)}

LAWS = (
    law(
        "attention-retrieval",
        "Abs(1 - eta)*delta",
        relation="=",
        domain={"eta": real(0), "delta": real(0)},
        typical={"delta": (0.5, 2)},
        defaults={"eta": 1},
        meanings={name: MEANINGS[name] for name in ("eta", "delta")},
        quantity="deviation",
        title="Distance of one gradient step on the energy from softmax attention, exact",
        source=Source("asymp", "x - eta grad E(x) = (1 - eta) x + eta a(x)"),
        conventions=ENERGY + "the quantity is |x - eta grad E(x) - a(x)|.",
        notes=("Zero at the step size 1, and only there unless x is a fixed point.",),
    ),
    law(
        "attention-retrieval:source",
        "0",
        relation="=",
        domain={"d": integer(1), "N": integer(1), "beta": real(above=0)},
        typical={"d": (4, 256), "N": (2, 512), "beta": (0.5, 8)},
        meanings={name: MEANINGS[name] for name in ("d", "N", "beta")},
        quantity="deviation",
        title="Softmax attention is one step of retrieval, as the source states it",
        source=Source("bietti2025", "slide on attention as associative memory"),
        conventions=ENERGY + "the quantity is |x - grad E(x) - a(x)|: one gradient step of size 1.",
        notes=(
            "The source names neither energy nor step: it holds for the log-sum-exp energy at step size 1, with keys equal "
            "to values and beta = 1/sqrt(d) for the usual scaling of attention.",
        ),
    ),
    law(
        "attention-retrieval:descent",
        "-delta**2/2",
        relation="<=",
        domain={"delta": real(0)},
        typical={"delta": (0.5, 2)},
        meanings={"delta": MEANINGS["delta"]},
        quantity="Delta_E",
        title="The energy falls in a step of attention",
        source=Source("asymp", "convexity of the log-sum-exp"),
        conventions=ENERGY + "the quantity is E(a(x)) - E(x).",
        notes=("log-sum-exp is convex with gradient a(x), so E(a) - E(x) <= -a.(a - x) + (|a|^2 - |x|^2)/2.",),
    ),
    law(
        "attention-retrieval:leak",
        leak,
        relation="=",
        domain={"d": integer(2), "N": integer(1), "beta": real(above=0)},
        typical={**FEW, "N": (2, 1e6)},
        meanings={name: MEANINGS[name] for name in ("d", "N", "beta")},
        quantity="leak",
        exponents={"N": "1"},
        numeric=leak_numeric,
        exact=leak_exact,
        title="Weight that attention gives to the other patterns, exact mean",
        source=Source("asymp", "moment generating function of an inner product on the sphere"),
        conventions=SPHERE,
        notes=("Retrieval of xi_1 is off by at most twice the leak: |a(xi_1) - xi_1| <= 2 leak/(1 + leak).",),
    ),
    law(
        "attention-retrieval:noise",
        noise,
        relation="=",
        domain={"d": integer(2), "N": integer(1), "beta": real(above=0), "s": real(above=0)},
        typical={"d": (8, 64), "beta": (2, 8), "N": (2, 1e6), "s": (0.25, 0.5)},
        conditions=(
            Condition(
                lambda v: v["beta"] * v["s"] ** 2 < v["d"], "beta s^2 must be below d: the others outweigh it beyond"
            ),
        ),
        meanings={name: MEANINGS[name] for name in ("d", "N", "beta", "s")},
        quantity="leak",
        exponents={"N": "1"},
        numeric=noise_numeric,
        exact=noise_exact,
        title="Weight that attention gives to the other patterns under noise, exact mean",
        source=Source("asymp", "noise of size s is heat: beta becomes beta (1 - beta s^2/d)"),
        conventions=SPHERE
        + " The query is xi_1 + noise, noise ~ N(0, s^2 I/d), and the weights are those at the query.",
        notes=(
            "The best inverse temperature is d/(2 s^2), which acts as d/(4 s^2) without noise: at any noise of a fixed size "
            "s the mean leak of exponentially many patterns stays below one.",
        ),
    ),
    law(
        "attention-retrieval:linear",
        "1",
        relation="<=",
        domain={"d": integer(2), "N": integer(2), "s": real(above=0)},
        typical={"d": (16, 64), "N": (16, 64), "s": (0.5, 1)},
        meanings={name: MEANINGS[name] for name in ("d", "N", "s")},
        quantity="ratio",
        title="Attention loses no more noisy patterns than a linear memory of them",
        source=Source(
            "asymp", "of patterns of one length the nearest is the most likely, and attention returns about that"
        ),
        conventions="N patterns uniform on the unit sphere of R^d, queries xi_z + noise, noise ~ N(0, s^2 I/d). Patterns that one "
        "step of attention at beta = d does not return, over those that W = sum of xi_i xi_i^T loses on the same queries.",
        notes=("No rule that knows the patterns and the query loses fewer on average than the nearest pattern does.",),
    ),
    law(
        "attention-retrieval:capacity",
        capacity,
        relation="~",
        domain={"d": integer(2), "beta": real(above=0)},
        typical=FEW,
        meanings={name: MEANINGS[name] for name in ("d", "beta")},
        quantity="N",
        exponents={"d": "0"},
        numeric=capacity_numeric,
        exact=capacity_exact,
        title="Number of patterns that attention tells apart",
        source=Source("asymp", "the mean leak is one"),
        conventions=SPHERE + " The N at which that mean is one.",
        notes=(
            "At a fixed temperature it tends to exp(beta) as d grows; it is exponential in d where beta grows like d "
            "(`attention-retrieval:rate`).",
        ),
    ),
    law(
        "attention-retrieval:rate",
        "d*(lam - (sqrt(1 + 4*lam**2) - 1)/2 + log((1 + sqrt(1 + 4*lam**2))/2)/2)",
        relation="~",
        domain={"d": integer(2), "lam": real(above=0)},
        typical={"d": (16, 1024), "lam": (0.5, 4)},
        meanings={name: MEANINGS[name] for name in ("d", "lam")},
        quantity="log_N",
        title="Logarithm of the number of patterns that attention tells apart, beta = lam d",
        source=Source("asymp", "Laplace's method for the mean leak"),
        conventions=SPHERE + " The logarithm of the N at which that mean is one, leading order in d.",
        notes=(
            "Linear in d: exponentially many patterns. The mean is typical here: the overlap that carries it is smaller "
            "than the largest one among so many patterns.",
        ),
    ),
)
