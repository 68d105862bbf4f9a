"""Moments by contraction against coordinates written out, and score moments against averages over exact designs.

A design is a finite set of points whose mean is that of the law for every polynomial up to a degree: a Gauss-Hermite rule
with k points in each gaussian coordinate (degree 2k - 1), a regular polygon with k corners on the circle (degree k - 1),
the icosahedron in three dimensions (degree 5). Sums are in float64 with at most 1e6 terms below 1e5 in size: rounding of
order 1e-9 at the worst, against coefficients of order one.
"""

import random
from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pytest
import sympy

from asymp.theory.functions.moments.scores import (
    function_memory,
    low_rank_score_variance,
    matrix_memory,
    one_step_score_mean,
    one_step_score_variance,
    score_covariance,
    score_mean,
    score_variance,
    update_norm_mean,
    weighted_score_variance,
)
from asymp.theory.functions.moments.two_input import two_input_score_mean, two_input_score_variance
from asymp.theory.functions.moments.wick import (
    coincidences,
    contractions,
    d,
    expectation,
    inner,
    inner_product_moment,
    norm_moment,
    wick_power,
)

LAWS = ("gaussian", "sphere")
PAIRS = list(product(LAWS, LAWS))
TOLERANCE = 1e-8

# -- the contractions ----------------------------------------------------------------------------------------------------


