"""The cases of the table of slopes: each exponent of the ledger, the setting it is looked at in, and the exact law there."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from asymp.theory.laws import laws

INF = math.inf
FLOOR = "floor pi_M(sqrt(8 M))"

Value = float | tuple[float, float]
"""A value, or a value with its numerical uncertainty."""


@dataclass(frozen=True)
class Case:
    """An exponent to look at: the law that states it, the setting, and the exact value as a function of the size."""

    law: str
    variable: str
    setting: str
    stated: float
    value: Callable[[float], Value]
    size: float
    factor: float = 10.0
    relation: str = "~"
    logs: float = 0.0
    note: str = ""


def slope_cases() -> list[Case]:
    """All cases, section by section."""
    sections = _scores(), _capacities(), _samples(), _power(), _threshold(), _best(), _joint(), _seen(), _gradients()
    return [case for section in sections for case in section]


def _case(
    law: str,
    variable: str,
    setting: str,
    value: Callable[[float], Value],
    *,
    size: float = 1e9,
    stated: Mapping[str, Any] | float | None = None,
    **details: Any,
) -> Case:
    """A case with the law's own relation and its exponent at the parameters `stated`, unless that is a number."""
    if not isinstance(stated, int | float):
        stated = float(laws[law].exponent(variable, **(stated or {})))
    details.setdefault("relation", laws[law].relation)
    return Case(law=law, variable=variable, setting=setting, stated=float(stated), value=value, size=size, **details)


def _at(values: Mapping[str, Any], variable: str, size: float) -> dict[str, Any]:
    """The parameters at a size: those that are functions are functions of the size."""
    return {variable: size} | {name: v(size) if callable(v) else v for name, v in values.items()}


def _law(name: str, variable: str, **values: Any) -> Callable[[float], Value]:
    """A law as a function of one of its parameters."""
    return lambda size: float(laws[name](**_at(values, variable, size)))


def _recall(variable: str, **values: Any) -> Callable[[float], Value]:
    """The exact recall error as a function of a whole parameter, with its numerical uncertainty."""

    def value(size: float) -> Value:
        from asymp.theory.exact_recall.exact import recall_error

        found = recall_error(rel_error=2e-3, **_at(values, variable, round(size)))
        return found.value, found.error

    return value


def _scores() -> Iterator[Case]:
    law = "score-variance:source"
    for n, stated, note in ((10, -1, ""), (0, -2, "no input has this output: 1/d, from the input itself")):
        exact = _law("score-variance", "d", q=1, output="other", S_y=n, S=n + 90)
        yield _case(law, "d", f"n_y = {n}, n_other = 90", exact, stated=stated, note=note)
    yield _case("near-orthogonality:source", "d", "E|u.u'|", _law("near-orthogonality:absolute", "d"))
    overlap = _law("remapping", "d", of="overlap", order="2")
    yield _case("remapping:source", "d", "mean of (u.W u)^2", overlap, stated=-1)
    for power, note in ((1, ""), (2, "needs N = O(d)")):
        exact = _law("maximal-update", "d", a_j=1, A=lambda d, b=power: d**b)
        yield _case("maximal-update:source", "d", f"|dW u|^2, N = d^{power}", exact, size=1e6, stated=0, note=note)


def _capacities() -> Iterator[Case]:
    for law, exact in (
        ("injective-capacity:source", "injective-capacity"),
        ("binary-capacity:source", "binary-capacity"),
        ("hopfield-capacity:source", "hopfield-capacity:all-items"),
        ("best-linear", "best-linear"),
    ):
        yield _case(law, "d", "all items right", _law(exact, "d"), logs=-1)
    yield _case("binary-capacity:source", "d", "1 % lost", _law("binary-capacity:recall", "d"))
    for k in (2, 3, 4):
        yield _case(
            "dense-capacity:source",
            "d",
            f"degree {k}",
            _law("dense-capacity:all-items", "d", k=k),
            stated={"k": k},
            logs=-1,
        )
    rank = _law("low-rank-capacity:scaling", "d", mu=0.5)
    yield _case("low-rank-capacity:source", "d", "rank m = sqrt d", rank, stated=1.5, logs=-1)
    for mu, note in ((0.5, ""), (3, "not for any width: d^3 at degree 2")):
        neurons = _law("mlp-capacity:scaling", "d", mu=mu, k=2)
        yield _case(
            "mlp-capacity:source", "d", f"m = d^{mu} neurons of degree 2", neurons, stated=1 + mu, logs=-1, note=note
        )
    for nu, note in ((1, ""), (0.5, "needs M >= d outputs")):
        facts = _law("multi-input-capacity:scaling", "d", mu=1, nu=nu)
        yield _case(
            "multi-input-capacity:source", "d", f"m = d, M = d^{nu} outputs", facts, stated=2, logs=-1, note=note
        )
    yield _case("quasi-orthogonality:source", "d", "P = 1000 random vectors", _law("quasi-orthogonality", "d", P=1000))

    def log_outputs(d: float) -> Value:
        return math.log(laws["learned-inputs:one-item"](d=d))

    yield _case("learned-inputs:source", "d", "log of the outputs held", log_outputs, size=1200, factor=2)


