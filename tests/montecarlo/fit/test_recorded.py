"""A recorded table in a claim: the error of the trapezoidal rule, computed here, against its exact law and a wrong one."""

import numpy as np
import pytest

from asymp.montecarlo import recorded
from asymp.reports import Claim, check
from asymp.reports.grid import Grid, settings
from asymp.reports.kinds import Identity, Rate
from asymp.theory import law

STEPS = tuple(2.0**-k for k in range(1, 6))


def table():
    """The error of the trapezoidal rule for exp on [0, 1]."""
    errors = []
    for h in STEPS:
        x = np.linspace(0, 1, round(1 / h) + 1)
        errors.append(np.trapezoid(np.exp(x), x) - (np.e - 1))
    return recorded("trapezoid", {"h": STEPS, "error": errors}, x="h", y="error")


@pytest.mark.parametrize(
    ("formula", "outcome"),
    # A geometric sum: the rule gives (e - 1) (h/2) coth(h/2).
    [("(exp(1) - 1)*(h/2/tanh(h/2) - 1)", "supported"), ("(exp(1) - 1)*h**2/11", "refuted")],
)
def test_a_statement_may_name_a_table(formula, outcome):
    rule = law("trapezoid", formula, relation="=", params={"h": (0, 1)})
    # Differences of numbers near 1.7, rounded to 2e-16, that are as small as 1e-4: twelve digits are left, ten are asked for.
    part = Identity(
        "source", "The error.", law=rule, experiment=table(), grid=Grid(settings(h=STEPS)), resolution=1e-10
    )
    claim = Claim(id="trapezoid", title="The rule", source="here", simulation="A table.", parts=(part,))
    verdict = check(claim, rounds=2)
    assert verdict.outcome == outcome, verdict.parts["source"].evidence.words


def test_another_table_is_another_version_and_replicates_are_refused():
    other = recorded("trapezoid", {"h": STEPS, "error": STEPS}, x="h", y="error")
    assert other.version != table().version
    with pytest.raises(ValueError, match="several rows at 0.5"):
        recorded("t", {"h": [0.5, 0.5, 0.2], "error": [1, 2, 3]}, x="h", y="error")


@pytest.mark.parametrize(("exponent", "outcome"), [(-2, "supported"), (-1.9, "refuted"), (-2.1, "refuted")])
def test_the_rate_of_a_table_is_judged_by_the_form_of_its_approach_alone(exponent, outcome):
    """Runge's and Kutta's second method for y' = y: (1 + 1/n + 1/(2 n^2))^n is short of e by e/(6 n^2) to leading order."""
    sizes = tuple(2**k for k in range(4, 12))
    short = [np.e - (1 + 1 / n + 1 / (2 * n**2)) ** n for n in sizes]
    part = Rate(
        "source",
        "The error.",
        variable="n",
        law=law("second-order", f"n**({exponent})", relation="~", params={"n": (1, 10**9)}),
        experiment=recorded("second-order", {"n": sizes, "error": short}, x="n", y="error"),
        grid=Grid(settings(n=sizes)),
    )
    claim = Claim(id="second-order", title="The method", source="here", simulation="A table.", parts=(part,))
    verdict = check(claim, rounds=1)
    assert verdict.outcome == outcome and "no noise" in verdict.parts["source"].evidence.words


def test_a_table_of_too_few_sizes_or_before_its_power_is_open():
    for sizes in ((16, 32, 64, 128), (2, 4, 8, 16, 32)):
        part = Rate(
            "source",
            "The error.",
            variable="n",
            law=law("slow", "n**-2", relation="~", params={"n": (1, 10**9)}),
            experiment=recorded("slow", {"n": sizes, "error": [1 / (n**2 + 1000) for n in sizes]}, x="n", y="error"),
            grid=Grid(settings(n=sizes)),
        )
        verdict = check(Claim(id="slow", title="Slow", source="here", simulation="A table.", parts=(part,)), rounds=1)
        evidence = verdict.parts["source"].evidence
        assert verdict.outcome == "inconclusive" and evidence.needed is None, evidence.words
