"""The samplers of section 1 against plain loops: the same draws where they can be had, the same law where not.

Laws are compared by Kolmogorov and Smirnov's test of two samples at 1e-9; the numbers of comparisons in this file are
below fifty, so that a right sampler fails with probability below 1e-7 (and the seeds are fixed).
"""

import math
from typing import Any

import numpy as np
import pytest
import torch
from scipy import stats

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.samplers.scores.interference import sample_recalled_output, sample_stored_score
from asymp.montecarlo.samplers.scores.maximal_update import (
    sample_relative_update,
    sample_update_norm,
)
from asymp.montecarlo.samplers.scores.near_orthogonality import (
    sample_directions,
    sample_embedding_law,
    sample_embedding_moment,
)
from asymp.montecarlo.samplers.scores.remapping import sample_remapping_law
from asymp.montecarlo.samplers.scores.score_covariance import (
    planar_embeddings,
    sample_score_covariance,
    sample_score_pairs,
)
from asymp.montecarlo.samplers.scores.weighted_associations import (
    association_weights,
    sample_weighted_score,
)

CPU = torch.device("cpu")
BOTH = ("gaussian", "sphere")


def how(seed: int = 3) -> dict[str, Any]:
    return {"generator": torch.Generator().manual_seed(seed), "device": CPU}


def draw(rng: np.random.Generator, kind: str, count: int, d: int) -> np.ndarray:
    rows = rng.standard_normal((count, d))
    return rows / math.sqrt(d) if kind == "gaussian" else rows / np.linalg.norm(rows, axis=1, keepdims=True)


def same_law(found: np.ndarray, wanted: np.ndarray) -> None:
    # values equal but for rounding (d = 1 on the sphere) must be ties
    assert stats.ks_2samp(np.round(found, 9), np.round(wanted, 9)).pvalue > 1e-9


# -- pairs of scores -----------------------------------------------------------------------------------------------------


def loop_of_pairs(d: int, z: int, z_prime: int, y: int, y_prime: int, inputs: str, outputs: str, n: int) -> np.ndarray:
    rng = np.random.default_rng(7)
    q, f = (1.0, -0.5, 0.7, 2.0), (1, 2, 1, 0)
    rows = []
    for _ in range(n):
        E, U = draw(rng, inputs, 4, d), draw(rng, outputs, 3, d)
        W = sum(q[x] * np.outer(U[f[x]], E[x]) for x in range(4))
        rows.append((U[y] @ W @ E[z - 1], U[y_prime] @ W @ E[z_prime - 1]))
    return np.array(rows)


@pytest.mark.parametrize(("inputs", "outputs"), [("gaussian", "sphere"), ("sphere", "gaussian"), ("sphere", "sphere")])
@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("asked", [(1, 3, 1, 2), (2, 2, 0, 1)])
def test_pairs_of_scores_have_the_law_of_the_loop(
    d: int, asked: tuple[int, int, int, int], inputs: str, outputs: str
) -> None:
    z, z_prime, y, y_prime = asked
    case: dict[str, Any] = {"N": 4, "M": 3, "d": d, "weights": [1.0, -0.5, 0.7, 2.0], "targets": [1, 2, 1, 0]}
    found = sample_score_pairs(
        Draw(4000, **how()), **case, z=z, z_prime=z_prime, y=y, y_prime=y_prime, inputs=inputs, outputs=outputs
    ).numpy()
    wanted = loop_of_pairs(d, z, z_prime, y, y_prime, inputs, outputs, 1500)
    # an oblique direction and the product see how the two go together
    same_law(found @ [1.0, 0.6], wanted @ [1.0, 0.6])
    same_law(found[:, 0] * found[:, 1], wanted[:, 0] * wanted[:, 1])


@pytest.mark.parametrize("kind", BOTH)
@pytest.mark.parametrize("d", [1, 2, 3, 9])
def test_named_embeddings_are_whole_in_the_plane(kind: str, d: int) -> None:
    e = planar_embeddings(Draw(20_000, **how()), kind, 4, d, named=[2, 0])
    assert e.shape == (min(d, 2), 4, 20_000)
    squared = (e * e).sum(0)
    rng = np.random.default_rng(1)
    for row in (2, 0):
        if kind == "sphere":
            assert torch.allclose(squared[row], torch.ones(1, dtype=torch.float64), atol=1e-12)
        else:
            same_law(squared[row].numpy(), rng.chisquare(d, 5000) / d)
    # of the others the plane holds two coordinates out of d
    same_law(squared[1].numpy(), (draw(rng, kind, 5000, d)[:, :2] ** 2).sum(1))


def test_a_covariance_is_the_unbiased_one_of_its_draws() -> None:
    case: dict[str, Any] = {"N": 4, "M": 3, "d": 3, "z": 1, "z_prime": 2, "y": 1, "y_prime": 2}
    found = sample_score_covariance(Draw(6, **how()), **case, draws=5)
    pairs = sample_score_pairs(Draw(30, **how()), **case).view(6, 5, 2).numpy()
    wanted = [np.cov(rows.T, ddof=1)[0, 1] for rows in pairs]
    np.testing.assert_allclose(found.numpy(), wanted, rtol=1e-10, atol=1e-13)


# -- weighted associations -----------------------------------------------------------------------------------------------


