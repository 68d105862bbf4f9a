"""injective-capacity: how many associations with all different answers one d x d matrix holds."""

from functools import cache
from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, integer, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

EMBEDDINGS = choice("sphere", "gaussian")
CONVENTIONS = (
    "W = sum over x = 1..N of u_x e_x^T, with f injective: every input has an output of its own. The answer to z is "
    "argmax over the N outputs of u_y . W e_z; gaussian is N(0, I/d), sphere is uniform on the unit sphere."
)
SIZE: dict[str, Any] = {
    "relation": "~",
    "domain": {"d": integer(2)},
    "typical": {"d": (16, 4096)},
    "meanings": {"d": "dimension of the embeddings"},
    "quantity": "N",
    "exponents": {"d": "2"},
}
LOGARITHM = "The exponent 2 carries a logarithm: the local slope is 2 W/(1 + W), W = log N, about 2 - 1/log d."


@cache
def moments(inputs: str) -> Any:
    """The scores divided by |e_z|, which all outputs share: second moments as for inputs on the sphere, and a mean
    E |e_z|. The variances are those that the contraction gives at q = 1, S_y = 1, S = N."""
    import sympy

    from asymp.theory.moments.scores import score_variance
    from asymp.theory.recall.item_errors import ScoreMoments

    d, N = sympy.symbols("d N", positive=True)

    def variance(*, match: bool) -> Any:
        found = score_variance(match=match, inputs="sphere", outputs="sphere")
        return found.subs({s: {"q": 1, "S_y": 1, "S": N}[s.name] for s in found.free_symbols if s.name != "d"})

    length = mean_length(d) if inputs == "gaussian" else sympy.Integer(1)
    target = variance(match=True)
    return ScoreMoments(
        target_mean=length,
        other_mean=sympy.Integer(0),
        target_variance=1 + target - length**2,
        other_variance=variance(match=False),
        noise=target,
        d=d,
        competitors=N - 1,
    )


def mean_length(d: Any) -> Any:
    """E |e| for e ~ N(0, I/d)."""
    import sympy

    return sympy.sqrt(2 / d) * sympy.exp(sympy.loggamma((d + 1) / 2) - sympy.loggamma(d / 2))


def item_error(*, inputs: str, outputs: str) -> "sympy.Expr":
    """The probability that one item is lost."""
    import sympy

    from asymp.theory.recall.item_errors import gaussian_tail, item_error_expression

    if outputs == "sphere":
        return item_error_expression(moments(inputs))
    d, N = sympy.symbols("d N", positive=True)
    x = sympy.Symbol("x", real=True)
    t, h = sympy.symbols("t h", positive=True)
    length = mean_length(d) if inputs == "gaussian" else sympy.Integer(1)
    total = sympy.sqrt(t**2 * (1 - length**2) + (N - 1) / d**2)
    a, eta = length * t + total * x, sympy.sqrt(N - 1) / d / total * x
    rest = (N - 1) * (d - 1) / d**2 * h
    V = (a**2 + rest) * (N - 2) / (d * (N - 1)) + (h * (1 - 1 / d) + a * eta / sympy.sqrt(N - 1)) ** 2 / d
    kept = (1 - gaussian_tail(t * a / sympy.sqrt(V))) ** (N - 1)

    def chi_square(n: Any, v: Any) -> Any:  # density of chi-square_n/n
        return (n / 2) ** (n / 2) / sympy.gamma(n / 2) * v ** (n / 2 - 1) * sympy.exp(-n * v / 2)

    normal = sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
    density = normal * 2 * t * chi_square(d, t**2) * chi_square(d - 1, h)
    return sympy.Integral(density * (1 - kept), (x, -sympy.oo, sympy.oo), (t, 0, sympy.oo), (h, 0, sympy.oo))


