"""Second routes of section 2, variances of scores of random layers, term by term; embeddings on the unit sphere.

The laws contract whole tensors by machine. Here: means over the random weights by hand, then sums over the stored items.
"""

from itertools import product

import mpmath as mp
from mpmath import mpf

from second_routes.tools import m4


def overlap(d, power):
    """E (e.e')^power on the sphere."""
    if power % 2:
        return mpf(0)
    return mp.fprod(mpf(2 * j + 1) / (d + 2 * j) for j in range(power // 2))


# -- rank m --------------------------------------------------------------------------------------------------------------


def projection_noise(d, m):
    """E (e.e')^2 E (u.GG^T u')^2: E (GG^T)^2 = (m + d + 1)/m."""
    return (m + d + 1) / (m * d) / d


def projection_variance(*, d, m, N, output="other", inputs="sphere", outputs="sphere"):
    """sum over x of E (e_x.e_z)^2 E (u_y.GG^T u_x)^2, less the squared mean."""
    own = m4(outputs, d) * (1 + 2 / m)  # |G^T u|^2 is |u|^2 chi-square_m/m
    other = (m + d + 1) / (m * d)
    if output == "target":
        return m4(inputs, d) * own - 1 + (N - 1) * other / d
    return m4(inputs, d) * other + own / d + (N - 2) * other / d


# -- m neurons -----------------------------------------------------------------------------------------------------------

# E h(a)^2 h(b)^2 for h = He_p/sqrt(p!) and normals of correlation r: coefficients of r^0, r^2, r^4, from the squares
# h_1^2 = 1 + He_2 and h_2^2 = 1 + 2 He_2 + He_4/2, E He_2^2 = 2, E He_4^2 = 24.
SQUARES = {0: (1,), 1: (1, 2), 2: (1, 8, 6)}


def neuron_variance(*, d, m, N, k="2", output="other"):
    """One neuron twice, or two neurons: (1/m) same + (1 - 1/m) different; only x = x' is left of two stored items."""
    p = int(k) - 1
    fourth = mpf(sum(SQUARES[p]))  # E h^4
    kernel = mp.fsum(c * overlap(d, 2 * j + 2) for j, c in enumerate(SQUARES[p]))
    pull = overlap(d, 2 * p + 2)
    # by item: (E (u_y.v)^2 (v.u_x)^2, E of it for two v), and the same for the features
    values = {"y": (mpf(3), mpf(1)), "": (1 + 2 / d, 1 / d)}
    features = {"z": (fourth, mpf(1)), "": (kernel, pull)}
    items = [("y", "z", 1), ("", "", N - 1)] if output == "target" else [("y", "", 1), ("", "z", 1), ("", "", N - 2)]
    same = mp.fsum(n * values[y][0] * features[z][0] for y, z, n in items)
    different = mp.fsum(n * values[y][1] * features[z][1] for y, z, n in items)
    mean = mpf(1) if output == "target" else overlap(d, p + 1)
    return same / m + (1 - 1 / m) * different - mean**2


def neuron_noise(d, m, k):
    """What one more item adds."""
    more = {"d": d, "m": m, "k": k, "output": "target"}
    return neuron_variance(**more, N=2) - neuron_variance(**more, N=1)


# -- two inputs ----------------------------------------------------------------------------------------------------------


def side_means(d, p, one, two):
    """E h(e_s)^2 h(e_1) h(e_2) for one neuron, and E (e_s.e_1)^p (e_s.e_2)^p; an index 0 is s itself."""
    fourth, alone = mpf(sum(SQUARES[p])), overlap(d, p)
    if one == two == 0:
        return fourth, mpf(1)
    if one == two:
        return mp.fsum(c * overlap(d, 2 * j) for j, c in enumerate(SQUARES[p])), overlap(d, 2 * p)
    if one == 0 or two == 0:
        return fourth * alone, alone  # h^3 has the coefficient E h^4 on h
    # Given w, E h_2(w.e_1) over the sphere is (|w|^2/d - 1)/sqrt 2; its square against h_2(w.e_s)^2 is 1/d + 14/d^2.
    return (mpf(0) if p == 1 else 1 / d + 14 / d**2), alone**2


def pair_mean(*, d, S, R, M, p, output):
    """E g: the stored fact itself and, where a power of e.e' has a mean, the others whose answer is y by chance."""
    alone, p = overlap(d, int(p)), int(p)
    total = mpf(output == "target")
    for s, r in product(range(int(S)), range(int(R))):
        if (s, r) != (0, 0):
            total += (alone if s else 1) * (alone if r else 1) / M
    return total


def pair_variance(*, d, m, S, R, M, p="2", output="other"):
    """Every pair of stored facts in turn; fact (0, 0) is asked for, the answers of the others are uniform."""
    p, total = int(p), mpf(0)
    facts = list(product(range(int(S)), range(int(R))))
    chance = (1 + (M - 1) / d) / M  # E (u_y.u_a)^2 for a uniform a
    for one, two in product(facts, facts):
        own = (one == (0, 0)) + (two == (0, 0))
        answers = {2: mpf(1), 1: 1 / M} if output == "target" else {2: 1 / d, 1: 1 / (M * d)}
        answers[0] = chance if one == two else chance / M
        subject, relation = (side_means(d, p, a, b) for a, b in zip(one, two, strict=True))
        total += answers[own] * (subject[0] * relation[0] / m + (1 - 1 / m) * subject[1] * relation[1])
    return total - pair_mean(d=d, S=S, R=R, M=M, p=p, output=output) ** 2


def pair_noise(d, m, M, p):
    """The coefficient of S R, read off at S, R = 1, 2, 3: the variance is a polynomial of degree 2 in each."""
    values = [[pair_variance(d=d, m=m, S=S, R=R, M=M, p=p) for R in (1, 2, 3)] for S in (1, 2, 3)]
    # f = a + b n + c n^2 through n = 1, 2, 3: b = -5/2 f1 + 4 f2 - 3/2 f3
    b = (mpf(-5) / 2, mpf(4), mpf(-3) / 2)
    return mp.fsum(b[i] * b[j] * values[i][j] for i in range(3) for j in range(3))


ROUTES = {}
