"""The capacity laws of section 2 against second routes: quadrature, enumeration, another sum."""

import math
from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest
import sympy
from mpmath import mpf

from asymp.theory import laws


def close(found, wanted, digits=49):
    assert abs(found / wanted - 1) < mpf(10) ** -digits


def margin_cost(k):
    """E[(k - g)_+^2] by quadrature."""
    return mpmath.quad(lambda g: (k - g) ** 2 * mpmath.npdf(g), [-mpmath.inf, min(k, 0) - 3, k])


def test_listwise_is_the_gardner_integral_of_the_named_margin():
    with mpmath.workdps(60):
        for r in (mpf(1) / 2, mpf(1) / 8):
            edge = mpmath.findroot(lambda x, r=r: mpmath.ncdf(-x) - r, 0.7)
            mean = mpmath.quad(lambda g: g * mpmath.npdf(g), [edge, edge + 4, mpmath.inf]) / r
            for criterion, k in (("top-fraction", edge), ("tail-average", mean)):
                found = laws["listwise:ratio"].evaluate(r=r, criterion=criterion, digits=50)
                close(found, 1 / margin_cost(k), 45)
                close(laws["listwise"].evaluate(d=30, r=r, criterion=criterion, digits=50), 900 * found)
        assert laws["listwise:ratio"](r=0.5, criterion="top-fraction") == pytest.approx(2, rel=1e-14)
        assert laws["listwise:ratio"](r=1) == pytest.approx(2, rel=1e-14)
        # one answer in N: the finite-size law of the best matrix, and 2 N log N in the end
        k = mpmath.findroot(lambda x: mpmath.ncdf(-x) - mpf(1) / 1000, 3)
        found = laws["best-linear:finite-size"].evaluate(N=1000, digits=50)
        close(found**2, 1000 * margin_cost(k), 45)
        assert 10.4 < float(found) ** 2 / 1000 < 10.7
    with pytest.raises(ValueError, match="r must be at most 1/2"):
        laws["listwise"](d=10, r=0.6, criterion="top-fraction")


def test_cover_counts_by_his_recursion():
    # C(N + 1, d) = C(N, d) + C(N, d - 1), C(1, d) = 2
    count = {(1, d): 2 for d in range(1, 40)}
    for N in range(1, 60):
        for d in range(1, 40):
            count[N + 1, d] = count[N, d] + (count[N, d - 1] if d > 1 else 0)
    for N, d in ((1, 1), (7, 3), (20, 10), (59, 30), (60, 5), (12, 39)):
        wanted = Fraction(count[N, d], 2**N)
        with mpmath.workdps(60):
            close(
                laws["binary-capacity:cover"].evaluate(N=N, d=d, digits=50), mpf(wanted.numerator) / wanted.denominator
            )
        assert laws["binary-capacity:cover"](N=N, d=d) == pytest.approx(float(wanted), rel=1e-12)
    assert laws["binary-capacity:cover"](N=2 * 777, d=777) == pytest.approx(0.5, rel=1e-12)
    assert laws["binary-capacity:best-linear"](d=777) == 2 * 777


def chi_average(function, d):
    """E f(r) for r^2 chi-square_d, by quadrature."""
    front = mpf(2) ** (1 - mpf(d) / 2) / mpmath.gamma(mpf(d) / 2)
    root = mpmath.sqrt(d)
    return mpmath.quad(
        lambda r: front * r ** (d - 1) * mpmath.exp(-(r**2) / 2) * function(r),
        [0, root / 2, root, 2 * root, root + 16, 40],
    )


def test_more_noise_than_attention_can_bear_is_refused():
    with pytest.raises(ValueError, match=r"beta s\^2 must be below d"):
        laws["attention-retrieval:noise"](d=4, N=9, beta=8, s=1)


