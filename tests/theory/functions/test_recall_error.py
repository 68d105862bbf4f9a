"""The numerically exact recall error, against closed forms, quadrature, the obvious simulation and published figures."""

import math

import numpy as np
import pytest
from support.naive_recall import simulate, zipf

from asymp.theory.exact_recall import quadrature as recall_quadrature
from asymp.theory.exact_recall import steering as recall_steering
from asymp.theory.exact_recall.exact import recall_error
from asymp.theory.functions.recall.gaussian_error import pi_M
from asymp.theory.functions.recall.theorem_1 import finite_memory_uppers, forgotten_mass

# `.error` is a 99 % half-width: 2.9 standard errors, of 16 replicas. Off by twice that is 5.9 standard errors. The seed is
# fixed, so nothing here fails by chance from one run to the next.
TWICE = 2.0


def student_tail(kappa, d):
    """P(t_d > sqrt(d) kappa)."""
    from scipy.special import betaincc

    half = betaincc(0.5, d / 2, kappa**2 / (1 + kappa**2)) / 2
    return np.where(kappa >= 0, half, 1 - half)


def two_outputs(*, q, f, p, d, outputs):
    """M = 2 by one integral. With a = (u_1 - u_0)/sqrt 2 and b the component of (u_1 + u_0)/sqrt 2 along it, the wrong
    output wins iff zeta (D_c (1-w)^2 + D_y (1+w)^2)^(1/2) > sqrt(d) q r (1-w), w = b/|a| = t_d/sqrt d; on the sphere w = 0.
    """
    from scipy.integrate import quad
    from scipy.special import gammaln

    total = 0.0
    S = [np.sum(q[f == c] ** 2) for c in (0, 1)]
    for weight, c, mass in zip(q, f, p, strict=True):
        own, other = S[c] - weight**2, S[1 - c]

        def error(w, weight=weight, own=own, other=other):
            kappa = weight * (1 - w) / math.sqrt(own * (1 - w) ** 2 + other * (1 + w) ** 2)
            return float(student_tail(kappa, d))

        if outputs == "sphere":
            total += mass * error(0.0)
            continue
        front = math.exp(gammaln((d + 1) / 2) - gammaln(d / 2)) / math.sqrt(math.pi)
        value = quad(
            lambda t, error=error, front=front: front * math.cos(t) ** (d - 1) * error(math.tan(t)),
            -math.pi / 2,
            math.pi / 2,
            points=[0.0, math.pi / 4],
            epsabs=0,
            epsrel=1e-9,
            limit=400,
        )[0]
        total += mass * value
    return total


TWO = [
    {"alpha": 1.0, "N": 9, "rho": 0.5, "d": 2},
    {"alpha": 0.5, "N": 20, "rho": 1.0, "d": 7},
    {"alpha": 2.0, "N": 6, "rho": 0.0, "d": 40},
    {"alpha": 0.5, "N": 8, "rho": 0.2, "d": 300},
    {"alpha": 0.0, "N": 4, "rho": 0.0, "d": 150},
]


LINE = {"alpha": 1.0, "N": 9, "rho": 0.5, "d": 1}


@pytest.mark.parametrize(
    ("case", "outputs"), [(case, law) for case in TWO for law in ("gaussian", "sphere")] + [(LINE, "gaussian")]
)
def test_two_outputs(case, outputs):
    p, x = zipf(case["alpha"], case["N"]), np.arange(1, case["N"] + 1)
    exact = two_outputs(q=p ** case["rho"], f=x % 2, p=p, d=case["d"], outputs=outputs)
    found = recall_error(M=2, outputs=outputs, **case)
    assert found.error <= 1e-3 * found.value
    assert abs(found.value - exact) <= TWICE * found.error


def test_rare_errors_of_two_outputs():
    # On the sphere the error is Student's tail: 1e-4 down to 1e-280.
    for d, N in [(100, 10), (1000, 40), (10**6, 30_000), (10**9, 2 * 10**7), (3000, 8)]:
        exact = float(student_tail(np.array(1 / math.sqrt(N - 1)), d))
        found = recall_error(alpha=0, N=N, M=2, d=d, outputs="sphere", rel_error=1e-2)
        assert exact < 1e-3
        assert abs(found.value - exact) <= TWICE * found.error <= 2e-2 * exact


