"""step-size: large steps with batch one fill the memory evenly; a small memory wants smaller steps late in training."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.pieces import sgd
from asymp.theory.laws.training import SEEN, M
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

STEP_SIZE = Param(real(above=0), (1, 30), meaning="step size of sgd", name="gamma")

TALK = Source("bietti2025", "slide on optimisation algorithms and memory schemes")
declare = partial(
    law,
    conventions="Sgd with batch one on the cross-entropy from W = 0, one pass over T samples of a Zipf law, f(x) = "
    "x mod M; errors are those "
    "of argmax_y u_y.W e_x over p, at the same d, N, T. q is the weight of an input that was seen n times.",
)


def evenness() -> Expr:
    """f^n(0)/f(0): the weight of an input seen n times over that of one seen once."""
    gamma, M, n = sympy.symbols("gamma M n", positive=True)
    return sgd.SGDIterate(n, gamma, M) * M / (gamma * (M - 1))


LAWS = (
    declare(
        "step-size",
        evenness,
        relation="=",
        params=(STEP_SIZE, M, SEEN.but(domain=integer(1)).over(1, 10000)),
        quantity="q_n/q_1",
        title="How uneven the weights are: an input seen n times against one seen once, by the SGD map",
        source=Source("asymp", "iterates of the SGD map"),
    ),
    declare(
        "step-size:source",
        "gamma*(M - 1)/M",
        relation="~",
        params=(STEP_SIZE, M, SEEN.but(domain=integer(1)).over(1, 10)),
        quantity="q_n",
        title="Batch one and large steps give every input the weight of one sight, as the source states it",
        source=TALK,
    ),
)
