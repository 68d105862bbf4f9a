"""seen-s-times: store with equal weights what was seen at least s times."""

from functools import partial

from asymp.theory.functions.schemes.often_seen import seen_error, seen_error_digits
from asymp.theory.law import law
from asymp.theory.laws.pieces import symbols
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, CONVENTIONS, LIMIT, NORMALISED, D, K, M, N, T
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

TIMES = Param(real(1), (1, 9), meaning="how often an input must be seen to be stored", name="s")
PARAMS = (ALPHA, T.but(domain=real(1), default=None).over(10000, 1e8), TIMES, D.over(100, 10_000), M)

MEAN = " The number of stored inputs is replaced by its mean."

# n + 1/2 and lost to leading order in T: beta integrals, with rising factorials (s - a)_a and (s)_(1-a), a = 1/alpha.
STORED = "(T/zeta(alpha))**(1/alpha)/Rising({s} - 1/alpha, 1/alpha)"
LOST = "zeta(alpha)**(-1/alpha)/(alpha - 1)*Rising({s}, 1 - 1/alpha)*T**(-1 + 1/alpha)"
# s = max(1, T C (k d)^-alpha), and n and lost there
MATCHED = "Max(1, T*(k*d)**(-alpha)/zeta(alpha))"
NUMBER, MASS = STORED.format(s=MATCHED) + " - 1/2", LOST.format(s=MATCHED)
SIZES = (ALPHA, T.but(domain=real(1), default=None).over(10000, 1e8), D.over(100, 10_000), K)
number = law("number", NUMBER, relation="~", params=SIZES)


def mean_expression() -> Expr:
    """(1 - 1/M) lost + (1 - lost) pi_M(sqrt(d M/n)), n = sum P(Bin >= s), lost = sum p P(Bin < s)."""
    alpha, T, s, d, M, N = sympy.symbols("alpha T s d M N", positive=True)
    x, j = sympy.symbols("x j", integer=True, positive=True)
    p = symbols.zipf(x, alpha, N)
    seldom = sympy.Sum(sympy.binomial(T, j) * p**j * (1 - p) ** (T - j), (j, 0, s - 1))
    lost, n = sympy.Sum(p * seldom, (x, 1, N)), sympy.Sum(1 - seldom, (x, 1, N))
    return (1 - 1 / M) * lost + (1 - lost) * symbols.GaussianError(sympy.sqrt(d * M / n), M)


declare = partial(law, relation="~")
LAWS = (
    declare(
        "seen-s-times",
        mean_expression,
        params=(
            ANY_ALPHA,
            T.but(domain=integer(0), default=None).over(100, 2000),
            TIMES.but(domain=integer(1)),
            D.over(50, 1000),
            M,
            N,
        ),
        title="Equal weights on the inputs seen at least s times",
        source=Source("asymp", "n inputs stored on average, with the margin sqrt(d M/n); the rest is guessed"),
        conventions=CONVENTIONS + " " + LIMIT + MEAN,
        conditions=NORMALISED,
        exponents={"T": "0", "d": "0"},
        numeric=seen_error,
        exact=seen_error_digits,
    ),
    declare(
        "seen-s-times:source",
        "T**(-1 + 1/alpha) + d**(1 - alpha)",
        relation="<~",
        params=(
            ALPHA,
            T.but(domain=real(1, infinite=True), default=None).over(10, 1e6),
            D.but(domain=integer(1, infinite=True)),
        ),
        title="Equal weights on the inputs seen at least s times, as the source states it",
        source=Source("bietti2025", "scaling laws with finite capacity, item 3"),
        conventions=CONVENTIONS + " Up to a constant; s is not said.",
    ),
    declare(
        "seen-s-times:overflow",
        f"T**(-1 + 1/alpha) + d**(1 - alpha) + GaussianError(sqrt(d*M/({STORED.format(s='s')})), M)",
        relation="<~",
        params=PARAMS,
        title="Equal weights on the inputs seen at least s times: the source's bound and what overflows",
        source=Source("asymp", "the source's two terms and the loss of the n stored inputs, pi_M(sqrt(d M/n))"),
        conventions=CONVENTIONS + " N = inf. " + LIMIT + MEAN + " Up to a constant that depends on s.",
    ),
    declare(
        "seen-s-times:matched",
        f"(1 - 1/M)*{MASS} + (1 - {MASS})*GaussianError(sqrt(d*M/({NUMBER})), M)",
        params=(ALPHA, T.but(domain=real(1), default=None).over(10000, 1e8), D.over(100, 10_000), M, K),
        title="Equal weights on the inputs seen about as often as the (k d)-th is expected to be",
        source=Source("asymp", "s = max(1, T C (k d)^-alpha)"),
        conventions=CONVENTIONS + " N = inf. " + LIMIT + MEAN + " s need not be whole.",
        conditions=Condition(
            lambda v: number(**{name: v[name] for name in number.params}) > 0,
            "T must be large enough for an input to be seen s times: the expansion is for large T",
        ),
    ),
)