@pytest.mark.parametrize("M", [3, 10, 30])
def test_balanced_limit(M):
    # d -> inf with balanced classes: pi_M(sqrt(d M/N)); at d = 10^9 corrections are of relative order a^4/d + M/d < 1e-5.
    d = 10**9
    for margin in (0.5, 2.0, 5.0, 9.0) if M < 30 else (3.0,):
        n = round(d / margin**2)
        found = recall_error(alpha=0, N=n * M, M=M, d=d, rel_error=5e-3)
        exact = pi_M(a=math.sqrt(d / n), M=M)
        assert abs(found.value - exact) <= TWICE * found.error + 1e-5 * exact


@pytest.mark.parametrize("outputs", ["gaussian", "sphere"])
@pytest.mark.parametrize("d", [3, 20])
def test_two_routes_agree(monkeypatch, outputs, d):
    """Importance sampling over half-spaces, and conditioning on the class's own noise: all inputs by one, then the other."""
    parameters = {"alpha": 0.7, "N": 8, "M": 5, "d": d, "rho": 0.4, "outputs": outputs, "rel_error": 1e-2}
    values = []
    for switch in (0.0, 1e9):
        monkeypatch.setattr(recall_steering, "SWITCH", switch)
        monkeypatch.setattr(recall_steering.Steering.__init__, "__defaults__", (switch, True))
        values.append(recall_error(**parameters))
    assert abs(values[0].value - values[1].value) <= TWICE * math.hypot(values[0].error, values[1].error)


def test_rare_errors_lie_between_the_pairs():
    """M = 3 on the sphere, one input a class: pairs by quadrature over s^2 (half the distance) and the third overlap."""
    from scipy.special import betaln

    d = 60
    # s^2 ~ Beta((d-1)/2, (d-1)/2) by its logit, t ~ (1 - t^2)^((d-3)/2): trapezoidal sums, exponentially accurate.
    g, t = np.linspace(-5, 5, 801), np.linspace(-1, 1, 2003)[1:-1]
    s2 = 1 / (1 + np.exp(-g))
    over_s = np.exp((d - 1) / 2 * np.log(s2 * (1 - s2)) - betaln((d - 1) / 2, (d - 1) / 2)) * (g[1] - g[0])
    over_t = np.exp((d - 3) / 2 * np.log1p(-(t**2)) - betaln(0.5, (d - 1) / 2)) * (t[1] - t[0])
    # D_c = 0, D_y = 1, and the third class through its overlap: kappa = (1 + t^2/s^2)^(-1/2).
    kappa = 1 / np.sqrt(1 + t[None, :] ** 2 / s2[:, None])
    pair = float(over_s @ student_tail(kappa, d) @ over_t)
    found = recall_error(alpha=0, N=3, M=3, d=d, outputs="sphere", rel_error=1e-2)
    # P(A_1) <= P(A_1 or A_2) <= 2 P(A_1), and given one error the other is unlikely: nearly the upper end.
    assert over_s.sum() == pytest.approx(1, rel=1e-9)
    assert over_t.sum() == pytest.approx(1, rel=1e-9)
    assert pair < 1e-9
    assert 1.8 * pair <= found.value <= 2 * pair * 1.02


def test_published_figures():
    # N=1000, M=5, alpha=2, outputs on the sphere: means of 100 runs. The standard deviation .0014 is given for rho = 1; the
    # threshold scheme's error is nearly all in the 1 - 1/M of the inputs not stored, so its runs differ by about 1 %.
    setting = {"alpha": 2, "N": 1000, "M": 5, "outputs": "sphere"}
    assert recall_error(d=1000, rho=1, **setting).value == pytest.approx(0.0579, abs=0.0014)
    assert recall_error(d=100, P=100 / 8, **setting).value == pytest.approx(0.0384, rel=0.01)
    assert recall_error(d=1000, P=1000 / 8, **setting).value == pytest.approx(0.00339, rel=0.01)


def test_a_memory_that_holds_nothing_guesses():
    for parameters in ({"weights": np.zeros(6)}, {"P": 0}, {"P": 0.9}, {"T": 5, "P": 0}, {"T": 5, "s": 6}):
        found = recall_error(alpha=1, N=6, M=5, d=7, **parameters)
        assert found.value == pytest.approx(4 / 5, rel=1e-6)


def test_one_stored_input():
    """Only the first of six inputs is stored, M = 3, on the sphere. It never fails; an input of its class is right iff its
    noise is positive; another class c wins iff that noise is negative and u_c is the farther of two: 1/4."""
    p = np.array([0.3, 0.2, 0.2, 0.1, 0.1, 0.1])
    same, other = 0.1, 0.6  # the input 4, and 2, 3, 5, 6
    for d in (2, 5, 1000):
        found = recall_error(p=p, weights=[1, 0, 0, 0, 0, 0], N=6, M=3, d=d, outputs="sphere")
        assert abs(found.value - (same / 2 + other * 3 / 4)) <= TWICE * found.error