def test_weights_are_those_of_a_loop() -> None:
    found = association_weights(N=5, M=4, k=3, decay=0.5, device=CPU).numpy()
    wanted = np.zeros((5, 4))
    for x in range(1, 6):
        for j in range(3):
            wanted[x - 1, (x + j) % 4] = (1 + j) ** -0.5
    np.testing.assert_allclose(found, wanted, rtol=1e-14)


@pytest.mark.parametrize(("inputs", "outputs"), [("gaussian", "sphere"), ("sphere", "gaussian")])
@pytest.mark.parametrize(("d", "lag"), [(1, 0), (4, 1), (4, 3)])
def test_weighted_scores_have_the_law_of_the_loop(d: int, lag: int, inputs: str, outputs: str) -> None:
    found = sample_weighted_score(
        Draw(4000, **how()), N=5, M=4, d=d, k=3, decay=0.5, lag=lag, z=2, inputs=inputs, outputs=outputs
    )
    rng = np.random.default_rng(2)
    a = association_weights(N=5, M=4, k=3, decay=0.5, device=CPU).numpy()
    wanted = []
    for _ in range(2000):
        E, U = draw(rng, inputs, 5, d), draw(rng, outputs, 4, d)
        W = sum(a[x, w] * np.outer(U[w], E[x]) for x in range(5) for w in range(4))
        wanted.append(U[(2 + lag) % 4] @ W @ E[1])
    same_law(found.numpy(), np.array(wanted))


# -- interference --------------------------------------------------------------------------------------------------------


def test_stored_scores_are_those_of_the_matrix() -> None:
    e, u = [[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]], [[1.0, 0.0], [0.0, 1.0], [-0.6, 0.8]]
    scores = [float(sample_stored_score(Draw(1, **how()), e=e, u=u, y=y)[0]) for y in (1, 2, 3)]
    # by hand: 1 - 0.36, 0.6 + 0.48, -0.6 + 0.48 + 0.6
    assert scores == pytest.approx([0.64, 1.08, 0.48], rel=1e-14)
    assert sample_recalled_output(Draw(3, **how()), e=e, u=u).tolist() == [2, 2, 2]
    assert sample_recalled_output(Draw(1, **how()), e=e, u=u, x=2).tolist() == [2]
    # orthogonal outputs: f_W(x) = x
    apart = np.eye(3).tolist()
    assert [sample_recalled_output(Draw(1, **how()), e=e, u=apart, x=x).item() for x in (1, 2, 3)] == [1, 2, 3]


# -- all of them ---------------------------------------------------------------------------------------------------------

COVARIANCE = {"N": 5, "M": 3, "d": 4, "y": 1, "y_prime": 0}
WEIGHTED = {"N": 5, "M": 4, "d": 3, "k": 2}


@pytest.mark.parametrize(
    ("sample", "params", "wrong", "name"),
    [
        (sample_score_covariance, COVARIANCE, {"N": math.inf}, "N must be finite"),
        (sample_score_covariance, COVARIANCE, {"z_prime": 6}, "z_prime must be"),
        (sample_score_covariance, COVARIANCE, {"y": 3}, "y must be"),
        (sample_score_covariance, COVARIANCE, {"draws": 1}, "draws must be"),
        (sample_weighted_score, WEIGHTED, {"k": 5}, "k must be a whole number in 1..4"),
        (sample_weighted_score, WEIGHTED, {"lag": 4}, "lag must be"),
        (sample_weighted_score, WEIGHTED, {"decay": -1}, "decay must be"),
        (sample_weighted_score, WEIGHTED, {"inputs": "cube"}, "inputs must be"),
        (sample_embedding_moment, {"d": 4}, {"vectors": 1}, "vectors must be"),
        (sample_embedding_moment, {"d": 4}, {"of": "angle"}, "of must be"),
        (sample_embedding_law, {"d": 4, "t": 1}, {"t": math.nan}, "t must be"),
        (sample_directions, {"d": 4, "P": 3, "epsilon": 1}, {"epsilon": 0}, "epsilon must be"),
        (sample_remapping_law, {"d": 4, "r": 1, "t": 0}, {"r": 0}, "r must be"),
        (sample_update_norm, {"N": 3, "d": 4}, {"decay": 1.0}, "j must be given"),
        (sample_update_norm, {"N": 3, "d": 4}, {"j": 4}, "j must be"),
        (sample_relative_update, {"N": 3, "d": 4}, {"N": 5}, "N must be a whole number in 1..4"),
        (sample_relative_update, {"N": 3, "d": 4}, {"scaling": "mup"}, "scaling must be"),
        (sample_stored_score, {"e": [[1.0]], "u": [[1.0]], "y": 1}, {"e": [[1.0], [2.0]]}, "as many vectors"),
        (sample_stored_score, {"e": [[1.0]], "u": [[1.0]], "y": 1}, {"u": [[math.nan]]}, "u must be a list of vectors"),
        (sample_recalled_output, {"e": [[1.0]], "u": [[1.0]]}, {"e": [[1.0], [1.0, 2.0]]}, "e must be a list of vectors"),
    ],
)  # fmt: skip
def test_bad_input_is_told_in_one_sentence(sample: Any, params: dict[str, Any], wrong: Any, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        sample(Draw(2, **how()), **{**params, **wrong})