def _samples() -> Iterator[Case]:
    law = "missing-mass:source"
    for alpha in (1.2, 2, 4):
        yield _case(
            law,
            "T",
            f"alpha = {alpha}, N = inf",
            _law("missing-mass", "T", alpha=alpha),
            size=1e12,
            stated={"alpha": alpha},
        )
    cut = _law("missing-mass", "T", alpha=2, N=1000)
    note = "finite N: exponential from T = N^alpha/C on"
    yield _case(law, "T", "alpha = 2, N = 1000", cut, size=3e7, factor=2, stated={"alpha": 2}, note=note)


def _power() -> Iterator[Case]:
    for law in ("finite-memory-lower:source", "finite-memory-upper:source", "finite-memory-upper"):
        exact = _law(law, "d", alpha=2, rho=1, N=INF, M=5)
        note = "the bound itself, with its logarithm" if law.endswith("upper:source") else "the bound itself"
        yield _case(law, "d", "alpha = 2, rho = 1, M = 5", exact, stated=-0.25, relation="~", note=note)
    law = "power-scheme:source"
    for alpha, rho, M in ((2, 1, 5), (1.5, 0.5, 3), (3, 0.4, 2)):
        values = {"alpha": alpha, "rho": rho}
        yield _case(
            law, "d", f"alpha = {alpha}, rho = {rho}, M = {M}", _recall("d", M=M, N=INF, **values), stated=values
        )
    for rho, N, size in ((0.25, 10**15, 1e9), (0.1, 10**10, 1e8)):
        values = {"alpha": 2, "rho": rho}
        exact = _recall("d", M=5, N=N, **values)
        yield _case(law, "d", f"alpha = 2, rho = {rho}, N = {N:.0e}", exact, size=size, factor=4, stated=values)
    values = {"alpha": 2, "rho": 0.1}
    wide = _recall("N", M=5, d=10**8, **values)
    yield _case(law, "N", "alpha = 2, rho = 0.1, d = 1e8", wide, size=4e10, factor=4, stated=values)
    full = _recall("d", M=5, N=1000, **values)
    yield _case(
        law, "d", "alpha = 2, rho = 0.1, N = 1000", full, size=8e3, factor=2, stated=values, note="d > N: exponential"
    )

    counts = _recall("T", alpha=2, rho=1, M=5, N=INF, d=10**15)
    yield _case("power-scheme:samples", "T", "alpha = 2, counts, d = 1e15", counts, size=1e5, stated=-0.5)
    counts = _recall("d", alpha=2, rho=1, M=5, N=INF)
    yield _case("power-scheme:samples", "d", "alpha = 2, rho = 1, T = inf", counts, size=1e9, stated=-0.25)


def _threshold() -> Iterator[Case]:
    law, values = "threshold-scheme:source", {"alpha": 2, "rho": 0}
    for M in (2, 5):
        cut = _recall("d", M=M, N=INF, P=lambda d: d / 8, **values)
        yield _case(law, "d", f"alpha = 2, rho = 0, P = d/8, M = {M}", cut, stated=values, note=FLOOR)
    cut = _recall("d", M=5, N=INF, P=lambda d: d / math.log(d), **values)
    yield _case(law, "d", "alpha = 2, rho = 0, P = d/log d, M = 5", cut, stated=values, logs=1)
    for alpha, rho, size, factor in ((2, 1, 64.0**5, 32.0), (1.5, 1 / 3, 1e8, 100.0), (2, 0.1, 1e9, 10.0)):
        power = 1 / (2 * alpha * rho + 1)
        # A little above the whole number that P is at these sizes.
        cut = _recall("d", alpha=alpha, rho=rho, M=5, N=INF, P=lambda d, b=power: d**b * (1 + 1e-9))
        note = {1: "no threshold does better", 1 / 3: "", 0.1: "P ~ d does better"}[rho]
        setting = f"alpha = {alpha}, rho = {rho:.2g}, P = d^{power:.3g}, M = 5"
        yield _case(law, "d", setting, cut, size=size, factor=factor, stated=-(alpha - 1) * power, note=note)
    for rho in (0, 0.1, 0.5, 1):
        best = _law("threshold-scheme:best", "d", alpha=2, M=5, rho=rho)
        size, logs = (1e9, 1) if rho == 0 else (1e4, 0)
        stated = {"alpha": 2, "rho": rho}
        yield _case(
            "threshold-scheme:best", "d", f"alpha = 2, rho = {rho}, M = 5", best, size=size, stated=stated, logs=logs
        )


