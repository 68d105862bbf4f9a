"""The constants of the large-d laws to any number of digits (mpmath): of the power scheme, and of the best weights.

Both are integrals of analytic functions that fall like Gaussians. The trapezoidal rule, after a change of variables that
stretches the axis, is exponentially accurate; its step is set from the wanted precision, so that asking for more digits
refines everything at once.

Power scheme (power_constants): C^(1/alpha)/(M (alpha-1)) sum_c E[(Z_c)_+^beta], beta = (alpha-1)/(rho alpha), where
E[(Z_c)_+^beta] = integral of H_c'(t) sigma_c^beta g(t/sigma_c) dt and g(x) = E[(x + xi)_+^beta] is the parabolic cylinder
function Gamma(beta+1) exp(-x^2/4) D_{-beta-1}(-x)/sqrt(2 pi). With two outputs it is closed: Z is normal.

Best weights (optimal_storage): C M^(1-alpha) I^alpha/(alpha-1), I = integral over a > 0 of (2a)^(1-1/alpha) (-pi_M'(a))^(1/alpha),
where -pi_M'(a) = (M-1) phi(a/sqrt 2)/sqrt 2 E[Phi(a/2 + g/sqrt 2)^(M-2)]; for M <= 45 only, where pi_M is convex in a^2.
"""

import mpmath as mp

from asymp.theory.functions.arguments import Mpf, guarded
from asymp.theory.functions.zipf.power_sums import power_sum_mp

CONVEX = 45
"""The largest M for which the cost of storage is convex."""


@guarded(15)
def power_constant_digits(*, alpha: Mpf, rho: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """lim E d^((alpha-1)/(2 rho alpha)) for q = p^rho, N = inf, targets x mod M; alpha > 1, 2 rho alpha > 1."""
    a, power, M = alpha, rho, int(M)
    beta, slope = (a - 1) / (power * a), 2 * power * a
    C = 1 / mp.zeta(a)
    # Classes c = 1..M (M is class 0); the factor C^(2 rho) M^-slope common to all is put back at the end.
    squares = [power_sum_mp(slope, mp.mpf(c) / M, mp.inf) for c in range(1, M + 1)]
    scale = (C**power * mp.mpf(M) ** (-slope / 2)) ** beta
    if M == 2:
        moment = (
            mp.fsum(squares) ** (beta / 2) * mp.mpf(2) ** (beta / 2 - 1) * mp.gamma((beta + 1) / 2) / mp.sqrt(mp.pi)
        )
        total = 2 * moment
    else:
        sigma = [mp.sqrt(s) for s in squares]
        total = mp.fsum(_lost_moment(sigma, c, beta) for c in range(M))
    return C ** (1 / a) / (M * (a - 1)) * scale * total


@guarded(15)
def optimal_constant_digits(*, alpha: Mpf, M: Mpf, digits: int = 50) -> Mpf:
    """c*(alpha, M) in E ~ c* d^(1-alpha) for the best weights, N = inf, alpha > 1, 2 <= M <= 45."""
    a, M = alpha, int(M)
    if M > CONVEX:
        raise ValueError(
            f"M must be at most {CONVEX} here, where the cost of storage is convex; got {M}: about 10 digits can be had, "
            "from asymp.theory.functions.schemes.optimal_storage.optimal_constant"
        )
    drop = (mp.mp.dps + 5) * mp.log(10)
    # a = exp(v - exp(-v)): double exponential at 0, like exp(-a^2/(4 alpha)) at infinity.
    high = mp.log(2 * mp.sqrt(a * drop) + 4 * mp.sqrt(mp.log(M)) + 4) + mp.mpf(1) / 4
    low = -mp.log(drop / (2 - 1 / a)) - mp.mpf(1) / 2
    step = mp.mpf(5) / drop
    count = int((high - low) / step) + 1
    others = _OtherOutputs(M)
    total = mp.mpf(0)
    for i in range(count + 1):
        v = low + step * i
        shrink = mp.exp(-v)
        margin = mp.exp(v - shrink)
        log_slope = mp.log((M - 1) / mp.sqrt(4 * mp.pi)) - margin**2 / 4 + mp.log(others(margin))
        total += mp.exp((1 - 1 / a) * mp.log(2 * margin) + log_slope / a) * margin * (1 + shrink)
    return mp.mpf(M) ** (1 - a) * (step * total) ** a / ((a - 1) * mp.zeta(a))


class _OtherOutputs:
    """E[Phi(margin/2 + g/sqrt 2)^(M-2)] at the present precision."""

    def __init__(self, M: int) -> None:
        self.M = M
        drop = (mp.mp.dps + 5) * mp.log(10)
        # In the direction of imaginary g the integrand grows like exp(M y^2/4): a step of 2 pi/sqrt(M drop) leaves
        # exp(-drop) of it in theory; a tenth more changes nothing yet.
        step = 11 * mp.pi / (5 * mp.sqrt(M * drop))
        count = int(mp.sqrt(2 * drop) / step) + 1
        places = [step * i for i in range(-count, count + 1)]
        self.shifts = [g / mp.sqrt(2) for g in places]
        self.weights = [step * mp.npdf(g) for g in places]

    def __call__(self, margin: Mpf) -> Mpf:
        if self.M == 2:
            return mp.mpf(1)
        if self.M == 3:
            return mp.ncdf(margin / mp.sqrt(6))
        half, power = margin / 2, self.M - 2
        return mp.fsum(w * mp.ncdf(half + g) ** power for w, g in zip(self.weights, self.shifts, strict=True))


def _lost_moment(sigma: list[Mpf], c: int, beta: Mpf) -> Mpf:
    """E[(max_{y != c} sigma_y xi_y - sigma_c xi_c)_+^beta]."""
    others = [s for y, s in enumerate(sigma) if y != c]
    drop = (mp.mp.dps + 5) * mp.log(10)
    least, end = min(sigma), max(sigma) * (mp.sqrt(2 * drop) + mp.sqrt(2 * beta) + 2)
    # t = least sinh u: a Gaussian is analytic for |Im u| < pi/4.
    step = mp.pi**2 / (2 * drop)
    count = int(mp.asinh(end / least) / step) + 1
    front = mp.gamma(beta + 1) / mp.sqrt(2 * mp.pi) * sigma[c] ** beta
    total = mp.mpf(0)
    for i in range(-count, count + 1):
        u = step * i
        t = least * mp.sinh(u)
        laws = [mp.ncdf(t / s) for s in others]
        whole = mp.fprod(laws)
        density = mp.fsum(mp.npdf(t / s) / s * whole / law for s, law in zip(others, laws, strict=True))
        # Far out on the left, or in the density's right tail, nothing is left at this precision.
        x = t / sigma[c]
        if mp.log(density + mp.mpf(10) ** (-10 * mp.mp.dps)) - (x**2 / 2 if x < 0 else 0) < -drop - 10:
            continue
        total += density * mp.cosh(u) * mp.exp(-(x**2) / 4) * mp.pcfd(-beta - 1, -x)
    return front * least * step * total
