"""Ridge regression on k random combinations of the modes."""

import torch

from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import Experiment
from power_laws.samplers.drawing import MOST, data, powers, ridge


def sample_risk(
    draw: Draw, *, n: int, k: int, P: int, a: float, b: float, delta: float, v: float = 0.0
) -> torch.Tensor:
    """The excess risk on one draw of the features."""
    spectrum = powers(draw, P, a)
    found = []
    for X, y, weights in data(draw, n, P, a, b, v):
        F = draw.of(len(X)).normal((int(P), int(k))) / k**0.5
        error = (F @ ridge(X @ F, y, delta)[..., None])[..., 0] - weights
        found.append((error**2 * spectrum).sum(-1))
    return torch.cat(found)


def sample_spread(draw: Draw, *, n: int, k: int, P: int, a: float, b: float, delta: float) -> torch.Tensor:
    """Half the squared distance of the fits on two draws of the features, from the same data."""
    spectrum = powers(draw, P, a)
    found = []
    for X, y, _ in data(draw, n, P, a, b, 0.0):
        fits = []
        for _ in range(2):
            F = draw.of(len(X)).normal((int(P), int(k))) / k**0.5
            fits.append((F @ ridge(X @ F, y, delta)[..., None])[..., 0])
        found.append(((fits[0] - fits[1]) ** 2 * spectrum).sum(-1) / 2)
    return torch.cat(found)


def sample_projection(draw: Draw, *, k: int, P: int, a: float, b: float) -> torch.Tensor:
    """What k random combinations of the modes cannot say of the target, however many samples there are."""
    scale, target = powers(draw, P, a / 2), powers(draw, P, b / 2)
    found = []
    for part in draw.batches(max(1, MOST // int(P * k))):
        rows = part.normal((int(k), int(P))) * scale
        held = rows @ target
        inside = (held * torch.linalg.solve(rows @ rows.mT, held[..., None])[..., 0]).sum(-1)
        found.append((target**2).sum() - inside)
    return torch.cat(found)


feature_risks = Experiment("power-laws-feature-risk", sample_risk, block=16, kurtosis=15.0)
feature_spreads = Experiment("power-laws-feature-spread", sample_spread, block=16)
projections = Experiment("power-laws-projection", sample_projection, block=16)
