"""learned-inputs: with input embeddings equal to those of their answers, recall is a nearest-neighbour lookup."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import integer
from asymp.theory.law import law
from asymp.theory.statement import Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

CONVENTIONS = "e_x = u_f(x) and W = I: the answer to x is argmax over y of u_y . u_f(x), M outputs in R^d. "
GAUSSIAN = CONVENTIONS + "Outputs are gaussian N(0, I/d)."
MEANINGS = {"d": "dimension of the embeddings", "M": "number of outputs", "N": "number of inputs"}
SIZE: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2)},
    "typical": {"d": (8, 128)},
    "meanings": {"d": MEANINGS["d"]},
}


def item_error() -> "sympy.Expr":
    """E[1 - Phi(r)^(M-1)], r = sqrt(d) |u| with the chi law of d degrees of freedom."""
    import sympy

    from asymp.theory.recall.item_errors import gaussian_tail

    d, M = sympy.symbols("d M", positive=True)
    r = sympy.Symbol("r", positive=True)
    density = 2 ** (1 - d / 2) / sympy.gamma(d / 2) * r ** (d - 1) * sympy.exp(-(r**2) / 2)
    return sympy.Integral(density * (1 - (1 - gaussian_tail(r)) ** (M - 1)), (r, 0, sympy.oo))


def item_error_numeric(*, d: Any, M: Any) -> Any:
    """The integral in float64: the trapezoidal rule in v = log r, where the density is smooth at both ends."""
    import numpy as np
    from scipy.special import gammaln, log_ndtr

    d, M = np.broadcast_arrays(np.asarray(d, dtype=float), np.asarray(M, dtype=float))
    flat_d, flat_m = d.reshape(-1, 1), M.reshape(-1, 1)
    total = np.empty(len(flat_d))
    for start in range(0, len(total), 1024):
        n, outputs = flat_d[start : start + 1024], flat_m[start : start + 1024]
        # the mass of the product is between where r^d falls to e^-60 of the best and the end of the chi law
        right = np.log(np.sqrt(n) + 13)
        left = np.log(np.sqrt(n)) - np.minimum(60 / n, 40) - 4 / np.sqrt(n) - 1
        v = left + (right - left) * np.linspace(0, 1, 801)
        log_density = n * v - np.exp(2 * v) / 2 + (1 - n / 2) * np.log(2) - gammaln(n / 2)
        lost = -np.expm1((outputs - 1) * log_ndtr(np.exp(v)))
        total[start : start + 1024] = (np.exp(log_density) * lost).sum(1) * ((right - left) / 800)[:, 0]
    return total.reshape(d.shape)


def item_error_exact(*, d: Any, M: Any, digits: int) -> Any:
    """The integral to any number of digits; the same rule, its step halved until nothing changes."""
    import mpmath

    if M == 1:
        return mpmath.mpf(0)
    front = mpmath.mpf(2) ** (1 - d / 2) / mpmath.gamma(d / 2)

    def term(v: Any) -> Any:
        r = mpmath.exp(v)
        lost = -mpmath.expm1((M - 1) * mpmath.log1p(-mpmath.ncdf(-r)))
        return front * mpmath.exp(d * v - r**2 / 2) * lost

    def swept(step: Any, offset: Any) -> Any:
        total, peak = mpmath.mpf(0), mpmath.log(mpmath.sqrt(d)) / 2
        small = mpmath.mpf(10) ** -(digits + 8)
        for direction in (1, -1):
            v, seen = peak + (offset if direction == 1 else offset - step), mpmath.mpf(0)
            while True:
                value = term(v)
                total += value
                seen = max(seen, value)
                # beyond its maximum the term falls at least geometrically
                if value < small * max(seen, total) and seen > 0 and abs(v - peak) > 2:
                    break
                v += direction * step
        return total * step

    step = mpmath.mpf(1) / 8
    value = swept(step, mpmath.mpf(0))
    for _ in range(12):
        finer = (value + swept(step, step / 2)) / 2
        step /= 2
        if abs(finer - value) <= mpmath.mpf(10) ** (-digits / 2 - 3) * abs(finer):
            return finer
        value = finer
    raise ValueError(f"the average over the length does not settle to {digits} digits")


def all_items() -> "sympy.Expr":
    """M with M^2 P(u_y . u > |u|^2) = 1; the probability is Student's tail, I_{1/2}(d/2, 1/2)/2."""
    import sympy

    d, half = sympy.Symbol("d", positive=True), sympy.Rational(1, 2)
    return sympy.sqrt(2 / sympy.betainc_regularized(d / 2, half, 0, half))


