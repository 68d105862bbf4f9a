"""minimax: what no choice of weights can do better."""

from asymp.theory.law import law
from asymp.theory.laws.scaling import ALPHA, ANY_ALPHA, D
from asymp.theory.lazy import np
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

HELD = "Min(N, floor(d**2/(c*log(N))))"
BEYOND = f"ZipfTail(alpha, {HELD}, N)"
CONVENTIONS = (
    "E is the error of W = sum of q(x) u_f(x) e_x^T averaged over embeddings, for the best weights q; gaussian inputs."
)


LAWS = (
    law(
        "minimax",
        "erfc(1/sqrt(6))/2*zeta(alpha, M*(3*d + 2) + 1)/zeta(alpha)",
        relation=">=",
        params=(
            ALPHA,
            Param(integer(2), (2, 20), meaning="number of outputs; f is any function to them", name="M"),
            D.but(domain=integer(2)).over(4, 10_000),
        ),
        title="Lower bound for every choice of weights, with its constant",
        source=Source("asymp", "`finite-memory-lower`: at most 3 d + 2 inputs of a class have 3 (d+1) q^2 > Q"),
        conventions=CONVENTIONS + " Outputs uniform on the sphere, N = inf.",
    ),
    law(
        "minimax:source",
        "d**(1 - alpha)",
        relation=">~",
        params=(ALPHA, D.over(10, 100_000)),
        title="Lower bound for every choice of weights, as the source states it",
        source=Source("cabannes2024", "Theorem 2 (recalled): no q beats c d^(1-alpha), worst case over f"),
        conventions=CONVENTIONS + " Worst case over f; up to a constant.",
    ),
    law(
        "minimax:injective",
        f"{BEYOND} + (1 - {BEYOND})*GaussianError(d/sqrt({HELD}), N)",
        relation="~",
        params=(
            ANY_ALPHA.over(1.2, 2.5),
            Param(integer(3), (200, 5000), meaning="number of inputs, and of outputs: f is injective", name="N"),
            D.but(domain=integer(2)).over(20, 200),
            Param(
                real(above=0),
                default=8,
                meaning="d^2/(c log N) inputs are stored; 8 recalls all of them, 2 half of them",
                name="c",
            ),
        ),
        title="Equal weights on d^2/(c log N) inputs, one output for each input",
        source=Source("asymp", "wrong scores have variance P/d^2"),
        conventions="f is injective, q = 1 on x <= P = d^2/(c log N), gaussian embeddings, d large; an input that is not stored "
        "is an error.",
        conditions=Condition(
            lambda v: np.asarray(v["d"]) ** 2 / (v["c"] * np.log(v["N"])) >= 1,
            "d^2 must be at least c log N: nothing is stored otherwise",
        ),
        exponents={"d": "-2*(alpha - 1)"},
    ),
)