def test_classes_at_weight_zero_add_up():
    """Whatever is stored, one output wins: asked for an unstored input of each class, they err M - 1 times in all."""
    M, stored = 4, np.array([1.0, 3.0, 0.2, 0.0])
    total = 0.0
    for c in range(M):
        p = np.zeros(2 * M)
        p[M + c] = 1.0
        weights = np.concatenate([stored, np.zeros(M)])
        found = recall_error(p=p, weights=weights, targets=[*range(M), *range(M)], N=2 * M, M=M, d=3, rel_error=5e-3)
        total += found.value
    # Each is right to 5e-3 of at most 1.
    assert total == pytest.approx(M - 1, abs=M * 5e-3)


def test_line():
    """d = 1 on the sphere: u = +-1. w = sum_k v_k u_k has the sign of u_f with probability 1/2 + arctan(q/sqrt(S - q^2))/pi
    (r = |N(0, 1)|), whatever the other signs; the outputs of that sign tie, or all of them if none has it."""
    M, p = 3, zipf(1.0, 5)
    expected = 0.0
    for q in p:
        right = 0.5 + math.atan(q / math.sqrt(np.sum(p**2) - q**2)) / math.pi
        won = [right / (1 + a + b) + (1 - right) * (1 - a) * (1 - b) / M for a in (0, 1) for b in (0, 1)]
        expected += q * (1 - np.mean(won))
    assert recall_error(alpha=1, N=5, M=M, d=1, rho=1, outputs="sphere").value == pytest.approx(expected, rel=1e-3)


def test_scale_of_weights_does_not_matter():
    weights = np.array([5.0, 1.0, 2.0, 0.5, 0.0, 1.0, 3.0])
    first = recall_error(alpha=1, N=7, M=3, d=12, weights=weights)
    second = recall_error(alpha=1, N=7, M=3, d=12, weights=weights * 1e-30)
    assert second.value == pytest.approx(first.value, rel=2e-3)


def test_arrays_are_schemes():
    p = zipf(1.5, 40)
    q = np.where(np.arange(1, 41) <= 17, p**0.6, 0.0)
    by_arrays = recall_error(p=p, weights=q, targets=np.arange(1, 41) % 6, N=40, M=6, d=25)
    by_scheme = recall_error(alpha=1.5, rho=0.6, P=17.9, N=40, M=6, d=25)
    assert abs(by_arrays.value - by_scheme.value) <= TWICE * math.hypot(by_arrays.error, by_scheme.error)


def test_blocks_of_far_inputs():
    """N = 30 000 as an array, one input an atom, and as a scheme, whose inputs beyond 4096 are drawn in blocks."""
    N = 30_000
    p = zipf(1.1, N)
    by_arrays = recall_error(p=p, weights=p**0.3, N=N, M=4, d=300)
    by_scheme = recall_error(alpha=1.1, rho=0.3, N=N, M=4, d=300)
    assert abs(by_arrays.value - by_scheme.value) <= TWICE * math.hypot(by_arrays.error, by_scheme.error)


def test_infinitely_many_inputs_are_the_limit():
    infinite = recall_error(alpha=2, rho=1, N=math.inf, M=5, d=1000)
    finite = recall_error(alpha=2, rho=1, N=10**12, M=5, d=1000)
    assert abs(infinite.value - finite.value) <= TWICE * math.hypot(infinite.error, finite.error)


@pytest.mark.parametrize("rho", [0, 0.6])
def test_between_the_bounds_of_theorem_1(rho):
    for d in (20, 200, 2000):
        parameters = {"alpha": 1.5, "N": 500, "M": 5, "d": d, "rho": rho}
        found = recall_error(outputs="sphere", rel_error=1e-2, **parameters)
        sharp = math.erfc(1 / math.sqrt(6)) / 2  # Phi(-1/sqrt 3)
        assert sharp * forgotten_mass(P=math.inf, **parameters) <= found.value + found.error
        assert found.value - found.error <= finite_memory_uppers(P=math.inf, **parameters)


def test_error_is_honest():
    """40 randomisations against the exact value: at 95 % coverage or more, 12 or more misses have probability 5e-7."""
    p, x = zipf(1.0, 9), np.arange(1, 10)
    exact = two_outputs(q=p**0.5, f=x % 2, p=p, d=4, outputs="gaussian")
    found = [recall_error(alpha=1, N=9, M=2, d=4, rho=0.5, rel_error=0.02, seed=s) for s in range(40)]
    values, errors = np.array([f.value for f in found]), np.array([f.error for f in found])
    assert np.sum(np.abs(values - exact) > errors) < 12
    assert len(set(values)) == 40


