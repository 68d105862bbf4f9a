"""The capacity laws of section 2 against naive simulations.

R replicas (64 or more, each a mean over at least 100 bounded items, so near normal) are compared with the law within 7
standard errors plus the stated accuracy of a leading-order law. Student's t with 63 degrees of freedom exceeds 7 with
probability 2e-9: that is each test's false-failure probability, over the choice of its seed.
"""

import math
from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaln

from asymp.theory import laws


def points(rng, n, d, law="sphere"):
    v = rng.standard_normal((n, d)) / np.sqrt(d)
    return v / np.linalg.norm(v, axis=1, keepdims=True) if law == "sphere" else v


def agrees(replica, wanted, accuracy, replicas=64, seed=0):
    """64 replicas: within 7 standard errors plus the accuracy of the law; see the head of this file."""
    rng = np.random.default_rng(seed)
    values = [replica(rng) for _ in range(replicas)]
    error = np.std(values, ddof=1) / math.sqrt(replicas)
    assert abs(np.mean(values) - wanted) < 7 * error + accuracy * wanted
    return np.mean(values)


def outer_products(d, N, inputs, outputs):
    def replica(rng):
        e, u = points(rng, N, d, inputs), points(rng, N, d, outputs)
        scores = u @ (u.T @ e) @ e.T
        return np.mean(scores.argmax(0) != np.arange(N))

    return replica


@pytest.mark.parametrize(
    ("d", "N", "inputs", "outputs"),
    [(64, 189, "sphere", "sphere"), (96, 420, "gaussian", "sphere"), (64, 189, "gaussian", "gaussian")],
)
def test_injective_items(d, N, inputs, outputs):
    law = laws["injective-capacity:item-error"]
    # left out: relative terms of order (log N)^2/d in sphere outputs; two lengths of relative spread N^(-1/2) in gaussian
    mean = agrees(outer_products(d, N, inputs, outputs), law(d=d, N=N, inputs=inputs, outputs=outputs), 0.04)
    assert 0.05 < mean < 0.3


def test_at_the_square_of_d_nearly_all_is_lost():
    found = agrees(outer_products(32, 1024, "sphere", "sphere"), 0.987, 0.002, replicas=64)
    assert found > 0.97
    assert laws["injective-capacity:source"](d=32) == 1024 > 10 * laws["injective-capacity"](d=32)


def test_low_rank_items():
    d, m, N = 128, 64, 200

    def replica(rng):
        e, u, G = points(rng, N, d), points(rng, N, d), rng.standard_normal((d, m)) / np.sqrt(m)
        return np.mean((u @ G @ (G.T @ (u.T @ e)) @ e.T).argmax(0) != np.arange(N))

    # the length of the noise fluctuates by m^(-1/2) = 1/8, which is left out: within 15 %, where one item in eleven is lost
    agrees(replica, laws["low-rank-capacity:item-error"](d=d, m=m, N=N), 0.15)
    assert laws["low-rank-capacity:variance"](d=10**6, m=10**5, N=10**8) == pytest.approx(
        1e-5 + 2e-6 + 100 * 1.1e-5, rel=1e-4
    )


def test_mlp_items():
    d, m, N = 24, 1024, 200

    def replica(rng):
        e, u, w, v = points(rng, N, d), points(rng, N, d), rng.standard_normal((m, d)), rng.standard_normal((m, d))
        h, a = e @ w.T, u @ v.T  # s' = He_1
        F = h * (e @ ((a * h).T @ e).T)
        return np.mean((F @ a.T).argmax(1) != np.arange(N))

    agrees(replica, laws["mlp-capacity:item-error"](d=d, m=m, N=N), 0.3)


@pytest.mark.parametrize(("p", "m", "accuracy"), [("1", 1024, 0.15), ("2", 2048, 0.3)])
def test_facts(p, m, accuracy):
    d, S, R, M = 32, 16, 16, 256
    he = (lambda t: t) if p == "1" else (lambda t: (t**2 - 1) / math.sqrt(2))

    def replica(rng):
        e, f, u = points(rng, S, d), points(rng, R, d), points(rng, M, d)
        answer = rng.integers(M, size=S * R)
        w, v = rng.standard_normal((m, d)), rng.standard_normal((m, d))
        features = (he(e @ w.T)[:, None] * he(f @ v.T)).reshape(S * R, m)
        return np.mean((features @ (features.T @ u[answer]) @ u.T).argmax(1) != answer)

    agrees(replica, laws["multi-input-capacity:item-error"](d=d, m=m, S=S, R=R, M=M, p=p), accuracy)


