"""The contraction engine against coordinates written out, integrals, and its own structure."""

import random
from collections import Counter
from functools import cache

import pytest
import sympy

from asymp.theory.moments import wick
from asymp.theory.moments.wick import (
    VectorLaw,
    coincidences,
    d,
    embedding_law,
    expectation,
    iid_coordinates,
    inner,
    inner_product_moment,
    norm_moment,
    wick_power,
)

LAWS = ("gaussian", "sphere", "signs", "uniform")
UNIFORM = iid_coordinates(name="uniform", even_moments=[sympy.Integer(3) ** k / (2 * k + 1) for k in range(1, 7)])
Edges = tuple[tuple[str, str], ...]


def law_of(name: str) -> VectorLaw:
    return UNIFORM if name == "uniform" else embedding_law(name)


@cache
def coordinate_moment(law: str, powers: tuple[int, ...]) -> sympy.Expr:
    """E prod_i v_i^powers_i in dimension len(powers), by integrals: nothing of the engine."""
    x, t = sympy.symbols("x t")
    n = len(powers)
    if any(k % 2 for k in powers):
        return sympy.Integer(0)
    if law == "sphere":
        if n == 1:
            return sympy.Integer(1)
        circle = sympy.integrate(sympy.cos(t) ** powers[0] * sympy.sin(t) ** powers[1], (t, 0, 2 * sympy.pi)) / (
            2 * sympy.pi
        )
        if n == 2:
            return circle
        # d = 3: the third coordinate is uniform on [-1, 1] (Archimedes), the other two lie on a circle of squared
        # radius 1 - x^2.
        assert n == 3
        height = sympy.integrate(x ** powers[2] * (1 - x**2) ** ((powers[0] + powers[1]) // 2), (x, -1, 1)) / 2
        return circle * height
    total = sympy.Integer(1)
    for k in powers:
        if law == "gaussian":
            total *= sympy.integrate(x**k * sympy.exp(-(x**2) / 2), (x, -sympy.oo, sympy.oo)) / sympy.sqrt(2 * sympy.pi)
        elif law == "uniform":  # on [-sqrt 3, sqrt 3]
            total *= sympy.integrate(x**k, (x, -sympy.sqrt(3), sympy.sqrt(3))) / (2 * sympy.sqrt(3))
    return sympy.simplify(total / sympy.Integer(n) ** (sum(powers) // 2))


def by_coordinates(edges: Edges, laws: dict[str, str], n: int) -> sympy.Expr:
    """E prod (v.w) with every sum over coordinates written out."""
    terms: Counter[tuple[tuple[str, int], ...]] = Counter({(): 1})
    for v, w in edges:
        longer: Counter[tuple[tuple[str, int], ...]] = Counter()
        for term, count in terms.items():
            for i in range(n):
                longer[tuple(sorted((*term, (v, i), (w, i))))] += count
        terms = longer
    total = sympy.Integer(0)
    for term, count in terms.items():
        powers = Counter(term)
        total += count * sympy.prod(
            [coordinate_moment(law, tuple(powers[name, i] for i in range(n))) for name, law in laws.items()]
        )
    return total


def networks() -> list[Edges]:
    """Hand-made ones, and random ones in which every vector appears an even number of times, at most 6."""
    made: list[Edges] = [
        (("u", "u"),) * 3,
        (("u", "v"),) * 4,
        (("u", "v"), ("v", "w"), ("u", "w")),
        (("u", "v"), ("v", "w"), ("u", "w")) * 2,
        (("u", "u"), ("u", "v"), ("u", "v"), ("v", "v")),
        (("u", "v"), ("v", "w"), ("w", "x"), ("u", "x")),
    ]
    generator = random.Random(1)
    for _ in range(8):
        legs = [name for name in "uvw" for _ in range(2 * generator.randint(1, 2))]
        generator.shuffle(legs)
        made.append(tuple(zip(legs[::2], legs[1::2], strict=True)))
    return made


def engine(edges: Edges, laws: dict[str, str]) -> sympy.Expr:
    return expectation(
        sympy.prod([inner(v, w) for v, w in edges]), laws={name: law_of(law) for name, law in laws.items()}
    )


@pytest.mark.parametrize("edges", networks())
def test_products_equal_sums_over_coordinates(edges: Edges) -> None:
    names = sorted({name for edge in edges for name in edge})
    mixtures = [dict.fromkeys(names, law) for law in LAWS] + [dict(zip(names, LAWS, strict=False))]
    for laws in mixtures:
        derived = engine(edges, laws)
        for n in (1, 2, 3):
            assert derived.subs(d, n) == by_coordinates(edges, laws, n), (edges, laws, n)


def test_known_moments() -> None:
    """|u|^2 is chi-square(d)/d for gaussian vectors; u.u' on the sphere has density (1-t^2)^((d-3)/2), for signs it
    is binomial."""
    assert sympy.simplify(norm_moment(law="gaussian", k=2) - (1 + 2 / d)) == 0
    assert sympy.simplify(norm_moment(law="gaussian", k=4) - d * (d + 2) * (d + 4) * (d + 6) / d**4) == 0
    for law in ("sphere", "signs"):
        assert [norm_moment(law=law, k=k) for k in range(5)] == [1] * 5
    for law in LAWS:
        assert inner_product_moment(law=law_of(law), k=1) == 1 / d
    assert sympy.simplify(inner_product_moment(law="gaussian", k=2) - 3 * (d + 2) / d**3) == 0
    assert sympy.simplify(inner_product_moment(law="sphere", k=2) - 3 / (d * (d + 2))) == 0
    assert sympy.simplify(inner_product_moment(law="gaussian", other="sphere", k=2) - 3 / d**2) == 0
    for n in range(1, 6):
        heads = [(2 * k - n, sympy.binomial(n, k) / sympy.Integer(2) ** n) for k in range(n + 1)]
        for k in (2, 3, 4):
            assert inner_product_moment(law="signs", k=k).subs(d, n) == sum(
                p * sympy.Rational(t, n) ** (2 * k) for t, p in heads
            )


def test_on_the_line_the_sphere_is_a_sign() -> None:
    for edges in networks():
        names = {name for edge in edges for name in edge}
        assert (
            engine(edges, dict.fromkeys(names, "sphere")).subs(d, 1)
            == engine(edges, dict.fromkeys(names, "signs")).subs(d, 1)
            == 1
        )


def test_cumulants() -> None:
    """Signs: log cosh t = sum kappa_n t^n/n!. Gaussian: none above the second."""
    t = sympy.Symbol("t")
    series = sympy.series(sympy.log(sympy.cosh(t)), t, 0, 10).removeO()
    for size in (2, 4, 6, 8):
        assert embedding_law("signs").cumulant(size) == series.coeff(t, size) * sympy.factorial(size)
        assert embedding_law("gaussian").cumulant(size) == (size == 2)
    assert embedding_law("signs").cumulant(3) == 0


def test_symbolic_fourth_moment() -> None:
    """|u|^4 = (1/d^2) sum_ij x_i^2 x_j^2: d(d-1) off-diagonal terms 1 and d diagonal ones E x^4."""
    mu = sympy.Symbol("mu")
    law = iid_coordinates(name="any", even_moments=(1, mu))
    assert sympy.simplify(norm_moment(law=law, k=2) - (d * (d - 1) + d * mu) / d**2) == 0
    with pytest.raises(ValueError, match="must reach E x\\^6"):
        norm_moment(law=law, k=3)


@pytest.mark.parametrize("p", [1, 2, 3])
def test_wick_powers_are_orthogonal(p: int) -> None:
    """E :(w.v)^p: :(w.x)^k: = 1{k = p} p! (v.x)^p/d^p given v, x, for k <= p: here after another factor (v.x)^p, then
    averaged."""
    laws = {"w": "gaussian", "v": "signs", "x": "gaussian"}
    for k in range(p + 1):
        mean = expectation(
            sympy.expand(wick_power("w", "v", p) * wick_power("w", "x", k) * inner("v", "x") ** k), laws=laws
        )
        wanted = sympy.factorial(p) / d**p * expectation(inner("v", "x") ** (2 * p), laws=laws) if k == p else 0
        assert sympy.simplify(mean - wanted) == 0
    t = sympy.Symbol("t")
    hermite = sympy.expand(
        2 ** sympy.Rational(-p, 2) * sympy.hermite(p, t / sympy.sqrt(2))
    )  # the probabilists' polynomial
    unit = wick_power("w", "v", p).subs({inner("v", "v"): 1, inner("w", "v"): t / sympy.sqrt(d)}) * d ** sympy.Rational(
        p, 2
    )
    assert sympy.expand(unit - hermite) == 0


def test_constants_pass_through_and_odd_moments_vanish() -> None:
    c = sympy.Symbol("c")
    assert expectation(c, laws={}) == c
    assert sympy.expand(expectation(c * inner("u", "v") ** 2 + 1, laws={"u": "sphere", "v": "signs"}) - c / d - 1) == 0
    assert expectation(inner("u", "v") * inner("v", "v"), laws={"u": "sphere", "v": "gaussian"}) == 0


def test_coincidences_cover_every_assignment_once() -> None:
    """Fresh names stand for distinct unnamed values, so the patterns, each with its number of assignments, make up
    n^k."""
    patterns = list(coincidences(variables=2, named=["z"], fresh="x"))
    assert patterns == [("z", "z"), ("z", "x0"), ("x0", "z"), ("x0", "x0"), ("x0", "x1")]
    for named in ([], ["a"], ["a", "b"]):
        for k in range(5):
            patterns = list(coincidences(variables=k, named=named, fresh="x"))
            assert len(set(patterns)) == len(patterns)
            for n in (2, 3, 7):
                assert sum(sympy.ff(n - len(named), len(set(p) - set(named))) for p in patterns) == n**k


def test_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="gaussian, sphere, signs"):
        norm_moment(law="cauchy", k=1)
    with pytest.raises(ValueError, match="got none for v"):
        expectation(inner("u", "v"), laws={"u": "sphere"})
    with pytest.raises(ValueError, match="start with E x\\^2 = 1"):
        iid_coordinates(name="wide", even_moments=[2, 12])
    for bad in (sympy.nan, sympy.oo, -1):
        with pytest.raises(ValueError, match="must be positive"):
            iid_coordinates(name="bad", even_moments=[1, bad])
    with pytest.raises(ValueError, match="k must be"):
        inner_product_moment(law="sphere", k=-1)
    with pytest.raises(ValueError, match="p must be"):
        wick_power("w", "v", -1)
    with pytest.raises(ValueError, match="unit_norm"):
        VectorLaw("unit", UNIFORM.even_moment, unit_norm=True)


def test_number_of_pairings() -> None:
    """2k legs have (2k-1)!! pairings, whatever the network."""
    for edges in networks():
        legs = Counter(name for edge in edges for name in edge)
        network = tuple(sorted(tuple(sorted(edge)) for edge in edges))
        counted = sum(wick.contractions(network, frozenset(legs)).values())
        assert counted == sympy.prod([sympy.factorial2(k - 1) for k in legs.values()])
