"""Second routes of section 4: the map iterated, flows bisected, gradients summed case by case."""

import math
from fractions import Fraction as F

import mpmath as mp
from mpmath import mpf

from second_routes.recall import miss
from second_routes.tools import Route, bisect, m4, whole, zipf

HALF = F(1, 2)


def residual_square(own, others, d, outputs):
    """E (sum_w r_w u_k.u_w)^2 for the coefficient on k itself and those on the others."""
    return own**2 * m4(outputs, d) + mp.fsum(r**2 for r in others) / d


def step_variance(*, d, eta, N, M, n_y, output="target", inputs="gaussian", outputs="gaussian"):
    """Input by input: E (e_x.e_z)^2 is m4 or 1/d; an input of the class of k has the residual 1 - 1/M there, else -1/M."""
    up, down, rest = 1 - 1 / M, -1 / M, int(M) - 2
    same = residual_square(up, [down] * (rest + 1), d, outputs)
    other = residual_square(down, [up] + [down] * rest, d, outputs)
    z, mean = (same, up) if output == "target" else (other, down)
    n_same = n_y - (output == "target")
    total = m4(inputs, d) * z + (n_same * same + (N - 1 - n_same) * other) / d
    return (eta / N) ** 2 * (total - mean**2)


def filter_variance(*, d, eta, N, output="target", inputs="gaussian", outputs="gaussian"):
    """W = (eta/N) sum_w u_w (e_w - mean)^T at x = e_y + noise: c_w = e_w.x are uncorrelated."""
    N = int(N)
    c = [m4(inputs, d) + 1 / d] + [2 / d] * (N - 1)  # y first
    centred = [(1 - mpf(1) / N) ** 2 * v + (mp.fsum(c) - v) / N**2 for v in c]
    k = 0 if output == "target" else 1
    total = mp.fsum(v * (m4(outputs, d) if w == k else 1 / d) for w, v in enumerate(centred))
    mean = 1 - mpf(1) / N if output == "target" else -mpf(1) / N
    return (eta / N) ** 2 * (total - mean**2)


# -- the map -------------------------------------------------------------------------------------------------------------


def iterate(*, gamma, M, n, stretch=1):
    q = mpf(0)
    for _ in range(int(n)):
        q += gamma / (1 + mp.exp(q * stretch) / (M - 1))
    return q


def growth_constant(gamma, M, start=500, order=28):
    """c in e^q = (M - 1)[gamma n + (gamma/2 - 1) log n + c + o(1)].

    y = e^q/(M - 1) goes to y exp(gamma/(1 + y)). Phi(y) = y/gamma + a log y + sum b_k y^-k with Phi(next) = Phi + 1: the
    coefficients by comparing powers of u = 1/y, used at y after `start` steps.
    """

    def power_of_exp(k):  # exp(k gamma u/(1 + u)): n E_n = sum j s_j E_(n-j)
        s = [mpf(0)] + [-k * gamma * (-1) ** j for j in range(1, order + 2)]
        found = [mpf(1)]
        for n in range(1, order + 2):
            found.append(mp.fsum(j * s[j] * found[n - j] for j in range(1, n + 1)) / n)
        return found

    E = power_of_exp(1)
    # left[k]: coefficient of u^k in (E - 1)/(gamma u) + a gamma u/(1 + u) + sum b_k u^k (E^-k - 1)
    left = [E[k + 1] / gamma for k in range(order + 1)]
    a = -left[1] / gamma
    for k in range(1, order + 1):
        left[k] -= a * gamma * (-1) ** k
    b = [mpf(0)]
    for k in range(1, order):
        fall = power_of_exp(-k)
        b.append(-left[k + 1] / fall[1])
        for j in range(1, order + 1 - k):
            left[k + j] += b[k] * fall[j]
    y = 1 / (M - 1)
    for _ in range(start):
        y *= mp.exp(gamma / (1 + y))
    phi = y / gamma + a * mp.log(y) + mp.fsum(v * y**-k for k, v in enumerate(b) if k)
    return gamma * (phi - start) - a * gamma * mp.log(gamma)


def map_growth(*, gamma, M, n):
    return mp.log((M - 1) * (gamma * n + (gamma / 2 - 1) * mp.log(n) + growth_constant(gamma, M)))


