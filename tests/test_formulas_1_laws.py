"""The laws of lengths, inner products and images of section 1 against closed forms and quadrature."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy

from asymp.theory import laws

BOTH = ("gaussian", "sphere")


def close(found, wanted, digits=49):
    with mpmath.workdps(digits + 15):
        assert mpmath.almosteq(found, wanted, rel_eps=mpmath.mpf(10) ** -digits)


@pytest.mark.parametrize("t", [Fraction(1, 10), Fraction(2, 5), Fraction(9, 10)])
def test_laws_of_products_known_in_closed_form(t):
    law = laws["near-orthogonality:product"]

    def sphere(d):
        return law.evaluate(d=d, t=t, embeddings="sphere", digits=50)

    def gaussian(d):
        return law.evaluate(d=d, t=t, embeddings="gaussian", digits=50)

    with mpmath.workdps(70):
        x = mpmath.mpf(t.numerator) / t.denominator
        close(sphere(2), 2 / mpmath.pi * mpmath.asin(x))  # a uniform angle
        close(sphere(3), x)  # Archimedes
        close(sphere(5), (3 * x - x**3) / 2)
        # x1 y1 + x2 y2 has Laplace's law, and four such products the law of a sum of two of them
        close(gaussian(2), 1 - mpmath.exp(-2 * x))
        close(gaussian(4), 1 - (1 + 2 * x) * mpmath.exp(-4 * x))
    assert sphere(1) == 0
    assert law(d=1, t=1, embeddings="sphere") == 1 == law(d=7, t=1.5, embeddings="sphere")


@pytest.mark.parametrize(("d", "t"), [(1, 0.3), (3, 0.05), (3, 1.2), (8, 0.4), (25, 0.1)])
def test_the_gaussian_product_is_the_declared_integral(d, t):
    # tanh-sinh quadrature of the mixture over the length, 25 digits
    with mpmath.workdps(30):

        def integrand(r):
            density = 2 * mpmath.mpf(d / 2) ** (d / 2) / mpmath.gamma(d / 2) * r ** (d - 1) * mpmath.exp(-d * r**2 / 2)
            return mpmath.erf(t * mpmath.sqrt(d / 2) / r) * density

        wanted = mpmath.quad(integrand, [0, t / 4, t, 0.5 + t, 1.2 + t, 3 + t, 8 + t, 30 + t])
    law = laws["near-orthogonality:product"]
    close(law.evaluate(d=d, t=t, digits=25), wanted, digits=20)
    assert law(d=d, t=t) == pytest.approx(float(wanted), rel=1e-12)


def test_floats_of_the_product_law_over_all_sizes():
    law = laws["near-orthogonality:product"]
    for d in (1, 2, 7, 40, 300):
        for x in (1e-6, 0.01, 0.5, 1, 3, 8):
            t = x / math.sqrt(d)
            assert law(d=d, t=t) == pytest.approx(float(law.evaluate(d=d, t=t, digits=20)), rel=1e-11)
    # the normal limit, with its correction of relative order 1/d
    assert law(d=10**8, t=1e-4) == pytest.approx(math.erf(1 / math.sqrt(2)), rel=1e-7)
    assert law(d=[4, 4], t=[0.0, 0.5]).tolist() == pytest.approx([0, 1 - 2 * math.exp(-2)], rel=1e-12)


def test_laws_of_lengths_known_in_closed_form():
    law, t = laws["near-orthogonality:norm"], Fraction(3, 4)
    with mpmath.workdps(70):
        x = mpmath.mpf(3) / 4
        close(law.evaluate(d=1, t=t, digits=50), mpmath.erf(mpmath.sqrt(x / 2)))
        close(law.evaluate(d=2, t=t, digits=50), 1 - mpmath.exp(-x))
        close(law.evaluate(d=4, t=t, digits=50), 1 - (1 + 2 * x) * mpmath.exp(-2 * x))
    assert law(d=4, t=[0.99, 1], embeddings="sphere").tolist() == [0, 1]


@pytest.mark.parametrize(
    ("d", "embeddings", "wanted"),
    [
        (1, "sphere", lambda: mpmath.mpf(1)),
        (2, "sphere", lambda: 2 / mpmath.pi),
        (3, "sphere", lambda: mpmath.mpf(1) / 2),
        (1, "gaussian", lambda: 2 / mpmath.pi),
        (2, "gaussian", lambda: mpmath.mpf(1) / 2),  # half of a Laplace variable
    ],
)
def test_mean_products_known_in_closed_form(d, embeddings, wanted):
    with mpmath.workdps(70):
        close(laws["near-orthogonality:absolute"].evaluate(d=d, embeddings=embeddings, digits=50), wanted())


@pytest.mark.parametrize("embeddings", BOTH)
def test_the_mean_product_is_the_integral_of_its_law(embeddings):
    # E |X| = the integral of P(|X| > t); Simpson's rule on 4001 points of a smooth function: 1e-9
    from scipy.integrate import simpson

    for d in (4, 9, 50):
        end = 1.0 if embeddings == "sphere" else 25 / math.sqrt(d)
        t = np.linspace(0, end, 4001)
        tail = 1 - laws["near-orthogonality:product"](d=d, t=t, embeddings=embeddings)
        wanted = laws["near-orthogonality:absolute"](d=d, embeddings=embeddings)
        assert simpson(tail, x=t) == pytest.approx(wanted, rel=1e-7)


@pytest.mark.parametrize("embeddings", BOTH)
def test_the_exponent_of_the_mean_product_is_its_local_slope(embeddings):
    law = laws["near-orthogonality:absolute"]
    assert law.exponent("d") == sympy.Rational(-1, 2) == laws["near-orthogonality:source"].exponent("d")
    low, high = (law.evaluate(d=10**k, embeddings=embeddings, digits=20) for k in (8, 9))
    assert float(mpmath.log10(high / low)) == pytest.approx(-0.5, abs=1e-8)
    with mpmath.workdps(20):  # sqrt(2/(pi d)) (1 + O(1/d))
        assert float(high * mpmath.sqrt(mpmath.pi * 10**9 / 2)) == pytest.approx(1, abs=1e-8)


def test_the_bound_on_directions_is_a_union_bound():
    # a pair fails with probability at most 2 exp(-d epsilon^2/2), everywhere
    epsilon = np.linspace(0.01, 1, 100)
    for d in (1, 2, 3, 4, 5, 10, 30, 100, 300):
        fails = 1 - laws["near-orthogonality:product"](d=d, t=epsilon, embeddings="sphere")
        assert np.all(fails <= 2 * np.exp(-d * epsilon**2 / 2))
    law = laws["near-orthogonality:directions"]
    assert law(d=100, P=1, epsilon=0.5) == 1
    assert law(d=50, P=40, epsilon=0.6) == pytest.approx(1 - 40 * 39 * math.exp(-9), rel=1e-12)
    # positive up to exp(d epsilon^2/4)
    for d in (16, 100, 400):
        most = math.floor(math.exp(d * 0.25 / 4))
        assert law(d=d, P=most, epsilon=0.5) > 0
        assert law(d=d, P=2 * most + 1, epsilon=0.5) < 0


def test_moments_of_remapping_by_hand_to_fifty_digits():
    # E |W u|^4 = (1 + 2/d) E |u|^4; E (u^T W u)^4 = 3 E |u|^8/d^2
    for d in (1, 3, 17, 1000):
        norm4 = 1 + Fraction(2, d)
        norm8 = norm4 * (1 + Fraction(4, d)) * (1 + Fraction(6, d))
        cases = {
            ("norm", "2", "gaussian"): Fraction(1),
            ("norm", "4", "gaussian"): norm4**2,
            ("norm", "4", "sphere"): norm4,
            ("overlap", "2", "gaussian"): norm4 / d,
            ("overlap", "2", "sphere"): Fraction(1, d),
            ("overlap", "4", "gaussian"): 3 * norm8 / d**2,
            ("overlap", "4", "sphere"): Fraction(3, d**2),
        }
        for (of, order, embeddings), wanted in cases.items():
            found = laws["remapping"].evaluate(d=d, of=of, order=order, embeddings=embeddings, digits=50)
            with mpmath.workdps(60):
                assert mpmath.almosteq(found, mpmath.mpf(wanted.numerator) / wanted.denominator, rel_eps=1e-49)


def test_laws_given_u_known_in_closed_form():
    law = laws["remapping:given-u"]
    r, t = Fraction(3, 2), Fraction(4, 5)
    with mpmath.workdps(70):
        x = mpmath.mpf(4) / 5 / (mpmath.mpf(9) / 4)  # t/r^2
        close(law.evaluate(d=1, r=r, t=t, of="norm", digits=50), mpmath.erf(mpmath.sqrt(x / 2)))
        close(law.evaluate(d=2, r=r, t=t, of="norm", digits=50), 1 - mpmath.exp(-x))
        close(law.evaluate(d=7, r=r, t=t, of="overlap", digits=50), (1 + mpmath.erf(x * mpmath.sqrt(3.5))) / 2)
        # the density of N(0, r^4/d), integrated
        deviation = mpmath.mpf(9) / 4 / mpmath.sqrt(7)
        density = mpmath.quad(lambda s: mpmath.npdf(s, 0, deviation), [-mpmath.inf, -2, 0, mpmath.mpf(4) / 5])
        close(law.evaluate(d=7, r=r, t=t, of="overlap", digits=30), density, digits=28)
    assert law(d=3, r=1, t=[-1, 0, 0.5], of="norm").tolist() == pytest.approx(
        [0, 0, float(law.evaluate(d=3, r=1, t=0.5, of="norm"))], rel=1e-12
    )
    assert law(d=3, r=2, t=0) == 0.5
    for of in ("overlap", "norm"):
        for r in (0.5, 2.0):
            assert law(d=6, r=r, t=0.7, of=of) == pytest.approx(
                float(law.evaluate(d=6, r=r, t=0.7, of=of, digits=20)), rel=1e-12
            )
