"""The training kernels against a naive autograd loop that is given the same embeddings, first W and samples.

The bound 1e-10: both sides do the same float64 arithmetic in another order, about 1e-15 apart a step on scores of
size 1. A step of Adam divides by |g| + 1e-8, which magnifies a difference of 1e-17 in g by at most 1e8 and is then
scaled by lr/d < 0.1: 1e-10 at the very worst, and far less unless |g| is near 1e-9; 9 steps follow. The differences
measured are below 1e-12.
"""

import math
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from asymp.montecarlo.samplers.memory_training.measure import Recorder, split_scores
from asymp.montecarlo.samplers.memory_training.score_space import ScoreProblem, train_scores
from asymp.montecarlo.samplers.memory_training.weights import WeightProblem, train_weights, weight_gradients

N, M, d, R = 12, 4, 15, 2
EVERYTHING = ("error", "loss", "margins", "q", "scores")


def tensors(seed: int = 0, N: int = N, M: int = M, d: int = d) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(R, rows, d, dtype=torch.float64, generator=g) / math.sqrt(d) for rows in (N, M, d))


def problem_data(seed: int = 1, T: int = 144) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    g = torch.Generator().manual_seed(seed)
    p = torch.rand(N, dtype=torch.float64, generator=g)
    f = torch.randint(0, M, (N,), generator=g)
    return p / p.sum(), f, torch.randint(0, N, (R, T), generator=g)


def forward(X: torch.Tensor, W: torch.Tensor | None, U: torch.Tensor, layer_norm: bool) -> torch.Tensor:
    h = X.relu() if W is None else X @ W.T
    if layer_norm:
        h = h / torch.sqrt((h**2).sum(1, keepdim=True) + 1e-6)
    return h @ U.T


def naive(
    E: torch.Tensor, U: torch.Tensor, W: torch.Tensor | None, f: torch.Tensor, p: torch.Tensor,
    samples: torch.Tensor | None, batch: int, rates: list[float], *, learn: str, optimiser: str, layer_norm: bool,
    betas: tuple[float, float] = (0.9, 0.999),
) -> dict[str, torch.Tensor]:  # fmt: skip
    """One replica, as one would write it: autograd, torch.optim, one row a sample. Population gradients if samples is None."""
    E, U = torch.nn.Parameter(E.clone()), torch.nn.Parameter(U.clone())
    W = None if W is None else torch.nn.Parameter(W.clone())
    W0 = None if W is None else W.detach().clone()
    learnt = {"W": [W], "all": [W, E, U], "exponential": [E, U]}[learn]
    scale = [1.0 if optimiser == "sgd" else 1 / d if w is W else 1 / math.sqrt(d) for w in learnt]
    groups: list[dict[str, Any]] = [{"params": [w], "lr": s} for w, s in zip(learnt, scale, strict=True)]
    steppers = {
        "sgd": lambda: torch.optim.SGD(groups, lr=1.0),
        "sign": lambda: torch.optim.Adam(groups, betas=(0.0, 0.0)),
        "adam": lambda: torch.optim.Adam(groups, betas=betas),
    }
    stepper = steppers[optimiser]()
    kept: dict[str, list[torch.Tensor]] = {name: [] for name in EVERYTHING}

    def record() -> None:
        with torch.no_grad():
            S = forward(E, W, U, layer_norm)
            right = S[torch.arange(N), f]
            rivals = S.clone()
            rivals[torch.arange(N), f] = -math.inf
            wrong = (S.amax(1) > right).double()
            # relu can leave nothing of an input: its scores are then equal, and a random choice errs with 1 - 1/M
            wrong[(S[:, :1] == S).all(1)] = 1 - 1 / M
            kept["error"].append((p * wrong).sum())
            kept["loss"].append((p * F.cross_entropy(S, f, reduction="none")).sum())
            kept["margins"].append(right - rivals.amax(1))
            kept["scores"].append(S)
            if W is not None:
                # u_y e_x^T are independent here (N, M <= d): the coefficients of W - W0 solve U (W - W0) E^T = (U U^T) A (E E^T)
                A = torch.linalg.solve(U @ U.T, U @ (W - W0) @ E.T) @ torch.linalg.inv(E @ E.T)
                kept["q"].append(A[f, torch.arange(N)])

    record()
    for t, rate in enumerate(rates):
        for group, s in zip(stepper.param_groups, scale, strict=True):
            group["lr"] = rate * s
        stepper.zero_grad()
        if samples is None:
            loss = (p * F.cross_entropy(forward(E, W, U, layer_norm), f, reduction="none")).sum()
        else:
            x = samples[t * batch : (t + 1) * batch]
            loss = F.cross_entropy(forward(E[x], W, U, layer_norm), f[x])
        loss.backward()
        stepper.step()
        record()
    return {name: torch.stack(values) for name, values in kept.items() if values}


