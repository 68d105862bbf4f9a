"""Low-rank, one-step and two-input score moments against enumeration, exact designs and statements made by hand.

Every mean below is a finite sum that is exact for the law it stands for: signs are enumerated; a gaussian coordinate
is replaced by a Gauss-Hermite rule with k points (exact to degree 2k - 1), a point of the circle by a regular polygon
with k corners (exact to degree k - 1). Sums are in float64 with at most 1e6 terms below 1e5 in size: rounding of
order 1e-9 at the worst, against coefficients of order one.
"""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy

from asymp.theory.moments.low_rank import (
    low_rank_score_mean,
    low_rank_score_variance,
    low_rank_weighted_score_variance,
)
from asymp.theory.moments.one_step import one_step_score_covariance, one_step_score_mean, one_step_score_variance
from asymp.theory.moments.scores import score_variance
from asymp.theory.moments.two_input import two_input_score_mean, two_input_score_variance
from asymp.theory.moments.wick import d

LAWS = ("gaussian", "sphere", "signs")
PAIRS = list(product(LAWS, LAWS))
m, q, S_y, S = sympy.symbols("m q S_y S", positive=True)
TOLERANCE = 1e-8


def number(expression: sympy.Expr, **values: float) -> float:
    return float(expression.subs({s: values[s.name.replace("'", "_prime")] for s in expression.free_symbols}))