def test_exact_item_errors_by_quadrature():
    # Thirty digits here: test_second_routes has fifty of each of these laws.
    with mpmath.workdps(42):
        for d, N in ((8, 3), (20, 30)):
            wanted = chi_average(lambda r, N=N: mpmath.ncdf(-r / mpmath.sqrt(N - 1)), d)
            close(laws["binary-capacity:item-error"].evaluate(d=d, N=N, digits=30), wanted, 29)
        for d, M in ((4, 3), (11, 50)):
            wanted = chi_average(lambda r, M=M: 1 - mpmath.ncdf(r) ** (M - 1), d)
            close(laws["learned-inputs:item-error"].evaluate(d=d, M=M, digits=30), wanted, 29)
        pair = chi_average(lambda r: mpmath.ncdf(-r), 9)
        close(laws["learned-inputs:all-items"].evaluate(d=9, digits=30) ** 2, 1 / pair, 29)
        M = laws["learned-inputs:one-item"].evaluate(d=9, digits=30)
        close(mpmath.ncdf(3) ** (M - 1), mpf(1) / 2, 29)
        for d, b in ((3, mpf(1) / 4), (12, mpf(1) / 2)):
            front = mpmath.gamma(mpf(d) / 2) / mpmath.sqrt(mpmath.pi) / mpmath.gamma(mpf(d - 1) / 2)
            points = [b, (1 + b) / 2, 1]
            tail = mpmath.quad(lambda c, d=d, front=front: front * (1 - c**2) ** (mpf(d - 3) / 2), points)
            close(laws["lookup-mlp:silent"].evaluate(d=d, N=30, b=b, digits=30), (1 - tail) ** 29, 29)
            close(laws["quasi-orthogonality:random"].evaluate(d=d, P=4, t=b, digits=30), 1 - 12 * tail, 28)
            close(laws["quasi-orthogonality:maximum"].evaluate(d=d, P=4, t=b, digits=30), mpmath.exp(-12 * tail), 29)
            leak = mpmath.quad(
                lambda c, d=d, front=front: front * (1 - c**2) ** (mpf(d - 3) / 2) * mpmath.exp(6 * (c - 1)), [-1, 0, 1]
            )
            close(laws["attention-retrieval:leak"].evaluate(d=d, N=9, beta=6, digits=30), 8 * leak, 29)
            close(laws["attention-retrieval:capacity"].evaluate(d=d, beta=6, digits=30), 1 + 1 / leak, 29)
    for d, M in ((4, 1e5), (300, 1e9)):
        exact = laws["learned-inputs:item-error"].evaluate(d=d, M=M, digits=25)
        assert laws["learned-inputs:item-error"](d=d, M=M) == pytest.approx(float(exact), rel=1e-10)
    # Laplace: the logarithm of the capacity is linear in beta = lam d, up to log d
    exact = mpmath.log(laws["attention-retrieval:capacity"].evaluate(d=4000, beta=8000, digits=20))
    assert abs(laws["attention-retrieval:rate"](d=4000, lam=2) - exact) < math.log(4000)


def test_the_integral_over_competitors_by_quadrature():
    # Retyped from the text: variances by hand, E over the answer's score, competitors given it; 50 digits.
    d, N = 64, 150
    with mpmath.workdps(70):
        target, other = mpf(N - 1) / d**2, mpf(2) / d + mpf(N - 2) / d**2

        def lost(x):
            T = 1 + mpmath.sqrt(target) * x
            A = other + (T**2 - 1 - target) / d
            z = T / mpmath.sqrt(A * mpmath.exp(2 * T * (T - 1) / ((N - 1) * A)))
            z += (z**3 - 3 * z) / (4 * d)
            return mpmath.npdf(x) * (1 - mpmath.ncdf(z) ** (N - 1))

        wanted = mpmath.quad(lost, [-18, -8, -5, -3, -2, -1, 0, 1, 3, 8, 18])
        close(laws["injective-capacity:item-error"].evaluate(d=d, N=N, digits=50), wanted)
    with pytest.raises(ValueError, match="about 5 digits"):
        laws["injective-capacity:item-error"].evaluate(d=64, N=20, outputs="gaussian", digits=30)


