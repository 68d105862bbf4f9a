"""injective-capacity: how many associations with all different answers one d x d matrix holds."""

from functools import cache, partial
from typing import Any

from asymp.theory.functions.recall.half_size import half_digits, half_sizes
from asymp.theory.functions.recall.injective import gaussian_output_error
from asymp.theory.law import law
from asymp.theory.laws.capacity import INPUTS, OUTPUT_ITEMS, OUTPUTS, D
from asymp.theory.laws.pieces import item_errors, scores
from asymp.theory.lazy import Digits, Expr, Floats, np, special, sympy
from asymp.theory.param import integer
from asymp.theory.sources import Source

CONVENTIONS = (
    "W = sum over x = 1..N of u_x e_x^T, with f injective: every input has an output of its own. The answer to z is "
    "argmax over the N outputs of u_y . W e_z; gaussian is N(0, I/d), sphere is uniform on the unit sphere."
)


@cache
def moments(inputs: str) -> Any:
    """The scores divided by |e_z|, which all outputs share: second moments as for inputs on the sphere, and a mean
    E |e_z|. The variances are those that the contraction gives at q = 1, S_y = 1, S = N."""
    d, N = sympy.symbols("d N", positive=True)

    def variance(*, match: bool) -> Any:
        found = scores.score_variance(match=match, inputs="sphere", outputs="sphere")
        return found.subs({s: {"q": 1, "S_y": 1, "S": N}[s.name] for s in found.free_symbols if s.name != "d"})

    length = mean_length(d) if inputs == "gaussian" else sympy.Integer(1)
    target = variance(match=True)
    return item_errors.ScoreMoments(
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
    return sympy.sqrt(2 / d) * sympy.exp(sympy.loggamma((d + 1) / 2) - sympy.loggamma(d / 2))


def item_error(*, inputs: str, outputs: str) -> Expr:
    """The probability that one item is lost."""
    if outputs == "sphere":
        return item_errors.item_error_expression(moments(inputs))
    d, N = sympy.symbols("d N", positive=True)
    x = sympy.Symbol("x", real=True)
    t, h = sympy.symbols("t h", positive=True)
    length = mean_length(d) if inputs == "gaussian" else sympy.Integer(1)
    total = sympy.sqrt(t**2 * (1 - length**2) + (N - 1) / d**2)
    a, eta = length * t + total * x, sympy.sqrt(N - 1) / d / total * x
    rest = (N - 1) * (d - 1) / d**2 * h
    V = (a**2 + rest) * (N - 2) / (d * (N - 1)) + (h * (1 - 1 / d) + a * eta / sympy.sqrt(N - 1)) ** 2 / d
    kept = (1 - item_errors.gaussian_tail(t * a / sympy.sqrt(V))) ** (N - 1)

    def chi_square(n: Any, v: Any) -> Any:  # density of chi-square_n/n
        return (n / 2) ** (n / 2) / sympy.gamma(n / 2) * v ** (n / 2 - 1) * sympy.exp(-n * v / 2)

    normal = sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
    density = normal * 2 * t * chi_square(d, t**2) * chi_square(d - 1, h)
    return sympy.Integral(density * (1 - kept), (x, -sympy.oo, sympy.oo), (t, 0, sympy.oo), (h, 0, sympy.oo))


def item_error_numeric(*, d: Floats, N: Floats, inputs: str, outputs: str, rough: bool = False) -> Floats:
    """The integral in float64, vectorised; with gaussian outputs also by a rough rule, good to about 1 %."""
    if outputs == "sphere":
        return item_errors.item_error(moments(inputs), {"d": d, "N": N})
    length = np.sqrt(2 / d) * special.poch(d / 2, 0.5) if inputs == "gaussian" else np.ones(np.shape(d))
    return gaussian_output_error(d=d, N=N, length=length, spread=np.sqrt(1 - length**2), rough=rough)


def item_error_exact(*, d: Digits, N: Digits, inputs: str, outputs: str, digits: int) -> Digits:
    """The integral to any number of digits, for outputs on the sphere."""
    if outputs == "gaussian":
        raise ValueError(
            "outputs must be 'sphere' for more than about 5 digits: with gaussian outputs the law is a triple integral, "
            "which the law itself, called with numbers, gives in float64"
        )
    return item_errors.item_error_digits(moments(inputs), {"d": d, "N": N}, digits)


def half_numeric(*, d: Floats, inputs: str, outputs: str) -> Floats:
    """The N at which `item_error_numeric` is one half, vectorised; a dimension that comes twice is computed once."""
    different, place = np.unique(np.asarray(d, dtype=float), return_inverse=True)
    if outputs == "sphere":
        found = item_errors.half_of_items(moments(inputs), {"d": different}, "N")
    else:

        def error(N: Any, rows: Any, rough: bool) -> Any:
            return item_error_numeric(d=different[rows], N=N, inputs=inputs, outputs=outputs, rough=rough)

        found = half_sizes(error, np.full(different.shape, 3.0))
    return found[place].reshape(np.shape(d))


def half_exact(*, d: Digits, inputs: str, outputs: str, digits: int) -> Digits:
    """The same to any number of digits, for outputs on the sphere."""
    words: dict[str, Any] = {"inputs": inputs, "outputs": outputs}
    return half_digits(
        float(half_numeric(d=np.asarray(float(d)), **words)),
        lambda N: item_error_numeric(d=np.asarray(float(d)), N=N, **words),
        lambda N, wanted: item_error_exact(d=d, N=N, digits=wanted, **words),
        digits,
    )


def half(*, inputs: str, outputs: str) -> Any:
    """A root has no closed form: the expression is its leading order."""
    return sympy.exp(sympy.LambertW(sympy.Symbol("d", positive=True) ** 2 / 2))


size_law = partial(law, relation="~", quantity="N", params=(D,))
LAWS = (
    size_law(
        "injective-capacity",
        "exp(LambertW(d**2/8))",
        title="Capacity for different answers: all items right, 8 N log N = d^2",
        source=Source("arxiv2605.05189", "sum of outer products, all items recalled"),
        conventions=CONVENTIONS + " The largest N at which all N items are right.",
    ),
    size_law(
        "injective-capacity:source",
        "d**2",
        title="Capacity for different answers, as the source states it",
        source=Source("bietti2025", "slide on linear associative memories, f injective (also bietti2024)"),
        conventions=CONVENTIONS + " The source's question is when all items are right (bietti2024: 'for all z').",
    ),
    law(
        "injective-capacity:half",
        half,
        relation="~",
        params=(D.but(domain=integer(8)).over(16, 1024), INPUTS, OUTPUTS),
        quantity="N",
        title="Size at which an item is right half of the time, with its finite-size terms",
        source=Source("asymp", "the share of lost items at finite size, put at one half"),
        conventions=CONVENTIONS + " The N at which a given item is lost with probability one half.",
        numeric=half_numeric,
        exact=half_exact,
    ),
    law(
        "injective-capacity:item-error",
        item_error,
        relation="~",
        params=(D.over(64, 256), OUTPUT_ITEMS.but(domain=integer(3)).over(100, 4000), INPUTS, OUTPUTS),
        title="Share of lost items at finite size",
        source=Source("asymp", "N - 1 competitors, with the exact variances of the scores"),
        conventions=CONVENTIONS,
        numeric=item_error_numeric,
        exact=item_error_exact,
    ),
)
