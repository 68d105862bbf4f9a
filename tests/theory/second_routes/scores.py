"""Second routes of section 1: the ledger's lines typed in (the laws are derived by contraction), and quadrature."""

from fractions import Fraction as F
from operator import mul

import mpmath as mp
from mpmath import mpf

from second_routes.tools import Route, chi_mean, m4, sphere_mean


def odd_factorial(n):
    """1 * 3 * 5 ... up to n."""
    return mp.fprod(range(1, int(n) + 1, 2))


# -- scores --------------------------------------------------------------------------------------------------------------


def score_variance(*, d, q, S_y, S, output="target", inputs="gaussian", outputs="gaussian"):
    e4, u4 = m4(inputs, d), m4(outputs, d)
    if output == "target":
        return q**2 * (u4 * e4 - 1) + (u4 * (S_y - q**2) + (S - S_y) / d) / d
    return q**2 * e4 / d + (u4 * S_y + (S - S_y - q**2) / d) / d


def overlap_mean(first, second, d, outputs):
    """E (u_i.u_j)(u_k.u_l), by cases."""
    (i, j), (k, m) = first, second
    if i == j == k == m:
        return m4(outputs, d)
    if i == j and k == m:
        return mpf(1)
    return 1 / d if {i, j} == {k, m} and i != j else mpf(0)


def score_covariance(*, d, q, q_prime, pattern="abab", outputs="gaussian"):
    y, other, f, f_other = pattern
    direct = overlap_mean((y, f), (other, f_other), d, outputs)
    crossed = overlap_mean((y, f_other), (other, f), d, outputs)
    return q * q_prime * (direct - (y == f and other == f_other) + crossed / d)


def gram(values, y, x):
    y, x = sorted((y, x))
    return values.get(f"u_{y}{x}", mpf(y == x))


def three_scores(values):
    """u_y . W e_1 with W = u_1 e_1^T + u_2 e_2^T + u_3 e_3^T, for y = 1, 2, 3."""
    e = {x: values.get(f"e_1{x}", mpf(x == 1)) for x in (1, 2, 3)}
    return {y: mp.fsum(gram(values, y, x) * e[x] for x in (1, 2, 3)) for y in (1, 2, 3)}


def interference(*, output="2", **values):
    return three_scores(values)[int(output)]


def caption_scores(values):
    """The caption's two sums: |e_1| = 1 and u_1.u_2 = 0 are put in, and |u| = 1."""
    return {1: 1 + values["u_13"] * values["e_13"], 2: values["e_12"] + values["u_23"] * values["e_13"]}


def largest(scores):
    return min(y for y in scores if scores[y] == max(scores.values()))


GRAM = {
    "e_11": F(9, 8), "e_12": F(3, 5), "e_13": F(7, 10),
    "u_11": F(4, 3), "u_12": F(-1, 7), "u_13": F(-2, 5), "u_22": F(6, 5), "u_23": F(4, 7), "u_33": F(11, 9),
}  # fmt: skip
THIRD = {**GRAM, "e_13": F(12, 13), "u_13": F(3, 5), "u_23": F(5, 7), "u_33": F(3, 2)}
FIRST = {**GRAM, "e_12": F(1, 9), "e_13": F(1, 11), "u_13": F(2, 5)}
# The figure's own vectors, and vectors for which the caption's answer is not the right one: (e_1, e_2, e_3), (u_1, u_2, u_3).
FIGURE = ([(1, 0), (F(3, 5), F(4, 5)), (F(3, 5), F(-4, 5))], [(1, 0), (0, 1), (F(-3, 5), F(4, 5))])
WRONG = ([(1, 0), (F(12, 13), F(5, 13)), (F(12, 13), F(-5, 13))], [(1, 0), (0, 1), (F(3, 5), F(4, 5))])


def products(e, u):
    """The inner products of explicit vectors."""
    found = {f"e_1{x}": sum(map(mul, e[0], e[x - 1])) for x in (1, 2, 3)}
    return found | {f"u_{y}{x}": sum(map(mul, u[y - 1], u[x - 1])) for y in (1, 2, 3) for x in range(y, 4)}


RECALLED = (GRAM, THIRD, FIRST, products(*FIGURE), products(*WRONG))