def test_gaussian_outputs_by_a_plain_triple_integral():
    # The same integral, by the trapezoidal rule in log t^2 and log h on 60 points each. 1e-4: the Gauss rules' own.
    d, N = 48, 120
    x, v = np.linspace(-14, 9, 400), np.linspace(-1.6, 1.2, 60)

    def chi(n):
        w = np.exp(n / 2 * (v - np.exp(v) + 1))
        return np.exp(v), w / w.sum()

    (t2, wt), (h, wh) = chi(d), chi(d - 1)
    t, h = np.sqrt(t2)[:, None, None], h[None, :, None]
    a = t + np.sqrt(N - 1) / d * x
    V = (
        (a**2 + (N - 1) * (d - 1) / d**2 * h) * (N - 2) / (N - 1) + (h * (1 - 1 / d) + a * x / np.sqrt(N - 1)) ** 2
    ) / d
    z = t * a / np.sqrt(V)
    from scipy.stats import chi2, norm

    kept = norm.cdf(z) ** (N - 1)
    wanted = np.einsum("i,j,k,ijk->", wt, wh, norm.pdf(x) * (x[1] - x[0]), 1 - kept)
    law = laws["injective-capacity:item-error"]
    assert law(d=d, N=N, outputs="gaussian") == pytest.approx(wanted, rel=1e-4)
    # and the integrand of the SymPy expression at one point
    integral = law.variant(inputs="sphere", outputs="gaussian")
    at = {"x": -1.5, "t": 0.9, "h": 1.1, "d": d, "N": N}
    value = integral.function.subs({s: at[s.name] for s in integral.function.free_symbols}).evalf()
    a = 0.9 - 1.5 * math.sqrt(N - 1) / d
    V = (a**2 + (N - 1) * (d - 1) / d**2 * 1.1) * (N - 2) / (N - 1) + (
        1.1 * (1 - 1 / d) - 1.5 * a / math.sqrt(N - 1)
    ) ** 2
    density = norm.pdf(-1.5) * chi2.pdf(d * 0.81, d) * d * 2 * 0.9 * chi2.pdf((d - 1) * 1.1, d - 1) * (d - 1)
    assert float(value) == pytest.approx(density * (1 - norm.cdf(0.9 * a / math.sqrt(V / d)) ** (N - 1)), rel=1e-9)


@pytest.mark.parametrize("diagonal", ["zero", "kept"])
def test_hopfield_bits_by_full_enumeration(diagonal):
    for d, N in ((3, 3), (4, 3), (3, 4), (2, 5)):
        wrong = 0
        for bits in product((-1, 1), repeat=d * N):
            xi = np.array(bits).reshape(N, d)
            W = xi.T @ xi - (N * np.eye(d, dtype=int) if diagonal == "zero" else 0)
            wrong += int(np.sum((W @ xi[0]) * xi[0] < 0))
        wanted = wrong / (d * 2 ** (d * N))
        assert laws["hopfield-capacity:item-error"](d=d, N=N, diagonal=diagonal) == pytest.approx(wanted, rel=1e-13)
        exact = laws["hopfield-capacity:item-error"].evaluate(d=d, N=N, diagonal=diagonal, digits=40)
        assert float(exact) == pytest.approx(wanted, rel=1e-14)


def test_hopfield_bits_tend_to_the_normal_law():
    # Lattice of step 2 against a standard deviation sqrt((N-1)(d-1)) = 1e4: relative differences of order 1e-4 z.
    for diagonal in ("zero", "kept"):
        for d, N in ((30_001, 3001), (10_001, 10_001)):
            exact, limit = (
                laws[f"hopfield-capacity:item-error{s}"](d=d, N=N, diagonal=diagonal) for s in ("", "-asymptotic")
            )
            assert exact == pytest.approx(limit, rel=4e-3)
    with mpmath.workdps(60):  # alpha_c: the maximum itself, by golden sections
        low, high, golden = mpf(1), mpf(2), (mpmath.sqrt(5) - 1) / 2

        def bracket(y):
            return (mpmath.erf(y) / y - 2 * mpmath.exp(-(y**2)) / mpmath.sqrt(mpmath.pi)) ** 2 / 2

        while high - low > mpf(10) ** -27:
            a, b = high - golden * (high - low), low + golden * (high - low)
            low, high = (a, high) if bracket(a) < bracket(b) else (low, b)
        close(laws["hopfield-capacity:with-errors"].evaluate(d=2, digits=50), 2 * bracket(low))


