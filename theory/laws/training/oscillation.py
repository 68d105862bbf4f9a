"""oscillation: two tokens with correlated embeddings and unequal frequencies, trained by full-batch steps."""

from functools import partial

from asymp.theory.law import law
from asymp.theory.laws.training import ETA
from asymp.theory.lazy import Expr, sympy
from asymp.theory.param import Param, choice, real
from asymp.theory.sources import Source

A = Param(real(-1, 1), (0, 0.99), meaning="overlap e_1.e_2 of the input embeddings", name="a")
FREQUENT = Param(real(0.5, 1), (0.5, 0.99), meaning="probability of the frequent token", name="p")


def first_step(*, token: str) -> Expr:
    """The margins after one step: eta (p - a (1-p)) and eta ((1-p) - a p)."""
    a, p = sympy.symbols("a p", real=True)
    eta = sympy.Symbol("eta", positive=True)
    own = p if token == "frequent" else 1 - p
    return eta * (own - a * (1 - own))


declare = partial(
    law,
    conventions="N = M = d = 2, |e_1| = |e_2| = 1, e_1.e_2 = a, orthonormal outputs, f(x) = x, frequencies p and 1 - "
    "p; gradient descent with step eta on the population cross-entropy from W = 0. m_x is the margin of token x. A "
    "step takes m_1 to m_1 + 2 eta (g_1 - a g_2) and m_2 to m_2 + 2 eta (g_2 - a g_1), with g_x = p_x/(1 + e^m_x).",
    relation="=",
)
LAWS = (
    declare(
        "oscillation",
        "8/(1 + sqrt(1 - 4*p*(1 - p)*(1 - a**2)))",
        params=(A, FREQUENT),
        quantity="eta_max",
        title="Largest step at which the loss cannot rise: 2/L",
        source=Source("asymp", "largest curvature L, at W = 0: (1 + sqrt(1 - 4 p (1-p) (1-a^2)))/4"),
    ),
    declare(
        "oscillation:source",
        "1",
        relation="<=",
        params=(A.over(0.4, 0.99), FREQUENT.but(default=0.75).over(0.75, 0.95)),
        quantity="n_large/n_small",
        title="Large steps reach perfect accuracy no later than small ones, despite oscillations",
        source=Source("bietti2025", "slide on large steps and oscillations (Cabannes, Simsek, Bietti 2024)"),
    ),
    declare(
        "oscillation:balanced",
        "1",
        relation=">=",
        params=(A.over(0.8, 0.99), FREQUENT.but(default=0.55).over(0.52, 0.55)),
        quantity="n_large/n_small",
        title="With little imbalance and a large overlap, steps of 10 reach perfect accuracy no earlier than steps of 1",
        source=Source("asymp", "times to perfect accuracy of the two-token model"),
    ),
    declare(
        "oscillation:first-step",
        first_step,
        params=(
            ETA,
            A,
            FREQUENT,
            Param(choice("frequent", "rare"), default="rare", meaning="'frequent' or 'rare'", name="token"),
        ),
        quantity="m",
        title="Margin after the first step",
        source=Source("asymp", "gradient at W = 0"),
    ),
)