def fitted_power(*, gamma, N, M, fit):
    """log-log: the slope of a regression of log q on log n, by the normal equations; the others: where the slope is zero.

    On linear axes A n^rho is fitted to q, with the best A, or through the first point.
    """
    counts = [((N + 3) / (x + 3)) ** 2 for x in range(1, int(N) + 1)]
    q = []
    for n in counts:
        low = mp.floor(n)
        ends = [iterate(gamma=gamma, M=M, n=low + j) for j in (0, 1)]
        q.append(ends[0] + (n - low) * (ends[1] - ends[0]))
    if fit != "log-log":
        logs = [mp.log(n / counts[0]) for n in counts]

        def slope(rho):
            """The derivative of the sum of squares by rho, up to a positive factor."""
            power = [mp.exp(rho * v) for v in logs]
            moved = [p * v for p, v in zip(power, logs, strict=True)]
            A = q[0] if fit == "anchored" else mp.fdot(power, q) / mp.fdot(power, power)
            return mp.fdot(moved, [A * p - w for p, w in zip(power, q, strict=True)])

        return bisect(slope, mpf(0), mpf(3))
    logs = [(mp.log(n), mp.log(w)) for n, w in zip(counts, q, strict=True)]
    middle = [mp.fsum(column) / N for column in zip(*logs, strict=True)]
    across = mp.fsum((x - middle[0]) * (y - middle[1]) for x, y in logs)
    return across / mp.fsum((x - middle[0]) ** 2 for x, _ in logs)


def map_error(*, alpha, N, M, d, gamma, T):
    """sum_x p E_n pi_M(f^n(0) sqrt(d M/S)), S = sum_x E_n f^n(0)^2, n binomial."""
    p, T = zipf(alpha, N), int(T)
    q = [iterate(gamma=gamma, M=M, n=n) for n in range(T + 1)]
    chance = [[mp.binomial(T, n) * v**n * (1 - v) ** (T - n) for n in range(T + 1)] for v in p]
    S = mp.fsum(c * w**2 for row in chance for c, w in zip(row, q, strict=True))
    missed = [miss(w * mp.sqrt(d * M / S), M) for w in q]
    return mp.fsum(v * mp.fdot(row, missed) for v, row in zip(p, chance, strict=True))


def curvature_step(*, a, p):
    """2/L: the Hessian is at most a quarter of sum_x p_x v_x v_x^T, v_x.v_x = 2, v_1.v_2 = -2a."""
    root = mp.sqrt(p * (1 - p))
    values = mp.eigsy(mp.matrix([[2 * p, -2 * a * root], [-2 * a * root, 2 * (1 - p)]]), eigvals_only=True)
    return 2 / (max(values) / 4)


def first_margin(*, eta, a, p, token):
    g = {"frequent": p / 2, "rare": (1 - p) / 2}
    other = "rare" if token == "frequent" else "frequent"
    return 2 * eta * (g[token] - a * g[other])


def gain(*, h, epsilon, direction):
    """The derivative of h -> h/sqrt(|h|^2 + epsilon), along h and across."""
    with mp.workdps(150):
        move = mpf(10) ** -50
        if direction == "radial":
            ends = [(h + s * move) / mp.sqrt((h + s * move) ** 2 + epsilon) for s in (1, -1)]
            return (ends[0] - ends[1]) / (2 * move)
        return move / mp.sqrt(h**2 + move**2 + epsilon) / move


# Published means at d = 10, 100, 1000, and the standard deviations of the first.
GRID = {
    "sgd": ("0.0638", "0.0307", "0.0183"), "adam": ("0.0984", "0.0458", "0.0284"),
    "adam-norm": ("0.0815", "0.0255", "0.0143"), "all-learned": ("0.0020", "0.0015", "0.0012"),
    "deviation": ("0.0167", "0.0037", "0.0024"),
}  # fmt: skip


def published(d, setting):
    return mpf(GRID[setting][int(mp.log10(d) + mpf(1) / 2) - 1])


STEP = {"d": 5, "eta": F(7, 2), "N": 9, "M": 4}
MIXED = {"inputs": "sphere", "outputs": "gaussian"}
MAP = {"gamma": F(3, 2), "M": 4, "n": 37}