def test_dense_bits_by_the_binomial_sum():
    for d, k, N in ((3, 2, 5), (12, 3, 40), (40, 5, 1000), (90, 4, 10_000), (200, 7, 10**9), (5, 20, 10**6)):
        square = Fraction(
            sum(math.comb(d - 1, j) * ((2 * j - d + 2) ** k - (2 * j - d) ** k) ** 2 for j in range(d)), 2 ** (d - 1)
        )
        with mpmath.workdps(60):
            wanted = mpmath.ncdf(
                -(d**k - (d - 2) ** k) / mpmath.sqrt((N - 1) * mpf(square.numerator) / square.denominator)
            )
            close(laws["dense-capacity:item-error"].evaluate(d=d, k=k, N=N, digits=50), wanted)
        assert laws["dense-capacity:item-error"](d=d, k=k, N=N) == pytest.approx(float(wanted), rel=1e-11)
    # the limit: relative corrections of order k^2/d in the argument, and the shares of the erratum
    limit, exact = (laws[f"dense-capacity:item-error{s}"](d=10**6, k=4, N=10**17) for s in ("-asymptotic", ""))
    assert limit == pytest.approx(exact, rel=1e-4)
    for k, share in ((2, 0.159), (3, 0.282), (4, 0.398)):
        assert laws["dense-capacity:item-error-asymptotic"](d=100, k=k, N=100 ** (k - 1)) == pytest.approx(
            share, abs=5e-4
        )


def test_mlp_variances_by_exact_quadrature_on_the_circle():
    # d = 2, three items: embeddings on a regular 9-gon (exact to degree 8), neurons by Gauss-Hermite rules (degree 15).
    # Given embeddings g is a mean over m independent neurons: E g^2 = E[g_1^2]/m + (1 - 1/m) E[E[g_1]^2].
    angle = 2 * np.pi * np.arange(9) / 9
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    node, weight = np.polynomial.hermite_e.hermegauss(8)
    w = np.array(list(product(node, repeat=2)))
    mass = np.array(list(product(weight, repeat=2))).prod(1) / weight.sum() ** 2
    triples = np.array([[circle[0], circle[i], circle[j]] for i in range(9) for j in range(9)])  # z first, by rotation
    for k in (1, 2, 3):
        he = [np.ones_like, lambda t: t, lambda t: (t**2 - 1) / np.sqrt(2)][k - 1]
        h = he(np.einsum("aix,nx->ain", triples, w))
        beta = h[:, :1] * h * np.einsum("aix,ax->ai", triples, triples[:, 0])[:, :, None]
        along = np.einsum("aix,nx->ain", triples, w)
        for output, y in (("target", 0), ("other", 1)):
            alpha = along[:, y : y + 1] * along
            one = [np.einsum("ain,n->ai", s, mass) for s in (alpha, beta)]
            two = [np.einsum("ain,ajn,n->aij", s, s, mass) for s in (alpha, beta)]
            mean = np.einsum("ai,bi->", *one) / 81**2
            same = np.einsum("aij,bij->", *two) / 81**2
            different = np.einsum("ai,aj,bi,bj->", one[0], one[0], one[1], one[1], optimize=True) / 81**2
            for m in (1, 5):
                wanted = same / m + (1 - 1 / m) * different - mean**2
                found = laws["mlp-capacity:variance"](d=2, m=m, N=3, k=str(k), output=output)
                assert found == pytest.approx(wanted, rel=1e-10)


