"""Second routes of section 5: enumeration of sequences, counting of parameters, plain sums."""

from fractions import Fraction as F
from itertools import product

import mpmath as mp
from mpmath import mpf

from second_routes.tools import Route, m4

# -- three steps ---------------------------------------------------------------------------------------------------------


def sequences(N, T):
    """Every sequence with its probability: trigger q at t_o - 1 and at T, output y at t_o, the others anything but q."""
    for q, y, t_o in product(range(N), range(N), range(2, T)):
        free = [s for s in range(1, T) if s not in (t_o - 1, t_o)]
        weight = F(1, N * N * (T - 2) * (N - 1) ** len(free))
        for tokens in product([k for k in range(N) if k != q], repeat=len(free)):
            z = dict(zip(free, tokens, strict=True)) | {t_o - 1: q, t_o: y, T: q}
            yield weight, q, y, [z[s] for s in range(1, T + 1)]


def end_state(*, N, T):
    """A random one of the tokens most often behind q is the answer."""
    right = F(0)
    for weight, q, y, z in sequences(int(N), int(T)):
        found = [z[s] for s in range(int(T)) if z[max(s - 1, 0)] == q]
        most = max(found.count(k) for k in found)
        best = {k for k in found if found.count(k) == most}
        right += weight * F(int(y in best), len(best))
    return mpf(right.numerator) / right.denominator


def step_entry(step):
    def route(*, N, T, entry):
        N, T, total = int(N), int(T), F(0)
        row, column = (0, 0) if entry == "diagonal" else (0, 1)
        for weight, q, y, z in sequences(N, T):
            if step == 1:
                total += weight * (F(int(row == y)) - F(1, N)) * F(z.count(column), T)
            elif q == row:
                for s in range(1, T + 1):
                    values = (F(int(z[s - 1] == k)) - F(z.count(k), T) for k in range(N))
                    slope = sum((F(int(k == y)) - F(1, N)) * v for k, v in enumerate(values)) / T
                    total += weight * slope * F(z[:s].count(column), s)
        return mpf(total.numerator) / total.denominator

    return route


def third_step(*, T, t):
    """The derivative of the logit of y by the first layer's score of position t - 1 at t, N infinite."""
    T, t = int(T), int(t)

    def logit(h):
        total = mpf(0)
        for t_o in range(2, T):
            keys = []
            for row in range(1, T + 1):
                weights = [mp.exp(h if (row, col) == (t, t - 1) else 0) for col in range(1, row + 1)]
                hits = [w for col, w in enumerate(weights, 1) if col in (t_o - 1, T)]
                keys.append(mp.fsum(hits) / mp.fsum(weights))
            total += (keys[t_o - 1] - mp.fsum(keys) / T) / T / (T - 2)
        return total

    with mp.workdps(150):
        h = mpf(10) ** -50
        return (logit(h) - logit(-h)) / (2 * h)


# -- facts ---------------------------------------------------------------------------------------------------------------


def logit_variance(*, R, D, d, output="other", embeddings="gaussian"):
    """u_a.(c_s + c_r): every answer in c_s (one a relation) and c_r (the D of r), the right one in both."""
    times = {"answer": 2, "relation": 1, "subject": 1, "other": 0}[output]
    # R - 1 answers of s and D - 1 of r, once each, and the right one twice
    squares = (R - 1) + (D - 1) + 4 - times**2
    return squares / d + times**2 * (m4(embeddings, d) - 1)


def leak(*, S, R, D, d, embeddings="gaussian"):
    """Each inactive head adds overlap times value, overlaps of variance 1/d; E (u_a.value)^2 of the target a of relation 1."""
    length = m4(embeddings, d)
    # a subject's value has R answers: of relation 1 it is a with probability 1/D
    hit, miss = length + (R - 1) / d, R / d
    subjects = S * (hit / D + (1 - 1 / D) * miss)
    relations = (length + (D - 1) / d) + (R - 1) * D / d
    return (subjects + relations) / d


def pull_rate(*, S, R, D, token):
    """The length of the pull on a token's row: the answers' frequencies given the token, less 1/(R D), times its own."""
    answers = [mpf(0)] * int(R * D)
    if token == "relation":
        answers[: int(D)] = [1 / D] * int(D)
        share = 1 / R
    else:
        for r in range(int(R)):
            answers[r * int(D)] = 1 / R
        share = 1 / S
    return share * mp.sqrt(mp.fsum((v - 1 / (R * D)) ** 2 for v in answers))


