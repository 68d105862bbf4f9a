"""The derived score moments against the closed forms, full enumeration, exact designs and a simulation.

Designs: a score's square is of degree at most 4 in every embedding, so its mean over a gaussian or a sphere is a
finite sum, exactly: over the three-point Gauss-Hermite rule in each coordinate (degree 5), the regular hexagon (d =
2, degree 5), the icosahedron (d = 3, degree 5). These sums are done in float64: at most 1e5 terms of size below 1e3,
so rounding stays below 1e5 * 1e3 * 2^-52 = 2e-8, in practice 1e-12; a wrong coefficient shows up at 1e-2.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
import sympy

from asymp.theory.moments import scores as score_moments
from asymp.theory.moments import wick
from asymp.theory.moments.scores import (
    function_memory,
    score_covariance,
    score_mean,
    score_variance,
    update_norm_mean,
    weighted_score_covariance,
    weighted_score_mean,
    weighted_score_variance,
)
from asymp.theory.moments.wick import d, iid_coordinates

LAWS = ("gaussian", "sphere", "signs")
PAIRS = list(product(LAWS, LAWS))
q, q_prime, S, S_y, A = sympy.symbols("q q' S S_y A", positive=True)
TOLERANCE = 1e-9


def m4(law: str) -> sympy.Expr:
    return 1 + 2 / d if law == "gaussian" else sympy.Integer(1)


def same(one: sympy.Expr, two: sympy.Expr) -> bool:
    return bool(sympy.simplify(one - two) == 0)


def ledger_variance(match: bool, m4e: sympy.Expr, m4u: sympy.Expr) -> sympy.Expr:
    """The closed form, as stated independently of the engine."""
    if match:
        return q**2 * (m4u * m4e - 1) + (m4u * (S_y - q**2) + (S - S_y) / d) / d
    return q**2 * m4e / d + (m4u * S_y + (S - S_y - q**2) / d) / d


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
def test_variance_is_the_closed_form(inputs: str, outputs: str) -> None:
    for match in (True, False):
        assert score_mean(match=match, inputs=inputs, outputs=outputs) == (q if match else 0)
        derived = score_variance(match=match, inputs=inputs, outputs=outputs)
        assert same(derived, ledger_variance(match, m4(inputs), m4(outputs)))
        assert derived.free_symbols == {d, q, S_y, S}


def test_variance_for_any_fourth_moment() -> None:
    """Coordinates with E x^4 = mu have m4 = 1 + (mu - 1)/d: the closed form knows the law through m4 alone."""
    mu = sympy.Symbol("mu", positive=True)
    law = iid_coordinates(name="any", even_moments=(1, mu))
    for match in (True, False):
        derived = score_variance(match=match, inputs=law, outputs=law)
        assert same(derived, ledger_variance(match, 1 + (mu - 1) / d, 1 + (mu - 1) / d))


def patterns(n: int) -> Iterator[tuple[int, ...]]:
    """The set partitions of n things, as labels."""
    for labels in product(range(n), repeat=n):
        if all(label <= max(labels[:i], default=-1) + 1 for i, label in enumerate(labels)):
            yield labels


def overlap_moment(i: int, j: int, k: int, n: int, m4u: sympy.Expr) -> sympy.Expr:
    """E (u_i.u_j)(u_k.u_n)."""
    if i == j and k == n:
        return m4u if i == k else sympy.Integer(1)
    return 1 / d if {i, j} == {k, n} else sympy.Integer(0)


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
def test_covariance_of_different_inputs_is_the_closed_form(inputs: str, outputs: str) -> None:
    cases = list(patterns(4))
    assert len(cases) == 15
    for y, y2, f, f2 in cases:
        derived = score_covariance(y=y, y_prime=y2, f=f, f_prime=f2, inputs=inputs, outputs=outputs)
        direct, crossed = overlap_moment(y, f, y2, f2, m4(outputs)), overlap_moment(y, f2, y2, f, m4(outputs))
        assert same(derived, q * q_prime * (direct - int(y == f and y2 == f2) + crossed / d)), (y, y2, f, f2)


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
def test_scores_of_one_input_are_uncorrelated(inputs: str, outputs: str) -> None:
    for y, y2, f in patterns(3):
        derived = score_covariance(y=y, y_prime=y2, f=f, f_prime=f, same_input=True, inputs=inputs, outputs=outputs)
        assert same(derived, score_variance(match=y == f, inputs=inputs, outputs=outputs) if y == y2 else 0)


# Full enumeration of the signs, in exact rational arithmetic.


def enumerate_signs(a: list[list[Fraction]], n: int) -> dict[tuple[int, ...], Fraction]:
    """Means E g(z,y) and E g(z,y) g(z',y'), over all 2^((N+M) n) embeddings with entries +-1/sqrt n."""
    N, M = len(a), len(a[0])
    total: dict[tuple[int, ...], int] = {}
    scale = 1
    for row in a:
        for entry in row:
            scale = np.lcm(scale, entry.denominator)
    whole = [[int(entry * int(scale)) for entry in row] for row in a]
    count = 0
    for signs in product((-1, 1), repeat=(N + M) * n):
        vectors = [signs[i * n : (i + 1) * n] for i in range(N + M)]
        e, u = vectors[:N], vectors[N:]
        ee = [[sum(s * t for s, t in zip(v, w, strict=True)) for w in e] for v in e]
        uu = [[sum(s * t for s, t in zip(v, w, strict=True)) for w in u] for v in u]
        g = {
            (z, y): sum(whole[x][w] * uu[y][w] * ee[x][z] for x in range(N) for w in range(M))
            for z in range(N)
            for y in range(M)
        }
        for one, score in g.items():
            total[one] = total.get(one, 0) + score
            for two, other in g.items():
                total[one + two] = total.get(one + two, 0) + score * other
        count += 1
    unit = int(scale) * n * n
    return {key: Fraction(value, count * unit ** (len(key) // 2)) for key, value in total.items()}


def exact(expression: sympy.Expr, values: dict[str, object]) -> Fraction:
    """The value at rational numbers, symbols given by name."""
    number = sympy.Rational(expression.subs({s: sympy.Rational(values[s.name]) for s in expression.free_symbols}))
    return Fraction(int(number.p), int(number.q))


@pytest.mark.parametrize(
    ("n", "weight", "f", "M"),
    [
        (2, [Fraction(3, 2), Fraction(1, 3)], [0, 1], 2),
        (2, [Fraction(3, 2), Fraction(1, 3)], [1, 1], 2),
        (1, [Fraction(2), Fraction(1, 3), Fraction(1, 5)], [0, 1, 0], 3),
        (2, [Fraction(1), Fraction(1, 2), Fraction(2, 3)], [0, 1, 0], 2),
    ],
)
def test_signs_by_full_enumeration(n: int, weight: list[Fraction], f: list[int], M: int) -> None:
    N = len(weight)
    moments = enumerate_signs([[weight[x] * (w == f[x]) for w in range(M)] for x in range(N)], n)
    squares = {c: sum((weight[x] ** 2 for x in range(N) if f[x] == c), Fraction(0)) for c in range(M)}
    for z, y, z2, y2 in product(range(N), range(M), range(N), range(M)):
        if z > z2:
            continue
        values = {"d": n, "q": weight[z], "q'": weight[z2], "S_y": squares[y], "S": sum(squares.values())}
        derived = score_covariance(
            y=y, y_prime=y2, f=f[z], f_prime=f[z2], same_input=z == z2, inputs="signs", outputs="signs"
        )
        assert exact(derived, values) == moments[z, y, z2, y2] - moments[z, y] * moments[z2, y2]
        assert exact(score_mean(match=y == f[z], inputs="signs", outputs="signs"), values) == moments[z, y]


def matrix_values(a: list[list[Fraction]], z: int, y: int, z2: int, y2: int, n: int) -> dict[str, object]:
    """The entries and sums of a that the weighted formulas name."""
    N = len(a)
    column = {i: [a[x][i] for x in range(N)] for i in (y, y2)}
    names = {"z": z, "z'": z2}, {"y": y, "y'": y2}
    values: dict[str, object] = {f"a_{i}{j}": a[names[0][i]][names[1][j]] for i in names[0] for j in names[1]}
    dot = lambda v, w: sum(s * t for s, t in zip(v, w, strict=True))  # noqa: E731
    values |= {"R_z": dot(a[z], a[z]), "C_y": dot(column[y], column[y]), "A": sum(dot(row, row) for row in a)}
    values |= {"R_zz'": dot(a[z], a[z2]), "C_yy'": dot(column[y], column[y2]), "d": n}
    return values


def test_weighted_signs_by_full_enumeration() -> None:
    a = [[Fraction(1), Fraction(-2, 3)], [Fraction(1, 2), Fraction(3)]]
    moments = enumerate_signs(a, 2)
    for z, y, z2, y2 in product(range(2), repeat=4):
        values = matrix_values(a, z, y, z2, y2, 2)
        derived = weighted_score_covariance(same_input=z == z2, same_output=y == y2, inputs="signs", outputs="signs")
        assert exact(derived, values) == moments[z, y, z2, y2] - moments[z, y] * moments[z2, y2]
        assert exact(weighted_score_mean(inputs="signs", outputs="signs"), values) == moments[z, y]


# Gaussian and sphere by exact designs.


def design(law: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Points and weights that average every polynomial of degree <= 5 over the law in dimension n exactly (signs: all
    points)."""
    if law == "gaussian":
        points = np.array(list(product((-np.sqrt(3), 0, np.sqrt(3)), repeat=n)))
        return points / np.sqrt(n), np.where(points == 0, 2 / 3, 1 / 6).prod(axis=1)
    if law == "signs" or n == 1:
        points = np.array(list(product((-1, 1), repeat=n))) / np.sqrt(n)
    elif n == 2:
        angle = np.arange(6) * np.pi / 3
        points = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    else:
        golden = (1 + np.sqrt(5)) / 2
        corner = [(0, s, t * golden) for s in (-1, 1) for t in (-1, 1)]
        points = np.array([np.roll(c, k) for c in corner for k in range(3)]) / np.sqrt(1 + golden**2)
    return points, np.full(len(points), 1 / len(points))