def test_hopfield_energy_is_exact_for_every_state():
    rng = np.random.default_rng(0)
    rises = 0
    for N, d in ((2, 5), (3, 4), (5, 6)):
        for _ in range(20):
            xi = rng.choice([-1, 1], (N, d))
            W = xi.T @ xi
            for state in product((-1, 1), repeat=d):
                x = np.array(state)
                for V, zero in ((W, False), (W - N * np.eye(d, dtype=int), True)):
                    field = V @ x
                    after = np.where(field == 0, x, np.sign(field))
                    change = -after @ V @ after + x @ V @ x
                    flipped = after != x
                    A, B = np.abs(field[flipped]).sum(), np.sum((xi @ (after - x)) ** 2)
                    if zero:
                        bound = laws["hopfield-energy:zero-diagonal-corrected"](N=N, F=flipped.sum(), A=A)
                        assert change == bound - B <= bound
                        rises += change > 0
                    elif rng.random() < 0.05 or change > 0:
                        assert change == laws["hopfield-energy"](A=A, B=B) <= laws["hopfield-energy:source"](d=d, N=N)
    assert rises > 0
    xi = np.array([[-1, 1, -1, -1], [1, 1, 1, -1], [1, -1, -1, -1]])  # the example of the erratum
    W, x = xi.T @ xi - 3 * np.eye(4), -np.ones(4)
    after = np.sign(W @ x)
    assert after.tolist() == [1, 1, -1, 1] and -x @ W @ x == 0 and -after @ W @ after == 12
    one = x * [-1, 1, 1, 1]  # one bit at a time
    assert -one @ W @ one + x @ W @ x == laws["hopfield-energy:asynchronous"](h=abs((W @ x)[0])) < 0


def test_attention_is_a_gradient_step():
    beta, patterns = sympy.Rational(3, 2), sympy.Matrix([[1, 2], [-1, 1], [sympy.Rational(1, 2), -2]])
    x = sympy.Matrix(sympy.symbols("x1 x2", real=True))
    weights = (beta * patterns * x).applyfunc(sympy.exp)
    energy = x.dot(x) / 2 - sympy.log(sum(weights)) / beta
    attention = patterns.T * weights / sum(weights)
    gradient = sympy.Matrix([sympy.diff(energy, s) for s in x])
    assert sympy.simplify(x - gradient - attention) == sympy.zeros(2, 1)
    for point in ((1, 1), (-2, sympy.Rational(1, 3))):
        at = dict(zip(x, point, strict=True))
        start, end = (m.subs(at).evalf(30) for m in (x, attention))
        delta = (start - end).norm()
        for eta in (0, sympy.Rational(1, 3), 1, 3):
            off = (start - eta * gradient.subs(at).evalf(30) - end).norm()
            assert abs(off - laws["attention-retrieval"].evaluate(eta=eta, delta=float(delta))) < 1e-12
        assert laws["attention-retrieval:source"](d=2, N=3, beta=1.5) == 0
        fall = energy.subs(dict(zip(x, end, strict=True))).evalf() - energy.subs(at).evalf()
        assert fall <= laws["attention-retrieval:descent"](delta=float(delta))


def test_bits_are_those_of_the_capacities():
    for id, memory in (("injective-capacity", "hebb"), ("best-linear", "best-linear")):
        N = laws[id].evaluate(d=10**9, digits=40)
        bits = laws["bits-per-parameter"].evaluate(memory=memory, digits=30)
        close(N * mpmath.log(N) / mpmath.log(2) / mpf(10) ** 18, bits, 14)
    assert laws["bits-per-parameter"](memory="best-binary") == laws["binary-capacity:best-linear"](d=10) / 10
    assert laws["bits-per-parameter:permutation"](N=30, d=7) == pytest.approx(
        math.log2(math.factorial(30)) / 49, rel=1e-13
    )
    assert laws["bits-per-parameter:stored"](N=32, d=4) == pytest.approx(10, rel=1e-14)
    assert laws["bits-per-parameter:facts"](S=3, R=5, D=8) == pytest.approx(45, rel=1e-14)
    assert laws["bits-per-parameter:source"](N=10, M=4, b=2) == pytest.approx(10, rel=1e-14)


