"""In-context denoising by softmax attention: a query is a point of the context under noise.

Context points lie on a sphere of radius sqrt d. Measured is the inverse temperature at which the error is smallest; and, of
one layer of attention with full matrices, trained from small random weights on the squared error to the clean point, the
entries of its matrices, or its error with the contexts on which it was found. That layer says W_OV sum_t p_t x_t with
p_t = softmax(y.W_KQ x_t), both matrices d x d.
"""

import math
from typing import Annotated

import torch
from torch import Tensor

from asymp.montecarlo.arguments import Positive, TwoOrMore, Whole, WholeOrZero, checked, one_of
from asymp.montecarlo.draws import Draw
from asymp.montecarlo.experiment import experiment
from asymp.montecarlo.samplers.transformers.training import falling, take_steps

# Contexts that have a say in the best temperature. With some 80 of 4096 the minima spread by 11 % and their mean was 2 % high.
FEWEST = 200


@checked
def sample_best_temperature(
    draw: Draw, *, sigma: Positive, d: TwoOrMore = 8, context: TwoOrMore = 8, draws: TwoOrMore = 4096
) -> torch.Tensor:
    """The beta at which sum_t softmax(beta x_t.y)_t x_t is closest to the clean point, in the mean over `draws` contexts.

    Context points lie on a sphere of radius sqrt d, one of them is seen under noise N(0, sigma^2 I). The mean squared error
    is the same draws' at every beta, and its minimum is found by golden section in log beta. Only contexts in which noise
    brings another point nearer have a say in it: without them the error falls for ever as beta grows.
    """
    values = []
    for one in draw.each():
        x = math.sqrt(d) * one.sphere((draws, context, d))
        y = x[:, 0] + sigma * one.normal((draws, d))
        products = torch.einsum("ntd,nd->nt", x, y)
        confused = int((products.argmax(1) != 0).sum())
        if confused < FEWEST:
            raise ValueError(
                f"sigma must be so large, or draws so many, that noise brings another point nearer in at least {FEWEST} contexts, "
                f"or no temperature is the best; got sigma={sigma:g}, d={d}, draws={draws}, with {confused}"
            )
        values.append(_minimum(products, x))
    return torch.tensor(values, dtype=torch.float64, device=draw.device)


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


FRESH = 2048


def _batch(draw: Draw, batch: int, context: int, d: int, sigma: float) -> tuple[Tensor, Tensor]:
    """Context points on the sphere of radius sqrt d, the first of them the clean one, and the noisy query."""
    x = math.sqrt(d) * draw.sphere((batch, context, d))
    return x, x[:, :, 0] + sigma * draw.normal((batch, d))


def _guess(x: Tensor, y: Tensor, KQ: Tensor, OV: Tensor) -> Tensor:
    weights = torch.einsum("rbtd,rbd->rbt", x, y @ KQ).softmax(2)
    return torch.einsum("rbt,rbtd->rbd", weights, x) @ OV.mT


def _errors(guess: Tensor, clean: Tensor) -> Tensor:
    return (guess - clean).square().sum(2).mean(1)


@checked
def sample_trained_denoiser(
    draw: Draw,
    *,
    sigma: Positive,
    d: TwoOrMore = 8,
    context: TwoOrMore = 8,
    steps: WholeOrZero = 500,
    batch: Whole = 256,
    lr: Positive = 0.02,
    of: Annotated[str, one_of("temperature", "value", "excess")] = "temperature",
) -> Tensor | dict[str, Tensor]:
    """After training: the mean diagonal entry of W_KQ ('temperature') or of W_OV ('value').

    'excess' is the mean squared error on 2048 fresh contexts, with their points x, queries y and clean points c, from which
    the best error follows. Adam, its rate falling linearly to 0.
    """
    KQ, OV = ((0.1 * draw.gaussian((d, d))).requires_grad_() for _ in range(2))

    def loss(step: int) -> Tensor:
        x, y = _batch(draw, batch, context, d, sigma)
        return _errors(_guess(x, y, KQ, OV), x[:, :, 0])

    take_steps(loss, falling(torch.optim.Adam([KQ, OV], lr=lr), steps), steps=steps)
    with torch.no_grad():
        if of != "excess":
            return (KQ if of == "temperature" else OV).diagonal(dim1=1, dim2=2).mean(1)
        x, y = _batch(draw, FRESH, context, d, sigma)
        said = {"sigma": draw.zeros() + sigma, "n": draw.zeros() + FRESH}
        return {"measured": _errors(_guess(x, y, KQ, OV), x[:, :, 0]), "x": x, "y": y, "c": x[:, :, 0], **said}


best_temperature_experiment = experiment("best-temperature", sample_best_temperature, version=2, block=4)
trained_denoiser_experiment = experiment("trained-denoiser", sample_trained_denoiser, version=3, block=8)
