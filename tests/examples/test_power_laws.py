"""The second book: its equation against closed forms and slow oracles, its claims against wrong laws, its place in a list."""

import re
import sys
from functools import cache
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, assume, given, seed, settings
from support.stages import stages_against

from asymp import books
from asymp.reports.check import BUDGET, share_of
from asymp.reports.claims import claims, index
from asymp.reports.claims_file import load_claims
from asymp.reports.judging import judged, outcome_of
from asymp.reports.planning import measured_part
from asymp.reports.testing import strategies
from asymp.theory import BIBLIOGRAPHY, laws

FOLDER = Path(__file__).parents[2] / "examples" / "power_laws"


@pytest.fixture(scope="module")
def ids():
    """The ids of the book's claims, while it is known."""
    path = list(sys.path)
    yield load_claims(str(FOLDER / "power_laws"))
    books._added.pop("power-laws")
    sys.path[:] = path


def test_the_book_is_one_of_its_own(ids):
    assert len(ids) == 23 and {index()[id].book for id in ids} == {"power-laws"}
    assert share_of(claims[ids[0]]) == BUDGET / 32
    for id in ids:
        claim = claims[id]
        assert claim.simulation and all(key in BIBLIOGRAPHY for key in re.findall(r"[a-z]+20\d\d", claim.source)), id
        assert claim.parts and all(list(part.wrong_laws()) for part in claim.parts), id


def test_letters_of_a_formula_that_are_no_parameters_are_explained(ids):
    """kappa, sums with names of their own, the mean square of what a weight misses: whoever reads a formula finds them."""
    for id in {law for law in laws if law in ids}:
        law = laws[id]
        bound = {symbol for total in law.expr.atoms(sympy.Sum) for symbol in total.variables}
        named = {str(letter) for letter in law.expr.free_symbols - bound} - set(law.params)
        named |= {f.func.__name__ for f in law.expr.atoms(sympy.core.function.AppliedUndef)} - {"Pr"}
        assert all(re.search(rf"\b{letter}\b", law.conventions) for letter in named), (id, named)


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
        ("random-feature-risk", {"n": 9, "k": 7, "P": 20, "a": 1.5, "b": 2.0, "delta": 0.3, "v": 0.1}),
        ("random-feature-risk", {"n": 60, "k": 80, "P": 100, "a": 12, "b": 3.0, "delta": 1e-20, "v": 0.1}),
        ("quantum-step", {"i": 3, "D": 9, "P": 12, "alpha": 0.7}),
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


PARTS = [
    (file.stem.replace("_", "-"), name)
    for file in sorted((FOLDER / "power_laws" / "claims").glob("*/[a-z]*.py"))
    for name in re.findall(r'"(source|capacity|noise)",', file.read_text())
]


@pytest.mark.parametrize(("id", "name"), PARTS)
def test_no_drawn_setting_refutes_a_statement(ids, id, name):
    part, seen = statement(id, name), []

    @settings(max_examples=8 if part.across is None else 2, suppress_health_check=list(HealthCheck))
    @given(cells=strategies.drawn_cells(part))
    def holds(cells):
        assume(all(cell.get("P", 1) * (cell.get("n", 1) + cell.get("k", 0)) < 1e6 for cell in cells))
        try:
            for cell in cells:
                part.validate(cell)
            looks = stages_against(part, cells, level=1e-9, replicas=64)
        except ValueError:
            assume(False)  # outside the domain of the law
        seen.append(cells)
        assert not (len(looks) >= 3 and all(look.against for look in looks)), looks[-1].words

    seed(len(id))(holds)()
    assert seen


LAST_ROUND = 6
"""In early rounds of a rate one value may carry so much of the spread that its exponent stays open, right or wrong."""


def statement(id, name):
    return next(part for part in claims[id].parts if part.name == name)


@cache
def measured(id, name, round=1):
    """A series of a rate after a round; else 1024 values at the settings of at most 128 samples."""
    part = statement(id, name)
    if part.across:
        return measured_part(part, round=round, seed=3, store=None)
    few = [dict(cell) for cell in part.grid["quick"] if cell.get("n", 0) <= 128][:4]
    return [(cell, part.experiment.run(replicas=1024, seed=3, device="cpu", **cell)) for cell in few]


@pytest.mark.parametrize(("id", "name"), PARTS)
def test_a_statement_holds_and_its_wrong_laws_do_not(ids, id, name):
    """At no round is it refuted or a wrong law supported, and by the last round a wrong law is refuted."""
    part, level = statement(id, name), share_of(claims[id])
    for round in range(1, LAST_ROUND + 1 if part.across else 2):
        cells = measured(id, name, round)
        assert outcome_of(judged(part, cells, level=level), level) != "refuted"
        wrong = {c.how: outcome_of(judged(c.statement(cells), cells, level=level), level) for c in part.wrong_laws()}
        assert "supported" not in wrong.values(), wrong
        if "refuted" in wrong.values():
            return
    pytest.fail(f"no wrong law was refuted: {wrong}")


