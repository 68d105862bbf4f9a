"""`asymp.fit`: a table of measurements, what it allows, and what can be said from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.lazy import Lazy
from asymp.montecarlo.fit.backtest import Fitted, fit_forms
from asymp.montecarlo.fit.forms import Form, forms_for
from asymp.montecarlo.fit.profile import profile_interval
from asymp.montecarlo.fit.table import Table, read_table
from asymp.reports import fit as views
from asymp.reports.fit.expression import form_of
from asymp.reports.fit.optimum import Optimum, check_identifiable, compute_optimum
from asymp.reports.fit.published import LawVerdict, judge_law

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from asymp.montecarlo.exponent import fit as exponent
    from asymp.montecarlo.exponent.fit import ExponentFit
else:
    exponent = Lazy("asymp.montecarlo.exponent.fit")

__all__ = ["Fit", "Prediction", "check_level", "fit"]

Interval = tuple[float, float]
CLASSIC = ("power", "corrected", "floor", "log")
MOST = 200
"""More sizes than these are taken together with their neighbours: a curve is straight over a two-hundredth of its range."""
LEAST = 1e-5
"""Numbers in a table are rounded: none is taken to be more exact than this, relatively."""


@dataclass(frozen=True)
class Prediction:
    """A loss predicted at `x`, with the ends of its interval at a level; `beyond`: the size over the largest measured."""

    x: tuple[float, ...]
    value: float
    low: float
    high: float
    level: float
    beyond: float

    def __str__(self) -> str:
        return f"{self.value:.4g}, {100 * self.level:g} % interval {self.low:.4g} to {self.high:.4g}"


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """A fitted table. Exponents are positive where the loss falls: E + A x^-b has the exponent b.

    `table`: the rows. `fitted`: every form on them. `declared`: whether the forms were chosen by the caller. `huber`: from which
    residual on absolute values counted; None for squares.
    """

    table: Table
    fitted: Fitted
    declared: bool
    huber: float | None = None

    @property
    def allowed(self) -> tuple[str, ...]:
        """The forms that the data allow: not significantly worse, at 1 %, than the form that fits best."""
        return self.fitted.allowed

    @property
    def forms(self) -> dict[str, dict[str, float]]:
        """The parameters of every form that was fitted."""
        return {name: found.parameters for name, found in self.fitted.solutions.items()}

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of the allowed form with the fewest; the best-fitting of them if there are several."""
        return self.forms[self.simplest]

    @property
    def simplest(self) -> str:
        """The allowed form with the fewest parameters; the best-fitting of them if there are several."""
        found = self.fitted.solutions
        return min(self.allowed, key=lambda name: (len(found[name].values), found[name].cost))

    @cached_property
    def classic(self) -> "ExponentFit | None":
        """The exponent over power, corrected power, floor and logarithm, where one size was fitted and one of them fits."""
        table, noise = self.table, self.fitted.noise
        t = np.log(table.x[:, 0])
        known, group = np.unique(t, return_inverse=True)
        if self.declared or table.x.shape[1] > 1 or len(known) < 4 or not set(CLASSIC) & set(self.allowed):
            return None
        if len(known) > MOST:
            _, group = np.unique(np.round(MOST * (t - t.min()) / np.ptp(t)), return_inverse=True)
        count = np.bincount(group)
        sizes = np.exp(np.bincount(group, t) / count)
        logs = np.bincount(group, np.log(table.y)) / count
        rows = table.error if table.error is not None else np.ones(len(group))
        errors = np.sqrt(noise.variance * noise.inflation * np.bincount(group, rows**2)) / count
        families = CLASSIC if sizes[0] > 1 else CLASSIC[:-1]
        return exponent.fit_exponent_of_logs(
            sizes, logs.tolist(), np.maximum(errors, LEAST).tolist(), freedom=max(noise.freedom, 1.0), families=families
        )

    @property
    def exponent(self) -> float | dict[str, float]:
        """The exponent b of loss ~ x^-b (above its floor, if it has one); one for each size if there are two."""
        if self.classic is not None:
            return -self.classic.exponent
        found = {name: self._rate(self.simplest, name) for name in self.table.variables}
        return found if len(found) > 1 else next(iter(found.values()))

    def interval(self, level: float = 0.95) -> Interval | dict[str, Interval]:
        """The exponents that the data allow at a level, over the allowed forms; one interval for each size."""
        check_level(level)
        if self.classic is not None:
            low, high = self.classic.interval(level)
            return -high, -low
        found = {name: self._interval(name, level) for name in self.table.variables}
        return found if len(found) > 1 else next(iter(found.values()))

    def _rate(self, form: str, variable: str) -> float:
        found = self.fitted.solutions[form]
        terms = _rates(found.form, self.table.variables).get(variable)
        return float(sum(found.parameters[term] for term in terms)) if terms else float("nan")

    def _interval(self, variable: str, level: float) -> Interval:
        ends = []
        for name in self.allowed:
            terms = _rates(self.fitted.solutions[name].form, self.table.variables).get(variable, [])
            ends.append(profile_interval(self.fitted, name, terms[0], level) if len(terms) == 1 else (-np.inf, np.inf))
        return min(low for low, _ in ends), max(high for _, high in ends)

    @property
    def exponent_class(self) -> str:
        """The class of truths over which the exponents' intervals hold."""
        return ", ".join(self.allowed if self.classic is None else self.classic.declared.families)

    def predict(self, x: Any, *, level: float = 0.95, simultaneous: bool = False) -> Any:
        """The loss at x with its interval: the union over the allowed forms, each widened as its backtest demands.

        Args:
            x: a size, or a pair of sizes; a list of them gives a list.
            level: the interval's level.
            simultaneous: whether the interval is to hold at all sizes of a curve at once.
        """
        check_level(level)
        try:
            sizes = np.asarray(x, dtype=float)
        except (TypeError, ValueError):
            raise ValueError(f"x must be a size or a list of them; got {x!r}") from None
        count = len(self.table.variables)
        single = sizes.ndim == count - 1
        sizes = sizes.reshape(-1, count) if count == 1 and sizes.ndim < 2 else np.atleast_2d(sizes)
        if (
            sizes.ndim != 2
            or sizes.shape[1] != count
            or sizes.size == 0
            or not (np.isfinite(sizes).all() and (sizes > 0).all())
        ):
            raise ValueError(f"each size to predict must give {' and '.join(self.table.variables)} above 0; got {x!r}")
        value, low, high = (np.exp(v) for v in self.fitted.predict(sizes, level, simultaneous=simultaneous))
        beyond = (sizes / self.table.x.max(0)).max(1)
        found = [
            Prediction(tuple(s.tolist()), float(v), float(lo), float(hi), level, float(far))
            for s, v, lo, hi, far in zip(sizes, value, low, high, beyond, strict=True)
        ]
        return found[0] if single else found

    def verdict(self, law: Any, *, rate: float = 1e-3, margin: float = 0.02) -> LawVerdict:
        """A published law on this table: supported, refuted or open.

        Args:
            law: its formula with numbers for all parameters, or a law of `asymp.laws` that has none.
            rate: the probability with which a true law is refuted.
            margin: how far from the data's curve, relatively, a supported law may be at most.
        """
        return judge_law(self.fitted, law, rate=rate, margin=margin)

    def optimum(self, compute: float, level: float = 0.95) -> Optimum:
        """The sizes N and D that minimise the loss at a compute of 6 N D, with intervals over the allowed forms."""
        check_level(level)
        return compute_optimum(self.fitted, compute, level)

    def plot(self) -> "Figure":
        """The figure: data, forms, the predicted interval; the backtest below."""
        return views.display.figure(self)

    def as_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        return views.display.record(self)

    def write(self, folder: Any, law: Any = None) -> str:
        """Write the page, the figure and fit.json to a folder; the page's path."""
        return views.display.write(self, folder, law)

    def __str__(self) -> str:
        return views.display.text(self)

    def __repr__(self) -> str:
        return f"<Fit of {self.table.quantity} at {len(self.table)} rows: {', '.join(self.allowed)} allowed>"

    def _repr_html_(self) -> str:
        return views.display.notebook(self)