def test_lookup_items():
    d, b, N, asked = 24, 0.4, 2500, 150

    def replica(rng):
        u, v = points(rng, N, d), points(rng, N, d)
        fired = np.maximum(u[:asked] @ u.T - b, 0)
        return np.mean((fired @ v @ v.T).argmax(1) != np.arange(asked))

    agrees(replica, laws["lookup-mlp:item-error"](d=d, b=b, N=N), 0.15)


def test_binary_learned_and_dense_items():
    d, N = 20, 40

    def binary(rng):
        u, label = points(rng, 2, d), np.arange(N) % 2
        e = points(rng, N, d, "gaussian")
        return np.mean((u @ (u[label].T @ e) @ e.T).argmax(0) != label)

    agrees(binary, laws["binary-capacity:item-error"](d=d, N=N), 0, replicas=1000)
    limit = laws["binary-capacity:item-error-asymptotic"](d=4000, N=8000)
    assert limit == pytest.approx(laws["binary-capacity:item-error"](d=4000, N=8000), rel=1e-3)
    level = laws["binary-capacity:recall"](d=4000, delta=0.03)
    assert laws["binary-capacity:item-error-asymptotic"](d=4000, N=round(level)) == pytest.approx(0.03, rel=1e-3)

    def learned(rng):
        u = points(rng, 100, 6, "gaussian")
        return np.mean((u @ u.T).argmax(0) != np.arange(100))

    agrees(learned, laws["learned-inputs:item-error"](d=6, M=100), 0, replicas=500)
    u = points(np.random.default_rng(0), 2000, 2)
    assert np.all((u @ u.T).argmax(0) == np.arange(2000)) and laws["learned-inputs"](d=2, M=2000, N=9) == 0

    def dense(rng):
        xi = rng.choice([-1.0, 1.0], (300, 30))
        bits = xi * xi[0]
        rest = bits.sum(1, keepdims=True) - bits
        return np.mean(((rest + bits) ** 3 - (rest - bits) ** 3).sum(0) < 0)

    agrees(dense, laws["dense-capacity:item-error"](d=30, k=3, N=300), 0.03, replicas=1500)


def test_random_vectors_are_as_orthogonal_as_the_laws_say():
    rng, P, d = np.random.default_rng(1), 60, 24
    largest = []
    for _ in range(1500):
        u = points(rng, P, d)
        largest.append(np.abs((u @ u.T)[np.triu_indices(P, 1)]).max())
    largest = np.array(largest)
    # 6 standard errors of a share: 1e-9 each. The Poisson limit itself is off by less than 0.01 here.
    for t in np.quantile(largest, (0.2, 0.5, 0.8)):
        share, law = np.mean(largest <= t), laws["quasi-orthogonality:maximum"](P=P, d=d, t=t)
        assert abs(share - law) < 6 * math.sqrt(law * (1 - law) / 1500) + 0.01
        assert share > laws["quasi-orthogonality:random"](P=P, d=d, t=t) - 6 * math.sqrt(0.25 / 1500)
    assert 1 < laws["quasi-orthogonality"](P=P, d=d) / largest.mean() < 1.15
    # the lemma's bound is kept with probability at least 1/P at every size: by the exact union bound, or it says nothing
    for size, P in product((2, 3, 8, 50, 1000), (2, 5, 100, 10**5)):
        t = laws["quasi-orthogonality:source"](P=P, d=size)
        if t < 1:
            bound = laws["quasi-orthogonality:random"](P=P, d=size, t=t)
            assert bound >= laws["quasi-orthogonality:probability"](P=P, d=size)


def test_noise_silences_a_neuron_as_often_as_the_law_says():
    rng, d, b, s = np.random.default_rng(2), 12, 0.4, 1.5
    u = points(rng, 1, d)[0]
    silent = np.mean((u + s / math.sqrt(d) * rng.standard_normal((200_000, d))) @ u < b)
    law = laws["lookup-mlp:noise"](d=d, b=b, s=s)
    assert abs(silent - law) < 6 * math.sqrt(law / 200_000)  # 6 standard errors: 2e-9
    # two inputs in e^(d b^2/4) fire together with probability at most one half
    for d, b in ((20, 0.3), (40, 0.5), (200, 0.25)):
        N = math.floor(laws["lookup-mlp"](d=d, b=b))
        front = math.exp(gammaln(d / 2) - gammaln((d - 1) / 2)) / math.sqrt(math.pi)
        tail = quad(lambda c, d=d, front=front: front * (1 - c * c) ** ((d - 3) / 2), b, 1)[0]
        assert N * (N - 1) / 2 * tail <= 0.5