def gram_moments(law: str, n: int, vectors: int) -> tuple[np.ndarray, np.ndarray]:
    """E G_ij and E G_ij G_kl of the Gram matrix of `vectors` independent vectors."""
    points, weight = design(law, n)
    choice = np.array(list(product(range(len(points)), repeat=vectors)))
    gram = np.einsum("aik,ajk->aij", points[choice], points[choice]).reshape(len(choice), -1)
    mass = weight[choice].prod(axis=1)
    shape = (vectors,) * 2
    return (mass @ gram).reshape(shape), ((gram * mass[:, None]).T @ gram).reshape(shape * 2)


def design_covariance(a: np.ndarray, inputs: str, outputs: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """E g(z,y) and Cov(g(z,y), g(z',y')) for W = sum a_xw u_w e_x^T."""
    e1, e2 = gram_moments(inputs, n, a.shape[0])
    u1, u2 = gram_moments(outputs, n, a.shape[1])
    mean = np.einsum("xw,xz,yw->zy", a, e1, u1)
    square = np.einsum("xw,XW,xzXZ,ywYW->zyZY", a, a, e2, u2, optimize=True)
    return mean, square - np.einsum("zy,ZY->zyZY", mean, mean)


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_function_memory_by_designs(inputs: str, outputs: str, n: int) -> None:
    weight, f = [1.5, 0.4, 0.8], [0, 1, 0]
    a = np.array([[weight[x] * (f[x] == w) for w in range(3)] for x in range(3)])
    mean, covariance = design_covariance(a, inputs, outputs, n)
    squares = (a**2).sum(axis=0)
    for z, y, z2, y2 in product(range(3), repeat=4):
        values = {"d": n, "q": weight[z], "q'": weight[z2], "S_y": squares[y], "S": squares.sum()}
        derived = score_covariance(
            y=y, y_prime=y2, f=f[z], f_prime=f[z2], same_input=z == z2, inputs=inputs, outputs=outputs
        )
        assert abs(number(derived, values) - covariance[z, y, z2, y2]) < TOLERANCE
        assert abs(mean[z, y] - weight[z] * (y == f[z])) < TOLERANCE


@pytest.mark.parametrize(("inputs", "outputs"), PAIRS)
@pytest.mark.parametrize("n", [1, 2])
def test_weighted_memory_by_designs(inputs: str, outputs: str, n: int) -> None:
    a = np.random.default_rng(0).normal(size=(3, 3))
    mean, covariance = design_covariance(a, inputs, outputs, n)
    assert np.abs(mean - a).max() < TOLERANCE
    for z, y, z2, y2 in product(range(3), repeat=4):
        derived = weighted_score_covariance(same_input=z == z2, same_output=y == y2, inputs=inputs, outputs=outputs)
        assert abs(number(derived, matrix_values(a.tolist(), z, y, z2, y2, n)) - covariance[z, y, z2, y2]) < TOLERANCE


def number(expression: sympy.Expr, values: dict[str, object]) -> float:
    return float(expression.subs({s: values[s.name] for s in expression.free_symbols}))


def test_weighted_form_contains_the_function() -> None:
    """a_xw = q(x) 1{w = f(x)}: R_z = q^2, C_y = S_y, A = S, a_zy = q or 0."""
    for inputs, outputs in PAIRS:
        for match in (True, False):
            values = {"a_zy": q if match else 0, "R_z": q**2, "C_y": S_y, "A": S, "d": d}
            general = weighted_score_variance(inputs=inputs, outputs=outputs)
            special = general.subs({s: values[s.name] for s in general.free_symbols})
            assert same(special, score_variance(match=match, inputs=inputs, outputs=outputs))


def test_update_norm() -> None:
    """a_j = 1 for N gaussian vectors: (1 + 2/d) + (N - 1)/d; in general by the exact designs at d = 2."""
    N = sympy.Symbol("N", positive=True)
    a = sympy.Symbol("a_z", real=True)
    assert same(update_norm_mean().subs({a: 1, A: N}), 1 + 2 / d + (N - 1) / d)
    weight = np.array([0.7, 1.3, -0.4])
    for inputs, outputs in PAIRS:
        _, e2 = gram_moments(inputs, 2, 3)
        u1, _ = gram_moments(outputs, 2, 3)
        wanted = np.einsum("x,X,xX,xX->", weight, weight, u1, e2[:, 0, :, 0])
        derived = update_norm_mean(inputs=inputs, outputs=outputs)
        assert abs(number(derived, {"a_z": weight[0], "A": (weight**2).sum(), "d": 2}) - wanted) < TOLERANCE


def test_simulation_at_a_larger_size() -> None:
    """N = 6, M = 3, d = 5, gaussian inputs, sphere outputs, 2e5 draws of one right and one wrong score.

    The sample variance is a mean of squares, asked to be within 6 of its own standard errors, itself within 1.5 % of
    the truth: by the normal approximation a false failure has probability below 1e-8. A contraction more or less
    changes the variance by 6 % or more.
    """
    rng = np.random.default_rng(2024)
    N, M, n, draws = 6, 3, 5, 200_000
    weight, f = np.array([1.0, 0.8, 0.6, 0.5, 0.4, 0.3]), np.arange(6) % M
    e = rng.normal(size=(draws, N, n)) / np.sqrt(n)
    u = rng.normal(size=(draws, M, n))
    u /= np.linalg.norm(u, axis=2, keepdims=True)
    for z, y in ((1, 1), (1, 0)):
        score = np.einsum(
            "x,ax,ax->a", weight, np.einsum("axk,ak->ax", e, e[:, z]), np.einsum("axk,ak->ax", u[:, f], u[:, y])
        )
        values = {"d": n, "q": weight[z], "S_y": (weight[f == y] ** 2).sum(), "S": (weight**2).sum()}
        square = (score - weight[z] * (y == f[z])) ** 2
        truth = number(score_variance(match=y == f[z], inputs="gaussian", outputs="sphere"), values)
        error = square.std() / np.sqrt(draws)
        assert error < 0.015 * truth
        assert abs(square.mean() - truth) < 6 * error


def test_a_missing_contraction_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Drop the last pairing of every vector with four legs or more: the closed form must fail to come out."""
    whole = wick._first_block

    def broken(network: wick.Network, paired: frozenset[str]) -> Iterator[tuple[wick.Blocks, wick.Network]]:
        blocks = list(whole(network, paired))
        return iter(blocks[:-1] if len(blocks) > 1 else blocks)

    clear_caches()
    try:
        monkeypatch.setattr(wick, "_first_block", broken)
        for match in (True, False):
            for law in LAWS:
                assert not same(
                    score_variance(match=match, inputs=law, outputs=law), ledger_variance(match, m4(law), m4(law))
                )
    finally:
        monkeypatch.undo()
        clear_caches()
    assert same(score_variance(match=True), ledger_variance(True, m4("gaussian"), m4("gaussian")))


def clear_caches() -> None:
    for module in (wick, score_moments):
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="match must be True"):
        score_variance(match="yes")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="gaussian, sphere, signs"):
        score_variance(match=True, inputs="uniform")
    with pytest.raises(ValueError, match="f_prime must equal f"):
        score_covariance(y=0, y_prime=0, f=0, f_prime=1, same_input=True)


def test_higher_moments_ask_for_sums_that_are_not_there() -> None:
    """A third power of the weights is needed for the fourth moment of the score: said, not guessed."""
    memory = function_memory(f={"z": "y"}, outputs_asked=["y"])
    with pytest.raises(ValueError, match="sums of q"):
        memory.moment(*[("z", "y")] * 4)
