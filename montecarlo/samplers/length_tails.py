"""Bounds on the kurtosis of powers of lengths and inner products of embeddings, and of their averages, from exact moments.

A gaussian embedding has a length whose square is chi^2_d/d, and a normal component of variance 1/d along any direction that
does not depend on it. Averages whose terms depend on each other have at most the fourth moment of an average of independent
ones among them (convexity); of their variance a lower bound is known, because what is homogeneous of degree k in D normal
variables has a variance of at least k^2/(2 D) times its squared mean: so much comes from their common length alone.
"""

import math
from collections.abc import Callable

HYPERCONTRACTIVE = 9.0
"""To the power q: the kurtosis that a polynomial of degree q in normal variables, or on spheres, has at most."""


def length(d: int, n: float) -> float:
    """E |u|^n of a gaussian embedding u in d dimensions."""
    return math.exp(n / 2 * math.log(2 / d) + math.lgamma((d + n) / 2) - math.lgamma(d / 2))


def normal(n: float) -> float:
    """E |z|^n of a standard normal variable."""
    return length(1, n)


def central(moment: Callable[[int], float]) -> tuple[float, float, float]:
    """Mean, variance and fourth central moment from the raw moments 1 to 4."""
    m1, m2, m3, m4 = (moment(j) for j in (1, 2, 3, 4))
    return m1, m2 - m1**2, m4 - 4 * m1 * m3 + 6 * m1**2 * m2 - 3 * m1**4


def averaged(variance: float, fourth: float, count: int) -> float:
    """The fourth central moment of the mean of so many independent values."""
    return (fourth + 3 * (count - 1) * variance**2) / count**3


def of_lengths(*, d: int, order: int, vectors: int) -> float:
    """The kurtosis of the mean of |u|^order over gaussian embeddings."""
    _, variance, fourth = central(lambda j: length(d, j * order))
    return averaged(variance, fourth, vectors) / (variance / vectors) ** 2


def of_products(*, d: int, order: int, vectors: int) -> float:
    """A bound for the mean of |u.u'|^order over all pairs of gaussian embeddings: a U-statistic."""
    _, variance, fourth = central(lambda j: normal(j * order) * length(d, j * order) * d ** (-j * order / 2))
    given_one = normal(order) ** 2 * (length(d, 2 * order) - length(d, order) ** 2) / float(d) ** order
    least = 2 * (2 * (vectors - 2) * given_one + variance) / (vectors * (vectors - 1))
    return averaged(variance, fourth, vectors // 2) / least**2


def of_images(*, d: int, of: str, order: int, probes: int, embeddings: str) -> float:
    """A bound for the mean of |W u|^order, or of |u^T W u|^order, over embeddings u and one gaussian matrix W."""
    power = order if of == "norm" else 2 * order

    def moment(j: int) -> float:
        own = length(d, j * power) if embeddings == "gaussian" else 1.0
        image = length(d, j * order) if of == "norm" else normal(j * order) * d ** (-j * order / 2)
        return own * image

    mean, variance, fourth = central(moment)
    least = variance / probes + (1 - 1 / probes) * (mean * order) ** 2 / (2 * d * d)
    return fourth / least**2


def of_update(*, N: int, d: int, inputs: str, outputs: str, average: bool) -> float:
    """A bound for |sum over i of v_i (u_i.u_j)|^2 at one j, or averaged over all of them.

    Given the inputs it is t chi^2_d/d for gaussian outputs, t the sum of (u_i.u_j)^2; on the sphere it is t and a sum of
    products of different outputs, which has no mean and, being of degree two, a kurtosis of 81 at most.
    """
    gaussian = inputs == "gaussian"

    def squared(j: int) -> float:
        return length(d, 2 * j) if gaussian else 1.0

    component = [math.prod((1 + 2 * i) / (d if gaussian else d + 2 * i) for i in range(j)) for j in range(5)]
    others = _sum_of(component, N - 1)

    def t(k: int) -> float:
        return sum(math.comb(k, i) * squared(2 * k - i) * others[i] for i in range(k + 1))

    mean, variance, fourth = central(t)
    if outputs == "gaussian":
        mean, variance, fourth = central(lambda k: t(k) * length(d, 2 * k))
    else:
        same = squared(4) + (N - 1) * squared(2) * component[2]
        variance += 2 / d * (t(2) - same)
        fourth = (fourth**0.25 + (81 * 4 / d**2 * t(4)) ** 0.25) ** 4
    if average:
        variance = mean**2 * (4 * (outputs == "gaussian") + 16 * gaussian) / (2 * N * d) or variance / N**2
    return fourth / variance**2


def _sum_of(moments: list[float], count: int) -> list[float]:
    """The raw moments 0 to 4 of a sum of independent variables with these."""
    total, base = [1.0, 0.0, 0.0, 0.0, 0.0], moments
    while count:
        if count % 2:
            total = [sum(math.comb(n, i) * total[i] * base[n - i] for i in range(n + 1)) for n in range(5)]
        base = [sum(math.comb(n, i) * base[i] * base[n - i] for i in range(n + 1)) for n in range(5)]
        count //= 2
    return total


def of_gram(*, d: int, embeddings: str) -> float:
    """A bound for q, a sum of the inner products of embeddings times fixed weights, less its mean.

    Gaussian q is a sum over d coordinates of the same quadratic form S: a variance of 2 d tr S^2/d^2, and a fourth cumulant of
    48 d tr S^4/d^4, which is at most 12/d times its square. On the sphere the squared lengths are constant, and the rest is
    E(q' | directions)/(E |u|)^2, q' the gaussian one, with the same variance: its fourth moment is at most that of q' over
    (E |u|)^8 (Jensen).
    """
    gaussian = 3 + 12 / d
    return gaussian if embeddings == "gaussian" else gaussian / length(d, 1) ** 8


def of_two_grams(*, d: int, inputs: str, outputs: str) -> float:
    """A bound for a form that is linear in the inner products of the inputs, and in those of the outputs.

    Less its mean it is a + b + c: a depends on the inputs alone, b on the outputs alone, and c has no mean given either of
    them. a + b has the larger kurtosis of the two at most (they are independent, and neither is below 3). Given the inputs c is
    a form in the outputs, and its variance v a sum of squares of forms in the inputs: E c^4 <= k E v^2 <= k k' (E v)^2
    (Minkowski). Of uncorrelated variables with shares x and 1 - x of the variance, (k_ab^(1/4) x^(1/2) + k_c^(1/4)
    (1 - x)^(1/2))^4 is at most (k_ab^(1/2) + k_c^(1/2))^2 (Cauchy).
    """
    one, other = (of_gram(d=d, embeddings=embeddings) for embeddings in (inputs, outputs))
    return (math.sqrt(max(one, other)) + math.sqrt(one * other)) ** 2