def weighted(*, d, a_zy, R_z, C_y, A, moment="second", inputs="gaussian", outputs="gaussian"):
    """E g and E g^2, association by association: its own, those of its row, of its column, and the others."""
    if moment == "first":
        return a_zy
    own, e4, u4 = a_zy**2, m4(inputs, d), m4(outputs, d)
    return own * e4 * u4 + (R_z - own) * e4 / d + (C_y - own) * u4 / d + (A - R_z - C_y + own) / d**2


SUMS = {"d": 7, "a_zy": F(-6, 5), "R_z": F(9, 4), "C_y": F(17, 3), "A": 31}
MIXED = {"inputs": "sphere", "outputs": "gaussian"}
VARIANCE = {"d": 5, "q": F(2, 3), "S_y": F(7, 3), "S": F(41, 5)}

# -- lengths and inner products ------------------------------------------------------------------------------------------


def product_moment(*, d, of="product", order="2", embeddings="gaussian"):
    """E |u|^2k or E (u.u')^2k with 2k = order: given u, u.u' is |u| times one coordinate of u'."""
    k = int(order) // 2
    length = mp.fprod(1 + mpf(2 * j) / d for j in range(k)) if embeddings == "gaussian" else mpf(1)
    if of == "norm":
        return length
    coordinate = odd_factorial(2 * k - 1) / d**k
    if embeddings == "sphere":
        coordinate /= mp.fprod(1 + mpf(2 * j) / d for j in range(k))
    return length * coordinate


def length_law(*, d, t, embeddings="gaussian"):
    if embeddings == "sphere":
        return mpf(t >= 1)
    end = mp.sqrt(d * t)
    density = mp.quad(lambda r: r ** (d - 1) * mp.exp(-(r**2) / 2), [0, end / 2, end])
    return density * mpf(2) ** (1 - d / 2) / mp.gamma(d / 2)


def overlap_law(*, d, t, embeddings="gaussian"):
    if embeddings == "sphere":
        return 1 - 2 * sphere_mean(lambda c: 1, d, low=t)
    return 1 - chi_mean(lambda r: mp.erfc(t * d / (r * mp.sqrt(2))) if r else mpf(0), d)


def image_law(*, d, r, t, of="overlap"):
    if of == "norm":
        return length_law(d=d, t=t / r**2)
    width = r**2 / mp.sqrt(d)
    return mpf(1) / 2 + mp.quad(lambda s: mp.npdf(s, 0, width), [0, t / 2, t])


