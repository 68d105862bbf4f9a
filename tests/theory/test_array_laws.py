"""Every law of vectors and matrices against what it is a formula of: a derivative taken by mpmath, a memory, a flow.

These are the second routes of such laws: none of them writes the law's own sum.
"""

import math

import mpmath as mp
import numpy as np
import pytest

from asymp.theory import laws

DIGITS = 12
RANDOM = np.random.default_rng(3)
OF_ARRAYS = [id for id in laws if laws[id].of_arrays]


def draw(*shape):
    return RANDOM.normal(size=shape)


def slope(loss, point):
    """The derivative of a function of one number, by differences at 40 digits."""
    with mp.workdps(40):
        return float(mp.diff(loss, mp.mpf(point)))


def cross_entropy(W, u, inputs, labels):
    """The mean over inputs of minus the label's share of the log-softmax; weights are in the labels."""
    total = mp.mpf(0)
    for x, label in zip(inputs, labels, strict=True):
        hidden = [mp.fsum(W[i][j] * x[j] for j in range(len(x))) for i in range(len(W))]
        scores = [mp.fsum(row[i] * hidden[i] for i in range(len(W))) for row in u]
        normaliser = mp.log(mp.fsum(mp.exp(s) for s in scores))
        total -= mp.fsum(share * (s - normaliser) for share, s in zip(label, scores, strict=True))
    return total


def gradient(W, u, inputs, labels):
    """The derivative of the cross-entropy in every entry of W."""
    found = np.zeros_like(W)
    for i, j in np.ndindex(*W.shape):

        def moved(value, i=i, j=j):
            matrix = [[mp.mpf(v) for v in row] for row in W]
            matrix[i][j] = value
            return cross_entropy(matrix, u.tolist(), inputs.tolist(), labels.tolist())

        found[i, j] = slope(moved, W[i, j])
    return found


def softmax(scores):
    powers = np.exp(scores)
    return powers / powers.sum(-1, keepdims=True)


def memory():
    """Embeddings, a matrix, frequencies and laws of outputs of a small problem, and the gradient there."""
    W, u, e = draw(2, 2), draw(3, 2), draw(4, 2)
    p, t = softmax(draw(4)), softmax(draw(4, 3))
    return {"W": W, "u": u, "e": e, "p": p, "t": t}, gradient(W, u, e, p[:, None] * t)


def source_of_memory():
    given, found = memory()
    scores = given["e"] @ given.pop("W").T @ given["u"].T
    return {**given, "p_hat": softmax(scores)}, found


def noisy_inputs():
    W, u, x = draw(2, 2), draw(3, 2), draw(5, 2)
    y = np.eye(3)[[0, 1, 2, 0, 1]]
    found = gradient(W, u, x, y / 5)
    return {"u": u, "x": x, "y": y, "p": y.mean(0), "p_hat": softmax(x @ W.T @ u.T), "n": 5}, found


def uses(times):
    """The loss log(1 + sum of tanh^2) of x~ = W x, summed over the uses of a sample; dl/dx~ by hand."""
    W, x, D = draw(2, 2), draw(4, times, 2), draw(3, 2, 2)
    out = np.tanh(x @ W.T)
    g = 2 * out * (1 - out**2) / (1 + (out**2).sum(-1, keepdims=True))

    def loss(along, direction):
        total = mp.mpf(0)
        for one in x.reshape(-1, 2).tolist():
            hidden = [mp.fsum((W[i, j] + along * direction[i, j]) * one[j] for j in range(2)) for i in range(2)]
            total += mp.log(1 + mp.fsum(mp.tanh(h) ** 2 for h in hidden))
        return total / 4

    found = np.array([slope(lambda along, direction=direction: loss(along, direction), 0) for direction in D])
    return {"g": g, "x": x, "D": D, "n": 4}, found


def used_once():
    given, found = uses(1)
    return {**given, "g": given["g"][:, 0], "x": given["x"][:, 0]}, found


def retrieval():
    """x - grad E(x) for the log-sum-exp energy, entry by entry."""
    xi, x, beta = draw(4, 3), draw(3), 0.7

    def energy(value, j):
        point = [mp.mpf(v) for v in x]
        point[j] = value
        scores = [beta * mp.fsum(a * b for a, b in zip(row, point, strict=True)) for row in xi.tolist()]
        return mp.fsum(v**2 for v in point) / 2 - mp.log(mp.fsum(mp.exp(s) for s in scores)) / beta

    found = np.array([x[j] - slope(lambda value, j=j: energy(value, j), x[j]) for j in range(3)])
    return {"xi": xi, "x": x, "beta": beta}, found