def any_map(rng):
    """Steps from the flow to the plateau."""
    return {"gamma": 10 ** rng.uniform(-6, 2), "M": whole(rng, 2, 10**6), "n": whole(rng, 1, 300)}


SIZES = ({"d": 10}, {"d": 100}, {"d": 1000})

ROUTES = {
    "gradient-noisy-inputs": Route(lambda a, p, mu: -(p * mu - a), {"a": F(2, 7), "p": F(3, 5), "mu": F(5, 4)}),
    "gradient-noisy-inputs:row": Route(
        lambda p, mu_hat, mu: p * mu_hat - p * mu, {"p": F(2, 7), "mu_hat": F(3, 5), "mu": F(5, 4)}
    ),
    "one-step-memory": Route(
        lambda eta, N, M, output: eta / N * ((output == "target") - 1 / M),
        *({"eta": F(7, 2), "N": 9, "M": 4, "output": o} for o in ("target", "other")),
    ),
    "one-step-memory:source": Route(
        lambda eta, N, output: eta / N * ((output == "target") - 1 / N),
        *({"eta": F(7, 2), "N": 9, "output": o} for o in ("target", "other")),
    ),
    "one-step-memory:variance": Route(
        step_variance, {**STEP, "n_y": 2}, {**STEP, "n_y": 3, "output": "other"}, {**STEP, "n_y": 2, **MIXED},
        {**STEP, "n_y": 3, "output": "other", "inputs": "gaussian", "outputs": "sphere"},
    ),
    "one-step-memory:injective": Route(lambda N: 2 * mp.sqrt(2 * N * mp.log(N)), {"N": 100}),
    "one-step-filter": Route(
        lambda eta, N, output: eta / N * ((output == "target") - 1 / N),
        *({"eta": F(7, 2), "N": 9, "output": o} for o in ("target", "other")),
    ),
    "one-step-filter:source": Route(
        lambda eta, N, output: eta / N * (output == "target"),
        *({"eta": F(7, 2), "N": 9, "output": o} for o in ("target", "other")),
    ),
    "one-step-filter:variance": Route(
        filter_variance, {"d": 5, "eta": F(7, 2), "N": 4}, {"d": 5, "eta": F(7, 2), "N": 4, "output": "other"},
        {"d": 5, "eta": F(7, 2), "N": 4, **MIXED}, {"d": 3, "eta": 2, "N": 6, "output": "other", "outputs": "sphere"},
    ),
    "one-step-population": Route(
        lambda eta, p, M, output: eta * p * ((output == "target") - 1 / M),
        *({"eta": F(7, 2), "p": F(2, 7), "M": 4, "output": o} for o in ("target", "other")),
    ),
    "one-step-population:source": Route(
        lambda p, output: p if output == "target" else mpf(0), *({"p": F(2, 7), "output": o} for o in ("target", "other"))
    ),
    "sgd-map": Route(iterate, MAP, {"gamma": 9, "M": 3, "n": 12}, drawn=any_map, draws=100),
    "sgd-map:source": Route(
        lambda q, gamma, M: q + gamma * (M - 1) / (M - 1 + mp.exp(q)), {"q": F(4, 3), "gamma": F(3, 2), "M": 4}
    ),
    "sgd-map:orthonormal": Route(lambda gamma, M, n: iterate(gamma=gamma, M=M, n=n, stretch=M / (M - 1)), MAP, drawn=any_map),
    "sgd-map:ode": Route(
        lambda gamma, M, n: bisect(lambda q: q + (mp.exp(q) - 1) / (M - 1) - gamma * n, mpf(0), gamma * n), MAP,
        drawn=any_map,
    ),
    "sgd-map:asymptotic": Route(map_growth, {"gamma": F(3, 2), "M": 4, "n": 50}),
    "sgd-map:small-step": Route(lambda gamma, M, n: n * gamma * (1 - 1 / M), MAP),
    "sgd-map:large-step": Route(lambda gamma, M, n: gamma * (1 - 1 / M), MAP),
    "sgd-map-as-power": Route(
        fitted_power, *({"gamma": F(1, 8), "N": 12, "M": 5, "fit": fit} for fit in ("log-log", "linear", "anchored")),
        more=tuple(
            {"gamma": gamma, "N": N, "M": M, "fit": fit}
            for gamma, M, N in ((10, 3, 50), (F(1, 1000), 20, 60)) for fit in ("log-log", "linear", "anchored")
        ),
        drawn=lambda rng: {
            "gamma": math.exp(rng.uniform(-7, 2)), "N": rng.randint(3, 60), "M": rng.randint(2, 100), "fit": "linear",
        },
    ),
    # the caption: gamma = 10, 0.1, 0.001 match rho = 0.05, 0.35, 1
    "sgd-map-as-power:source": Route(
        lambda gamma: {10: mpf("0.05"), F(1, 10): mpf("0.35")}.get(F(int(gamma * 1000), 1000), mpf(1)),
        {"gamma": 10}, {"gamma": F(1, 10)}, {"gamma": F(1, 1000)},
    ),
    "sgd-approximation": Route(
        map_error, {"alpha": F(3, 2), "N": 4, "M": 3, "d": 9, "gamma": F(3, 2), "T": 3},
        more=({"alpha": F(3, 2), "N": 3, "M": 2, "d": 7, "gamma": F(5, 4), "T": 4},),
    ),
    "step-size:source": Route(lambda gamma, M, n: iterate(gamma=gamma, M=M, n=1), MAP),
    "step-size": Route(
        lambda gamma, M, n: iterate(gamma=gamma, M=M, n=n) / iterate(gamma=gamma, M=M, n=1), MAP,
        more=tuple({"gamma": g, "M": M, "n": n} for g, M in ((10, 5), (30, 40)) for n in (1, 2, 300)),
    ),
    # a later step moves q by less than M e^-q_1 q_1
    "over-optimisation": Route(
        lambda tau, alpha, d: tau * d**alpha * mp.nsum(lambda x: x**-alpha, [1, mp.inf], method="e"),
        {"tau": F(4, 3), "alpha": 3, "d": 11},
    ),
    "over-optimisation:error": Route(lambda c, alpha, d: c * d / d**alpha, {"c": F(4, 3), "alpha": F(7, 4), "d": 11}),
    # d^2 entries of size lr/d
    "layer-norm:published": Route(lambda d: published(d, "adam-norm") / published(d, "adam"), *SIZES),
    "training-grid": Route(
        published, *({**size, "setting": s} for size in SIZES for s in ("sgd", "adam", "adam-norm", "all-learned"))
    ),
    "training-grid:deviation": Route(lambda d: published(d, "deviation"), *SIZES),
    "margin-growth": Route(
        lambda p, M, t: bisect(lambda m: (M - 1) * m + mp.exp(m) - 1 - p * M * t, mpf(0), p * M * t),
        {"p": F(2, 7), "M": 4, "t": 50},
    ),
    "margin-growth:source": Route(lambda t: mp.quad(lambda s: 1 / s, [1, 2, 8, 20, t]), {"t": 50}),
    "margin-growth:slope": Route(lambda t: mp.quad(lambda s: 1 / s, [t, 2 * t, 4 * t]), {"t": 1000}),
    "margin-growth:asymptotic": Route(
        lambda p, M, t: mp.log(p) + mp.log(M) + mp.log(t), {"p": F(2, 7), "M": 4, "t": 50}
    ),
    "margin-growth:steps": Route(
        # the label's score moves by eta p (1 - softmax), each other by -eta p softmax/(M - 1)
        lambda p, M, eta, n: iterate(gamma=eta * p * (1 + 1 / (M - 1)), M=M, n=n),
        {"p": F(2, 7), "M": 4, "eta": F(7, 2), "n": 37},
    ),
    "oscillation": Route(curvature_step, {"a": F(3, 5), "p": F(3, 4)}),
    "oscillation:first-step": Route(
        first_margin, *({"eta": F(7, 2), "a": F(3, 5), "p": F(3, 4), "token": t} for t in ("frequent", "rare"))
    ),
    "memory-matrix": Route(lambda s, lse: mp.exp(s) / mp.exp(lse), {"s": F(4, 3), "lse": F(5, 2)}),
    "memory-matrix:scheme": Route(lambda q, M: mp.exp(q) / (mp.exp(q) + M - 1), {"q": F(4, 3), "M": 5}),
    "memory-matrix:argmax": Route(lambda M: mpf(1) / M, {"M": 5}),
}  # fmt: skip