def remapping(*, d, of="overlap", order="2", embeddings="gaussian"):
    """|Wu|^2 = |u|^2 chi2_d/d and, given u, u^T W u ~ N(0, |u|^4/d)."""
    power = int(order)
    length = mp.fprod(1 + mpf(2 * j) / d for j in range(power if of == "overlap" else power // 2))
    own = length if embeddings == "gaussian" else mpf(1)
    if of == "overlap":
        return odd_factorial(power - 1) * own / d ** (power // 2)
    return own * length


def line(says, *points):
    """A line of a source in plain numbers."""
    return Route(says, *points)


ROUTES = {
    "score-mean": Route(
        lambda q, output="target", **_: q if output == "target" else mpf(0),
        {"q": F(3, 7)}, {"q": F(3, 7), "output": "other", **MIXED},
    ),
    "score-mean:source": Route(lambda output: mpf(output == "target"), {"output": "target"}, {"output": "other"}),
    "score-variance": Route(
        score_variance, VARIANCE, {**VARIANCE, "output": "other"}, {**VARIANCE, **MIXED},
        {**VARIANCE, "output": "other", "inputs": "gaussian", "outputs": "sphere"},
    ),
    "score-variance:source": line(lambda d, n_y, n_other: n_y / d + n_other / d**2, {"n_y": 3, "n_other": 7, "d": 5}),
    # one more output than inputs: the own embedding of an output without inputs still has variance 1/d
    "score-variance:corrected": line(
        lambda d, n_y, n_other: (n_y * d + d + n_other) / d**2,
        {"n_y": 3, "n_other": 7, "d": 5}, {"n_y": 0, "n_other": 2, "d": 64},
    ),
    "score-covariance": Route(
        score_covariance,
        *(
            {"d": d, "q": F(2, 3), "q_prime": F(-5, 7), "pattern": pattern, "outputs": outputs}
            for d, outputs in ((5, "gaussian"), (3, "sphere"))
            for pattern in ("abab", "aaaa", "aabb", "abba", "aaab", "abac", "abcd")
        ),
    ),
    "score-covariance:same-input": Route(lambda **_: mpf(0), {"d": 5}, {"d": 3, "pattern": "abcc", **MIXED}),
    "interference": Route(interference, *({**GRAM, "output": y} for y in "123")),
    "interference:source": Route(
        lambda output, **v: caption_scores(v)[int(output)], *({**GRAM, "output": y} for y in "12")
    ),
    "interference:recalled": Route(lambda **v: mpf(largest(three_scores(v))), *RECALLED),
    "interference:source-recalled": Route(lambda **v: mpf(largest(caption_scores(v))), *RECALLED),
    "near-orthogonality": Route(
        product_moment,
        *(
            {"d": 7, "of": of, "order": order, "embeddings": law}
            for of in ("product", "norm") for order in "246" for law in ("gaussian", "sphere")
        ),
    ),
    "near-orthogonality:source": line(lambda d: 1 / mp.sqrt(d), {"d": 7}),
    "near-orthogonality:source-length": line(lambda d: mpf(1), {"d": 7}),
    "near-orthogonality:norm": Route(
        length_law, {"d": 7, "t": F(3, 4)}, {"d": 4, "t": F(6, 5)}, {"d": 4, "t": F(6, 5), "embeddings": "sphere"},
        {"d": 4, "t": F(4, 5), "embeddings": "sphere"},
    ),
    "near-orthogonality:product": Route(
        overlap_law, {"d": 8, "t": F(2, 5)}, {"d": 5, "t": F(1, 8)}, {"d": 6, "t": F(2, 7), "embeddings": "sphere"},
        more=tuple({"d": d, "t": F(x) / d} for d in (2, 40, 300) for x in ("1/100", "1", "20")),
    ),
    "near-orthogonality:directions": Route(
        # P (P - 1)/2 pairs, each at most 2 exp(-d epsilon^2/2)
        lambda d, P, epsilon: 1 - mp.binomial(P, 2) * 2 * mp.exp(-d * epsilon**2 / 2),
        {"d": 50, "P": 40, "epsilon": F(3, 5)},
    ),
    "weighted-associations": Route(
        weighted, {**SUMS, "moment": "first"}, {**SUMS, "moment": "second"}, {**SUMS, "moment": "second", **MIXED}
    ),
    "weighted-associations:source": Route(
        lambda a_zy, moment, **_: a_zy if moment == "first" else a_zy * a_zy,
        {**SUMS, "moment": "first"}, {**SUMS, "moment": "second"},
    ),
    "weighted-associations:variance": Route(lambda **v: weighted(**v) - v["a_zy"] ** 2, SUMS, {**SUMS, **MIXED}),
    "remapping": Route(
        remapping,
        *(
            {"d": 7, "of": of, "order": order, "embeddings": law}
            for of in ("overlap", "norm") for order in "24" for law in ("gaussian", "sphere")
        ),
    ),
    "remapping:source": line(lambda d: 1 / mp.sqrt(d), {"d": 7}),
    "remapping:source-norm": line(lambda d: mpf(1), {"d": 7}),
    "remapping:given-u": Route(
        image_law, {"d": 7, "r": F(3, 2), "t": F(4, 5)}, {"d": 4, "r": F(2, 3), "t": F(5, 7), "of": "norm"}
    ),
    "maximal-update": Route(
        # |dW u_j|^2: the own pair has |u_j|^4 |v_j|^2, every other (u_i.u_j)^2 |v_i|^2, and no two of them correlate
        lambda d, a_j, A, inputs="gaussian", outputs="gaussian": a_j**2 * m4(inputs, d) + (A - a_j**2) / d,
        {"d": 7, "a_j": F(7, 5), "A": 11}, {"d": 7, "a_j": F(7, 5), "A": 11, **MIXED},
    ),
    "maximal-update:source": line(lambda N, d: 1 / d, {"N": 3, "d": 7}),
    "maximal-update:corrected": line(lambda N, d: (d + N) / d**2, {"N": 3, "d": 7}),
    "maximal-update:ntk": line(lambda N, d: 1 / d, {"N": 3, "d": 7}),
}  # fmt: skip
