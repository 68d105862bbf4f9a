"""oscillation: two tokens with correlated embeddings and unequal frequencies, trained by full-batch steps."""

from typing import TYPE_CHECKING, Any

from asymp.theory.domain import choice, real
from asymp.theory.law import law
from asymp.theory.statement import Erratum, Source

if TYPE_CHECKING:
    import sympy

__all__ = ["LAWS"]

OVERLAP, MASS, STEP = real(-1, 1), real(0.5, 1), real(above=0)
SHARED: dict[str, Any] = {
    "meanings": {
        "a": "overlap e_1.e_2 of the input embeddings",
        "p": "probability of the frequent token",
        "eta": "step size",
        "token": "'frequent' or 'rare'",
    },
    "conventions": "N = M = d = 2, |e_1| = |e_2| = 1, e_1.e_2 = a, orthonormal outputs, f(x) = x, frequencies p and 1 "
    "- p; gradient "
    "descent with step eta on the population cross-entropy from W = 0. m_x is the margin of token x. A step takes m_1 "
    "to m_1 + 2 eta (g_1 - a "
    "g_2) and m_2 to m_2 + 2 eta (g_2 - a g_1), with g_x = p_x/(1 + e^m_x).",
}


def first_step(*, token: str) -> "sympy.Expr":
    """The margins after one step: eta (p - a (1-p)) and eta ((1-p) - a p)."""
    import sympy

    a, p = sympy.symbols("a p", real=True)
    eta = sympy.Symbol("eta", positive=True)
    own = p if token == "frequent" else 1 - p
    return eta * (own - a * (1 - own))


LAWS = (
    law(
        "oscillation",
        "8/(1 + sqrt(1 - 4*p*(1 - p)*(1 - a**2)))",
        relation="=",
        domain={"a": OVERLAP, "p": MASS},
        typical={"a": (0.0, 0.99), "p": (0.5, 0.99)},
        quantity="eta_max",
        title="Largest step at which the loss cannot rise: 2/L",
        source=Source("asymp", "largest curvature L, at W = 0: (1 + sqrt(1 - 4 p (1-p) (1-a^2)))/4"),
        notes=(
            "The Hessian at W = 0 dominates that at every W (each logistic curvature is at most 1/4), so L is the "
            "smoothness constant "
            "and steps below 2/L never raise the loss. It lies between 4 (a = 1) and 8 (a = 0, p = 1/2).",
            "Above it the loss may rise (p = .75, a = .9, eta = 10) or not (a = .5). Since the tokens are separable "
            "for |a| < 1 "
            "the curvature falls to 0 along training: every step size is stable in the end.",
        ),
        **SHARED,
    ),
    law(
        "oscillation:source",
        "1",
        relation="<=",
        domain={"a": OVERLAP, "p": MASS},
        typical={"a": (0.4, 0.99), "p": (0.75, 0.95)},
        defaults={"p": 0.75},
        quantity="n_large/n_small",
        title="Large steps reach perfect accuracy no later than small ones, despite oscillations",
        source=Source("bietti2025", "slide on large steps and oscillations (Cabannes, Simsek, Bietti 2024)"),
        errata=(
            Erratum(
                regime="Little imbalance and a large overlap, with steps above 2/L.",
                discrepancy="With steps 10 and 1 it fails at p = .55 for overlaps from about .77 on: at a = .99 the "
                "large step needs 62 "
                "steps, the small one 40 (at p = .6 it fails for a from .73 to .78). It holds at p = .75 for a from "
                "-.99 to .99: 2 "
                "against 4 steps at a = .5, 6 against 26 at a = .9, 71 against 261 at a = .99.",
                corrected_by="oscillation:balanced",
            ),
        ),
        notes=(
            "n is the number of steps after which both tokens are right for good. Both steps need one where a is below "
            "`oscillation:threshold`.",
        ),
        **SHARED,
    ),
    law(
        "oscillation:balanced",
        "1",
        relation=">=",
        domain={"a": OVERLAP, "p": MASS},
        typical={"a": (0.8, 0.99), "p": (0.52, 0.55)},
        defaults={"p": 0.55},
        quantity="n_large/n_small",
        title="With little imbalance and a large overlap, steps of 10 reach perfect accuracy no earlier than steps of 1",
        source=Source("asymp", "times to perfect accuracy of the two-token model"),
        notes=("The step of 10 exceeds 2/L, and the oscillation outlasts the small steps' approach.",),
        **SHARED,
    ),
    law(
        "oscillation:loss-rise",
        "0",
        relation="<=",
        domain={"a": OVERLAP, "p": MASS},
        typical={"a": (0.0, 0.99), "p": (0.5, 0.99)},
        quantity="max_rise",
        title="Largest rise of the loss in one step, for steps up to 2/L",
        source=Source("asymp", "a step below 2/L cannot raise a loss of smoothness L"),
        **SHARED,
    ),
    law(
        "oscillation:first-step",
        first_step,
        relation="=",
        domain={"eta": STEP, "a": OVERLAP, "p": MASS, "token": choice("frequent", "rare")},
        typical={"eta": (0.1, 100.0), "a": (0.0, 0.99), "p": (0.5, 0.99)},
        defaults={"token": "rare"},
        quantity="m",
        title="Margin after the first step",
        source=Source("asymp", "gradient at W = 0"),
        notes=(
            "The frequent token pushes the rare one to the wrong side for a p > 1 - p, by an amount that grows with "
            "eta.",
        ),
        **SHARED,
    ),
    law(
        "oscillation:threshold",
        "(1 - p)/p",
        relation="=",
        domain={"p": MASS},
        typical={"p": (0.5, 0.99)},
        quantity="a",
        title="Overlap above which the first step gets the rare token wrong",
        source=Source("asymp", "sign of the rare token's margin after one step"),
        notes=("1/3 at p = .75; with equal frequencies or orthogonal embeddings it never happens.",),
        **SHARED,
    ),
)
