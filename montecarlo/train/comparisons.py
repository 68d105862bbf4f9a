"""One way of training against another, and SGD against its map: a run is a ratio of errors, each a mean over memories."""

from collections.abc import Mapping
from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.recall.error import sample_recall_error
from asymp.montecarlo.scores.embeddings import draw_embeddings
from asymp.montecarlo.train.map_weights import map_weights
from asymp.montecarlo.train.memory import sample_training_error
from asymp.montecarlo.zipf.sampling import multinomial_counts

__all__ = [
    "map_ratio_experiment",
    "sample_map_ratio",
    "sample_stopped_error",
    "sample_stopping_ratio",
    "sample_training_ratio",
    "stopped_error_experiment",
    "stopping_ratio_experiment",
    "training_ratio_experiment",
    "training_runs_experiment",
]


AT_ONCE = 128
"""Memories of a run that are trained together."""


def _trained(setting: Mapping[str, Any], *, replicas: int, memories: int, **how: Any) -> torch.Tensor:
    """Mean errors over `memories` memories, one value a run; `late` is a factor on the steps of the second half."""
    given = dict(setting)
    late = given.pop("late", None)
    if late is not None:
        steps = -(-given["T"] // given.get("batch", 1))
        given["schedule"] = [1.0] * (steps // 2) + [float(late)] * (steps - steps // 2)
    total = torch.zeros(replicas, dtype=torch.float64, device=how["device"])
    for start in range(0, memories, AT_ONCE):
        here = min(AT_ONCE, memories - start)
        errors = sample_training_error(**given, replicas=replicas * here, **how)
        total += errors.view(replicas, here).mean(1) * (here / memories)
    return total


def _ratio(first: torch.Tensor, second: torch.Tensor) -> torch.Tensor:
    """first/second; two errors of 0 are equal."""
    return torch.where((first == 0) & (second == 0), 1.0, first / second.clamp(min=1e-300))


def sample_training_ratio(
    *,
    first: Mapping[str, Any],
    second: Mapping[str, Any],
    memories: int = 10,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
    **shared: Any,
) -> torch.Tensor:
    """Error after training by the setting `first` over that by `second`; `shared` holds for both."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    memories = check_whole("memories", memories)
    errors = [_trained({**shared, **own}, replicas=replicas, memories=memories, **how) for own in (first, second)]
    return _ratio(*errors)


def _weights_by_batches(
    p: torch.Tensor, *, M: int, gamma: float, T: int, batch: int, replicas: int, **how: Any
) -> torch.Tensor:
    """The map's weights after T samples in batches: an input with k of the B samples moves by gamma k/B of a sight."""
    q = torch.zeros((replicas, len(p)), dtype=torch.float64, device=how["device"])
    for _ in range(T // batch):
        totals = torch.full((replicas,), batch, dtype=torch.float64, device=how["device"])
        share = multinomial_counts(p.numpy(), totals, how["generator"]) / batch
        q += gamma * share * (M - 1) / (M - 1 + torch.exp(q))
    return q


def _map_error(
    *, alpha: float, N: int, M: int, d: int, gamma: float, T: int, batch: int, replicas: int, **how: Any
) -> torch.Tensor:
    """Errors of memories whose weights are those of the map at the counts of T samples."""
    p = torch.arange(1, N + 1, dtype=torch.float64) ** -float(alpha)
    p = p / p.sum()
    if batch > 1:
        q = _weights_by_batches(p, M=M, gamma=gamma, T=T, batch=batch, replicas=replicas, **how)
    else:  # how often an input was seen is all that counts, and the map is a table
        totals = torch.full((replicas,), T, dtype=torch.float64, device=how["device"])
        counts = multinomial_counts(p.numpy(), totals, how["generator"])
        table = map_weights(gamma=gamma, M=M, most=int(counts.max())).to(how["device"])
        q = table[counts.long()]
    E, U = draw_embeddings("gaussian", (replicas, N, d), **how), draw_embeddings("gaussian", (replicas, M, d), **how)
    targets = torch.arange(1, N + 1, device=how["device"]) % M
    stored = torch.zeros(replicas, M, d, dtype=torch.float64, device=how["device"])
    stored.index_add_(1, targets, q[:, :, None] * E)
    scores = (E @ stored.mT) @ (U @ U.mT)
    return ((scores.argmax(2) != targets) * p.to(how["device"])).sum(1)


def sample_map_ratio(
    *,
    alpha: float,
    N: int,
    M: int,
    d: int,
    gamma: float,
    T: int,
    batch: int = 1,
    memories: int = 50,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Error of SGD after T samples, in batches, over that of the map's weights, both from W = 0."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    N, M, d, T, memories = (
        check_whole(name, value) for name, value in (("N", N), ("M", M), ("d", d), ("T", T), ("memories", memories))
    )
    batch = check_whole("batch", batch)
    if T % batch:
        raise ValueError(f"T must be a multiple of batch, {batch}: whole steps; got {T}")
    gamma = check_number("gamma", gamma, strict=True)
    setting = {"alpha": alpha, "N": N, "M": M, "d": d, "T": T, "lr": gamma, "batch": batch, "init": "zero"}
    trained = _trained(setting, replicas=replicas, memories=memories, **how)
    # Run by run: all inputs of all memories at once would not fit a cache, nor a small machine.
    mapped = [
        _map_error(alpha=alpha, N=N, M=M, d=d, gamma=gamma, T=T, batch=batch, replicas=memories, **how).mean()
        for _ in range(replicas)
    ]
    return _ratio(trained, torch.stack(mapped))


STEPS = 300


def _flow_weights(tau: torch.Tensor, M: int) -> torch.Tensor:
    """The map with many small steps: dq/dt = 1/(1 + e^q/(M - 1)) up to t = tau, by Runge-Kutta in log(1 + t)."""
    h = torch.log1p(tau) / STEPS
    q, s = torch.zeros_like(tau), torch.zeros_like(tau)

    def speed(q: torch.Tensor, s: torch.Tensor) -> torch.Tensor:
        return torch.exp(s) * (M - 1) / (M - 1 + torch.exp(q))

    for _ in range(STEPS):
        k1 = speed(q, s)
        k2 = speed(q + h / 2 * k1, s + h / 2)
        k3 = speed(q + h / 2 * k2, s + h / 2)
        k4 = speed(q + h * k3, s + h)
        q, s = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), s + h
    return q


def sample_stopped_error(
    *,
    alpha: float,
    N: int,
    M: int,
    d: int,
    time: float,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """Recall errors of the weights that small steps of the map have at gamma T = time, counts at their means."""
    N, M = check_whole("N", N), check_whole("M", M, low=2)
    p = torch.arange(1, N + 1, dtype=torch.float64) ** -float(alpha)
    p = p / p.sum()
    q = _flow_weights(p * check_number("time", time, strict=True), M)
    return sample_recall_error(
        N=N, M=M, d=d, p=p.tolist(), weights=q.tolist(), replicas=replicas, generator=generator, device=device
    )


def sample_stopping_ratio(
    *,
    alpha: float,
    N: int,
    M: int,
    d: int,
    time: float,
    factor: float,
    memories: int = 16,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The error of the map stopped at gamma T = time over that at `factor` times as much, means over `memories`."""
    how: dict[str, Any] = {"generator": generator, "device": device}
    memories = check_whole("memories", memories)
    errors = [
        sample_stopped_error(alpha=alpha, N=N, M=M, d=d, time=t, replicas=replicas * memories, **how)
        .view(replicas, memories)
        .mean(1)
        for t in (time, time * check_number("factor", factor, strict=True))
    ]
    return _ratio(*errors)


# The unit is the run, as in published tables of means and deviations over seeds; its errors spread by a share of their
# mean. An interval that knows only that they lie in [0, 1] would need 10^6 runs to say as much.
training_runs_experiment = experiment("training-runs", sample_training_error, block=20)
training_ratio_experiment = experiment("training-ratio", sample_training_ratio, block=4)
map_ratio_experiment = experiment("sgd-against-map", sample_map_ratio, block=4)
stopped_error_experiment = experiment("stopped-error", sample_stopped_error, block=16, bounds=(0.0, 1.0))
stopping_ratio_experiment = experiment("stopping-ratio", sample_stopping_ratio, block=4)