def all_items_numeric(*, d: Any) -> Any:
    """The same in float64."""
    import numpy as np
    from scipy.special import betainc

    return np.sqrt(2 / betainc(d / 2, 0.5, 0.5))


def all_items_exact(*, d: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    half = mpmath.mpf(1) / 2
    return mpmath.sqrt(2 / mpmath.betainc(d / 2, half, 0, half, regularized=True))


def one_item_numeric(*, d: Any) -> Any:
    """1 + log(1/2)/log(Phi(sqrt d)) in float64, Phi near one."""
    import numpy as np
    from scipy.special import log_ndtr

    return 1 - np.log(2) / log_ndtr(np.sqrt(d))


def one_item_exact(*, d: Any, digits: int) -> Any:
    """The same to any number of digits."""
    import mpmath

    return 1 - mpmath.log(2) / mpmath.log1p(-mpmath.ncdf(-mpmath.sqrt(d)))


LAWS = (
    law(
        "learned-inputs",
        "0",
        relation="=",
        domain={"d": integer(2), "M": integer(1), "N": integer(1)},
        typical={"d": (2, 64), "M": (2, 4096), "N": (2, 4096)},
        meanings=MEANINGS,
        title="Error with learned inputs and distinct unit outputs",
        source=Source("asymp", "u_y . u_f < 1 = u_f . u_f for distinct unit vectors"),
        conventions=CONVENTIONS + "Outputs are distinct unit vectors, such as random points of the sphere, d >= 2.",
        notes=(
            "For every N and M, at d = 2 already: without noise there is no limit. What shrinks with M is the margin.",
        ),
    ),
    law(
        "learned-inputs:source",
        "d",
        relation="~",
        domain={"d": integer(2)},
        typical={"d": (8, 128)},
        meanings={"d": MEANINGS["d"]},
        quantity="log_N",
        title="Capacity with learned inputs, as the source states it",
        source=Source(
            "bietti2024", "slide on capacity: 'from linear to exponential in d'; cabannes2024, Proposition 5"
        ),
        conventions=CONVENTIONS + "The logarithm of the number of outputs that can be told apart.",
        notes=(
            "For gaussian outputs the logarithm is (log 2/4) d if all items must be right and d/2 for one item: linear in d.",
            "For distinct outputs of unit length and no noise there is no limit at all (`learned-inputs`): exponential is "
            "what outputs of random lengths reach, or a margin that must stay fixed.",
        ),
    ),
    law(
        "learned-inputs:item-error",
        item_error,
        relation="=",
        domain={"d": integer(1), "M": integer(1)},
        typical={"d": (4, 64), "M": (4, 4096)},
        meanings={name: MEANINGS[name] for name in ("d", "M")},
        numeric=item_error_numeric,
        exact=item_error_exact,
        title="Share of lost items with learned inputs and gaussian outputs, exact",
        source=Source("asymp", "u_y . u is N(0, |u|^2/d) given u"),
        conventions=GAUSSIAN,
        notes=("A short u_f is beaten by longer outputs. N does not matter.",),
    ),
    law(
        "learned-inputs:all-items",
        all_items,
        quantity="M",
        exponents={"d": "oo"},
        numeric=all_items_numeric,
        exact=all_items_exact,
        title="Outputs up to which all items are right, gaussian outputs",
        source=Source("asymp", "M^2 pairs, each lost with probability I_{1/2}(d/2, 1/2)/2"),
        conventions=GAUSSIAN + " The M at which one pair in all is expected to be lost.",
        notes=("2^(d/4) (pi d)^(1/4) in the limit.",),
        **SIZE,
    ),
    law(
        "learned-inputs:one-item",
        "1 - log(2)/log(1 - erfc(sqrt(d/2))/2)",
        quantity="M",
        exponents={"d": "oo"},
        numeric=one_item_numeric,
        exact=one_item_exact,
        title="Outputs up to which an item of typical length is right, gaussian outputs",
        source=Source("asymp", "Phi(sqrt d)^(M-1) = 1/2"),
        conventions=GAUSSIAN + " The M at which an item with |u_f| = 1 is lost with probability one half.",
        notes=("log(2) sqrt(2 pi d) e^(d/2) in the limit.",),
        **SIZE,
    ),
)