def counts(samples: torch.Tensor, batch: int) -> torch.Tensor:
    rows = [[torch.bincount(b, minlength=N) / batch for b in one.split(batch)] for one in samples]
    return torch.stack([torch.stack(one) for one in rows]).double()


def compare(recorder: Recorder, oracle: list[dict[str, torch.Tensor]], skip: tuple[str, ...] = ()) -> None:
    found = recorder.values()
    for name in recorder.measure:
        if name not in skip:
            expected = torch.stack([one[name] for one in oracle])
            assert found[name].shape == expected.shape
            assert torch.allclose(found[name], expected, rtol=0, atol=1e-10), name


FORMS = [("rows", 1), ("rows", 4), ("rows", 16), ("counts", 16), ("population", 1)]
RATES = [0.5, 0.25, 0.6, 0.4] * 12


@pytest.mark.parametrize(("form", "batch"), FORMS)
@pytest.mark.parametrize("layer_norm", [False, True])
@pytest.mark.parametrize("optimiser", ["sgd", "sign", "adam"])
@pytest.mark.parametrize("learn", ["W", "all", "exponential"])
def test_weights_route_equals_the_autograd_loop(
    learn: str, optimiser: str, layer_norm: bool, batch: int, form: str
) -> None:
    (E, U, W), (p, f, samples) = tensors(), problem_data()
    rates = RATES[: (9 if form == "population" else samples.shape[1] // batch)][:9]
    samples = samples[:, : len(rates) * batch]
    options: dict[str, Any] = {"learn": learn, "optimiser": optimiser, "layer_norm": layer_norm}
    oracle = [
        naive(E[r], U[r], None if learn == "exponential" else W[r], f, p,
              None if form == "population" else samples[r], batch, rates, **options)
        for r in range(R)
    ]  # fmt: skip
    weights = {"rows": None, "counts": counts(samples, batch), "population": p.expand(R, 1, N)}[form]
    measure = EVERYTHING if learn == "W" else ("error", "loss", "margins", "scores")
    recorder = Recorder(measure, list(range(len(rates) + 1)), p, f)
    final = train_weights(
        WeightProblem(
            W=None if learn == "exponential" else W.clone(), E=E.clone(), U=U.clone(), f=f, rates=rates, batch=batch,
            samples=samples if form == "rows" else None, weights=weights, **options,
        ),
        recorder,
    )  # fmt: skip
    # q by least squares divides by the Gram matrices, whose condition numbers (below 1e3) magnify 1e-13
    compare(recorder, oracle, skip=("q",) if optimiser != "sgd" or layer_norm else ())
    assert torch.allclose(final.mT, torch.stack([one["scores"][-1] for one in oracle]), rtol=0, atol=1e-10)
    if "q" in measure:
        assert torch.allclose(recorder.values()["q"], torch.stack([one["q"] for one in oracle]), rtol=0, atol=1e-8)


@pytest.mark.parametrize("many", [False, True], ids=["M=4", "M=11"])
@pytest.mark.parametrize("layer_norm", [False, True])
@pytest.mark.parametrize("learn", ["W", "all", "exponential"])
def test_gradients_equal_autograd(learn: str, layer_norm: bool, many: bool) -> None:
    """At 1e-13: a dozen operations on numbers of size 1. M = 11 > 7 rows takes the way through the hidden vectors."""
    M = 11 if many else 4
    E, U, W = tensors(seed=5, M=M)
    g = torch.Generator().manual_seed(9)
    X, f = E[:, :7], torch.randint(0, M, (R, 7), generator=g)
    weight = torch.rand(R, 7, dtype=torch.float64, generator=g)
    Wm = None if learn == "exponential" else W
    problem = WeightProblem(W=Wm, E=E, U=U, f=f[0], rates=[], learn=learn, layer_norm=layer_norm)
    for given in (weight, None):
        found = weight_gradients(problem, X, given, f)
        for r in range(R):
            leaves = [w.clone().requires_grad_() for w in (X[r], U[r], W[r])]
            each = F.cross_entropy(
                forward(leaves[0], None if Wm is None else leaves[2], leaves[1], layer_norm), f[r], reduction="none"
            )
            loss = each.mean() if given is None else (each * given[r]).sum()
            dX, dU, dW = torch.autograd.grad(loss, leaves, allow_unused=True)
            if Wm is not None:
                assert torch.allclose(found.W[0][r].T @ found.W[1][r], dW, rtol=0, atol=1e-13)
            if learn == "W":
                assert found.X is None
                assert found.U is None
            else:
                assert torch.allclose(found.X[r], dX, rtol=0, atol=1e-13)
                assert torch.allclose(found.U[r], dU, rtol=0, atol=1e-13)


@pytest.mark.parametrize(("form", "batch"), FORMS)
@pytest.mark.parametrize("measure", [EVERYTHING, ("error",)])
def test_score_route_equals_the_autograd_loop(measure: tuple[str, ...], batch: int, form: str) -> None:
    (E, U, W), (p, f, samples) = tensors(), problem_data(T=48)
    rates = (RATES * 2)[: (9 if form == "population" else samples.shape[1] // batch)]
    oracle = [
        naive(E[r], U[r], W[r], f, p, None if form == "population" else samples[r], batch, rates,
              learn="W", optimiser="sgd", layer_norm=False)
        for r in range(R)
    ]  # fmt: skip
    weights = {"rows": None, "counts": counts(samples, batch), "population": p.expand(1, 1, N)}[form]
    recorder = Recorder(measure, list(range(len(rates) + 1)), p, f)
    final = train_scores(
        ScoreProblem(
            K=(E @ E.mT).contiguous(), G=U @ U.mT, scores=U @ W @ E.mT, f=f, rates=rates, batch=batch,
            samples=samples if form == "rows" else None, weights=weights,
        ),
        recorder, ties=False,
    )  # fmt: skip
    compare(recorder, oracle)
    assert torch.allclose(final.mT, torch.stack([one["scores"][-1] for one in oracle]), rtol=0, atol=1e-10)


@pytest.mark.parametrize("balanced", [False, True])
def test_the_quick_count_of_errors_equals_the_careful_one(balanced: bool) -> None:
    """Exactly: both add up the same p, in an order that may differ by rounding (1e-15)."""
    E, U, W = tensors(seed=3)
    p, f, samples = problem_data(seed=4, T=150)
    f = torch.arange(N) // (N // M) if balanced else f
    errors = []
    for ties in (False, True):
        recorder = Recorder(("error",), [0, 1, 2, 7, 63, 64, 65, 100, 150], p, f)
        task = ScoreProblem(
            K=(E @ E.mT).contiguous(), G=U @ U.mT, scores=U @ W @ E.mT, f=f, rates=[3.0] * 150, samples=samples,
            balanced=balanced,
        )  # fmt: skip
        train_scores(task, recorder, ties=ties)
        errors.append(recorder.values()["error"])
    assert errors[0].shape == (R, 9)
    assert torch.allclose(errors[0], errors[1], rtol=0, atol=1e-14)
    assert len(errors[0].unique()) > 5  # the errors do change along the way


def test_ties_err_as_a_random_choice_among_the_top() -> None:
    p = torch.tensor([0.5, 0.3, 0.15, 0.05], dtype=torch.float64)
    f = torch.tensor([0, 1, 2, 0])
    # columns: three-way tie at the top; target tied with one rival; a tie above the target; target alone
    S = torch.tensor([[1, 2, 3, 5], [1, 2, 3, 0], [1, 0, 2, 0]], dtype=torch.float64)[None]
    recorder = Recorder(("error", "margins"), [0], p, f)
    recorder.take(split_scores(S, f))
    values = recorder.values()
    assert values["error"].item() == pytest.approx(0.5 * 2 / 3 + 0.3 / 2 + 0.15, abs=1e-15)
    assert values["margins"][0, 0].tolist() == [0, 0, -1, 5]


def test_sign_descent_without_eps_is_the_sign() -> None:
    (E, U, W), (p, f, samples) = tensors(), problem_data()
    problem = WeightProblem(
        W=W.clone(), E=E, U=U, f=f, rates=[1.0], batch=4, samples=samples, optimiser="sign", eps=0.0
    )
    train_weights(problem, Recorder(("error",), [1], p, f))
    # lr/d up to the rounding of adding it to an entry of W of size 1
    assert torch.allclose((problem.W - W).abs(), torch.full_like(W, 1 / d), rtol=0, atol=1e-15)