# Floats, digits and the SymPy expression are three pieces of code where a law has its own numerics: equal at each point.
THREE = [
    ("injective-capacity:item-error", {"d": 40, "N": 60}),
    ("injective-capacity:item-error", {"d": 40, "N": 60, "inputs": "gaussian"}),
    ("best-linear:finite-size", {"N": 50}),
    ("listwise", {"d": 9, "r": 0.0625}),
    ("listwise:ratio", {"r": 0.25, "criterion": "top-fraction"}),
    ("binary-capacity:item-error", {"d": 7, "N": 20}),
    ("binary-capacity:cover", {"d": 7, "N": 20}),
    ("low-rank-capacity:item-error", {"d": 50, "m": 40, "N": 70}),
    ("mlp-capacity:item-error", {"d": 20, "m": 500, "N": 70, "k": "3"}),
    ("mlp-capacity:scaling", {"d": 20, "mu": 1.5, "k": 3}),
    ("multi-input-capacity:scaling", {"d": 20, "mu": 1.5, "nu": 0.75}),
    ("hopfield-capacity:item-error", {"d": 12, "N": 5, "diagonal": "kept"}),
    ("hopfield-capacity:with-errors", {"d": 12}),
    ("dense-capacity:item-error", {"d": 12, "k": 3, "N": 50}),
    ("dense-capacity:all-items", {"d": 12, "k": 3}),
    ("attention-retrieval:leak", {"d": 12, "N": 5, "beta": 3.5}),
    ("attention-retrieval:noise", {"d": 12, "N": 5, "beta": 3.5, "s": 0.75}),
    ("attention-retrieval:capacity", {"d": 11, "beta": 3.5}),
    ("quasi-orthogonality", {"P": 40, "d": 12}),
    ("quasi-orthogonality:random", {"P": 40, "d": 12, "t": 0.75}),
    ("quasi-orthogonality:maximum", {"P": 40, "d": 12, "t": 0.75}),
    ("learned-inputs:item-error", {"d": 5, "M": 30}),
    ("learned-inputs:all-items", {"d": 5}),
    ("learned-inputs:one-item", {"d": 5}),
    ("lookup-mlp:all-items", {"d": 9, "b": 0.25}),
    ("lookup-mlp:item-error", {"d": 9, "N": 40, "b": 0.25}),
    ("lookup-mlp:silent", {"d": 9, "N": 40, "b": 0.25}),
    ("bits-per-parameter:permutation", {"d": 9, "N": 40}),
]


@pytest.mark.parametrize(("id", "values"), THREE)
def test_floats_digits_and_expression_agree(id, values):
    law = laws[id]
    found = law(**values)
    assert found == pytest.approx(float(law.evaluate(**values, digits=20)), rel=1e-11)
    words = {k: v for k, v in values.items() if k in law.words}
    expr = law.variant(**words).subs({law.symbols[k]: sympy.nsimplify(v) for k, v in values.items() if k not in words})
    if expr.has(sympy.Integral):
        integral = next(iter(expr.atoms(sympy.Integral)))
        x, low, _ = integral.limits[0]
        integrand = sympy.lambdify(x, integral.function, modules="mpmath")
        ends = [max(float(low), -14), -5, -2, 0, 2, 5, 14] if low != 0 else [0, 1, 2, 3, 5, 8, 20]
        with mpmath.workdps(25):
            wanted = mpmath.quad(integrand, ends)
    else:
        wanted = sympy.N(expr.doit() if expr.has(sympy.Sum) else expr, 20)
    assert found == pytest.approx(float(wanted), rel=1e-9)
