"""score-covariance: of two scores of one memory only four kinds of pairs vary together."""

from collections.abc import Mapping
from typing import Any

from asymp.montecarlo.scores.pairs import score_covariance_experiment
from asymp.reports.declare import Claim, part
from asymp.theory import laws

__all__ = ["CLAIM"]

G, S = "gaussian", "sphere"
# With M = 4 and f(x) = x mod 4: z, z', y, y' whose outputs y, y', f(z), f(z') coincide as the letters do.
QUERIES = {
    "aaaa": (1, 5, 1, 1), "abab": (1, 2, 1, 2), "aabb": (1, 5, 0, 0), "abba": (1, 2, 2, 1), "aaab": (1, 2, 1, 1),
    "aaba": (1, 2, 2, 2), "aabc": (1, 2, 0, 0), "abaa": (1, 5, 1, 0), "abac": (1, 2, 1, 0), "abbb": (1, 5, 0, 1),
    "abbc": (1, 2, 0, 1), "abca": (1, 2, 2, 0), "abcb": (1, 2, 0, 2), "abcc": (1, 5, 0, 2), "abcd": (1, 2, 0, 3),
}  # fmt: skip
RELATED = ("aaaa", "abab", "aabb", "abba")
UNRELATED = tuple(pattern for pattern in QUERIES if pattern not in RELATED)


def cell(queries: tuple[int, int, int, int], N: int, d: int, e: str, u: str) -> dict[str, Any]:
    """A setting of the experiment; the weights, as x^(-1/4), differ a little."""
    z, z_prime, y, y_prime = queries
    return {
        "alpha": 1, "N": N, "M": 4, "d": d, "rho": 0.25, "z": z, "z_prime": z_prime, "y": y, "y_prime": y_prime,
        "inputs": e, "outputs": u,
    }  # fmt: skip


def pattern(params: Mapping[str, Any]) -> str:
    """Which of y, y', f(z), f(z') are equal, as letters."""
    M = params["M"]
    outputs = (params["y"], params["y_prime"], params["z"] % M, params["z_prime"] % M)
    seen: dict[int, str] = {}
    return "".join(seen.setdefault(output, "abcd"[len(seen)]) for output in outputs)


def weights(params: Mapping[str, Any]) -> tuple[float, float]:
    """q(z) and q(z') of a setting, from the definition of the weights."""
    total = sum(x ** -float(params["alpha"]) for x in range(1, int(params["N"]) + 1))
    first, second = ((params[z] ** -float(params["alpha"]) / total) ** params["rho"] for z in ("z", "z_prime"))
    return float(first), float(second)


def two_inputs(params: Mapping[str, Any]) -> dict[str, Any]:
    """The law's values for z != z'."""
    q, q_prime = weights(params)
    return {"d": params["d"], "q": q, "q_prime": q_prime, "pattern": pattern(params), "outputs": params["outputs"]}


def one_input(params: Mapping[str, Any]) -> dict[str, Any]:
    """The law's values for z = z'."""
    return {"pattern": pattern(params), **{name: params[name] for name in ("d", "inputs", "outputs")}}


def scale(params: Mapping[str, Any]) -> float:
    """The product of the two standard deviations: where there is no covariance, the margin is one of the correlation."""
    M, law = params["M"], laws["score-variance"]
    total = sum(x ** -float(params["alpha"]) for x in range(1, int(params["N"]) + 1))
    q = {x: (x ** -float(params["alpha"]) / total) ** params["rho"] for x in range(1, int(params["N"]) + 1)}
    variance = 1.0
    for z, y in ((params["z"], params["y"]), (params["z_prime"], params["y_prime"])):
        variance *= law(
            d=params["d"],
            q=q[z],
            S_y=sum(w**2 for x, w in q.items() if x % M == y),
            S=sum(w**2 for w in q.values()),
            output="target" if z % M == y else "other",
            inputs=params["inputs"],
            outputs=params["outputs"],
        )
    return float(variance**0.5)