def largest_mass():
    """The largest entry of a row of the softmax, by the other entries' distance from the largest score."""
    s = 3 * draw(4, 5)
    found = np.array([1 / mp.fsum(mp.exp(v - max(row)) for v in row) for row in s.tolist()], dtype=float)
    return {"s": s, "r": s.max(1)}, found


def conserved():
    """Two factors V and w of a product, moved along the gradient of a loss of it, from equal entries."""
    init, A = 0.3, 3
    slope_of_loss = np.array([0.4, -0.7, 1.1])

    def velocity(t, point):
        V, w = mp.matrix(point[:A]), point[A]
        pull = [mp.cos(V[i] * w) * s for i, s in enumerate(slope_of_loss)]
        return [*(g * w for g in pull), mp.fdot(pull, V)]

    flow = mp.odefun(velocity, 0, [mp.mpf(init)] * (A + 1))
    points = np.array([[float(v) for v in flow(t)] for t in (0, 0.5, 1)])
    return {"w": points[:, A:], "A": A, "init": init}, (points[:, :A] ** 2).sum(1, keepdims=True)


def best_error():
    """The error of the mean under Bayes' rule, from the gaussian densities; all points have the same norm."""
    x, sigma = draw(5, 4, 3), 0.8
    x *= math.sqrt(3) / np.linalg.norm(x, axis=-1, keepdims=True)
    y = x[:, 0] + sigma * draw(5, 3)
    density = np.exp(-((y[:, None] - x) ** 2).sum(-1) / (2 * sigma**2))
    guess = (density[..., None] * x).sum(1) / density.sum(1)[:, None]
    return {"x": x, "y": y, "c": x[:, 0], "sigma": sigma, "n": 5}, np.array(((guess - x[:, 0]) ** 2).sum() / 5)


def memories(**seen):
    """Memories written out as matrices, with weights by the map one sight, or one batch, after the other."""
    N, M, d, L, gamma = 6, 3, 4, 5, 1.5
    E, U, targets = draw(L, N, d), draw(L, M, d), np.arange(1, N + 1) % M
    p = softmax(draw(N))
    q = np.zeros((L, N))
    for moved in seen["k"].transpose(1, 0, 2) if "k" in seen else (seen["n"] > step for step in range(seen["n"].max())):
        q += moved * gamma * (1 - np.exp(q) / (np.exp(q) + M - 1))
    W = np.einsum("my,myi,myj->mij", q, U[:, targets], E)
    answers = np.einsum("mki,mij,mxj->mxk", U, W, E).argmax(2)
    overlaps = {"G": E @ E.transpose(0, 2, 1), "C": U[:, targets] @ U.transpose(0, 2, 1)}
    given = {**seen, **overlaps, "p": p, "t": np.eye(M)[targets], "gamma": gamma, "M": M, "L": L}
    return given, np.array(((answers != targets) @ p).mean())


def seen_one_by_one():
    return memories(n=RANDOM.integers(0, 5, (5, 6)))


def seen_in_batches():
    return memories(k=RANDOM.multinomial(4, np.full(6, 1 / 6), size=(5, 3)) / 4)


ROUTES = {
    "memory-matrix:agreement": largest_mass,
    "hallucination-phase:conserved": conserved,
    "in-context-denoising:excess": best_error,
    "sgd-approximation:source": seen_one_by_one,
    "sgd-approximation:long": seen_one_by_one,
    "sgd-approximation:batches": seen_in_batches,
    "sgd-approximation:batches-long": seen_in_batches,
    "gradient-as-memory": memory,
    "gradient-as-memory:source": source_of_memory,
    "gradient-noisy-inputs:source": noisy_inputs,
    "backward-vector": lambda: uses(3),
    "backward-vector:source": used_once,
    "attention-retrieval:source": retrieval,
}


def test_every_law_of_arrays_has_a_second_route():
    assert sorted(ROUTES) == sorted(OF_ARRAYS)


@pytest.mark.parametrize("id", OF_ARRAYS)
def test_the_law_is_its_second_route(id):
    given, wanted = ROUTES[id]()
    found = laws[id](**given)
    assert np.shape(found) == wanted.shape
    assert np.abs(found - wanted).max() < 10.0**-DIGITS * np.abs(wanted).max()


def test_independent_draws_are_carried_along():
    drawn = [ROUTES["gradient-as-memory"]() for _ in range(3)]
    together = {name: np.stack([given[name] for given, _ in drawn]) for name in drawn[0][0]}
    found = laws["gradient-as-memory"](**together)
    assert np.abs(found - np.stack([wanted for _, wanted in drawn])).max() < 10.0**-DIGITS


def test_a_law_of_arrays_has_no_digits_beyond_float64():
    given, _ = ROUTES["attention-retrieval:source"]()
    with pytest.raises(ValueError, match="must be one number"):
        laws["attention-retrieval:source"].evaluate(**given, digits=30)
