"""Kurtoses that the ledger declares by derivation: never below what a sample shows, and equal to it where they are exact."""

import numpy as np
import pytest

from asymp.montecarlo import experiments
from asymp.montecarlo.samplers.score_tails import bilinear_moments
from asymp.montecarlo.tails import sample_kurtosis

SCORE = {"alpha": 1, "N": 6, "M": 4, "d": 8, "rho": 0.25, "z": 1, "y": 1}
ASSOCIATED = {"N": 12, "M": 6, "d": 16, "k": 3, "decay": 1, "lag": 1, "z": 1}
SPHERES = {"inputs": "sphere", "outputs": "sphere"}


@pytest.mark.parametrize(
    ("id", "setting"),
    [
        ("score", SCORE),
        ("score", SCORE | SPHERES),
        ("score-variance", SCORE),
        ("score-variance", SCORE | SPHERES),
        ("score-covariance", SCORE | {"z_prime": 5, "y_prime": 1, "draws": 2}),
        ("weighted-score", ASSOCIATED),
        ("weighted-score", ASSOCIATED | {"power": 2}),
        ("weighted-variance", ASSOCIATED | SPHERES),
        ("logit-variance", {"R": 6, "D": 4, "d": 16, "output": "subject"}),
        ("embedding-moment", {"d": 16, "of": "norm", "order": 4}),
        ("embedding-moment", {"d": 16, "of": "product", "order": 2}),
        ("remapping-moment", {"d": 16, "of": "norm", "order": 2, "probes": 1}),
        ("remapping-moment", {"d": 16, "of": "overlap", "order": 2, "probes": 16}),
        ("one-step-score", {"d": 4, "N": 8, "eta": 2.0}),
        ("one-step-score", {"d": 4, "N": 8, "M": 2, "output": "other"} | SPHERES),
        ("one-step-score", {"d": 4, "N": 4, "T": 3}),
        ("one-step-spread", {"d": 4, "N": 8, "M": 4, "output": "other"}),
        ("one-step-spread", {"d": 4, "N": 8, "M": 2} | SPHERES),
        ("one-step-spread", {"d": 4, "N": 4, "T": 3}),
        ("one-step-spread", {"d": 4, "N": 4, "T": 3, "output": "other"} | SPHERES),
        ("attention-noise", {"d": 16, "N": 20, "beta": 8.0, "s": 0.5}),
        ("update-norm", {"N": 16, "d": 16, "j": 1} | SPHERES),
    ],
)
def test_a_sample_does_not_contradict_the_kurtosis_declared(id, setting):
    found = experiments[id].run(replicas=20_000, seed=3, **setting)
    assert found.kurtosis is not None
    # a sample's kurtosis is mostly below that of its law, and by a half at most above it here
    assert sample_kurtosis(found.values) < 1.5 * found.kurtosis


@pytest.mark.parametrize("y", [0, 1])
def test_moments_of_a_score_are_those_of_drawn_embeddings(y):
    rng, d, A = np.random.default_rng(5), 8, np.array([[0.0, 1.0], [0.5, 0.25], [1.0, 0.0]])
    E, U = (rng.standard_normal((200_000, n, d)) / d**0.5 for n in (3, 2))
    g = np.einsum("rn,nm,rm->r", np.einsum("rnd,rd->rn", E, E[:, 0]), A, np.einsum("rmd,rd->rm", U, U[:, y]))
    moments = bilinear_moments(A, 0, y, d=d, inputs="gaussian", outputs="gaussian")
    assert g.mean() == pytest.approx(moments.mean, abs=6 * g.std() / len(g) ** 0.5)
    assert np.var(g) == pytest.approx(moments.high[2], rel=0.05)
    assert np.mean((g - moments.mean) ** 4) == pytest.approx(moments.high[4], rel=0.25)
