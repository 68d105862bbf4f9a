"""In-context denoising by softmax attention: the inverse temperature at which its error is smallest."""

import math
from typing import Any

import torch

from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.recall.checks import check_number, check_whole
from asymp.montecarlo.scores.embeddings import draw_embeddings, normals

__all__ = ["best_temperature_experiment", "sample_best_temperature"]

# Contexts that have a say in the best temperature. With some 80 of 4096 the minima spread by 11 % and their mean was 2 % high.
FEWEST = 200


def sample_best_temperature(
    *,
    sigma: float,
    d: int = 8,
    context: int = 8,
    draws: int = 4096,
    replicas: int,
    generator: torch.Generator,
    device: torch.device,
) -> torch.Tensor:
    """The beta at which sum_t softmax(beta x_t.y)_t x_t is closest to the clean point, in the mean over `draws` contexts.

    Context points lie on a sphere of radius sqrt d, one of them is seen under noise N(0, sigma^2 I). The mean squared error
    is the same draws' at every beta, and its minimum is found by golden section in log beta. Only contexts in which noise
    brings another point nearer have a say in it: without them the error falls for ever as beta grows.
    """
    sigma = check_number("sigma", sigma, strict=True)
    d, context, draws = (check_whole(n, v, low=2) for n, v in (("d", d), ("context", context), ("draws", draws)))
    how: dict[str, Any] = {"generator": generator, "device": device}
    values = []
    for _ in range(replicas):
        x = math.sqrt(d) * draw_embeddings("sphere", (draws, context, d), **how)
        y = x[:, 0] + sigma * normals((draws, d), **how)
        products = torch.einsum("ntd,nd->nt", x, y)
        confused = int((products.argmax(1) != 0).sum())
        if confused < FEWEST:
            raise ValueError(
                f"sigma must be so large, or draws so many, that noise brings another point nearer in at least {FEWEST} contexts, "
                f"or no temperature is the best; got sigma={sigma:g}, d={d}, draws={draws}, with {confused}"
            )
        values.append(_minimum(products, x))
    return torch.tensor(values, dtype=torch.float64, device=device)


def _minimum(products: torch.Tensor, x: torch.Tensor) -> float:
    def error(log_beta: float) -> float:
        guess = torch.einsum("nt,ntd->nd", (math.exp(log_beta) * products).softmax(1), x)
        return float((guess - x[:, 0]).square().sum(1).mean())

    low, high = math.log(1e-3), math.log(1e3)
    golden = (math.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = error(left), error(right)
    for _ in range(30):
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = error(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = error(right)
    return math.exp((low + high) / 2)


best_temperature_experiment = experiment("best-temperature", sample_best_temperature, version=2, block=4)
