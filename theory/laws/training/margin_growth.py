"""margin-growth: with orthogonal embeddings margins grow like the logarithm of time, for any step size."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.training import ETA, M
from asymp.theory.param import Param, integer, real
from asymp.theory.sources import Source

P_INPUT = Param(real(above=0, high=1), (0.01, 1), meaning="probability of the input", name="p")
TIME = Param(real(0), (0, 1e6), meaning="time of the gradient flow (step size times number of steps)", name="t")

CONVENTIONS = (
    "Population cross-entropy, orthonormal input and output embeddings, from W = 0. The margin is the score of the "
    "right output less that of any other: these are all equal."
)


declare = partial(law, quantity="m", conventions=CONVENTIONS, relation="~")
LAWS = (
    declare(
        "margin-growth",
        "FlowRoot(1/(M - 1), p*M*t/(M - 1))",
        relation="=",
        params=(P_INPUT, M, TIME),
        title="Margin under gradient flow, exact",
        source=Source("asymp", "(M-1) m + e^m - 1 = p M t"),
        exponents={"t": "0"},
    ),
    declare(
        "margin-growth:source",
        "log(t)",
        params=(TIME.but(domain=real(above=1)).over(10, 1e6),),
        title="Margin growth, as the source states it",
        source=Source("bietti2025", "slide on gradient dynamics, orthogonal embeddings"),
    ),
    declare(
        "margin-growth:slope",
        "log(4*t) - log(t)",
        params=(TIME.but(domain=real(above=1)).over(1000, 1e6),),
        title="Growth of the margin from t to 4 t, as the source's logarithm has it",
        source=Source("bietti2025", "slide on gradient dynamics, orthogonal embeddings"),
        quantity="m(4t) - m(t)",
    ),
    declare(
        "margin-growth:asymptotic",
        "log(p*M*t)",
        params=(P_INPUT, M.over(2, 20), TIME.but(domain=real(above=0)).over(10000, 1e9)),
        title="Margin under gradient flow at large times",
        source=Source("asymp", "leading order of the flow"),
    ),
    declare(
        "margin-growth:steps",
        "SGDIterate(n, eta*p*M/(M - 1), M)",
        relation="=",
        params=(P_INPUT, M, ETA.over(0.01, 100), Param(integer(0), (0, 1e6), meaning="number of steps", name="n")),
        title="Margin after n full-batch steps of any size, exact",
        source=Source("asymp", "the SGD map with step eta p M/(M-1)"),
    ),
)