def learnt(*, S, R, D, init, P, token="relation"):
    """dx/dt = 2 l x k/(e^x + k - 1) from x = kappa init^2 e^(2 l t)/4, by quadrature."""
    k, size = (R, D) if token == "relation" else (D, R)
    rate = pull_rate(S=S, R=R, D=D, token=token)
    kappa = 1 / mp.sqrt(size * (1 - 1 / k))
    end = mp.log(P / (1 - P) * (k - 1))
    bend = mp.quad(lambda x: mp.expm1(x) / x, [0, end / 2, end]) / k
    return (mp.log(end) - mp.log(kappa * init**2 / 4) + bend) / (2 * rate)


def hops(*, K, context="table", doubling=False):
    """Search over (hops of the query, hops of the table); a layer applies the table to either."""
    K, states, layer = int(K), {(0, 1)}, 0
    while not any(q == K for q, _ in states):
        layer += 1
        states = {(q + a * t, t + b * t) for q, t in states for a in (0, 1) for b in (0, 1) if q + a * t <= K}
    if doubling:
        layer = 1 + next(j for j in range(60) if 2**j >= K)
    return mpf(layer + (context == "tokens"))


def thresholds(*, N, T, n):
    """T^2/N min(1, (N^2/(T n))^(2/3)), by its two cases."""
    return T**2 / N if T * n <= N**2 else mp.cbrt(T**6 / N**3 * (N**2 / (T * n)) ** 2)


def corrected(*, N, T, n):
    """The least d at which 1/d + (noise/signal)^2 stays bounded, by its powers: noise (1/d + 1/N)/(n sqrt(d N))."""
    many, few, far = mp.cbrt(N * T**4 / n**2), T**2 / N, T**4 / (N * n**2)
    return min(few, many) if T <= N else max(far, many)


LEARN = {"N": 50, "T": 9, "n": 700}
SIZE = {"d": 11, **LEARN}


def signal(*, d, N, T, n):
    return 1 / (N * T**2) + 1 / (n * T**2) + 1 / (n * d * T)


def spread(*, d, N, n):
    return (d + N) / (d * N * n * mp.sqrt(d * N))


FACTS = {"S": 16, "R": 5, "D": 7}
ENTRIES = ({"entry": "diagonal"}, {"entry": "off"})
SMALL = {"N": 4, "T": 5}
STEPS = tuple({"N": N, "T": T} | e for N, T in ((3, 3), (2, 5), (6, 4), (3, 6)) for e in ENTRIES)