# Two right scores of different classes share only 1/d^2, far below their variances: few dimensions, few inputs.
QUICK = [
    cell(QUERIES["aaaa"], 6, 16, G, G),
    cell(QUERIES["aaaa"], 6, 8, S, S),
    cell(QUERIES["abab"], 2, 2, S, S),
    cell(QUERIES["aabb"], 5, 8, G, S),
    cell(QUERIES["abba"], 4, 8, S, G),
]
FULL = [
    *(cell(QUERIES[name], 6, 16, e, u) for name in ("aaaa", "aabb") for e, u in ((G, G), (G, S), (S, G), (S, S))),
    *(cell(QUERIES["abba"], 6, 16, e, e) for e in (G, S)),
    *(cell(QUERIES["abab"], 2, 2, e, u) for e, u in ((G, S), (S, G), (S, S))),
    cell(QUERIES["abab"], 4, 4, S, S),
]
# with both gaussian they need four times the replicas of all the rest together
PAPER = [*FULL, cell(QUERIES["abab"], 2, 2, G, G)]
ZERO_QUICK = [cell(QUERIES[name], 6, 8, e, u) for name, e, u in (("aaab", G, G), ("abaa", S, G), ("abcd", G, S))]
ZERO_FULL = [cell(QUERIES[name], 6, 8, law, law) for name in UNRELATED for law in (G, S)]
SAME = ((1, 1, 1, 0), (1, 1, 0, 1), (1, 1, 0, 2))
SAME_QUICK = [cell(SAME[0], 6, 8, G, G), cell(SAME[2], 6, 8, S, S)]
SAME_FULL = [cell(queries, 6, 8, e, u) for queries in SAME for e in (G, S) for u in (G, S)]


def quick(params: Mapping[str, Any]) -> int:
    """Replicas of a quick check: embeddings on the sphere fluctuate less."""
    if (params["inputs"], params["outputs"]) != (S, S):
        return 2**16
    return 2**14 if params["d"] == 2 else 2**15


def quick_zero(params: Mapping[str, Any]) -> int:
    """Replicas of a quick check where there is no covariance."""
    return 2**15 if (params["inputs"], params["outputs"]) == (G, G) else 2**14


def standard(params: Mapping[str, Any]) -> int:
    """Replicas of a standard check: two right scores of different classes need the most."""
    if pattern(params) == "abab":
        return {(G, G): 2**22, (G, S): 2**20, (S, G): 2**20}.get((params["inputs"], params["outputs"]), 2**17)
    return 2**17 if pattern(params) == "aaaa" and params["inputs"] == G else 2**16


REPLICAS: dict[str, Any] = {"quick": quick, "standard": standard, "paper": standard}
UNCORRELATED: dict[str, Any] = {"quick": quick_zero, "standard": 2**15, "paper": 2**15}

CLAIM = Claim(
    id="score-covariance",
    simulation="Embeddings are drawn afresh for every memory; a replica is the unbiased sample covariance of the two "
    "scores of eight independent memories.",
    parts=(
        part(
            "sharp",
            kind="identity",
            law=laws["score-covariance"],
            experiment=score_covariance_experiment,
            statement="At two inputs the covariance equals the Wick contraction in the four cases where it is not zero.",
            grid={"quick": QUICK, "standard": FULL, "paper": PAPER},
            replicas=REPLICAS,
            to_law=two_inputs,
            margin=0.02,
        ),
        part(
            "uncorrelated",
            kind="identity",
            law=laws["score-covariance"],
            experiment=score_covariance_experiment,
            statement="At two inputs all other pairs of scores are uncorrelated.",
            grid={"quick": ZERO_QUICK, "standard": ZERO_FULL, "paper": ZERO_FULL},
            replicas=UNCORRELATED,
            to_law=two_inputs,
            scale=scale,
            margin=0.02,
        ),
        part(
            "same-input",
            kind="identity",
            law=laws["score-covariance:same-input"],
            experiment=score_covariance_experiment,
            statement="At one input the scores of different outputs are uncorrelated.",
            grid={"quick": SAME_QUICK, "standard": SAME_FULL, "paper": SAME_FULL},
            replicas=UNCORRELATED,
            to_law=one_input,
            scale=scale,
            margin=0.02,
        ),
    ),
)
