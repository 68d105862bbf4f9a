"""sgd-map: the weight that SGD gives to an input after seeing it n times."""

from functools import partial
from typing import Any

from asymp.theory.functions.sgd.iterates import growth_constant
from asymp.theory.law import law
from asymp.theory.laws.training import GAMMA, SEEN, M
from asymp.theory.lazy import np
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Condition, Source

CONVENTIONS = (
    "SGD with batch one on the cross-entropy from W = 0; q is the weight of an input in W = sum of q(x) u_f(x) e_x^T; "
    "one sight of the input takes q to f(q) = q + gamma/(1 + e^q/(M - 1))."
)


def bracket(gamma: Any, M: Any, n: Any) -> Any:
    """gamma n + (gamma/2 - 1) log n + c, vectorised."""
    return gamma * n + (gamma / 2 - 1) * np.log(n) + growth_constant(gamma=gamma, M=M)


declare = partial(law, quantity="q", conventions=CONVENTIONS, relation="~")
LAWS = (
    declare(
        "sgd-map",
        "SGDIterate(n, gamma, M)",
        relation="=",
        params=(GAMMA, M, SEEN),
        title="Weight after n steps of the SGD map, exact",
        source=Source("asymp", "iterates by the Abel function of the map"),
    ),
    law(
        "sgd-map:source",
        "q + gamma/(1 + exp(q)/(M - 1))",
        relation="=",
        params=(Param(real(-700, 700), (0, 10), meaning="weight of the input before the step", name="q"), GAMMA, M),
        title="One update of a weight by SGD, as the source states it",
        source=Source("cabannes2024", "update rule of SGD with batch size one, Figure 5 left"),
        quantity="f",
        typeset=r"f\left(q\right)",
        conventions=CONVENTIONS,
    ),
    declare(
        "sgd-map:orthonormal",
        # the margin q M/(M-1) follows f with the step gamma M/(M-1)
        "(M - 1)/M*SGDIterate(n, gamma*M/(M - 1), M)",
        relation="=",
        params=(GAMMA, M, SEEN),
        title="Weight of an input seen n times, SGD with orthonormal embeddings, exact",
        source=Source("asymp", "gradient of the cross-entropy with orthonormal embeddings"),
    ),
    declare(
        "sgd-map:ode",
        "FlowRoot(1/(M - 1), gamma*n)",
        params=(GAMMA, M, SEEN.but(domain=real(0))),
        title="Weight after n small steps of the SGD map: the flow",
        source=Source("asymp", "q + (e^q - 1)/(M-1) = gamma n"),
        exponents={"n": "0"},
    ),
    declare(
        "sgd-map:asymptotic",
        "log((M - 1)*(gamma*n + (gamma/2 - 1)*log(n) + GrowthConstant(gamma, M)))",
        params=(
            GAMMA.but(domain=real(above=0, high=700)).over(0.1, 8),
            M.over(2, 20),
            SEEN.but(domain=integer(1)).over(1000, 1e9),
        ),
        title="Weight after many steps of the SGD map: expansion with its constant",
        source=Source("asymp", "Abel function of the map"),
        conditions=Condition(
            lambda v: bracket(v["gamma"], v["M"], v["n"]) > 0,
            "n must be large enough for gamma n + (gamma/2 - 1) log n + c > 0: the expansion is for large n",
        ),
    ),
    declare(
        "sgd-map:small-step",
        "n*gamma*(M - 1)/M",
        params=(GAMMA.over(1e-06, 0.001), M, SEEN.but(domain=real(0)).over(0, 100)),
        title="Weight after few small steps of the SGD map",
        source=Source("asymp", "limit gamma n -> 0"),
    ),
    declare(
        "sgd-map:large-step",
        "gamma*(M - 1)/M",
        params=(GAMMA.over(20, 100), M, SEEN.but(domain=integer(1)).over(1, 100)),
        title="Weight after large steps of the SGD map: the plateau",
        source=Source("asymp", "limit gamma -> oo at fixed n"),
    ),
)
