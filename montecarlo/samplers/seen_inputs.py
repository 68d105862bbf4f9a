"""Which inputs occur among T samples, at a cost that does not depend on T: the coupon collector, run by new coupons.

Let the samples come at the points of a Poisson process. Input x first comes at a time E_x/p(x) with E_x exponential,
independently of the others, so the order of these times is the order in which the inputs are first seen. Given that
order, the number of samples from one new input to the next is geometric, with the probability R of the inputs not seen
so far, independently of all else: 1 + floor(E/-log(1 - R)), E exponential. An input is seen if the samples up to its
first occurrence are at most T. Counts, which schemes with rho > 0 need, are not drawn; they cost several times more.
"""

import torch

from asymp.montecarlo.draws import Draw


def seen_inputs(draw: Draw, p: torch.Tensor, T: float) -> torch.Tensor:
    """1 where an input occurs among T samples from p (which sums to one), else 0: float64, (replicas, len(p))."""
    drawn = draw.alone.exponential((2, draw.replicas, len(p)))
    # the latest first: running sums are then the probabilities still unseen, without cancellation
    order = _argsort(p / drawn[0])
    unseen = p.expand(draw.replicas, -1).gather(1, order).cumsum(1).clamp_(max=1.0)
    # minus the waits, so that log(1 - R) needs no change of sign: minus infinity at R = 0
    waits = drawn[1].div_(unseen.neg_().log1p_()).ceil_().sub_(1.0)
    taken = waits.flip(1).cumsum(1).flip(1)
    # an input of probability zero has an infinite wait (or, at 0/0, none: NaN, which is not >= -T either)
    return torch.zeros_like(taken).scatter_(1, order, taken.ge_(-T))


def _argsort(keys: torch.Tensor) -> torch.Tensor:
    # NumPy's sort of short rows is five times as fast; equal keys have probability zero
    if keys.device.type == "cpu":
        return torch.from_numpy(keys.numpy().argsort(axis=1))
    return keys.argsort(dim=1)
