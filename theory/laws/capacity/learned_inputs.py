"""learned-inputs: with input embeddings equal to those of their answers, recall is a nearest-neighbour lookup."""

from functools import partial
from typing import Any

from asymp.theory.law import law
from asymp.theory.laws.capacity import D, M
from asymp.theory.lazy import Digits, Floats, mpmath, np, special
from asymp.theory.param import Param, integer
from asymp.theory.sources import Source

CONVENTIONS = "e_x = u_f(x) and W = I: the answer to x is argmax over y of u_y . u_f(x), M outputs in R^d. "
GAUSSIAN = CONVENTIONS + "Outputs are gaussian N(0, I/d)."
size_law = partial(law, relation="~")


def item_error_numeric(*, d: Floats, M: Floats) -> Floats:
    """The integral in float64: the trapezoidal rule in v = log r, where the density is smooth at both ends."""
    d, M = np.broadcast_arrays(np.asarray(d, dtype=float), np.asarray(M, dtype=float))
    flat_d, flat_m = d.reshape(-1, 1), M.reshape(-1, 1)
    total = np.empty(len(flat_d))
    for start in range(0, len(total), 1024):
        n, outputs = flat_d[start : start + 1024], flat_m[start : start + 1024]
        # the mass of the product is between where r^d falls to e^-60 of the best and the end of the chi law
        right = np.log(np.sqrt(n) + 13)
        left = np.log(np.sqrt(n)) - np.minimum(60 / n, 40) - 4 / np.sqrt(n) - 1
        v = left + (right - left) * np.linspace(0, 1, 801)
        log_density = n * v - np.exp(2 * v) / 2 + (1 - n / 2) * np.log(2) - special.gammaln(n / 2)
        lost = -np.expm1((outputs - 1) * special.log_ndtr(np.exp(v)))
        total[start : start + 1024] = (np.exp(log_density) * lost).sum(1) * ((right - left) / 800)[:, 0]
    return total.reshape(d.shape)


def item_error_exact(*, d: Digits, M: Digits, digits: int) -> Digits:
    """The integral to any number of digits; the same rule, its step halved until nothing changes."""
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


LAWS = (
    law(
        "learned-inputs",
        "0",
        relation="=",
        params=(
            D.over(2, 64),
            M.but(domain=integer(1)).over(2, 4096),
            Param(integer(1), (2, 4096), meaning="number of inputs", name="N"),
        ),
        title="Error with learned inputs and distinct unit outputs",
        source=Source("asymp", "u_y . u_f < 1 = u_f . u_f for distinct unit vectors"),
        conventions=CONVENTIONS + "Outputs are distinct unit vectors, such as random points of the sphere, d >= 2.",
    ),
    law(
        "learned-inputs:source",
        "d",
        relation="~",
        params=(D.over(8, 128),),
        quantity="log_N",
        title="Capacity with learned inputs, as the source states it",
        source=Source(
            "bietti2024", "slide on capacity: 'from linear to exponential in d'; cabannes2024, Proposition 5"
        ),
        conventions=CONVENTIONS + "The logarithm of the number of outputs that can be told apart.",
    ),
    law(
        "learned-inputs:item-error",
        # r = sqrt(d) |u| has the chi law of d degrees of freedom
        "Integral(2**(1 - d/2)/gamma(d/2)*r**(d - 1)*exp(-r**2/2)*(1 - (1 - erfc(r/sqrt(2))/2)**(M - 1)), (r, 0, oo))",
        relation="=",
        params=(D.but(domain=integer(1)).over(4, 64), M.but(domain=integer(1)).over(4, 4096)),
        numeric=item_error_numeric,
        exact=item_error_exact,
        title="Share of lost items with learned inputs and gaussian outputs, exact",
        source=Source("asymp", "u_y . u is N(0, |u|^2/d) given u"),
        conventions=GAUSSIAN,
    ),
    size_law(
        "learned-inputs:all-items",
        # M^2 P(u_y . u > |u|^2) = 1; the probability is Student's tail
        "sqrt(2/betainc_regularized(d/2, 1/2, 0, 1/2))",
        params=(D.over(8, 128),),
        quantity="M",
        title="Outputs up to which all items are right, gaussian outputs",
        source=Source("asymp", "M^2 pairs, each lost with probability I_{1/2}(d/2, 1/2)/2"),
        conventions=GAUSSIAN + " The M at which one pair in all is expected to be lost.",
    ),
)