def design(law: str, n: int, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights that average polynomials up to that degree over the law exactly, n = 1 or 2."""
    if law == "gaussian":
        node, weight = np.polynomial.hermite_e.hermegauss(degree // 2 + 1)
        points = np.array(list(product(node, repeat=n))) / np.sqrt(n)
        return points, np.array(list(product(weight / weight.sum(), repeat=n))).prod(axis=1)
    if law == "signs" or n == 1:
        points = np.array(list(product((-1, 1), repeat=n))) / np.sqrt(n)
    else:
        angle = 2 * np.pi * np.arange(degree + 1) / (degree + 1)
        points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return points, np.full(len(points), 1 / len(points))


def tuples(law: str, n: int, vectors: int, degree: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """All tuples of independent vectors, shape (tuples, vectors, n), and their weights."""
    points, weight = design(law, n, degree)
    choice = np.array(list(product(range(len(points)), repeat=vectors)))
    return points[choice], weight[choice].prod(axis=1)


def overlap_moments(overlap: np.ndarray, mass: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E B_ij and E B_ij B_kl of random matrices given one by one with their weights."""
    flat = overlap.reshape(len(overlap), -1)
    shape = overlap.shape[1:]
    return (mass @ flat).reshape(shape), ((flat * mass[:, None]).T @ flat).reshape(shape * 2)


def score_moments(a: np.ndarray, e: tuple[np.ndarray, ...], u: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    """E g(z,y) and Cov(g(z,y), g(z',y')) for weights a, from the moments of the overlaps of inputs and of outputs."""
    mean = np.einsum("xw,xz,yw->zy", a, e[0], u[0])
    square = np.einsum("xw,XW,xzXZ,ywYW->zyZY", a, a, e[1], u[1], optimize=True)
    return mean, square - np.einsum("zy,ZY->zyZY", mean, mean)


@cache
def gram(law: str, n: int, vectors: int) -> tuple[np.ndarray, np.ndarray]:
    v, mass = tuples(law, n, vectors)
    return overlap_moments(np.einsum("aik,ajk->aij", v, v), mass)


@cache
def projected_gram(law: str, projection: str, n: int, rank: int, vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """Moments of u_y^T G G^T u_w, over u and the columns of G, of squared length n/rank in the mean."""
    u, u_mass = tuples(law, n, vectors)
    g, g_mass = tuples(projection, n, rank)
    through = np.einsum("aik,bck->abic", u, g) * np.sqrt(n / rank)
    return overlap_moments(
        np.einsum("abic,abjc->abij", through, through).reshape(-1, vectors, vectors), np.outer(u_mass, g_mass).ravel()
    )


# Low rank.


def low_rank_signs() -> Iterator[tuple[list[list[int]], list[list[int]]]]:
    """Every (e Gram, u^T G G^T u), times 4 and 8, for two inputs and two outputs in d = 2 with m = 2, all entries
    signs."""
    for signs in product((-1, 1), repeat=12):
        e, u, g = ([signs[k : k + 2], signs[k + 2 : k + 4]] for k in (0, 4, 8))  # g: two columns
        dot = lambda v, w: v[0] * w[0] + v[1] * w[1]  # noqa: E731
        through = [[dot(v, column) for column in g] for v in u]
        yield [[dot(v, w) for w in e] for v in e], [[dot(v, w) for w in through] for v in through]


@pytest.mark.parametrize("f", [[0, 1], [0, 0]])
def test_low_rank_signs_by_full_enumeration(f: list[int]) -> None:
    weight = [Fraction(3, 2), Fraction(1, 3)]
    first: dict[tuple[int, int], Fraction] = {}
    second: dict[tuple[int, int], Fraction] = {}
    for ee, uu in low_rank_signs():
        for z, y in product(range(2), repeat=2):
            # e has entries +-1/sqrt 2, u too, G has +-1/sqrt 2: the overlaps are ee/2 and uu/(2*2).
            score = sum((weight[x] * ee[x][z] * uu[y][f[x]] for x in range(2)), Fraction(0)) / 8
            first[z, y] = first.get((z, y), Fraction(0)) + score / 4096
            second[z, y] = second.get((z, y), Fraction(0)) + score**2 / 4096
    for z, y in product(range(2), repeat=2):
        squares = sum((weight[x] ** 2 for x in range(2) if f[x] == y), Fraction(0))
        values = {d: 2, m: 2, q: weight[z], S_y: squares, S: weight[0] ** 2 + weight[1] ** 2}
        laws = {"inputs": "signs", "outputs": "signs", "projection": "signs"}
        rational = {s: sympy.Rational(v) for s, v in values.items()}
        variance = low_rank_score_variance(match=y == f[z], **laws).subs(rational)
        assert variance == sympy.Rational(second[z, y] - first[z, y] ** 2)
        assert low_rank_score_mean(match=y == f[z], **laws).subs(rational) == sympy.Rational(first[z, y])


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
@pytest.mark.parametrize(("n", "rank"), [(1, 2), (2, 1), (2, 2)])
def test_low_rank_by_designs(inputs: str, outputs: str, n: int, rank: int) -> None:
    weight, f = np.array([1.5, 0.4, 0.8]), np.array([0, 1, 0])
    a = weight[:, None] * (f[:, None] == np.arange(3))
    general = np.random.default_rng(0).normal(size=(3, 3))
    for projection in ("gaussian", "signs"):
        e, u = gram(inputs, n, 3), projected_gram(outputs, projection, n, rank, 3)
        laws = {"inputs": inputs, "outputs": outputs, "projection": projection}
        mean, covariance = score_moments(a, e, u)
        _, weighted = score_moments(general, e, u)
        for z, y in product(range(3), repeat=2):
            sums = {"q": weight[z], "S_y": (a[:, y] ** 2).sum(), "S": (a**2).sum()}
            derived = low_rank_score_variance(match=bool(f[z] == y), **laws)
            assert abs(number(derived, d=n, m=rank, **sums) - covariance[z, y, z, y]) < TOLERANCE
            assert abs(mean[z, y] - a[z, y]) < TOLERANCE
            sums = {"a_zy": general[z, y], "R_z": (general[z] ** 2).sum(), "C_y": (general[:, y] ** 2).sum()}
            derived = low_rank_weighted_score_variance(**laws)
            value = number(derived, d=n, m=rank, A=(general**2).sum(), **sums)
            assert abs(value - weighted[z, y, z, y]) < TOLERANCE


def test_low_rank_limits() -> None:
    """m -> inf is the full memory. One-to-one, unit weights: 1/m + 2/d + (N/d)(1/m + 1/d) as d, m, N grow together."""
    for inputs, outputs in PAIRS:
        for match in (True, False):
            laws = {"inputs": inputs, "outputs": outputs}
            low = sympy.limit(low_rank_score_variance(match=match, **laws), m, sympy.oo)
            assert sympy.simplify(low - score_variance(match=match, **laws)) == 0
        t, N = sympy.symbols("t N", positive=True)
        leading = 1 / m + 2 / d + N / d * (1 / m + 1 / d)
        exact = low_rank_score_variance(match=False, **laws).subs({q: 1, S_y: 1, S: N})
        grown = sympy.together((exact / leading).subs({d: t * d, m: t * m, N: t * N}, simultaneous=True))
        assert sympy.simplify(sympy.limit(grown, t, sympy.oo)) == 1
        assert sympy.simplify(exact - leading) != 0


# One gradient step.


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
def test_one_step_by_designs(inputs: str, outputs: str) -> None:
    """The weights are -eta times the gradient of the mean cross-entropy in the scores at W = 0, by finite
    differences."""
    eta, p, f, M, n = 0.7, np.array([0.5, 0.3, 0.2]), np.array([0, 1, 0]), 3, 2

    def loss(scores: np.ndarray) -> float:
        return float(p @ (np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(3), f]))

    h, a = 1e-4, np.zeros((3, M))
    for x, w in product(range(3), range(M)):
        step = np.zeros((3, M))
        step[x, w] = h
        a[x, w] = -eta * (loss(step) - loss(-step)) / (2 * h)  # central: error h^2/6 times a third derivative below 1/2
    mean, covariance = score_moments(a, gram(inputs, n, 3), gram(outputs, n, M))
    laws = {"inputs": inputs, "outputs": outputs}
    class_sum = [(p[f == c] ** 2).sum() for c in range(M)]
    for z, y, y2 in product(range(3), range(M), range(M)):
        values = {
            "d": n,
            "eta": eta,
            "M": M,
            "p": p[z],
            "S_y": class_sum[y],
            "S_y_prime": class_sum[y2],
            "S": (p**2).sum(),
        }
        match = bool(y == f[z])
        assert abs(number(one_step_score_mean(match=match, **laws), **values) - mean[z, y]) < TOLERANCE
        if y == y2:
            derived = one_step_score_variance(match=match, **laws)
        elif y2 != f[z]:
            derived = one_step_score_covariance(match=match, **laws)
        else:
            continue
        assert abs(number(derived, **values) - covariance[z, y, z, y2]) < TOLERANCE


def test_one_step_uniform_inputs() -> None:
    """Uniform z, M = N: mean score (eta/N)(1{f=k} - 1/N)."""
    eta, p, M, N = sympy.symbols("eta p M N", positive=True)
    for match in (True, False):
        mean = one_step_score_mean(match=match).subs({p: 1 / N, M: N})
        assert sympy.simplify(mean - eta / N * (int(match) - 1 / N)) == 0


# Two inputs.


def hermite(p: int, t: np.ndarray, square: np.ndarray) -> np.ndarray:
    """The Wick power :t^p: of a gaussian t of variance `square`."""
    return {1: t, 2: t**2 - square, 3: t**3 - 3 * square * t}[p]


@cache
def side(law: str, n: int, size: int, p: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """E over e and w of T(x), of T(x) T(x') with one neuron and with two; T(x) = [w; e_0][w; e_x]/p!, x < size."""
    e, e_mass = tuples(law, n, size, 4 * p)
    w, w_mass = tuples("gaussian", n, 1, 4 * p)
    w = w[:, 0] * np.sqrt(n)  # N(0, I)
    square = (e**2).sum(axis=2)[:, None, :]
    feature = hermite(p, np.einsum("axk,bk->abx", e, w), square)
    T = feature[:, :, :1] * feature / {1: 1, 2: 2, 3: 6}[p]
    given_e = np.einsum("abx,b->ax", T, w_mass)
    one = np.einsum("abx,aby,a,b->xy", T, T, e_mass, w_mass, optimize=True)
    return e_mass @ given_e, one, np.einsum("ax,ay,a->xy", given_e, given_e, e_mass)


def two_input_oracle(inputs: str, outputs: str, p: int, size: dict[str, int], match: bool) -> tuple[float, float]:
    """E g and Var g for the fact (0, 0), with all outputs of the other facts written out."""
    n, subjects, relations, M = size["d"], size["S"], size["R"], size["M"]
    s_sides, r_sides = side(inputs, n, subjects, p), side(inputs, n, relations, p)
    u1, u2 = gram(outputs, n, M)
    y = 0 if match else 1
    facts = list(product(range(subjects), range(relations)))
    first, same, different = 0.0, 0.0, 0.0
    assignments = list(product(range(M), repeat=len(facts) - 1))
    for others in assignments:
        output = np.array([0, *others]).reshape(subjects, relations)
        first += np.einsum("s,r,sr->", s_sides[0], r_sides[0], u1[y, output]) / len(assignments)
        u_square = u2[y, output][:, :, y][:, :, output]
        same += np.einsum("sS,rR,srSR->", s_sides[1], r_sides[1], u_square) / len(assignments)
        different += np.einsum("sS,rR,srSR->", s_sides[2], r_sides[2], u_square) / len(assignments)
    return first, same / size["m"] + different * (1 - 1 / size["m"]) - first**2


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(("inputs", "outputs"), [("sphere", "gaussian"), ("sphere", "sphere"), ("signs", "sphere")])
def test_two_inputs_by_designs(p: int, inputs: str, outputs: str) -> None:
    for size in (
        {"d": 1, "m": 1, "M": 2, "S": 1, "R": 1},
        {"d": 2, "m": 1, "M": 2, "S": 1, "R": 2},
        {"d": 2, "m": 3, "M": 2, "S": 3, "R": 2},
        {"d": 2, "m": 2, "M": 3, "S": 2, "R": 3},
    ):
        for match in (True, False):
            mean, variance = two_input_oracle(inputs, outputs, p, size, match)
            laws = {"inputs": inputs, "outputs": outputs}
            # float64 sums with features up to 1e4 and 1e3 times 1e3 values of T^2: relative rounding stays below 1e-10.
            assert number(two_input_score_mean(match=match, p=p, **laws), **size) == pytest.approx(
                mean, rel=1e-9, abs=1e-9
            )
            derived = number(two_input_score_variance(match=match, p=p, **laws), **size)
            assert derived == pytest.approx(variance, rel=1e-9, abs=1e-9)


def test_two_inputs_with_gaussian_embeddings() -> None:
    size = {"d": 1, "m": 2, "M": 2, "S": 2, "R": 2}
    for p in (1, 2):
        mean, variance = two_input_oracle("gaussian", "sphere", p, size, True)
        laws = {"inputs": "gaussian", "outputs": "sphere"}
        assert number(two_input_score_mean(match=True, p=p, **laws), **size) == pytest.approx(mean, rel=1e-9)
        assert number(two_input_score_variance(match=True, p=p, **laws), **size) == pytest.approx(variance, rel=1e-9)


def test_two_inputs_collapse_on_facts_per_parameter() -> None:
    """p = 2, outputs without repetition: as S = R = m = d grow together the noise tends to S R/(m d) = 1, nothing
    else."""
    M, R = sympy.symbols("M R", positive=True)
    variance = sympy.together(two_input_score_variance(match=False, p=2).subs({S: d, R: d, m: d}))
    assert sympy.limit(sympy.limit(variance, M, sympy.oo), d, sympy.oo) == 1


def test_one_feature_on_the_line() -> None:
    """d = 1, unit vectors, p = 2: every feature is He_2(w) He_2(w~), with E He_2^4 = 60, so one neuron has kernel (1,
    225) = E(K, K^2).

    One fact, m neurons: g = K u_y u_a, a match: mean 1, variance (225 - 1)/m.
    """
    M, R = sympy.symbols("M R", positive=True)
    one = {d: 1, S: 1, R: 1}
    variance = two_input_score_variance(match=True, p=2, outputs="sphere").subs(one)
    assert sympy.simplify(variance - 224 / m) == 0
    assert sympy.simplify(two_input_score_mean(match=True, p=2, outputs="sphere").subs(one)) == 1
    assert M not in variance.simplify().free_symbols


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="p must be 1, 2 or 3"):
        two_input_score_variance(match=True, p=4)
    with pytest.raises(ValueError, match="gaussian, sphere, signs"):
        low_rank_score_variance(match=True, projection="haar")
    with pytest.raises(ValueError, match="match must be"):
        one_step_score_mean(match="no")  # type: ignore[arg-type]
