"""The recall error's public function: published figures, seeds, bounded memory, bad input."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.recall.error import (
    large_recall_error_experiment,
    recall_error,
    sample_recall_error,
)


@pytest.mark.parametrize(
    ("scheme", "published", "tolerance"),
    [
        # Means of 100 runs (Cabannes, Dohmatob and Bietti, 2024). Their standard error is a run's spread over 10; the
        # published digits add half a unit of the last one. Six joint standard errors: 2e-9 each for normal means.
        ({"rho": 1, "d": 1000}, 0.0579, 5e-5),
        ({"rho": 0, "P": 100 / 8, "d": 100}, 0.0384, 5e-5),
        ({"rho": 0, "P": 1000 / 8, "d": 1000}, 0.00339, 5e-6),
    ],
)
def test_published_figures(scheme: dict[str, Any], published: float, tolerance: float) -> None:
    found = recall_error(alpha=2, N=1000, M=5, outputs="sphere", replicas=2000, **scheme)
    spread = found.values.std()
    assert abs(found.mean - published) < 6 * math.hypot(spread / 10, found.stderr) + tolerance


@pytest.mark.parametrize("route", ["naive", "factored", "d-free"])
@pytest.mark.parametrize("case", [{}, {"T": 30, "P": 4, "rho": 0.5}, {"T": 500}])
def test_same_seed_same_bits_whatever_the_threads(route: str, case: dict[str, Any]) -> None:
    problem: dict[str, Any] = {"alpha": 1, "N": 60, "M": 4, "d": 9, "route": route, **case}
    first = recall_error(**problem, replicas=100, seed=1).values
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        again = recall_error(**problem, replicas=100, seed=1).values
    finally:
        torch.set_num_threads(before)
    assert np.array_equal(first, again)
    assert np.array_equal(first[:70], recall_error(**problem, replicas=70, seed=1).values)
    assert not np.array_equal(first, recall_error(**problem, replicas=100, seed=2).values)


def test_drawing_again_gives_the_same_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    # inputs that do not fit are drawn a second time from the same state: the values are those of keeping them
    def run(route: str) -> torch.Tensor:
        return sample_recall_error(
            Draw(2, torch.Generator().manual_seed(7), torch.device("cpu")), alpha=1, N=3000, M=100, d=45, route=route
        )

    for module, route in (("recall.dfree", "d-free"), ("recall.naive", "factored")):
        kept = run(route)
        monkeypatch.setattr(f"asymp.montecarlo.samplers.{module}.KEPT", 0)
        assert torch.equal(run(route), kept)


def test_a_few_replicas_of_a_large_problem_are_not_paid_as_a_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    real = large_recall_error_experiment.sample

    def counting(draw: Draw, **params: Any) -> Any:
        drawn.append(draw.replicas)
        return real(draw, **params)

    counted = dataclasses.replace(large_recall_error_experiment, sample=counting)
    monkeypatch.setattr("asymp.montecarlo.samplers.recall.error.large_recall_error_experiment", counted)
    first = recall_error(alpha=2, N=300_000, M=5, d=100, rho=1, replicas=3)
    assert drawn == [10]
    assert np.array_equal(first.values, recall_error(alpha=2, N=300_000, M=5, d=100, rho=1, replicas=4).values[:3])


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("N", {"N": 0}), ("N", {"N": 2.5}), ("N", {"N": 2**40}), ("N", {"N": math.nan}), ("M", {"M": 0}),
        ("M", {"M": 1}),
        ("M", {"M": "5"}),
        ("d", {"d": 0}), ("d", {"d": True}), ("rho", {"rho": -1}), ("rho", {"rho": math.nan}), ("P", {"P": -1}),
        ("P", {"P": math.nan}), ("T", {"T": 0}), ("T", {"T": 1.5}), ("s", {"s": 0}), ("s", {"s": 2}),
        ("targets", {"targets": [0] * 9}), ("targets", {"targets": [3] * 10}), ("targets", {"targets": [-1] * 10}),
        ("targets", {"targets": [0.5] * 10}), ("targets", {"targets": "abc"}), ("weights", {"weights": [1.0] * 11}),
        ("weights", {"weights": [math.inf] * 10}), ("weights", {"weights": [1.0] * 10, "rho": 1}),
        ("weights", {"weights": [1.0] * 10, "P": 3}), ("p", {"p": [0.1] * 10}), ("p", {"alpha": None, "p": [0.2] * 10}),
        ("p", {"alpha": None, "p": [1.5, -0.5] + [0.0] * 8}), ("p", {"alpha": None, "p": [[0.1] * 10]}),
        ("alpha", {"alpha": None}), ("alpha", {"alpha": -1}), ("alpha", {"N": math.inf, "alpha": 1, "P": 4}),
        ("rho", {"N": math.inf, "alpha": 2}), ("rho", {"N": math.inf, "alpha": 2, "rho": 0.25}),
        ("targets", {"N": math.inf, "alpha": 2, "rho": 1, "targets": [0, 1]}), ("inputs", {"inputs": "cube"}),
        ("outputs", {"outputs": None}), ("route", {"route": "fast"}),
        ("route", {"route": "d-free", "inputs": "sphere"}),
        ("replicas", {"replicas": 0}), ("replicas", {"replicas": 1.5}), ("rel_error", {"rel_error": -0.1}),
        ("seed", {"seed": math.nan}), ("seed", {"seed": "a"}), ("seed", {"seed": 1.0}),
        ("rho must be at most", {"rho": 10**4}), ("rho must be at most", {"rho": 40, "T": 10**9}),
        ("rho must be at most", {"N": math.inf, "alpha": 2, "rho": 10**3}),
        ("d must be at most 2", {"d": 10**300}),
        ("device", {"device": "nowhere"}), ("device", {"device": "mps"}), ("memory", {"M": 10**7, "d": 10**7}),
    ],
)  # fmt: skip
def test_bad_input(name: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=name):
        recall_error(**{"alpha": 1, "N": 10, "M": 3, "d": 4, **wrong})
