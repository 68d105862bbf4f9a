"""The laws of section 1 against second routes.

Moments: a polynomial of low degree in independent vectors has its exact mean as a finite sum, over Gauss-Hermite nodes
in each coordinate (n nodes: degree 2n - 1), a regular polygon on the circle (n corners: degree n - 1), two points on the
line and the icosahedron in space (degree 5). Scores, updates and images are computed on these from matrices, as the
definitions say. At most 1e6 terms of size below 1e4 are added, so rounding stays below 1e6 * 1e4 * 1e-16 = 1e-6 at the
very worst and is about 1e-11 in fact; a wrong coefficient shows up at 1e-2.
"""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy

from asymp.theory import laws
from asymp.theory.formulas.score_covariance import PATTERNS, SAME_INPUT

BOTH = ("gaussian", "sphere")
TOLERANCE = 1e-9


def rule(kind: str, d: int, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of R^d and weights whose sums are the means of an embedding, up to a degree."""
    if kind == "gaussian":
        x, w = np.polynomial.hermite_e.hermegauss(degree // 2 + 1)
        w = w / w.sum()
        grid = np.meshgrid(*[x] * d, indexing="ij")
        weights = np.prod(np.meshgrid(*[w] * d, indexing="ij"), axis=0)
        return np.stack(grid, axis=-1).reshape(-1, d) / math.sqrt(d), weights.ravel()
    if d == 1:
        points = np.array([[1.0], [-1.0]])
    elif d == 2:
        angle = 2 * np.pi * np.arange(degree + 1) / (degree + 1)
        points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    else:
        assert d == 3 and degree <= 5
        golden = (1 + math.sqrt(5)) / 2
        one = [(0, s, t * golden) for s in (1, -1) for t in (1, -1)]
        points = np.array([np.roll(p, k) for p in one for k in range(3)]) / math.sqrt(1 + golden**2)
    return points, np.full(len(points), 1 / len(points))


def design(kinds: list[str], d: int, degree: int = 5) -> tuple[list[np.ndarray], np.ndarray]:
    """One array of points for each vector, all combinations, and the weight of each combination."""
    rules = [rule(kind, d, degree) for kind in kinds]
    index = np.meshgrid(*[np.arange(len(w)) for _, w in rules], indexing="ij")
    weight = np.ones(1)
    for (_, w), at in zip(rules, index, strict=True):
        weight = weight * w[at.ravel()]
    return [p[at.ravel()] for (p, _), at in zip(rules, index, strict=True)], weight


def memory(e: list[np.ndarray], u: list[np.ndarray], weights: dict[tuple[int, int], float]) -> np.ndarray:
    """W = sum of a_xw u_w e_x^T, for every combination of points."""
    return sum(a * u[w][:, :, None] * e[x][:, None, :] for (x, w), a in weights.items())


def read(W: np.ndarray, u: np.ndarray, e: np.ndarray) -> np.ndarray:
    return np.einsum("ki,kij,kj->k", u, W, e)


def outputs_of(pattern: str) -> tuple[int, int, int, int]:
    return tuple("abcd".index(letter) for letter in pattern)


@pytest.mark.parametrize("inputs", BOTH)
@pytest.mark.parametrize("outputs", BOTH)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_covariances_at_two_inputs(pattern, inputs, outputs):
    y, y_prime, f, f_prime = outputs_of(pattern)
    M, q, q_prime = len(set(pattern)), 0.7, -1.3
    # 3^((2 + M) d) combinations for gaussian embeddings
    for d in (1, 2, 3) if M <= 2 and inputs == outputs else (1, 2) if M <= 3 else (1,):
        points, weight = design([inputs] * 2 + [outputs] * M, d)
        e, u = points[:2], points[2:]
        W = memory(e, u, {(0, f): q, (1, f_prime): q_prime})
        first, second = read(W, u[y], e[0]), read(W, u[y_prime], e[1])
        found = weight @ (first * second) - (weight @ first) * (weight @ second)
        wanted = laws["score-covariance"](d=d, q=q, q_prime=q_prime, pattern=pattern, outputs=outputs)
        assert found == pytest.approx(wanted, abs=TOLERANCE)
        # the means on the way
        mean = laws["score-mean"](q=q, output="target" if y == f else "other", inputs=inputs, outputs=outputs)
        assert weight @ first == pytest.approx(mean, abs=TOLERANCE)


@pytest.mark.parametrize("inputs", BOTH)
@pytest.mark.parametrize("outputs", BOTH)
@pytest.mark.parametrize("pattern", SAME_INPUT)
def test_covariances_at_one_input(pattern, inputs, outputs):
    y, y_prime, f, _ = outputs_of(pattern)
    for d in (1, 2):
        points, weight = design([inputs] * 2 + [outputs] * 3, d)
        e, u = points[:2], points[2:]
        W = memory(e, u, {(0, f): 0.7, (1, y): -1.3})
        first, second = read(W, u[y], e[0]), read(W, u[y_prime], e[0])
        found = weight @ (first * second) - (weight @ first) * (weight @ second)
        wanted = laws["score-covariance:same-input"](d=d, pattern=pattern, inputs=inputs, outputs=outputs)
        assert wanted == 0
        assert found == pytest.approx(wanted, abs=TOLERANCE)


def mean_of_products(pairs: list[tuple[int, int]], d: int, outputs: str) -> Fraction:
    """E of (u_i.u_j)(u_k.u_l), by cases."""
    (i, j), (k, m) = pairs
    if i == j == k == m:
        return 1 + Fraction(2, d) if outputs == "gaussian" else Fraction(1)
    if i == j and k == m:
        return Fraction(1)
    return Fraction(1, d) if {i, j} == {k, m} and i != j else Fraction(0)


@pytest.mark.parametrize("outputs", BOTH)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_covariances_are_the_formula_by_cases_to_fifty_digits(pattern, outputs):
    # q q' {E[a(y,f) a(y',f')] - 1{y=f, y'=f'} + E[a(y,f') a(y',f)]/d}, a = u.u
    y, y_prime, f, f_prime = outputs_of(pattern)
    q, q_prime = Fraction(2, 3), Fraction(-5, 7)
    for d in (1, 2, 5, 64, 10**6):
        direct = mean_of_products([(y, f), (y_prime, f_prime)], d, outputs)
        crossed = mean_of_products([(y, f_prime), (y_prime, f)], d, outputs)
        wanted = q * q_prime * (direct - (y == f and y_prime == f_prime) + crossed / d)
        found = laws["score-covariance"].evaluate(
            d=d, q=q, q_prime=q_prime, pattern=pattern, outputs=outputs, digits=50
        )
        with mpmath.workdps(60):
            assert mpmath.almosteq(found, mpmath.mpf(wanted.numerator) / wanted.denominator, rel_eps=1e-49)


def test_the_source_states_the_mean_at_weight_one():
    for output, inputs, outputs in product(("target", "other"), BOTH, BOTH):
        assert laws["score-mean:source"](output=output) == laws["score-mean"](
            q=1, output=output, inputs=inputs, outputs=outputs
        )


# -- weighted associations -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs", BOTH)
@pytest.mark.parametrize("outputs", BOTH)
def test_weighted_associations(inputs, outputs):
    a = {(0, 0): 0.5, (0, 1): -1.2, (1, 0): 0.8, (1, 1): 0.3}
    sums = {
        "a_zy": a[0, 0],
        "R_z": a[0, 0] ** 2 + a[0, 1] ** 2,
        "C_y": a[0, 0] ** 2 + a[1, 0] ** 2,
        "A": sum(w**2 for w in a.values()),
    }
    words = {"inputs": inputs, "outputs": outputs}
    for d in (1, 2, 3) if inputs == outputs else (1, 2):
        points, weight = design([inputs] * 2 + [outputs] * 2, d)
        e, u = points[:2], points[2:]
        g = read(memory(e, u, a), u[0], e[0])
        first, second = weight @ g, weight @ g**2
        law = laws["weighted-associations"]
        assert first == pytest.approx(law(d=d, moment="first", **sums, **words), abs=TOLERANCE)
        assert second == pytest.approx(law(d=d, moment="second", **sums, **words), abs=TOLERANCE)
        variance = laws["weighted-associations:variance"](d=d, **sums, **words)
        assert second - first**2 == pytest.approx(variance, abs=TOLERANCE)


@pytest.mark.parametrize("output", ["target", "other"])
def test_one_output_for_each_input_is_the_variance_of_a_score(output):
    d, q, S_y, S = (laws["score-variance"].symbols[name] for name in ("d", "q", "S_y", "S"))
    for inputs, outputs in product(BOTH, BOTH):
        words = {"inputs": inputs, "outputs": outputs}
        a = q if output == "target" else sympy.Integer(0)
        found = laws["weighted-associations:variance"](d=d, a_zy=a, R_z=q**2, C_y=S_y, A=S, **words)
        wanted = laws["score-variance"](d=d, q=q, S_y=S_y, S=S, output=output, **words)
        assert sympy.simplify(found - wanted) == 0


def test_the_source_of_weighted_associations_holds_with_room_only():
    law, source = laws["weighted-associations"], laws["weighted-associations:source"]
    room = {"a_zy": 1, "R_z": 2, "C_y": 3, "A": 20, "moment": "second"}
    assert law(d=10_000, **room) / source(d=10_000, **room) == pytest.approx(1, abs=1e-3)
    crowd = {"a_zy": 1, "R_z": 2, "C_y": 3, "A": 10_000, "moment": "second"}
    # A/d^2 = 100 at d = 10, and (R_z + C_y)/d = 1/2 with its own correction 1 + 1/d, and a_zy^2 (1 + 1/d)^2
    assert law(d=10, **crowd) == pytest.approx(100 + 0.5 * 1.1 + 1.21, rel=1e-12)
    for moment in ("first", "second"):
        assert source(d=10, **{**crowd, "moment": moment}) == 1


# -- lengths and inner products ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embeddings", BOTH)
def test_moments_of_lengths_and_products(embeddings):
    for d, order in product((1, 2, 3), (2, 4, 6)):
        if embeddings == "sphere" and d == 3 and order == 6:
            continue  # the icosahedron ends at degree 5
        (u, v), weight = design([embeddings] * 2, d, degree=5 if d == 3 and embeddings == "sphere" else 7)
        found = {
            "product": weight @ np.sum(u * v, axis=1) ** order,
            "norm": weight @ np.sum(u * u, axis=1) ** (order / 2),
        }
        for of, value in found.items():
            wanted = laws["near-orthogonality"](d=d, of=of, order=str(order), embeddings=embeddings)
            assert value == pytest.approx(wanted, rel=TOLERANCE)


# -- remapping -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embeddings", BOTH)
@pytest.mark.parametrize("d", [1, 2])
def test_remapping_from_the_matrix_itself(embeddings, d):
    # fourth powers: degree 8 in u, degree 4 in each row of W
    u, u_weight = rule(embeddings, d, 9)
    rows, W_weight = design(["gaussian"] * d, d, 5)
    W = np.stack(rows, axis=1)  # rows of entries N(0, 1/d)
    image = np.einsum("kij,lj->kli", W, u)
    overlap = np.einsum("kli,li->kl", image, u)
    for of, squared in (("overlap", overlap**2), ("norm", np.sum(image**2, axis=2))):
        for order in (2, 4):
            found = W_weight @ squared ** (order // 2) @ u_weight
            wanted = laws["remapping"](d=d, of=of, order=str(order), embeddings=embeddings)
            assert found == pytest.approx(wanted, rel=TOLERANCE)


# -- the first update ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inputs", BOTH)
@pytest.mark.parametrize("outputs", BOTH)
def test_the_size_of_an_update(inputs, outputs):
    a = (0.7, -1.6)
    for d in (1, 2, 3) if inputs == outputs else (1, 2):
        points, weight = design([inputs] * 2 + [outputs] * 2, d)
        u, v = points[:2], points[2:]
        moved = np.einsum("kij,kj->ki", memory(u, v, {(0, 0): a[0], (1, 1): a[1]}), u[0])
        wanted = laws["maximal-update"](d=d, a_j=a[0], A=a[0] ** 2 + a[1] ** 2, inputs=inputs, outputs=outputs)
        assert weight @ np.sum(moved**2, axis=1) == pytest.approx(wanted, rel=TOLERANCE)


def test_equal_coefficients_give_the_closed_form():
    for d, N in product((1, 4, 100), (1, 2, 50, 10**6)):
        exact = laws["maximal-update"](d=d, a_j=1, A=N)
        assert exact == pytest.approx((1 + 2 / d) + (N - 1) / d, rel=1e-12)
        assert laws["maximal-update"](d=d, a_j=1, A=N, inputs="sphere") == pytest.approx(1 + (N - 1) / d, rel=1e-12)
        # an entry's mean square is 1/d of it
        assert 1 < exact / d / laws["maximal-update:corrected"](d=d, N=N) <= 1.5


def test_the_exponents_of_an_update():
    source, corrected = laws["maximal-update:source"], laws["maximal-update:corrected"]
    assert source.exponent("d") == -1 == corrected.exponent("d") == laws["maximal-update:ntk"].exponent("d")
    assert source.exponent("N") == 0
    assert corrected.exponent("N") == 1
    # the local slope in N at a million pairs in sixteen dimensions
    slope = math.log2(corrected(d=16, N=2**21) / corrected(d=16, N=2**20))
    assert slope == pytest.approx(1, abs=1e-4)


# -- interference --------------------------------------------------------------------------------------------------------

FIGURE = (
    [[1, 0], [Fraction(3, 5), Fraction(4, 5)], [Fraction(3, 5), Fraction(-4, 5)]],
    [[1, 0], [0, 1], [Fraction(-3, 5), Fraction(4, 5)]],
)
THIRD = (
    [[1, 0], [Fraction(12, 13), Fraction(5, 13)], [Fraction(12, 13), Fraction(-5, 13)]],
    [[1, 0], [0, 1], [Fraction(3, 5), Fraction(4, 5)]],
)


def products(e, u):
    def dot(v, w):
        return sum(a * b for a, b in zip(v, w, strict=True))

    found = {f"e_1{x + 1}": dot(e[0], e[x]) for x in range(3)}
    return found | {f"u_{y + 1}{x + 1}": dot(u[y], u[x]) for y in range(3) for x in range(y, 3)}


def scores(e, u):
    """u_y . W e_1 from the matrix, in rational arithmetic."""
    W = [[sum(u[x][i] * e[x][j] for x in range(3)) for j in range(2)] for i in range(2)]
    image = [sum(W[i][j] * e[0][j] for j in range(2)) for i in range(2)]
    return [sum(u[y][i] * image[i] for i in range(2)) for y in range(3)]


@pytest.mark.parametrize("vectors", [FIGURE, THIRD])
def test_scores_of_explicit_embeddings_to_fifty_digits(vectors):
    wanted = scores(*vectors)
    values = products(*vectors)
    for y in (1, 2, 3):
        found = laws["interference"].evaluate(**values, output=str(y), digits=50)
        exact = wanted[y - 1]
        with mpmath.workdps(60):
            assert mpmath.almosteq(found, mpmath.mpf(exact.numerator) / exact.denominator, rel_eps=1e-49)
    assert laws["interference:recalled"](**{k: float(v) for k, v in values.items()}) == 1 + wanted.index(max(wanted))
    # both satisfy what the caption assumes
    for y in (1, 2):
        assert laws["interference:source"].evaluate(**values, output=str(y), digits=30) == pytest.approx(
            float(wanted[y - 1]), rel=1e-14
        )


def test_the_figure_and_the_third_output():
    assert scores(*FIGURE) == [Fraction(16, 25), Fraction(27, 25), Fraction(12, 25)]
    one, two, three = scores(*THIRD)
    assert one < two < three
    # the caption says 2 in both cases, and is right in the first only
    for vectors, recalled in ((FIGURE, 2), (THIRD, 3)):
        values = {k: float(v) for k, v in products(*vectors).items()}
        assert laws["interference:source-recalled"](**values) == 2
        assert laws["interference:recalled"](**values) == recalled
        assert laws["interference:recalled"].evaluate(**products(*vectors)) == recalled


def test_the_recalled_output_is_the_naive_argmax():
    rng = np.random.default_rng(4)
    e, u = rng.standard_normal((2, 500, 3, 4))
    gram_e, gram_u = e @ e.transpose(0, 2, 1), u @ u.transpose(0, 2, 1)
    values = {f"e_1{x + 1}": gram_e[:, 0, x] for x in range(3)}
    values |= {f"u_{y + 1}{x + 1}": gram_u[:, y, x] for y in range(3) for x in range(y, 3)}
    W = np.einsum("kxi,kxj->kij", u, e)
    naive = np.einsum("kyi,kij,kj->ky", u, W, e[:, 0])
    for y in (1, 2, 3):
        np.testing.assert_allclose(
            laws["interference"](**values, output=str(y)), naive[:, y - 1], rtol=1e-9, atol=1e-12
        )
    found = laws["interference:recalled"](**values)
    np.testing.assert_array_equal(found, 1 + naive.argmax(axis=1))
    assert set(found) == {1, 2, 3}
    # the declared expression and the vectorised function agree
    for k in range(0, 500, 50):
        assert laws["interference:recalled"].evaluate(**{name: float(v[k]) for name, v in values.items()}) == found[k]


def test_the_caption_is_the_sharp_form_under_its_assumptions():
    for y in ("1", "2"):
        law = laws["interference"]
        unit = {"e_11": 1, "u_11": 1, "u_22": 1, "u_12": 0}
        special = law.variant(output=y).subs({law.symbols[k]: v for k, v in unit.items()})
        source = laws["interference:source"].variant(output=y)
        assert sympy.simplify(special - source) == 0


@pytest.mark.parametrize(
    ("id", "values", "words"),
    [
        ("score-mean", {"q": math.nan}, "q must be a number"),
        ("score-mean", {"q": 1, "output": "first"}, "output must be one of 'target', 'other'"),
        ("score-covariance", {"d": 0, "q": 1, "q_prime": 1}, "d must be an integer >= 1; got 0"),
        ("score-covariance", {"d": 2, "q": 1, "q_prime": 1, "pattern": "bbaa"}, "pattern must be one of"),
        ("score-covariance:same-input", {"d": 2, "pattern": "aaaa"}, "pattern must be one of"),
        ("weighted-associations", {"d": 2, "a_zy": 2, "R_z": 1, "C_y": 4, "A": 9}, "a_zy\\^2 must be at most R_z"),
        ("weighted-associations", {"d": 2, "a_zy": 2, "R_z": 4, "C_y": 1, "A": 9}, "a_zy\\^2 must be at most C_y"),
        ("weighted-associations:variance", {"d": 2, "a_zy": 0, "R_z": 4, "C_y": 6, "A": 9}, "must be at most A"),
        ("near-orthogonality", {"d": 2.5}, "d must be an integer >= 1"),
        ("near-orthogonality:product", {"d": 2, "t": -0.1}, "t must be a number >= 0"),
        ("near-orthogonality:directions", {"d": 2, "P": 3, "epsilon": 0}, "epsilon must be a number > 0 and <= 1"),
        ("remapping:given-u", {"d": 2, "r": 0, "t": 1}, "r must be a number > 0"),
        ("maximal-update", {"d": 2, "a_j": 3, "A": 4}, "a_j\\^2 must be at most A"),
        ("interference", {"e_12": 1, "e_13": 1, "u_13": 1, "u_23": math.inf}, "u_23 must be a number"),
    ],
)
def test_bad_input_names_the_argument_and_what_would_be_right(id, values, words):
    with pytest.raises(ValueError, match=words):
        laws[id](**values)
    with pytest.raises(ValueError, match=words):
        laws[id].evaluate(**values, digits=20)