def item_error_numeric(*, d: Any, N: Any, inputs: str, outputs: str, rough: bool = False) -> Any:
    """The integral in float64, vectorised; with gaussian outputs also by a rough rule, good to about 1 %."""
    import numpy as np
    from scipy.special import poch

    from asymp.theory.recall import item_errors as capacity_numerics

    if outputs == "sphere":
        return capacity_numerics.item_error(moments(inputs), {"d": d, "N": N})
    length = np.sqrt(2 / d) * poch(d / 2, 0.5) if inputs == "gaussian" else np.ones(np.shape(d))
    return capacity_numerics.gaussian_output_error(d=d, N=N, length=length, spread=np.sqrt(1 - length**2), rough=rough)


def item_error_exact(*, d: Any, N: Any, inputs: str, outputs: str, digits: int) -> Any:
    """The integral to any number of digits, for outputs on the sphere."""
    from asymp.theory.recall.item_errors import item_error_digits

    if outputs == "gaussian":
        raise ValueError(
            "outputs must be 'sphere' for more than about 5 digits: with gaussian outputs the law is a triple integral, "
            "which the law itself, called with numbers, gives in float64"
        )
    return item_error_digits(moments(inputs), {"d": d, "N": N}, digits)


def half_numeric(*, d: Any, inputs: str, outputs: str) -> Any:
    """The N at which `item_error_numeric` is one half, vectorised; a dimension that comes twice is computed once."""
    import numpy as np

    from asymp.theory.recall import item_errors as capacity_numerics
    from asymp.theory.recall.half_size import half_sizes

    different, place = np.unique(np.asarray(d, dtype=float), return_inverse=True)
    if outputs == "sphere":
        found = capacity_numerics.half_of_items(moments(inputs), {"d": different}, "N")
    else:

        def error(N: Any, rows: Any, rough: bool) -> Any:
            return item_error_numeric(d=different[rows], N=N, inputs=inputs, outputs=outputs, rough=rough)

        found = half_sizes(error, np.full(different.shape, 3.0))
    return found[place].reshape(np.shape(d))


def half_exact(*, d: Any, inputs: str, outputs: str, digits: int) -> Any:
    """The same to any number of digits, for outputs on the sphere."""
    from asymp.theory.recall.half_digits import half_digits

    words: dict[str, Any] = {"inputs": inputs, "outputs": outputs}
    return half_digits(
        float(half_numeric(d=float(d), **words)),
        lambda N: item_error_numeric(d=float(d), N=N, **words),
        lambda N, wanted: item_error_exact(d=d, N=N, digits=wanted, **words),
        digits,
    )


def half(*, inputs: str, outputs: str) -> Any:
    """A root has no closed form: the expression is its leading order."""
    import sympy

    return sympy.exp(sympy.LambertW(sympy.Symbol("d", positive=True) ** 2 / 2))


