"""The recall error of a linear associative memory at finite d, numerically exact (the law `exact-recall-error`).

W = sum_x q(x) u_f(x) e_x^T with e_x ~ N(0, I/d) answers argmax_y u_y^T W e_z. Given e_z, the overlaps s_c.e_z of
s_c = sum_{f(x)=c} q(x) e_x are independent Gaussians, up to the factor |e_z| that no argmax sees: with r = |e_z|,
G = U U^T,

    E = sum_z p(z) P( argmax_y [G (q(z) r eps_f(z) + d^-1/2 D^1/2 xi)]_y != f(z) ),
    r^2 ~ chi2_d/d,   xi ~ N(0, I_M),   D = diag(S_y - q(z)^2 1{y = f(z)}),

exactly, for every d >= 1 and every law of the outputs; only the class sums S_y of q^2 enter. The sum over z, the law
of G and the noise become one integral, done by randomised quasi-Monte Carlo (see the package).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from asymp.theory.exact_recall.atoms import make_atoms
from asymp.theory.exact_recall.own_count import MOST_INPUTS, OwnCount
from asymp.theory.exact_recall.parts import Fixed, Frequent, Infrequent, Sampled, Unseen
from asymp.theory.exact_recall.quadrature import Part, integrate, price
from asymp.theory.exact_recall.samples import CountLaw
from asymp.theory.exact_recall.storage import make_storage
from asymp.theory.functions.arguments import FloatArray, check_number, check_whole
from asymp.theory.functions.numerics import each_point

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
    alpha: float | None = None,
    N: float,
    M: float,
    d: float,
    rho: float = 0,
    P: float | None = None,
    T: float | None = None,
    s: float = 1,
    targets: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    p: ArrayLike | None = None,
    inputs: str = "gaussian",
    outputs: str = "gaussian",
    rel_error: float = 1e-3,
    seed: int = 0,
) -> RecallError:
    """E sum_x p(x) 1{f_q(x) != f(x)} over embeddings (and samples), with its numerical uncertainty.

    Ties, of scores and of counts, are broken at random. It stops when the error is below rel_error times the value, or after
    about a minute of work: look at `.error`.

    Args:
        alpha: exponent of the Zipf law p(x) = C x^-alpha, >= 0; above 1 where N is infinite.
        N: number of inputs x = 1..N, a whole number or math.inf.
        M: number of outputs, >= 2.
        d: dimension of the embeddings, >= 1.
        rho: the weights are q(x) = p(x)^rho, rho >= 0.
        P: only the inputs x <= P are stored; None: all. With T, the P most frequent inputs of the sample.
        T: number of samples; p in the weights is then the empirical frequency. None or math.inf: p is known.
        s: with T, inputs seen fewer than s times get the weight 0.
        targets: the outputs f(x), an array of whole numbers 0..M-1 for x = 1..N; None: f(x) = x mod M.
        weights: the weights q(x), an array, in place of rho and P; with T they count for the inputs seen.
        p: the probabilities of the inputs, an array, in place of alpha.
        inputs: law of the input embeddings; "gaussian", N(0, I/d), is the only one for which the formula is exact.
        outputs: law of the output embeddings: "gaussian", N(0, I/d), or "sphere", uniform on the unit sphere.
        rel_error: the wanted half-width of the 99 % interval, relative to the value.
        seed: seed of the randomisation of the quasi-random points.
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
    parts: Sequence[Part]
    if T is None:
        fixed = Fixed(make_atoms(storage, d), d, sphere)
        known = float(fixed.atoms.known[0])
        kinds = ((fixed.frequent, Frequent), (fixed.rare, Infrequent))
        parts = [kind(fixed) for choice, kind in kinds if np.any(choice.filled)]
    else:
        cut = math.inf if P is None or math.inf == P else math.floor(P)
        law = CountLaw.make(storage, T, rho=float(rho), P=cut, s=s, given=weights is not None)
        known = 0.0
        parts = _sampled(law, d, sphere, rng)
        if 2 <= N <= MOST_INPUTS:
            whole = law.of_all_inputs()
            ways: list[Sequence[Part]] = [parts]
            ways += [OwnCount(whole, d, sphere, switch, rng).parts for switch in OWN_COUNT_SWITCHES]
            rounds = ROUNDS if rel_error < COARSE else 1
            prices = [price(some, M=M, seed=seed, rounds=rounds) for some in ways]
            # Rare errors come from rare counts too, which the spread of plain draws may not show.
            rare = max(mean for _, mean in prices[1:]) < RARE_VALUE and law.P >= N
            parts = min(zip(prices[rare:], ways[rare:], strict=True), key=lambda pair: pair[0][0])[1]
    value, error = integrate(known, parts, M=M, rel_error=rel_error, seed=seed)
    return RecallError(min(max(value, 0.0), 1.0), error)


def _sampled(law: CountLaw, d: int, sphere: bool, rng: np.random.Generator) -> list[Part]:
    """The parts of memories made from samples of many inputs."""
    source = Sampled(law, d, sphere, rng)
    parts: list[Part] = [_controlled(source, rng)]
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


def recall_errors(*, outputs: str = "gaussian", rel_error: float = 1e-3, **values: ArrayLike) -> FloatArray:
    """recall_error at every point of the broadcast arrays; P = inf and T = inf stand for None, as laws have them."""

    def one(**point: float) -> float:
        given = {name: v for name, v in point.items() if not (name in ("P", "T") and v == math.inf)}
        return recall_error(outputs=outputs, rel_error=rel_error, **given).value  # type: ignore[arg-type]

    return each_point(one, **values)
