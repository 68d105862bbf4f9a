"""The laws of factual recall against plain simulations, the whole gradient flow and quadrature."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from asymp.theory import laws

# -- factual recall ------------------------------------------------------------------------------------------------------


def unit(rng, shape, law):
    x = rng.normal(size=shape)
    return x / np.linalg.norm(x, axis=-1, keepdims=True) if law == "sphere" else x / math.sqrt(shape[-1])


def off_by(values, wanted):
    """Distance of the mean of squares from the wanted variance (zero mean assumed removed), in standard errors."""
    squares = (values - values.mean()) ** 2
    return abs(squares.mean() - wanted) / (squares.std() / math.sqrt(len(values)))


@pytest.mark.parametrize("law", ["gaussian", "sphere"])
def test_the_logits_of_the_construction(law):
    # Four means and variances at 5.9 standard errors of 60,000 draws: false failure below 4e-8.
    rng = np.random.default_rng(2)
    R, D, d = 3, 4, 6
    u = unit(rng, (60_000, R * D, d), law)
    # Relation 0 has answers 0..3; the subject's answers are 0, 4, 8; the fact is (s, 0) with answer 0.
    state = u[:, [0, 4, 8]].sum(axis=1) + u[:, 0:4].sum(axis=1)
    for output, index, mean in (("answer", 0, 2), ("relation", 1, 1), ("subject", 4, 1), ("other", 5, 0)):
        logit = np.einsum("bd,bd->b", u[:, index], state)
        wanted = laws["factual-recall-attention"](R=R, D=D, d=d, output=output, embeddings=law)
        assert abs(logit.mean() - mean) < 5.9 * math.sqrt(wanted / 60_000)
        assert off_by(logit, wanted) < 5.9
    leading = laws["factual-recall-attention:leading"](R=R, D=D, d=d)
    assert laws["factual-recall-attention"](R=R, D=D, d=d) - leading == pytest.approx(2 / d)


@pytest.mark.parametrize("law", ["gaussian", "sphere"])
def test_the_leak_of_inactive_heads(law):
    # 40,000 draws, 5.9 standard errors.
    rng = np.random.default_rng(3)
    S, R, D, d, B = 5, 2, 3, 7, 40_000
    u, e, eos = (unit(rng, shape, law) for shape in ((B, R * D, d), (B, S + R, d), (B, d)))
    overlap = np.einsum("bxd,bd->bx", e, eos)
    target = u[:, 0]
    leak = np.zeros(B)
    for s in range(S):
        for r in range(R):
            answer = rng.integers(D, size=B) + r * D
            leak += overlap[:, s] * np.einsum("bd,bd->b", target, u[np.arange(B), answer])
    for r in range(R):
        leak += overlap[:, S + r] * np.einsum("bd,bd->b", target, u[:, r * D : (r + 1) * D].sum(axis=1))
    wanted = laws["factual-recall-attention:leak"](S=S, R=R, D=D, d=d, embeddings=law)
    assert off_by(leak, wanted) < 5.9
    # The form with subjects only is far outside: relations count when D is of order S.
    assert off_by(leak, laws["factual-recall-attention:leak-subjects"](S=S, R=R, D=D, d=d)) > 10


def test_the_two_parts_of_the_leak_at_leading_order():
    S, R, D, d = 10**4, 10**3, 10**3, 10**6
    wanted = S / (d * D) + S * R / d**2 + 1 / d + R * D / d**2
    # What is left out is of relative order 1/d.
    assert laws["factual-recall-attention:leak"](S=S, R=R, D=D, d=d) == pytest.approx(wanted, rel=1e-5)


def test_parameters_are_counted_array_by_array():
    H, d_h, d, m = 3, 4, 10, 7
    heads = sum(np.zeros((d_h, d)).size for _ in range(H) for _ in ("query", "key", "value", "output"))
    assert laws["factual-recall-attention:parameters"](H=H, d_h=d_h, d=d) == heads
    both = np.zeros((m, d)).size + np.zeros((d, m)).size
    assert laws["factual-recall-mlp"](H=H, d_h=d_h, d=d, m=m) == heads + both
    S, R = 12, 5
    # The conditions met with equality: H d_h = S + R, m d = S R.
    at_threshold = laws["factual-recall-mlp"](H=17, d_h=1, d=10, m=6)
    assert laws["factual-recall-mlp:parameters-needed"](S=S, R=R, d=10) == at_threshold
    assert laws["factual-recall-mlp:source"](S=S, R=R) == 6 * 10
    assert laws["factual-recall-mlp:heads"](S=S, R=R) == laws["factual-recall-attention:heads"](S=S, R=R) == 17
    assert laws["factual-recall-attention:heads-2024"](S=S, R=R) == 12
    needed = laws["factual-recall-attention:parameters-needed"](S=S, R=R, A_max=3)
    assert needed == laws["factual-recall-attention:parameters"](H=17, d_h=1, d=8)
    assert laws["factual-recall-attention:source"](R=R, A_max=3) == 8
    # Published: 1024 facts (S = R = 32) on the line take 6827 parameters.
    assert laws["factual-recall-mlp:published"](parameters=6827) == pytest.approx(1024, rel=1e-3)


# -- the phases of recall ------------------------------------------------------------------------------------------------


class Flow:
    """The population gradient flow of linear attention on one-hot tokens, in full."""

    def __init__(self, *, S, R, D):
        self.S, self.R, self.D = S, R, D
        self.s, self.r = (x.ravel() for x in np.meshgrid(np.arange(S), np.arange(R), indexing="ij"))
        self.answer = self.s * D // S + self.r * D
        self.truth = np.eye(R * D)[self.answer]
        self.tokens = np.zeros((S * R, S + R))
        self.tokens[np.arange(S * R), self.s] = self.tokens[np.arange(S * R), S + self.r] = 1

    def split(self, x):
        A = self.R * self.D
        return x[: (self.S + self.R) * A].reshape(-1, A), x[(self.S + self.R) * A :]

    def predict(self, x):
        V, w = self.split(x)
        p = np.exp(self.tokens @ (V * w[:, None]))
        return p / p.sum(axis=1, keepdims=True)

    def velocity(self, _, x):
        V, w = self.split(x)
        pull = self.tokens.T @ (self.truth - self.predict(x)) / len(self.s)
        return np.concatenate([(pull * w[:, None]).ravel(), (pull * V).sum(axis=1)])

    def run(self, *, init, until, points=2000):
        start = np.full((self.S + self.R) * (self.R * self.D + 1), init)
        times = np.linspace(0, until, points)
        # Tolerances: 1e-7 a step against amplitudes from 1e-5 on; times come out right to about 1e-5.
        found = solve_ivp(self.velocity, (0, until), start, t_eval=times, rtol=1e-7, atol=1e-13)
        p = np.array([self.predict(x) for x in found.y.T])
        right = p[:, np.arange(len(self.s)), self.answer].mean(axis=1)
        loss = -np.log(p[:, np.arange(len(self.s)), self.answer]).mean(axis=1)
        blocks = p.reshape(points, len(self.s), self.R, self.D).sum(axis=3)
        relation = blocks[:, np.arange(len(self.s)), self.r].mean(axis=1)
        mine = self.truth.reshape(self.S, self.R, -1).sum(axis=1)[self.s]
        subject = (p * mine).sum(axis=2).mean(axis=1)
        return times, relation, subject, right, loss


def when(times, values, level):
    i = int(np.argmax(values > level))
    return float(np.interp(level, values[i - 1 : i + 1], times[i - 1 : i + 1]))


def test_the_relation_comes_first_and_both_times_are_right():
    S, R, D = 16, 4, 8
    times, relation, _, right, loss = Flow(S=S, R=R, D=D).run(init=1e-5, until=700)
    law = laws["hallucination-phase"]
    first, second = when(times, relation, 0.5), when(times, right, 0.5)
    # Left out: init^2, the curvature between two of 2000 points (1e-4), and for the subject what the relation still lacks.
    assert law(S=S, R=R, D=D, init=1e-5) == pytest.approx(first, rel=5e-4)
    assert law(S=S, R=R, D=D, init=1e-5, token="subject") == pytest.approx(second, rel=2e-3)
    assert when(times, relation, 0.8) == pytest.approx(law(S=S, R=R, D=D, init=1e-5, P=0.8), rel=5e-4)
    # The plateau, half way: predictions p(a|r), loss log D up to what the relation still lacks.
    middle = np.searchsorted(times, (first + second) / 2)
    plateau = laws["hallucination-phase:plateau"](S=S, R=R, D=D)
    assert plateau == laws["hallucination-phase:source"](D=D) == pytest.approx(math.log(8), rel=1e-15)
    assert loss[middle] == pytest.approx(plateau, abs=0.02)
    assert right[middle] == pytest.approx(1 / D, abs=0.005)
    # The leading order is early by a constant over the rate.
    for token, found in (("relation", first), ("subject", second)):
        leading = laws["hallucination-phase:leading"](S=S, R=R, D=D, init=1e-5, token=token)
        assert 0.86 < leading / found < 0.91


def test_with_few_subjects_the_subject_comes_first():
    S, R, D = 2, 8, 2
    assert laws["hallucination-phase:subjects"](R=R, D=D) > S
    times, relation, subject, _, loss = Flow(S=S, R=R, D=D).run(init=1e-5, until=250)
    law = laws["hallucination-phase"]
    first, second = when(times, subject, 0.75), when(times, relation, 0.75)
    assert first < second
    assert law(S=S, R=R, D=D, init=1e-5, P=0.75, token="subject") == pytest.approx(first, rel=2e-3)
    plateau = laws["hallucination-phase:plateau"](S=S, R=R, D=D)
    assert plateau == pytest.approx(math.log(8), rel=1e-15)
    assert np.min(np.abs(loss[(times > first) & (times < second)] - plateau)) < 0.02
    assert plateau > laws["hallucination-phase:source"](D=D) + 1


@pytest.mark.parametrize(("S", "R", "D"), [(16, 4, 8), (6, 5, 3), (4, 7, 2)])
def test_rates_are_eigenvalues_of_the_linearised_flow(S, R, D):
    flow = Flow(S=S, R=R, D=D)
    A = R * D
    size = (S + R) * (A + 1)
    zero = np.zeros(size)
    # While the predictions stand where zero logits put them, V' = pull w and w' = pull . V for each token.
    pull = flow.tokens.T @ (flow.truth - flow.predict(zero)) / len(flow.s)
    for z, token in ((0, "subject"), (S, "relation")):
        M = np.zeros((A + 1, A + 1))
        M[:A, A] = M[A, :A] = pull[z]
        largest = np.linalg.eigvalsh(M)[-1]
        assert laws["hallucination-phase:rate"](S=S, R=R, D=D, token=token) == pytest.approx(largest, rel=1e-12)
    order = laws["hallucination-phase:rate"](S=S, R=R, D=D) > laws["hallucination-phase:rate"](
        S=S, R=R, D=D, token="subject"
    )
    assert order == (laws["hallucination-phase:subjects"](R=R, D=D) < S)


def test_the_rate_of_unbalanced_answers():
    rng = np.random.default_rng(0)
    S, R, D = 11, 3, 4
    flow = Flow(S=S, R=R, D=D)
    answers = rng.integers(D, size=(S, R))
    flow.truth = np.eye(R * D)[(answers + np.arange(R) * D).ravel()]
    pull = flow.tokens.T @ (flow.truth - 1 / (R * D)) / (S * R)
    for r in range(R):
        Q = sum(np.mean(answers[:, r] == a) ** 2 for a in range(D))
        assert laws["hallucination-phase:rate-random"](R=R, D=D, Q=Q) == pytest.approx(np.linalg.norm(pull[S + r]))
    balanced = laws["hallucination-phase:rate"](S=S, R=R, D=D)
    assert laws["hallucination-phase:rate-random"](R=R, D=D, Q=1 / D) == pytest.approx(balanced, rel=1e-12)


@pytest.mark.parametrize("token", ["relation", "subject"])
def test_the_time_is_the_quadrature_of_its_equation(token):
    # dx/dt = 2 l x k/(e^x + k - 1) from x = kappa init^2 e^(2 l t)/4, to 50 digits by quadrature.
    S, R, D, init, P = 16, 5, 7, Fraction(1, 10**5), Fraction(3, 5)
    k, size = (R, D) if token == "relation" else (D, R)
    with mpmath.workdps(70):
        rate = mpmath.sqrt((1 - mpmath.mpf(1) / k) / size) / (R if token == "relation" else S)
        kappa = 1 / mpmath.sqrt(size * (1 - mpmath.mpf(1) / k))
        end = mpmath.log(mpmath.mpf(3) / 2 * (k - 1))
        bend = mpmath.quad(lambda x: mpmath.expm1(x) / x, [0, end / 2, end]) / k
        wanted = (mpmath.log(end) - mpmath.log(kappa * mpmath.mpf(10) ** -10 / 4) + bend) / (2 * rate)
        found = laws["hallucination-phase"].evaluate(S=S, R=R, D=D, init=init, P=P, token=token, digits=50)
        assert abs(found / wanted - 1) < mpmath.mpf(10) ** -49


def test_a_level_below_chance_is_named():
    with pytest.raises(ValueError, match="P must exceed 1/R"):
        laws["hallucination-phase"](S=16, R=2, D=8, init=1e-5)
