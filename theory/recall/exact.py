"""The recall error of a linear associative memory at finite d, numerically exact (the law `exact-recall-error`).

W = sum_x q(x) u_f(x) e_x^T with e_x ~ N(0, I/d) answers argmax_y u_y^T W e_z. Given e_z, the overlaps s_c.e_z of
s_c = sum_{f(x)=c} q(x) e_x are independent Gaussians, up to the factor |e_z| that no argmax sees: with r = |e_z|,
G = U U^T,

    E = sum_z p(z) P( argmax_y [G (q(z) r eps_f(z) + d^-1/2 D^1/2 xi)]_y != f(z) ),
    r^2 ~ chi2_d/d,   xi ~ N(0, I_M),   D = diag(S_y - q(z)^2 1{y = f(z)}),

exactly, for every d >= 1 and every law of the outputs; only the class sums S_y of q^2 enter. The sum over z, the law
of G and the noise become one integral, done by randomised quasi-Monte Carlo (recall_bulk, union_probability).
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from asymp.theory.recall.atoms import make_atoms
from asymp.theory.recall.own_count import MOST_INPUTS, OwnCount
from asymp.theory.recall.parts import Fixed, Frequent, Infrequent, Sampled, Unseen
from asymp.theory.recall.quadrature import integrate, price
from asymp.theory.recall.samples import CountLaw
from asymp.theory.recall.storage import check_number, check_whole, make_storage

__all__ = ["RecallError", "recall_error"]

FEW = 20
"""Draws needed for each slope of the control variate."""

OWN_COUNT_SWITCHES = (0.1, 1e-3)
"""Errors below which an input is left to the sampling of rare errors; the cheaper of these is taken."""

COARSE, ROUNDS = 4e-3, 3
"""The ways to draw counts are compared after so many rounds where the relative error wanted is below COARSE, else after one."""

RARE_VALUE = 1e-2
"""Below, rare counts are looked for."""


@dataclass(frozen=True)
class RecallError:
    """value: the recall error; error: its numerical uncertainty, a 99 % interval's half-width."""

    value: float
    error: float


def recall_error(
    *,
    alpha: Any = None,
    N: Any,
    M: Any,
    d: Any,
    rho: Any = 0,
    P: Any = None,
    T: Any = None,
    s: Any = 1,
    targets: Any = None,
    weights: Any = None,
    p: Any = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    rel_error: float = 1e-3,
    seed: int = 0,
) -> RecallError:
    """E sum_x p(x) 1{f_q(x) != f(x)} over embeddings (and samples), with its numerical uncertainty.

    Inputs x = 1..N (N may be math.inf) with p(x) = C x^-alpha, or the array p; outputs f(x) = x mod M, or targets[x-1];
    weights q(x) = p(x)^rho for x <= P (None: N), or the array `weights`. With T samples p in q is the empirical
    frequency, inputs seen fewer than s times get 0, and P keeps the P most frequent inputs; `weights` then counts for
    the inputs seen. Ties, of scores and of counts, are broken at random. Inputs must be gaussian.

    Stops when the error is below rel_error times the value, or after about a minute of work: look at `.error`. `seed`
    only changes the randomisation.
    """
    d, M, s = check_whole("d", d), check_whole("M", M, 2), check_whole("s", s)
    rel_error = check_number("rel_error", rel_error, 0.0)
    if not rel_error > 0:
        raise ValueError(f"rel_error must be a number > 0, got {rel_error}")
    if inputs != "gaussian":
        raise ValueError(f"inputs must be 'gaussian': the law is exact for gaussian inputs only, got {inputs!r}")
    if outputs not in ("gaussian", "sphere"):
        raise ValueError(f"outputs must be 'gaussian' or 'sphere', got {outputs!r}")
    T = None if T is None or math.inf == T else check_whole("T", T)
    if s > 1 and T is None:
        raise ValueError(f"s must be 1 without samples (T=None): inputs are not counted, got {s}")
    storage = make_storage(
        alpha=alpha, N=N, M=M, rho=rho, P=P, targets=targets, weights=weights, p=p, sampled=T is not None
    )
    sphere = outputs == "sphere"
    rng = np.random.default_rng([seed, 1])
    parts: list[Any] = []
    if T is None:
        fixed = Fixed(make_atoms(storage, d), d, sphere)
        known = float(fixed.atoms.known[0])
        if np.any(fixed.frequent.filled):
            parts.append(Frequent(fixed))
        if np.any(fixed.rare.filled):
            parts.append(Infrequent(fixed))
    else:
        cut = math.inf if P is None or math.inf == P else math.floor(P)
        law = CountLaw.make(storage, T, rho=float(rho), P=cut, s=s, given=weights is not None)
        known = 0.0
        parts = _sampled(law, d, sphere, rng)
        if 2 <= N <= MOST_INPUTS:
            whole = law.of_all_inputs()
            own = [OwnCount(whole, d, sphere, switch, rng).parts for switch in OWN_COUNT_SWITCHES]
            rounds = ROUNDS if rel_error < COARSE else 1
            prices = [price(some, M=M, seed=seed, rounds=rounds) for some in (parts, *own)]
            # Rare errors come from rare counts too, which the spread of plain draws may not show.
            rare = max(mean for _, mean in prices[1:]) < RARE_VALUE and law.P >= N
            parts = min(zip(prices[rare:], [parts, *own][rare:], strict=True), key=lambda pair: pair[0][0])[1]
    value, error = integrate(known, parts, M=M, rel_error=rel_error, seed=seed)
    return RecallError(min(max(value, 0.0), 1.0), error)


def _sampled(law: CountLaw, d: int, sphere: bool, rng: np.random.Generator) -> list[Any]:
    """The parts of memories made from samples of many inputs."""
    source = Sampled(law, d, sphere, rng)
    parts: list[Any] = [_controlled(source, rng)]
    if source.apart:
        parts.append(Unseen(source))
    if source.steering.rare is not None:
        parts.append(Infrequent(source))
    return parts


def _controlled(source: Sampled, rng: np.random.Generator) -> Frequent:
    """The part of frequent errors with its control variate, whose slopes come from draws of their own: no bias."""
    part, draws = Frequent(source), source.pilot
    uniforms, normals = part.dimensions
    points = source.per_draw * draws
    values, features = part.with_features(rng.random((points, uniforms)), rng.standard_normal((points, normals)), rng)
    values, used = values.reshape(draws, source.per_draw).mean(axis=1), features
    if draws < FEW * features.shape[1]:
        used = features[:, :1]
    # Features that hardly vary are left out by the cut on singular values.
    slopes = np.linalg.lstsq(used - used.mean(axis=0), values - values.mean(), rcond=1e-8)[0]
    return Frequent(source, np.pad(slopes, (0, features.shape[1] - len(slopes))), source.law.means)