def all_numeric(*, d: Any) -> Any:
    """exp(W0(d^2/8)) in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(2 * np.log(d) - np.log(8))


def one_numeric(*, d: Any) -> Any:
    """exp(W0(d^2/2)) in the log domain."""
    import numpy as np

    from asymp.theory.recall.item_errors import size_of_log

    return size_of_log(2 * np.log(d) - np.log(2))


LAWS = (
    law(
        "injective-capacity",
        "exp(LambertW(d**2/8))",
        title="Capacity for different answers: all items right, 8 N log N = d^2",
        source=Source("arxiv2605.05189", "sum of outer products, all items recalled"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
        numeric=all_numeric,
        notes=(
            "The answer's score less a competitor's has mean 1 and variance 2N/d^2; N^2 pairs must all be positive, so "
            "d^2/(4N) = 2 log N.",
            "Close on the sphere from d of about 100. With gaussian embeddings the lengths matter far longer: an item's "
            "signal |e_z| |u_z|^2 has variance 5/(2d), which must be small against 1/(2 log N).",
            LOGARITHM,
        ),
        **SIZE,
    ),
    law(
        "injective-capacity:source",
        "d**2",
        title="Capacity for different answers, as the source states it",
        source=Source("bietti2025", "slide on linear associative memories, f injective (also bietti2024)"),
        conventions=CONVENTIONS + " The source's question is when all items are right (bietti2024: 'for all z').",
        notes=("The exponent is right up to a logarithm; no constant in front of d^2 is.",),
        errata=(
            Erratum(
                regime="N = d^2 taken literally, or N = c d^2 with any constant c as d grows.",
                discrepancy="At N = d^2 noise and signal have equal size, and the best of N competitors reaches "
                "sqrt(2 log N) times that: the share of wrong items is .987 at d = 32, .995 at d = 64, and tends to 1. "
                "All items are right up to N = d^2/(8 log N) only, one item in two up to d^2/(2 log N).",
                corrected_by="injective-capacity",
            ),
        ),
        **{**SIZE, "exponents": {}},
    ),
    law(
        "injective-capacity:one-item",
        "exp(LambertW(d**2/2))",
        title="Size at which an item is right half of the time: 2 N log N = d^2",
        source=Source("asymp", "maximum of N normals against one"),
        conventions=CONVENTIONS + " The N at which a given item is lost with probability one half.",
        numeric=one_numeric,
        notes=(
            "The noise has standard deviation sqrt(N)/d, and the best of N competitors reaches sqrt(2 log N) times that.",
            LOGARITHM,
        ),
        **SIZE,
    ),
    law(
        "injective-capacity:half",
        half,
        domain={"d": integer(8), "inputs": EMBEDDINGS, "outputs": EMBEDDINGS},
        typical={"d": (16, 1024)},
        defaults={"inputs": "sphere", "outputs": "sphere"},
        meanings={
            **SIZE["meanings"],
            "inputs": "law of the input embeddings",
            "outputs": "law of the output embeddings",
        },
        relation="~",
        quantity="N",
        exponents={"d": "2"},
        title="Size at which an item is right half of the time, with its finite-size terms",
        source=Source("asymp", "the share of lost items at finite size, put at one half"),
        conventions=CONVENTIONS + " The N at which a given item is lost with probability one half.",
        numeric=half_numeric,
        exact=half_exact,
        notes=(
            "Tends to 2 N log N = d^2 (`injective-capacity:one-item`), which it passes at d of about 35 on the sphere, to be "
            "16 % above it around d = 1000: the terms left out are of the order of log log N/log N.",
        ),
    ),
    law(
        "injective-capacity:dimension",
        "sqrt(N)*(sqrt(2*log(N)) + sqrt(2)*erfinv(1 - 2*delta))",
        relation="~",
        domain={"N": integer(2), "delta": real(above=0, high=0.5)},
        typical={"N": (10, 1e6)},
        defaults={"delta": 0.01},
        meanings={"N": "number of items", "delta": "share of items that may be lost"},
        quantity="d",
        title="Dimension that N items need at a given share of lost ones",
        source=Source("asymp", "1 = sqrt(N)/d (sqrt(2 log N) + Phi^-1(1 - delta))"),
        conventions=CONVENTIONS + " The d at which an item is lost with probability delta.",
        notes=(
            "Between the two thresholds: delta = 1/2 is d^2 = 2 N log N, and delta = 1/N, where Phi^-1(1 - delta) is "
            "about sqrt(2 log N), is d^2 = 8 N log N.",
        ),
    ),
    law(
        "injective-capacity:item-error",
        item_error,
        relation="~",
        domain={"d": integer(2), "N": integer(3), "inputs": EMBEDDINGS, "outputs": EMBEDDINGS},
        typical={"d": (64, 256), "N": (100, 4000)},
        defaults={"inputs": "sphere", "outputs": "sphere"},
        meanings={
            "d": "dimension of the embeddings",
            "N": "number of items, and of outputs",
            "inputs": "law of the input embeddings",
            "outputs": "law of the output embeddings",
        },
        title="Share of lost items at finite size",
        source=Source("asymp", "N - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS,
        numeric=item_error_numeric,
        exact=item_error_exact,
        notes=(
            "Scores are taken given the answer's own: with independent normals of the same variances the error comes "
            "out 1.4 to 3 times too large at d = 64 and 128.",
            "Against simulation: sphere within 3 % for d >= 128 and errors above 2 %, 30 % too small at errors of 1e-3; "
            "gaussian outputs within 3 % for d >= 32.",
        ),
    ),
)