@cache
def coordinate_moment(law, powers):
    """E prod_i v_i^powers_i in dimension len(powers), by integrals: nothing of the engine."""
    x, t = sympy.symbols("x t")
    if any(k % 2 for k in powers):
        return sympy.Integer(0)
    if law == "gaussian":
        density = sympy.exp(-(x**2) / 2) / sympy.sqrt(2 * sympy.pi)
        each = [sympy.integrate(x**k * density, (x, -sympy.oo, sympy.oo)) for k in powers]
        return sympy.prod(each) / sympy.Integer(len(powers)) ** (sum(powers) // 2)
    if len(powers) == 1:
        return sympy.Integer(1)
    circle = sympy.integrate(sympy.cos(t) ** powers[0] * sympy.sin(t) ** powers[1], (t, 0, 2 * sympy.pi)) / 2 / sympy.pi
    if len(powers) == 2:
        return circle
    # d = 3: the third coordinate is uniform on [-1, 1] (Archimedes), the others lie on a circle of squared radius 1 - x^2.
    return circle * sympy.integrate(x ** powers[2] * (1 - x**2) ** ((powers[0] + powers[1]) // 2), (x, -1, 1)) / 2


def by_coordinates(edges, laws, n):
    """E prod (v.w) with every sum over coordinates written out."""
    total = sympy.Integer(0)
    for places in product(range(n), repeat=len(edges)):
        powers = Counter((name, i) for edge, i in zip(edges, places, strict=True) for name in edge)
        total += sympy.prod(
            [coordinate_moment(law, tuple(powers[name, i] for i in range(n))) for name, law in laws.items()]
        )
    return total


def networks():
    """Hand-made ones, and random ones in which every vector appears an even number of times, at most 6."""
    made = [
        (("u", "u"),) * 3,
        (("u", "v"),) * 4,
        (("u", "v"), ("v", "w"), ("u", "w")) * 2,
        (("u", "u"), ("u", "v"), ("u", "v"), ("v", "v")),
        (("u", "v"), ("v", "w"), ("w", "x"), ("u", "x")),
    ]
    generator = random.Random(1)
    for _ in range(6):
        legs = [name for name in "uvw" for _ in range(2 * generator.randint(1, 2))]
        generator.shuffle(legs)
        made.append(tuple(zip(legs[::2], legs[1::2], strict=True)))
    return made


@pytest.mark.parametrize("edges", networks())
def test_products_equal_sums_over_coordinates(edges):
    names = sorted({name for edge in edges for name in edge})
    mixed = dict(zip(names, LAWS * 2, strict=False))
    for laws in (*(dict.fromkeys(names, law) for law in LAWS), mixed):
        derived = expectation(sympy.prod([inner(v, w) for v, w in edges]), laws=laws)
        for n in (1, 2, 3):
            assert derived.subs(d, n) == by_coordinates(edges, laws, n), (edges, laws, n)
    # 2k legs have (2k-1)!! pairings, whatever the network
    legs = Counter(name for edge in edges for name in edge)
    counted = sum(contractions(tuple(sorted(tuple(sorted(edge)) for edge in edges))).values())
    assert counted == sympy.prod([sympy.factorial2(k - 1) for k in legs.values()])


def test_known_moments():
    """|u|^2 is chi-square(d)/d for gaussian vectors; u.u' on the sphere has density (1-t^2)^((d-3)/2)."""
    assert sympy.simplify(norm_moment(law="gaussian", k=4) - d * (d + 2) * (d + 4) * (d + 6) / d**4) == 0
    assert [norm_moment(law="sphere", k=k) for k in range(5)] == [1] * 5
    assert sympy.simplify(inner_product_moment(law="gaussian", k=2) - 3 * (d + 2) / d**3) == 0
    assert sympy.simplify(inner_product_moment(law="sphere", k=2) - 3 / (d * (d + 2))) == 0


@pytest.mark.parametrize("p", [1, 2, 3])
def test_wick_powers_are_orthogonal(p):
    """E :(w.v)^p: :(w.x)^k: = 1{k = p} p! (v.x)^p/d^p given v, x, for k <= p: here after another factor (v.x)^p."""
    laws = {"w": "gaussian", "v": "sphere", "x": "gaussian"}
    for k in range(p + 1):
        powers = wick_power("w", "v", p) * wick_power("w", "x", k) * inner("v", "x") ** k
        mean = expectation(sympy.expand(powers), laws=laws)
        wanted = sympy.factorial(p) / d**p * expectation(inner("v", "x") ** (2 * p), laws=laws) if k == p else 0
        assert sympy.simplify(mean - wanted) == 0


def test_constants_pass_through_and_odd_moments_vanish():
    c = sympy.Symbol("c")
    assert expectation(c, laws={}) == c
    assert (
        sympy.expand(expectation(c * inner("u", "v") ** 2 + 1, laws={"u": "sphere", "v": "gaussian"}) - c / d - 1) == 0
    )
    assert expectation(inner("u", "v") * inner("v", "v"), laws={"u": "sphere", "v": "gaussian"}) == 0
    with pytest.raises(ValueError, match="got none for v"):
        expectation(inner("u", "v"), laws={"u": "sphere"})


def test_coincidences_cover_every_assignment_once():
    """Fresh names stand for distinct unnamed values, so the patterns, each with its number of assignments, make up n^k."""
    patterns = list(coincidences(variables=2, named=["z"], fresh="x"))
    assert patterns == [("z", "z"), ("z", "x0"), ("x0", "z"), ("x0", "x0"), ("x0", "x1")]
    for named, k in product(([], ["a"], ["a", "b"]), range(5)):
        patterns = list(coincidences(variables=k, named=named, fresh="x"))
        assert len(set(patterns)) == len(patterns)
        for n in (2, 3, 7):
            assert sum(sympy.ff(n - len(named), len(set(p) - set(named))) for p in patterns) == n**k


# -- scores by exact designs ---------------------------------------------------------------------------------------------


def number(expression, values):
    return float(expression.subs({s: values[s.name] for s in expression.free_symbols}))


def design(law, n, degree):
    """Points and weights that average polynomials up to that degree over the law exactly; n = 3 up to degree 5."""
    if law == "gaussian":
        node, weight = np.polynomial.hermite_e.hermegauss(degree // 2 + 1)
        points = np.array(list(product(node, repeat=n))) / np.sqrt(n)
        return points, np.array(list(product(weight / weight.sum(), repeat=n))).prod(axis=1)
    if n == 1:
        points = np.array([[-1.0], [1.0]])
    elif n == 2:
        angle = 2 * np.pi * np.arange(degree + 1) / (degree + 1)
        points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    else:
        golden = (1 + np.sqrt(5)) / 2
        corner = [(0, s, t * golden) for s in (-1, 1) for t in (-1, 1)]
        points = np.array([np.roll(c, k) for c in corner for k in range(3)]) / np.sqrt(1 + golden**2)
    return points, np.full(len(points), 1 / len(points))


def tuples(law, n, vectors, degree=4):
    """All tuples of independent vectors, shape (tuples, vectors, n), and their weights."""
    points, weight = design(law, n, degree)
    choice = np.array(list(product(range(len(points)), repeat=vectors)))
    return points[choice], weight[choice].prod(axis=1)


def overlap_moments(overlap, mass):
    """E B_ij and E B_ij B_kl of random matrices given one by one with their weights."""
    flat = overlap.reshape(len(overlap), -1)
    shape = overlap.shape[1:]
    return (mass @ flat).reshape(shape), ((flat * mass[:, None]).T @ flat).reshape(shape * 2)


@cache
def gram(law, n, vectors):
    v, mass = tuples(law, n, vectors)
    return overlap_moments(np.einsum("aik,ajk->aij", v, v), mass)


@cache
def projected_gram(law, n, rank, vectors):
    """Moments of u_y^T G G^T u_w, over u and the columns of G, of squared length n/rank in the mean."""
    u, u_mass = tuples(law, n, vectors)
    g, g_mass = tuples("gaussian", n, rank)
    through = np.einsum("aik,bck->abic", u, g) * np.sqrt(n / rank)
    overlaps = np.einsum("abic,abjc->abij", through, through).reshape(-1, vectors, vectors)
    return overlap_moments(overlaps, np.outer(u_mass, g_mass).ravel())


def score_moments(a, e, u):
    """E g(z,y) and Cov(g(z,y), g(z',y')) for weights a, from the moments of the overlaps of inputs and of outputs."""
    mean = np.einsum("xw,xz,yw->zy", a, e[0], u[0])
    square = np.einsum("xw,XW,xzXZ,ywYW->zyZY", a, a, e[1], u[1], optimize=True)
    return mean, square - np.einsum("zy,ZY->zyZY", mean, mean)


WEIGHT, TARGET = np.array([1.5, 0.4, 0.8]), np.array([0, 1, 0])
FUNCTION = WEIGHT[:, None] * (TARGET[:, None] == np.arange(3))


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_function_memory_by_designs(inputs, outputs, n):
    mean, covariance = score_moments(FUNCTION, gram(inputs, n, 3), gram(outputs, n, 3))
    laws, squares = {"inputs": inputs, "outputs": outputs}, (FUNCTION**2).sum(axis=0)
    for z, y, z2, y2 in product(range(3), repeat=4):
        labels = {"y": y, "y_prime": y2, "f": TARGET[z], "f_prime": TARGET[z2]}
        derived = score_covariance(**labels, same_input=z == z2, **laws)
        values = {"d": n, "q": WEIGHT[z], "q'": WEIGHT[z2], "S_y": squares[y], "S": squares.sum()}
        assert abs(number(derived, values) - covariance[z, y, z2, y2]) < TOLERANCE
        found = number(score_mean(match=y == TARGET[z], **laws), values)
        assert abs(found - mean[z, y]) < TOLERANCE and abs(mean[z, y] - FUNCTION[z, y]) < TOLERANCE


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
@pytest.mark.parametrize("n", [1, 2])
def test_weighted_memory_by_designs(inputs, outputs, n):
    a = np.random.default_rng(0).normal(size=(3, 3))
    mean, covariance = score_moments(a, gram(inputs, n, 3), gram(outputs, n, 3))
    assert np.abs(mean - a).max() < TOLERANCE
    variance = weighted_score_variance(inputs=inputs, outputs=outputs)
    for z, y in product(range(3), repeat=2):
        sums = {"R_z": (a[z] ** 2).sum(), "C_y": (a[:, y] ** 2).sum(), "A": (a**2).sum()}
        assert abs(number(variance, {"d": n, "a_zy": a[z, y], **sums}) - covariance[z, y, z, y]) < TOLERANCE


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
def test_update_norm_by_designs(inputs, outputs):
    """E |sum_x a_x u_x (e_x.e_z)|^2, the outputs being different vectors of mean square 1."""
    weight, e = np.array([0.7, 1.3, -0.4]), gram(inputs, 2, 3)[1]
    wanted = sum(weight[x] ** 2 * e[x, 0, x, 0] for x in range(3))
    found = update_norm_mean(inputs=inputs, outputs=outputs)
    assert abs(number(found, {"d": 2, "a_z": weight[0], "A": (weight**2).sum()}) - wanted) < TOLERANCE


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
@pytest.mark.parametrize(("n", "rank"), [(1, 2), (2, 1), (2, 2)])
def test_low_rank_by_designs(inputs, outputs, n, rank):
    mean, covariance = score_moments(FUNCTION, gram(inputs, n, 3), projected_gram(outputs, n, rank, 3))
    assert np.abs(mean - FUNCTION).max() < TOLERANCE
    for z, y in product(range(3), repeat=2):
        derived = low_rank_score_variance(match=bool(TARGET[z] == y), inputs=inputs, outputs=outputs)
        sums = {"q": WEIGHT[z], "S_y": (FUNCTION[:, y] ** 2).sum(), "S": (FUNCTION**2).sum()}
        assert abs(number(derived, {"d": n, "m": rank, **sums}) - covariance[z, y, z, y]) < TOLERANCE


def test_the_full_rank_is_the_limit_of_low_ranks():
    m = sympy.Symbol("m", positive=True)
    for inputs, outputs in PAIRS:
        laws = {"inputs": inputs, "outputs": outputs}
        for match in (True, False):
            low = sympy.limit(low_rank_score_variance(match=match, **laws), m, sympy.oo)
            assert sympy.simplify(low - score_variance(match=match, **laws)) == 0


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
def test_one_step_by_designs(inputs, outputs):
    """The weights are -eta times the gradient of the mean cross-entropy in the scores at W = 0, by finite differences."""
    eta, p, M, n, h = 0.7, np.array([0.5, 0.3, 0.2]), 3, 2, 1e-4

    def loss(scores):
        return float(p @ (np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(3), TARGET]))

    a = np.zeros((3, M))
    for x, w in product(range(3), range(M)):
        step = np.zeros((3, M))
        step[x, w] = h
        a[x, w] = -eta * (loss(step) - loss(-step)) / (2 * h)  # central: error h^2/6 times a third derivative below 1/2
    mean, covariance = score_moments(a, gram(inputs, n, 3), gram(outputs, n, M))
    for z, y in product(range(3), range(M)):
        sums = {"p": p[z], "S_y": (p[y == TARGET] ** 2).sum(), "S": (p**2).sum()}
        values, match = {"d": n, "eta": eta, "M": M, **sums}, bool(y == TARGET[z])
        assert abs(number(one_step_score_mean(match=match), values) - mean[z, y]) < TOLERANCE
        derived = one_step_score_variance(match=match, inputs=inputs, outputs=outputs)
        assert abs(number(derived, values) - covariance[z, y, z, y]) < TOLERANCE


# -- two inputs ----------------------------------------------------------------------------------------------------------


@cache
def side(law, n, size, p):
    """E over e and w of T(x), of T(x) T(x') with one neuron and with two; T(x) = [w; e_0][w; e_x]/p!, x < size."""
    e, e_mass = tuples(law, n, size, 4 * p)
    w, w_mass = tuples("gaussian", n, 1, 4 * p)
    t, square = np.einsum("axk,bk->abx", e, w[:, 0] * np.sqrt(n)), (e**2).sum(axis=2)[:, None, :]
    feature = t if p == 1 else t**2 - square  # the Wick power :t^p: of a gaussian of that variance
    T = feature[:, :, :1] * feature / p
    given_e = np.einsum("abx,b->ax", T, w_mass)
    one = np.einsum("abx,aby,a,b->xy", T, T, e_mass, w_mass, optimize=True)
    return e_mass @ given_e, one, np.einsum("ax,ay,a->xy", given_e, given_e, e_mass)


def two_input_oracle(inputs, outputs, p, size, match):
    """E g and Var g for the fact (0, 0), with all outputs of the other facts written out."""
    n, subjects, relations, M = size["d"], size["S"], size["R"], size["M"]
    s_sides, r_sides = side(inputs, n, subjects, p), side(inputs, n, relations, p)
    u1, u2 = gram(outputs, n, M)
    y = 0 if match else 1
    first, same, different = 0.0, 0.0, 0.0
    assignments = list(product(range(M), repeat=subjects * relations - 1))
    for others in assignments:
        output = np.array([0, *others]).reshape(subjects, relations)
        first += np.einsum("s,r,sr->", s_sides[0], r_sides[0], u1[y, output]) / len(assignments)
        u_square = u2[y, output][:, :, y][:, :, output]
        same += np.einsum("sS,rR,srSR->", s_sides[1], r_sides[1], u_square) / len(assignments)
        different += np.einsum("sS,rR,srSR->", s_sides[2], r_sides[2], u_square) / len(assignments)
    return first, same / size["m"] + different * (1 - 1 / size["m"]) - first**2


@pytest.mark.parametrize("p", [1, 2])
@pytest.mark.parametrize(
    ("inputs", "outputs", "sizes"),
    [
        *(("sphere", law, [(1, 1, 2, 1, 1), (2, 1, 2, 1, 2), (2, 3, 2, 3, 2), (2, 2, 3, 2, 3)]) for law in LAWS),
        ("gaussian", "sphere", [(1, 2, 2, 2, 2)]),
    ],
)
def test_two_inputs_by_designs(p, inputs, outputs, sizes):
    laws = {"inputs": inputs, "outputs": outputs}
    for numbers, match in product(sizes, (True, False)):
        size = dict(zip(("d", "m", "M", "S", "R"), numbers, strict=True))
        mean, variance = two_input_oracle(inputs, outputs, p, size, match)
        # float64 sums with features up to 1e4 and 1e3 times 1e3 values of T^2: relative rounding stays below 1e-10.
        assert number(two_input_score_mean(match=match, p=p, **laws), size) == pytest.approx(mean, rel=1e-9, abs=1e-9)
        found = number(two_input_score_variance(match=match, p=p, **laws), size)
        assert found == pytest.approx(variance, rel=1e-9, abs=1e-9)


def test_one_feature_on_the_line():
    """d = 1, unit vectors, p = 2: every feature is He_2(w) He_2(w~), with E He_2^4 = 60, so one neuron has kernel (1,
    225) = E(K, K^2). One fact, m neurons: g = K u_y u_a, a match: mean 1, variance (225 - 1)/m."""
    m, R, S = sympy.symbols("m R S", positive=True)
    variance = two_input_score_variance(match=True, p=2, outputs="sphere").subs({d: 1, S: 1, R: 1})
    assert sympy.simplify(variance - 224 / m) == 0


def test_higher_moments_ask_for_sums_that_are_not_there():
    """A third power of the weights is needed for the fourth moment of the score: said, not guessed."""
    with pytest.raises(ValueError, match="sums of q"):
        function_memory(f={"z": "y"}, outputs_asked=["y"]).moment(*[("z", "y")] * 4)
    with pytest.raises(ValueError, match="sums R, C and A"):
        matrix_memory(named_inputs=["z"], named_outputs=["y"]).moment(*[("z", "y")] * 4)
    with pytest.raises(ValueError, match="f_prime must equal f"):
        score_covariance(y=0, y_prime=0, f=0, f_prime=1, same_input=True)