def _best() -> Iterator[Case]:
    for alpha in (1.5, 2, 3):
        best = _law("optimal-scheme", "d", alpha=alpha, M=5)
        yield _case(
            "minimax:source", "d", f"alpha = {alpha}, best weights, M = 5", best, stated={"alpha": alpha}, relation="~"
        )
    yield _case(
        "minimax", "d", "alpha = 2, M = 5", _law("minimax", "d", alpha=2, M=5), stated={"alpha": 2}, relation="~"
    )
    injective = _law("minimax:injective", "d", alpha=2, N=1e24)
    note = "-2 (alpha - 1), at fixed N: for M = O(1) only"
    yield _case("minimax:source", "d", "alpha = 2, f injective, N = 1e24", injective, stated={"alpha": 2}, note=note)
    yield _case("at-most-d:source", "d", "M = 5", _law("at-most-d", "d", M=5))
    yield _case(
        "at-most-d:source", "d", "f injective", _law("at-most-d:injective", "d"), logs=-1, note="for M = O(1) only"
    )


def _joint() -> Iterator[Case]:
    law = "joint-law:source"
    for alpha in (1.5, 2, 4):
        values = {"alpha": alpha}
        yield _case(law, "d", f"alpha = {alpha}, T = inf", _law("joint-law", "d", M=5, T=INF, **values), stated=values)
        yield _case(
            law, "T", f"alpha = {alpha}, d = 1e12", _law("joint-law", "T", M=5, d=1e12, **values), stated=values
        )
    for b in (0.25, 0.75):
        both = _law("joint-law", "T", alpha=2, M=5, d=lambda T, b=b: math.ceil(T**b))
        yield _case("joint-law:path", "T", f"alpha = 2, d = T^{b}", both, size=1e12, stated={"alpha": 2, "b": b})
    floor = _recall("d", alpha=2, rho=0, M=2, N=INF, outputs="sphere", P=lambda d: d / 8)
    yield _case(law, "d", "alpha = 2, T = inf, P = d/8, M = 2", floor, stated={"alpha": 2}, note=FLOOR)


def _seen() -> Iterator[Case]:
    fill = _recall("d", alpha=2, rho=0, M=5, N=1000)
    note = "faster than any power"
    yield _case(
        "fill-scheme:source", "d", "T = inf, N = 1000, M = 5, k = 4", fill, size=8000, factor=2, stated=-4, note=note
    )
    values = {"alpha": 2}
    many = _law("seen-s-times", "T", M=5, s=1, d=1e12, **values)
    yield _case("fill-scheme:source", "T", "alpha = 2, d = 1e12", many, stated=values)
    few = _law("seen-s-times", "T", M=5, s=1, d=1000, **values)
    note = "overflow: the error rises to 1 - 1/M"
    yield _case("seen-s-times:source", "T", "alpha = 2, s = 1, d = 1000, M = 5", few, stated=values, note=note)
    matched = _law("seen-s-times:matched", "d", M=5, T=1e30, **values)
    for size, note in ((1e4, ""), (1e9, FLOOR)):
        yield _case(
            "seen-s-times:source",
            "d",
            "alpha = 2, s = T C (d/8)^-alpha, T = 1e30",
            matched,
            size=size,
            stated=values,
            note=note,
        )
    for rho in (0, 0.1, 1):
        rate = _law("fill-is-best", "N", M=5, rho=rho, **values)
        yield _case(
            "fill-is-best",
            "N",
            f"rate in d, alpha = 2, rho = {rho}",
            rate,
            size=1e6,
            stated={"rho": rho, **values},
            relation="~",
        )


def _gradients() -> Iterator[Case]:
    yield _case("sgd-map", "n", "gamma = 1, M = 5", _law("sgd-map", "n", gamma=1, M=5), size=1e12, relation="~", logs=1)
    yield _case(
        "margin-growth:source", "t", "p = 0.1, M = 5", _law("margin-growth", "t", p=0.1, M=5), size=1e12, logs=1
    )
    yield _case("one-step-memory:source", "N", "injective, eta = 1", _law("one-step-memory", "N", eta=1, M=lambda N: N))

    def stopping(alpha: float, what: str) -> Callable[[float], Value]:
        from asymp.theory.functions.sgd.stopping_time import best_stopping

        return lambda d: float(getattr(best_stopping(alpha=alpha, M=5, d=d), what))

    for alpha in (1.5, 2):
        setting, stated = f"alpha = {alpha}, M = 5", {"alpha": alpha}
        yield _case(
            "over-optimisation", "d", f"best gamma T, {setting}", stopping(alpha, "gamma_T"), size=1e6, stated=stated
        )
        yield _case("over-optimisation:error", "d", setting, stopping(alpha, "error"), size=1e6, stated=stated)
