"""Linear memories against loops written out in NumPy, one replica at a time."""

import numpy as np
import pytest
import torch

from asymp.models.linear import Fitted, Hebbian, Identity, LeastSquares
from asymp.models.memory import Memory, check_associations, sampled_items, share_recalled

R, N, M, D_IN, D_OUT = 3, 7, 5, 4, 6


@pytest.fixture
def data():
    generator = torch.Generator().manual_seed(3)
    inputs = torch.randn(R, N, D_IN, dtype=torch.float64, generator=generator)
    outputs = torch.randn(R, M, D_OUT, dtype=torch.float64, generator=generator)
    targets = torch.randint(M, (R, N), generator=generator)
    return inputs, outputs, targets


def outer_products(inputs, outputs, targets, weights=None):
    """sum_x q(x) u_f(x) e_x^T, term by term."""
    W = np.zeros((R, outputs.shape[2], inputs.shape[2]))
    for r in range(R):
        for x in range(inputs.shape[1]):
            q = 1.0 if weights is None else float(weights[x])
            W[r] += q * np.outer(outputs[r, targets[r, x]], inputs[r, x])
    return W


# Sums of at most 7 x 6 products of numbers below 4: 42 roundings of 16 x 1.1e-16.
ROUNDING = 1e-13


def test_hebbian_is_the_sum_of_outer_products(data):
    assert np.allclose(Hebbian().store(*data).weight.detach(), outer_products(*data), atol=ROUNDING, rtol=0)
    weights = torch.linspace(0.5, 2, N, dtype=torch.float64)
    found = Hebbian(weights).store(*data).weight.detach()
    assert np.allclose(found, outer_products(*data, weights), atol=ROUNDING, rtol=0)


def test_scores_and_recall_candidate_by_candidate(data):
    inputs, outputs, targets = data
    memory = Hebbian().store(*data)
    W, scores = memory.weight.detach().numpy(), memory.score(inputs).detach().numpy()
    wanted = np.array([[[u @ W[r] @ e for u in outputs[r].numpy()] for e in inputs[r].numpy()] for r in range(R)])
    assert scores.shape == (R, N, M)
    assert np.allclose(scores, wanted, atol=1e-12, rtol=0)
    assert np.array_equal(memory.recall(inputs), wanted.argmax(2))
    right = (wanted.argmax(2) == targets.numpy()).mean(1)
    assert np.array_equal(share_recalled(memory, inputs, targets), right)


def test_recall_in_chunks_is_recall_at_once(data, monkeypatch):
    memory = Hebbian().store(*data)
    whole = memory.recall(data[0])
    monkeypatch.setattr("asymp.models.memory.SCORES_AT_ONCE", 2 * R * M)
    assert torch.equal(memory.recall(data[0]), whole)


def test_targets_may_be_shared_by_the_replicas(data):
    inputs, outputs, targets = data
    shared = Hebbian().store(inputs, outputs, targets[0])
    each = Hebbian().store(inputs, outputs, targets[0].expand(R, N))
    assert torch.equal(shared.weight, each.weight)


def test_least_squares_solves_the_normal_equations(data):
    inputs, outputs, targets = data
    W = LeastSquares().store(*data).weight.detach().numpy()
    for r in range(R):
        E, V = inputs[r].numpy(), outputs[r].numpy()[targets[r]]
        # the gradient of |W e - u|^2 vanishes; condition numbers here are below 1e3
        assert np.abs((W[r] @ E.T - V.T) @ E).max() < 1e-10


def test_fewer_items_than_dimensions_are_recalled_without_error():
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(2, 5, 8, dtype=torch.float64, generator=generator)
    outputs = torch.randn(2, 5, 8, dtype=torch.float64, generator=generator)
    memory = LeastSquares().store(inputs, outputs, torch.arange(5))
    # W e_x = u_x to rounding, and u_y . u_x < |u_x|^2 may fail for a short u_x: the map itself is compared
    assert torch.allclose(inputs @ memory.weight.mT, outputs, atol=1e-10, rtol=0)


def test_cross_entropy_item_by_item(data):
    inputs, _, targets = data
    memory = Fitted().store(*data)
    memory.weight.data.normal_(generator=torch.Generator().manual_seed(1))
    scores = memory.score(inputs).detach().numpy()
    for r in range(R):
        loss = 0.0
        for x in range(N):
            loss += np.log(np.exp(scores[r, x] - scores[r, x, int(targets[r, x])]).sum()) / N
        assert np.isclose(float(memory.cross_entropy().detach()[r]), loss, rtol=1e-12)


def test_fitted_starts_at_zero_and_its_loss_has_a_gradient(data):
    memory = Fitted().store(*data)
    # all scores are equal: the cross-entropy is log M, and the lowest number wins
    assert torch.allclose(memory.cross_entropy(), torch.full((R,), np.log(M), dtype=torch.float64))
    assert int(memory.recall(data[0]).max()) == 0
    memory.cross_entropy().sum().backward()
    assert float(memory.weight.grad.abs().sum()) > 0


def test_identity_compares_the_query_with_the_outputs(data):
    outputs = data[1]
    memory = Identity().store(outputs, outputs, torch.arange(M))
    assert torch.equal(memory.score(outputs), outputs @ outputs.mT)
    with pytest.raises(ValueError, match="one dimension"):
        Identity().store(*data)


def test_a_sample_of_items():
    generator = torch.Generator().manual_seed(0)
    cpu = torch.device("cpu")
    few = sampled_items(1000, 50, replicas=4, generator=generator, device=cpu)
    assert few.shape == (4, 50)
    assert int(few.min()) >= 0 and int(few.max()) < 1000
    assert torch.equal(sampled_items(3, 50, replicas=2, generator=generator, device=cpu), torch.tensor([[0, 1, 2]] * 2))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"inputs": torch.zeros(N, D_IN)}, "inputs must have the shape"),
        ({"inputs": torch.zeros(R, N, D_IN, dtype=torch.int64)}, "floating-point"),
        ({"inputs": torch.zeros(R + 1, N, D_IN, dtype=torch.float64)}, "equally many replicas"),
        ({"inputs": torch.full((R, N, D_IN), torch.nan, dtype=torch.float64)}, "finite"),
        ({"targets": torch.full((N,), M)}, f"0..{M - 1}"),
        ({"targets": torch.full((N,), -1)}, f"0..{M - 1}"),
        ({"targets": torch.zeros(N)}, "targets must be integers"),
        ({"targets": torch.zeros(N + 1, dtype=torch.int64)}, "targets must be integers"),
    ],
)
def test_bad_associations_are_named(data, change, said):
    good = dict(zip(("inputs", "outputs", "targets"), data, strict=True))
    with pytest.raises(ValueError, match=said):
        check_associations(**{**good, **change})


def test_bad_options_are_named():
    with pytest.raises(TypeError):
        Memory()  # type: ignore[abstract]
