"""minimax: what no choice of weights can do better."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer, real
from asymp.theory.law import law
from asymp.theory.statement import Condition, Erratum, Source
from asymp.theory.storage.scheme_domain import ALPHA, MEANINGS

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = (
    "E is the error of W = sum of q(x) u_f(x) e_x^T averaged over embeddings, for the best weights q; gaussian inputs."
)


def bound_expression() -> "sympy.Expr":
    """Phi(-1/sqrt 3) p{x > M (3 d + 2)}, N = inf."""
    import sympy

    alpha, M, d = sympy.symbols("alpha M d", positive=True)
    return sympy.erfc(1 / sympy.sqrt(6)) / 2 * sympy.zeta(alpha, M * (3 * d + 2) + 1) / sympy.zeta(alpha)


def injective_expression() -> "sympy.Expr":
    """p{x > P} + p{x <= P} pi_N(d/sqrt P), P = floor(d^2/(c log N))."""
    import sympy

    from asymp.theory.recall.symbols import gaussian_error, zipf

    alpha, N, d, c = sympy.symbols("alpha N d c", positive=True)
    x = sympy.Symbol("x", integer=True, positive=True)
    P = sympy.floor(d**2 / (c * sympy.log(N)))
    tail = sympy.Sum(zipf(x, alpha, N), (x, P + 1, N))
    return tail + (1 - tail) * gaussian_error(d / sympy.sqrt(P), N)


def injective_numeric(*, alpha: Any, N: Any, d: Any, c: Any) -> Any:
    """The injective error in float64, vectorised."""
    import numpy as np

    from asymp.theory.recall.injective import injective_error

    return injective_error(alpha=alpha, N=N, d=d, P=np.asarray(d) ** 2 / (c * np.log(N)))


def injective_exact(*, alpha: Any, N: Any, d: Any, c: Any, digits: int) -> Any:
    """The injective error to any number of digits."""
    import mpmath

    from asymp.theory.recall.injective import injective_error_digits

    return injective_error_digits(alpha=alpha, N=N, d=d, P=d**2 / (c * mpmath.log(N)), digits=digits)


def _stored(v: Any) -> Any:
    import numpy as np

    return np.asarray(v["d"]) ** 2 / (v["c"] * np.log(v["N"]))


LAWS = (
    law(
        "minimax",
        bound_expression,
        relation=">=",
        domain={"alpha": ALPHA, "M": integer(2), "d": integer(2)},
        typical={"alpha": (1.2, 3), "M": (2, 20), "d": (4, 10_000)},
        meanings={name: MEANINGS[name] for name in ("alpha", "d")}
        | {"M": "number of outputs; f is any function to them"},
        title="Lower bound for every choice of weights, with its constant",
        source=Source("asymp", "`finite-memory-lower`: at most 3 d + 2 inputs of a class have 3 (d+1) q^2 > Q"),
        conventions=CONVENTIONS + " Outputs uniform on the sphere, N = inf.",
        exponents={"d": "1 - alpha"},
        notes=(
            "Holds for every q and every f with M outputs, every d >= 2. Of order d^(1-alpha) for M = O(1) only: it falls like "
            "M^(1-alpha), and says nothing for injective f.",
            "Loose in its constant: the best weights have c* d^(1-alpha) (`optimal-scheme:asymptotic`), 110 times this at "
            "alpha = 2, M = 5.",
        ),
    ),
    law(
        "minimax:source",
        "d**(1 - alpha)",
        relation=">~",
        domain={"alpha": ALPHA, "d": integer(1)},
        typical={"alpha": (1.2, 3), "d": (10, 100_000)},
        meanings={name: MEANINGS[name] for name in ("alpha", "d")},
        title="Lower bound for every choice of weights, as the source states it",
        source=Source("cabannes2024", "Theorem 2 (recalled): no q beats c d^(1-alpha), worst case over f"),
        conventions=CONVENTIONS + " Worst case over f; up to a constant.",
        notes=("The worst case over f hides the number of outputs: the constant is of order M^(1-alpha).",),
        errata=(
            Erratum(
                regime="As many outputs as inputs (f injective), or M growing with d.",
                discrepancy="Noise spreads over M outputs and d^2/(2 log M) inputs are held, not d: the error falls like "
                "d^(-2 (alpha-1)) up to logarithms, below d^(1-alpha) by the factor (d/log d)^(alpha-1).",
                corrected_by="minimax:injective",
            ),
        ),
    ),
    law(
        "minimax:injective",
        injective_expression,
        relation="~",
        domain={"alpha": real(0), "N": integer(3), "d": integer(2), "c": real(above=0)},
        typical={"alpha": (1.2, 2.5), "N": (200, 5000), "d": (20, 200)},
        defaults={"c": 8},
        meanings={
            "alpha": MEANINGS["alpha"],
            "N": "number of inputs, and of outputs: f is injective",
            "d": MEANINGS["d"],
            "c": "d^2/(c log N) inputs are stored; 8 recalls all of them, 2 half of them",
        },
        title="Equal weights on d^2/(c log N) inputs, one output for each input",
        source=Source("asymp", "wrong scores have variance P/d^2"),
        conventions="f is injective, q = 1 on x <= P = d^2/(c log N), gaussian embeddings, d large; an input that is not stored "
        "is an error.",
        conditions=(Condition(lambda v: _stored(v) >= 1, "d^2 must be at least c log N: nothing is stored otherwise"),),
        exponents={"d": "-2*(alpha - 1)"},
        numeric=injective_numeric,
        exact=injective_exact,
        notes=(
            "The exponent is for alpha > 1 and d^2 << N log N, and with N growing like a power of d it is up to a logarithm. The "
            "input's own overlap with the wrong outputs, of variance 1/d, is left out: P >> d.",
        ),
    ),
)