def check_level(level: float) -> None:
    """Raise ValueError unless the level of an interval lies in [0.5, 1)."""
    if not isinstance(level, int | float) or not 0.5 <= level < 1:
        raise ValueError(f"level must lie in [0.5, 1); got {level!r}")


def _rates(form: Form, variables: Sequence[str]) -> dict[str, list[str]]:
    """The parameters whose sum is the rate, by the table's name of the size."""
    own = dict(zip(("x",) if len(variables) == 1 else ("N", "D"), variables, strict=True))
    return {own.get(name, name): sum_.split(" + ") for name, sum_ in form.exponents.items()}


def fit(
    data: Any,
    x: str | Sequence[str] | None = None,
    y: str | None = None,
    *,
    by: str | None = None,
    run: str | None = None,
    error: str | None = None,
    trials: str | float | None = None,
    where: str | None = None,
    forms: Any = None,
    huber: float | None = None,
) -> Fit:
    """Fit a table of measurements: which forms it allows, exponents and predictions with intervals that hold.

    >>> table = {"params": [1e6, 3e6, 1e7, 3e7, 1e8, 3e8], "loss": [5.01, 4.52, 4.07, 3.69, 3.34, 3.03]}
    >>> found = fit(table, x="params", y="loss")
    >>> "power" in found.allowed
    True

    Args:
        data: a CSV, JSONL or Parquet file, a mapping of columns, or a data frame.
        x: the column of sizes, or two, "params,tokens"; guessed if not given. A second one of FLOP becomes FLOP / (6 N) tokens.
        y: the column of losses.
        by: the column that tells replicates of a size apart, such as a seed.
        run: the column that says of which run a row is a checkpoint: rows of one run are correlated.
        error: the column of standard errors of the losses.
        trials: the number of trials behind a share of errors, or its column.
        where: a condition on rows, such as "loss<3.2".
        forms: names of forms, formulas such as "E + A*N**-alpha + B*D**-beta", SymPy expressions or laws; all that are built
            in if not given.
        huber: count residuals in log loss beyond this by their absolute value, as 1e-3; None for least squares.
    """
    table = read_table(data, x=x, y=y, by=by, run=run, error=error, trials=trials, where=where)
    if huber is not None and (isinstance(huber, bool) or not isinstance(huber, int | float) or not 0 < huber < np.inf):
        raise ValueError(f"huber must be a number above 0, such as 1e-3; got {huber!r}")
    given = [forms] if forms is not None and (isinstance(forms, str) or not isinstance(forms, Sequence)) else forms
    chosen = forms_for(table.variables) if given is None else [form_of(one, table.variables) for one in given]
    if not chosen:
        raise ValueError("forms must name at least one form or formula")
    if given is None and table.x.shape[1] == 1 and table.x.min() <= 1:
        chosen = [form for form in chosen if form.name != "log"]
    if table.x.shape[1] == 2:
        check_identifiable(table)
    return Fit(table, fit_forms(table, chosen, huber), given is not None, huber)