def test_the_seed_decides():
    parameters = {"alpha": 1, "N": 20, "M": 4, "d": 10, "T": 30, "rel_error": 0.05}
    assert recall_error(seed=3, **parameters) == recall_error(seed=3, **parameters)
    assert recall_error(seed=3, **parameters) != recall_error(seed=4, **parameters)


def test_work_is_bounded(monkeypatch):
    """With little work allowed the wanted accuracy is missed, and `.error` says so."""
    monkeypatch.setattr(recall_quadrature, "WORK", 1e6)
    found = recall_error(alpha=1, N=20, M=4, d=3, rho=0.5, rel_error=1e-6)
    assert found.error > 1e-5 * found.value


def settings(count):
    rng = np.random.default_rng(20240607)
    for number in range(count):
        T = None if number % 3 else int(rng.integers(3, 60))
        yield {
            "alpha": round(float(rng.uniform(0.3, 2.2)), 2),
            "N": int(rng.integers(4, 26)),
            "M": int(rng.integers(2, 9)),
            "d": int(rng.choice([1, 2, 3, 5, 8, 13, 20])),
            "rho": float(rng.choice([0, 0.4, 1])),
            "P": None if rng.random() < 0.5 else round(float(rng.uniform(1, 12)), 1),
            "T": T,
            "s": 1 if number % 6 else 2,
            "outputs": str(rng.choice(["gaussian", "sphere"])),
        }


@pytest.mark.slow
@pytest.mark.parametrize("number", range(20))
def test_obvious_simulation(number):
    """20 random settings, 6 standard errors: a false failure has probability 2e-9 each (errors here are not rare)."""
    setting = list(settings(20))[number]
    law = {"p": zipf(setting["alpha"], setting["N"]), "P": setting["P"] or math.inf, "kept": "seen"}
    given = {name: value for name, value in setting.items() if name not in ("alpha", "N", "P")}
    errors = simulate(**law, **given, replicas=1500, seed=number)
    found = recall_error(rel_error=3e-3, **setting)
    stderr = errors.std(ddof=1) / math.sqrt(len(errors))
    assert abs(found.value - errors.mean()) <= 6 * math.hypot(stderr, found.error / 2.9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"d": 0}, "d must be"),
        ({"d": 2.5}, "d must be"),
        ({"M": 0}, "M must be"),
        ({"N": math.nan}, "N must be"),
        ({"alpha": None}, "alpha and p"),
        ({"p": [0.5, 0.5]}, "alpha and p"),
        ({"alpha": None, "p": [0.5, 0.4], "N": 2}, "sum to 1"),
        ({"alpha": math.inf}, "alpha must be"),
        ({"rho": -1}, "rho must be"),
        ({"P": -1}, "P must be"),
        ({"T": 0}, "T must be"),
        ({"s": 2}, "s must be 1"),
        ({"M": 1}, "M must be"),
        ({"T": 2.5}, "T must be"),
        ({"weights": np.ones(9)}, "weights must be"),
        ({"weights": np.ones(10), "rho": 1}, "weights replaces"),
        ({"targets": np.full(10, 4)}, "targets must be"),
        ({"N": math.inf}, "alpha must exceed 1"),
        ({"N": math.inf, "alpha": 2}, "1 - 1/M"),
        ({"N": math.inf, "alpha": 2, "weights": [1]}, "N must be finite"),
        ({"inputs": "sphere"}, "inputs must be"),
        ({"outputs": "cube"}, "outputs must be"),
        ({"rel_error": 0}, "rel_error must be"),
    ],
)
def test_what_is_outside_the_domain_raises(change, words):
    parameters = {"alpha": 1, "N": 10, "M": 4, "d": 5} | change
    with pytest.raises(ValueError, match=words):
        recall_error(**parameters)


def test_the_uncertainty_of_a_number_whose_square_underflows():
    # Six inputs of ten outputs, d = 1578: errors of 1e-236, whose squares are 0 in float64; the spread must not be.
    setting = {"alpha": 0.72, "N": 6, "M": 10, "d": 1578, "outputs": "sphere", "rel_error": 1e-2}
    one, other = (recall_error(**setting, seed=seed) for seed in (0, 7))
    assert 0 < one.value < 1e-200 and one.value != other.value
    assert abs(one.value - other.value) <= TWICE * math.hypot(one.error, other.error)
    assert 1e-4 * one.value < one.error <= 1e-2 * one.value