ROUTES = {
    "induction-weights": Route(lambda c, t: mp.exp(c) / (mp.exp(c) + t - 1), {"c": F(7, 2), "t": 9}),
    "three-gradient-steps": Route(
        end_state, {"N": 3, "T": 6}, {"N": 4, "T": 5}, more=({"N": 2, "T": 4}, {"N": 4, "T": 4}, {"N": 3, "T": 7})
    ),
    "three-gradient-steps:step-one": Route(step_entry(1), *(SMALL | e for e in ENTRIES), more=STEPS),
    "three-gradient-steps:step-two": Route(step_entry(2), *(SMALL | e for e in ENTRIES), more=STEPS),
    "three-gradient-steps:step-three": Route(
        third_step, *({"T": 6, "t": t} for t in (2, 4, 5, 6)), more=({"T": 5, "t": 3}, {"T": 9, "t": 9}, {"T": 14, "t": 8})
    ),
    "global-before-context": Route(
        lambda a, N, T, c: c * (T**2 + N) / (a * T**2), {"a": F(2, 7), "N": 50, "T": 9, "c": F(4, 3)}
    ),
    "global-before-context:source": Route(lambda N: N, {"N": 50}),
    "global-before-context:feed-forward": Route(lambda a, N, c: c / a, {"a": F(2, 7), "N": 50, "c": F(4, 3)}),
    "global-before-context:feed-forward-miss": Route(
        # no noise token among m, or one, which the m - 1 others tie with
        lambda a, m: (1 - a) ** m + m * a * (1 - a) ** (m - 1) * (1 - 1 / m), {"a": F(2, 7), "m": 6}
    ),
    "attention-learnability": Route(
        lambda d, N, T, n: 1 / d + (spread(d=d, N=N, n=n) / signal(d=d, N=N, T=T, n=n)) ** 2, SIZE
    ),
    "attention-learnability:signal": Route(signal, SIZE),
    "attention-learnability:noise": Route(spread, {"d": 11, "N": 50, "n": 700}),
    # sqrt of the product of squares, and d^(3/2) as the cube of a root
    "attention-learnability:signal-many": Route(lambda N, T: (1 / T) * (1 / T) / N, {"N": 50, "T": 9}),
    "attention-learnability:noise-narrow": Route(
        lambda d, N, n: 1 / (n * mp.sqrt(N) * mp.sqrt(d) ** 3), {"d": 11, "N": 50, "n": 700}
    ),
    "attention-learnability:source": Route(thresholds, LEARN, {**LEARN, "n": 100}),
    "attention-learnability:corrected": Route(
        corrected, LEARN, {**LEARN, "n": 100}, {"N": 50, "T": 90, "n": 700}, {"N": 50, "T": 900, "n": 60}
    ),
    "factual-recall-attention": Route(
        logit_variance,
        *(
            {"R": 5, "D": 7, "d": 11, "output": o, "embeddings": e}
            for o in ("answer", "relation", "subject", "other") for e in ("gaussian", "sphere")
        ),
    ),
    "factual-recall-attention:leading": Route(lambda R, D, d: R / d + D / d, {"R": 5, "D": 7, "d": 11}),
    "factual-recall-attention:source": Route(lambda R, A_max: A_max + R, {"R": 5, "A_max": 7}),
    "factual-recall-attention:heads": Route(lambda S, R: R + S, {"S": 16, "R": 5}),
    "factual-recall-attention:heads-2024": Route(lambda S, R: S, {"S": 16, "R": 5}),
    "factual-recall-attention:parameters": Route(lambda S, R, A_max: A_max * R * S, {"S": 16, "R": 5, "A_max": 7}),
    # query, key, value and output of every head are d_h x d
    "factual-recall-attention:parameters-needed": Route(
        lambda S, R, A_max: 4 * S * R + 4 * S * A_max + 4 * R**2 + 4 * R * A_max, {"S": 16, "R": 5, "A_max": 7}
    ),
    "factual-recall-mlp": Route(
        lambda H, d_h, d, m: mp.fsum([d_h * d] * (4 * int(H))) + m * d + d * m, {"H": 3, "d_h": 4, "d": 11, "m": 7}
    ),
    "factual-recall-mlp:source": Route(lambda S, R: R * S, {"S": 16, "R": 5}),
    "factual-recall-mlp:facts": Route(lambda m, d: d * m, {"m": 16, "d": 5}),
    "factual-recall-mlp:heads": Route(lambda S, R: R + S, {"S": 16, "R": 5}),
    "factual-recall-mlp:parameters-needed": Route(
        lambda S, R, d: 4 * S * d + 4 * R * d + 2 * S * R, {"S": 16, "R": 5, "d": 11}
    ),
    # 0.15 facts a parameter
    "factual-recall-mlp:published": Route(lambda parameters: parameters * 15 / 100, {"parameters": 6827}),
    # the published line over its own value at one parameter
    "factual-recall-mlp:trained-slope": Route(
        lambda parameters: (parameters * 15 / 100) / (mpf(15) / 100), {"parameters": 6827}
    ),
    "hallucination-phase": Route(
        learnt, *({**FACTS, "init": F(1, 10**5), "P": F(3, 5), "token": t} for t in ("relation", "subject"))
    ),
    "hallucination-phase:plateau": Route(
        # what is left to guess: an answer of the relation, or one of the subject
        lambda S, R, D: mp.log(D)
        if pull_rate(S=S, R=R, D=D, token="relation") > pull_rate(S=S, R=R, D=D, token="subject")
        else mp.log(R),
        FACTS, {"S": 2, "R": 8, "D": 2},
    ),
    "hallucination-phase:source": Route(lambda D: mp.quad(lambda s: 1 / s, [1, 2, D]), {"D": 7}),
    "k-hop": Route(
        hops, {"K": 11}, {"K": 16}, {"K": 9, "context": "tokens"}, more=tuple({"K": K} for K in (1, 2, 3, 31, 63, 64, 65, 127))
    ),
    "k-hop:doubling": Route(
        lambda **v: hops(**v, doubling=True), {"K": 11}, {"K": 16}, {"K": 9, "context": "tokens"},
        more=tuple({"K": K} for K in (1, 2, 3, 31, 63, 64, 65, 127)),
    ),
    "k-hop:source": Route(lambda K: mp.quad(lambda s: 1 / s, [1, 2, 5, K]), {"K": 11}),
    "in-context-denoising": Route(lambda sigma: (1 / sigma) ** 2, {"sigma": F(7, 5)}),
}  # fmt: skip
