"""The second book: its equation against closed forms and slow oracles, its claims against wrong laws, its place in a list."""

import sys
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest

from asymp import books
from asymp.reports.check import BUDGET, share_of
from asymp.reports.claims import claims, index
from asymp.reports.claims_file import load_claims
from asymp.reports.judging import judged, outcome_of
from asymp.theory import laws

FOLDER = Path(__file__).parents[2] / "examples" / "power_laws"


@pytest.fixture(scope="module")
def ids():
    """The ids of the book's claims, while it is known."""
    path = list(sys.path)
    yield load_claims(str(FOLDER / "power_laws"))
    books._added.pop("power-laws")
    sys.path[:] = path


def test_the_book_is_one_of_its_own(ids):
    assert len(ids) >= 14 and {index()[id].book for id in ids} == {"power-laws"}
    assert share_of(claims[ids[0]]) == BUDGET / 20
    for id in ids:
        claim = claims[id]
        assert claim.parts and all(list(part.wrong_laws()) for part in claim.parts), id


def test_the_effective_ridge_is_that_of_marchenko_and_pastur_for_equal_modes(ids):
    """P/(1 + k) + delta/k = n is a quadratic equation; without ridge k = (P - n)/n."""
    from power_laws.functions import EffectiveRidge, RidgeRisk

    for n, P, delta in [(20, 50, 3.0), (50, 20, 0.5), (30, 30, 1.0)]:
        b = n - P - delta
        root = (-b + np.sqrt(b * b + 4 * n * delta)) / (2 * n)
        assert EffectiveRidge.floats(n, P, 0, delta) == pytest.approx(root, rel=1e-12)
    assert EffectiveRidge.floats(20, 50, 0, 0) == pytest.approx(1.5, rel=1e-12)
    # isotropic and without ridge: (1 - n/P) of the target's length P, and v n/(P - n)
    assert RidgeRisk.floats(20, 50, 0, 0, 0, 0.3) == pytest.approx(30 + 0.3 * 20 / 30, rel=1e-10)


@pytest.mark.parametrize(
    ("id", "values"),
    [
        ("ridge-risk", {"n": 9, "P": 20, "a": 1.5, "b": 2.0, "delta": 0.3, "v": 0.2}),
        ("train-error", {"n": 9, "P": 20, "a": 1.5, "b": 2.0, "delta": 0.3, "v": 0.2}),
        ("degrees-of-freedom", {"n": 9, "P": 20, "a": 1.5, "delta": 0.3}),
        ("random-feature-degrees", {"n": 9, "k": 7, "P": 20, "a": 1.5, "delta": 0.3}),
        ("solvable-joint-law", {"n": 9, "k": 7, "P": 20, "a": 1.5}),
        ("descent-risk", {"t": 5, "P": 6, "a": 1.5, "b": 2.0, "eta": 0.2, "v": 0.1}),
        ("unlearnt-quanta", {"D": 9, "P": 12, "alpha": 0.7, "tau": 2}),
        ("distinct-quanta", {"D": 9, "P": 12, "alpha": 0.7}),
        ("least-squares", {"n": 20, "k": 3, "P": 12, "b": 1.5, "v": 0.1}),
    ],
)
def test_both_sides_of_a_law_agree(ids, id, values):
    assert float(laws[id].evaluate(**values, digits=30)) == pytest.approx(laws[id](**values), rel=1e-11)


def test_the_training_error_follows_from_the_least_value_of_the_loss(ids):
    """F = min |y - X w|^2 + delta |w|^2 has the slope |w|^2 in delta, so that F - delta F' is the residual.

    F = delta y^T (X X^T + delta)^-1 y, whose mean is (delta/kappa) (the sum of i^-b kappa/(i^-a + kappa), and v).
    """
    n, P, v = 9, 20, mp.mpf("0.2")

    def least(delta):
        modes = [(mp.mpf(i) ** mp.mpf(-1.5), mp.mpf(i) ** -2) for i in range(1, P + 1)]
        kappa = mp.findroot(lambda k: mp.fsum(s / (s + k) for s, _ in modes) + delta / k - n, delta / n + 0.1)
        return delta / kappa * (mp.fsum(c * kappa / (s + kappa) for s, c in modes) + v)

    with mp.workdps(30):
        rest = least(mp.mpf("0.3")) - mp.mpf("0.3") * mp.diff(least, mp.mpf("0.3"))
    assert float(rest) / n == pytest.approx(laws["train-error"](n=n, P=P, a=1.5, b=2, delta=0.3, v=0.2), rel=1e-8)


@pytest.mark.parametrize("id", ["interpolation-bias", "degrees-of-freedom", "distinct-quanta", "interpolation-peak"])
def test_a_claim_holds_and_its_wrong_laws_do_not(ids, id):
    part = claims[id].parts[0]
    cells = [(dict(s), part.experiment.run(replicas=1024, seed=3, device="cpu", **s)) for s in part.grid["quick"][:3]]
    level = share_of(claims[id])
    assert outcome_of(judged(part, cells, level=level), level) != "refuted"
    refuted = 0
    for control in part.wrong_laws():
        outcome = outcome_of(judged(control.statement(cells), cells, level=level), level)
        assert outcome != "supported", control.how
        refuted += outcome == "refuted"
    assert refuted


def test_declared_kurtoses_are_not_exceeded(ids):
    for id in ids:
        for part in claims[id].parts:
            cell, declared = part.grid["quick"][0], part.experiment.kurtosis
            declared = declared(**cell) if callable(declared) else declared
            if declared is None or cell.get("P", 0) * cell.get("n", 1) > 2**13:
                continue
            values = part.experiment.run(replicas=2048, seed=4, device="cpu", **cell).values
            seen = np.mean((values - values.mean()) ** 4) / values.var() ** 2
            assert seen <= declared, (id, seen)