# A line of the theory, and what a slip would make of it.
SLIPS = [
    ("ridge-risk", "RidgeRisk", "(bias + v) / (1 - overlap) - v", "(bias + v) * (1 - overlap) - v"),
    ("ridge-risk", "RidgeRisk", "(bias + v) / (1 - overlap) - v", "(bias + v) / (1 - overlap)"),
    ("ridge-risk", "RidgeRisk", "(k / (s + k)) ** 2", "(k / (s + k))"),
    ("train-error", "TrainError", "(delta / n / _root(n, P, a, delta)) ** 2", "(delta / n / _root(n, P, a, delta))"),
    ("random-feature-degrees", "RandomFeatureDegrees", "(1 - df / k) * n < delta", "(1 + df / k) * n < delta"),
    ("random-feature-risk", "RandomFeatureRisk", "share * (df - squares)", "share * (df + squares)"),
    ("random-feature-risk", "RandomFeatureRisk", "share = (k - df) / (k - squares)", "share = 1"),
    ("descent-risk", "DescentRisk", "1 - 2 * eta * s", "1 - eta * s"),
    ("unlearnt-quanta", "UnlearntQuanta", "int(tau) - 1", "int(tau)"),
    ("distinct-quanta", "DistinctQuanta", "np.expm1(D", "np.expm1((D + 1)"),
]


@pytest.mark.parametrize(("id", "function", "right", "slip"), SLIPS)
def test_a_slip_in_the_theory_is_refuted(ids, id, function, right, slip):
    from power_laws import functions

    text = Path(functions.__file__).read_text()
    assert right in text
    changed = {}
    exec(text.replace(right, slip), changed)  # the theory as it would be with the slip
    part, cells, level = statement(id, "source"), measured(id, "source"), share_of(claims[id])
    letters = list(part.law.params)
    wrong = part.saying(lambda cell: float(changed[function].floats(*(cell[letter] for letter in letters))))
    assert outcome_of(judged(part, cells, level=level), level) != "refuted"
    assert outcome_of(judged(wrong, cells, level=level), level) == "refuted"


def test_the_samplers_solve_what_a_slow_solver_solves(ids):
    """Ridge regression is least squares with a row of sqrt(delta) for each weight; the best weights on features, least squares."""
    import torch
    from power_laws.samplers.drawing import ridge

    made = np.random.default_rng(7)
    for n, P, delta in [(6, 11, 0.3), (11, 6, 0.3), (6, 11, 0.0), (11, 6, 0.0)]:
        X, y = made.normal(size=(n, P)), made.normal(size=n)
        rows = np.vstack([X, np.sqrt(delta) * np.eye(P)])
        slow = np.linalg.lstsq(rows, np.r_[y, np.zeros(P)], rcond=None)[0]
        assert np.allclose(ridge(torch.tensor(X)[None], torch.tensor(y)[None], delta)[0], slow, rtol=1e-9)


def test_random_features_contain_the_other_laws(ids):
    """Without end they are ridge regression; with hardly any ridge, where b = a, the joint law of samples and features."""
    at = {"n": 20, "P": 60, "a": 1.5, "v": 0.2}
    many = laws["random-feature-risk"](k=10**9, b=2, delta=0.3, **at)
    assert many == pytest.approx(laws["ridge-risk"](b=2, delta=0.3, **at), rel=1e-6)
    for n, k in [(20, 35), (35, 20)]:
        hardly = laws["random-feature-risk"].evaluate(n=n, k=k, P=60, a=1.5, b=1.5, delta=1e-9, v=0, digits=20)
        assert float(hardly) == pytest.approx(laws["solvable-joint-law"](n=n, k=k, P=60, a=1.5), rel=1e-5)


@pytest.mark.parametrize(
    ("id", "boundary", "sides"),
    [
        ("ridgeless-rate", "b > 2*a + 1", {"n**(1 - b)", "n**(-2*a)"}),
        ("width-limited", "b > a + 1", {"k**(1 - b)", "k**(-a)"}),
        ("descent-rate", "b > 2*a", {"t**(-(b - 1)/a)", "t**(-(2*a - 1)/a)"}),
        ("tuned-ridge", "b > 2*a + 1", {"n**(-(b - 1)/b)", "n**(-2*a/(2*a + 1))"}),
    ],
)
def test_the_order_calculus_finds_the_phase_boundary(ids, id, boundary, sides):
    found = laws[id].regimes()
    assert {str(regime.order) for regime in found} == sides
    assert any(boundary in str(regime) for regime in found)


@pytest.mark.parametrize(
    ("id", "values", "right"),
    [
        ("interpolation-bias", {"n": 100, "P": 64}, "n must be at most P"),
        ("interpolation-peak", {"n": 64, "P": 64, "v": 1}, "differ by 2 or more"),
        ("least-squares", {"n": 8, "k": 8, "P": 64, "b": 1.5, "v": 0.1}, "n must be above k"),
        ("degrees-of-freedom", {"n": 64, "P": 16, "a": 1.5, "delta": 0}, "delta must be above 0"),
        ("ridge-risk", {"n": 16, "P": 16, "a": 1.5, "b": 2, "delta": 0, "v": 0.1}, "n other than P"),
        ("train-error", {"n": 64, "P": 16, "a": 1.5, "b": 2, "delta": 0, "v": 0.1}, "delta must be above 0"),
        ("random-feature-degrees", {"n": 8, "k": 8, "P": 16, "a": 1.5, "delta": 0}, "delta must be above 0"),
        ("solvable-joint-law", {"n": 8, "k": 8, "P": 16, "a": 1.5}, "n and k must differ"),
        ("quantum-step", {"i": 9, "D": 5, "P": 8, "alpha": 1}, "i must be at most P"),
        ("tempered-overfitting", {"a": 0.5, "v": 1}, "a must be"),
    ],
)
def test_a_law_says_where_it_does_not_speak(ids, id, values, right):
    with pytest.raises(ValueError, match=right):
        laws[id](**values)


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
