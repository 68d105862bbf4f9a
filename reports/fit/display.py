"""A fit as people read it: sentences, the page, JSON, the checklist, a notebook's table."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from asymp.montecarlo.fit.backtest import rms
from asymp.montecarlo.typeset import notebook_html
from asymp.reports.figures.style import file_bytes
from asymp.reports.fit.picture import CAPTION, figure
from asymp.reports.numbers import interval, plain
from asymp.reports.page.figure import inline
from asymp.reports.page.render import render
from asymp.reports.serialise import dumps

if TYPE_CHECKING:
    from asymp.reports.fit.study import Fit

__all__ = ["figure", "notebook", "record", "text", "write"]

AHEAD = (2.0, 4.0)
WIDE = 2.0


def sentences(fit: "Fit") -> list[str]:
    """What can be said, and what cannot, in sentences."""
    table = fit.table
    if len(fit.forms) == 1:
        found = [f"One form was fitted, {fit.simplest}; whether others fit as well is not known."]
    else:
        found = [f"The data allow {len(fit.allowed)} of {len(fit.forms)} forms: {', '.join(fit.allowed)}."]
    point, ends = fit.exponent, fit.interval(0.95)
    rows = point if isinstance(point, dict) else {table.variables[0]: point}
    limits = ends if isinstance(ends, dict) else {table.variables[0]: ends}
    for name, (low, high) in limits.items():
        if math.isnan(rows[name]):
            found.append(f"No parameter of {fit.simplest} alone is the exponent in {name}.")
            continue
        bounded = math.isfinite(low) and math.isfinite(high) and high < 7.9
        if bounded and high - low < WIDE:
            found.append(
                f"The exponent in {name} is {plain(rows[name])}, 95 % interval {interval(low, high)}, over the class: "
                f"{fit.exponent_class}."
            )
        else:
            found.append(
                f"The exponent in {name} cannot be said from these {len(table)} rows: the allowed forms ({fit.exponent_class}) "
                f"have exponents from {plain(low)} to {plain(high)}; a wider range of sizes would tell."
            )
    if len(fit.allowed) == len(fit.forms) and len(fit.forms) > 1:
        found.append("These data do not tell the forms apart.")
    if fit.classic is not None and fit.classic.status == "misfit":
        found.append(
            "None of power, corrected power, floor and logarithm describes the data well: distrust the exponent."
        )
    if len(fit.fitted.backtests[fit.simplest].cut) < 2:
        found.append(
            "The table is too short for a backtest: intervals of predictions are doubled, and no more than a guess."
        )
    else:
        reach = math.exp(max(test.reach for test in fit.fitted.backtests.values()))
        found.append(
            f"Backtests inside the data predicted up to {reach:.2g} times the {' x '.join(table.variables)} that was fitted; "
            "farther predictions rest on the forms alone."
        )
    return found


def predictions(fit: "Fit") -> list[dict[str, Any]]:
    """The loss at two and four times the largest sizes, one at a time and all at once."""
    rows = []
    for factor in AHEAD:
        size = fit.table.x.max(0) * factor
        one = fit.predict(size if len(size) > 1 else float(size[0]))
        whole = fit.predict(size if len(size) > 1 else float(size[0]), simultaneous=True)
        rows.append(
            {
                "x": one.x,
                "value": one.value,
                "low": one.low,
                "high": one.high,
                "all_low": whole.low,
                "all_high": whole.high,
            }
        )
    return rows


def checklist(fit: "Fit") -> list[tuple[str, str]]:
    """What a reader of a scaling-law paper should be told, filled in."""
    table = fit.table
    ranges = [f"{n} {v.min():.3g} to {v.max():.3g}" for n, v in zip(table.variables, table.x.T, strict=True)]
    decades = [f"{np.log10(v.max() / v.min()):.1f}" for v in table.x.T]
    distinct = len(np.unique(table.x, axis=0))
    statuses = {found.status for found in fit.fitted.solutions.values()}
    loss = "squares" if fit.huber is None else f"Huber's losses (delta {fit.huber:g})"
    ahead, freedom = np.log([AHEAD[0]]), fit.fitted.noise.freedom
    factors = [t.factors(0.95, freedom, ahead, simultaneous=False)[0] for t in fit.fitted.backtests.values()]
    return [
        (
            "Rows",
            f"{len(table)} rows at {distinct} different sizes; {len(table) - distinct} of them replicates or checkpoints",
        ),
        ("Range", f"{'; '.join(ranges)}: {' and '.join(decades)} decades"),
        ("How sizes were counted", "; ".join(table.notes) or "as in the table's columns; not known beyond that"),
        ("What was fitted", f"log {table.quantity} by {loss}; forms: {', '.join(fit.forms)}"),
        (
            "Search",
            f"several starts for each form, linear parameters projected out, exact derivatives; {', '.join(statuses)}",
        ),
        ("Noise", fit.fitted.noise.words),
        ("Rows left out", next((n for n in table.notes if n.startswith("rows with")), "none")),
        (
            "Intervals",
            "exponents: over the allowed forms; predictions: union of the allowed forms, each widened by its backtest "
            "and by a fifth of the change that it predicts",
        ),
        (
            "Backtest",
            f"standard errors multiplied by {min(factors):.2g} to {max(factors):.2g} at {AHEAD[0]:g} times the largest size "
            "(1.96 would be nominal)",
        ),
        ("Chosen after seeing the data", "asymp cannot know: say which rows, forms and ranges were tried"),
    ]


def record(fit: "Fit", law: Any = None) -> dict[str, Any]:
    """Everything that the page shows, for JSON."""
    solutions, tests = fit.fitted.solutions, fit.fitted.backtests
    return {
        "quantity": fit.table.quantity,
        "variables": list(fit.table.variables),
        "rows": len(fit.table),
        "notes": list(fit.table.notes),
        "noise": fit.fitted.noise.words,
        "words": sentences(fit),
        "allowed": list(fit.allowed),
        "exponent": fit.exponent,
        "interval": fit.interval(0.95),
        "class": fit.exponent_class,
        "forms": [
            {
                "name": name,
                "words": one.form.words,
                "formula": one.form.formula,
                "allowed": name in fit.allowed,
                "parameters": one.parameters,
                "scatter": float(np.sqrt(np.mean(one.residuals**2))),
                "backtest": tests[name].rms if name in tests and tests[name].cut else None,
                "status": one.status,
            }
            for name, one in solutions.items()
        ],
        "predictions": predictions(fit),
        "backtest_words": (
            "Each allowed form was fitted to the smaller sizes and predicted the larger ones. Where its errors exceeded what its "
            "fit claims, its intervals are widened by as much, at each distance beyond what was fitted; the change of log loss "
            "that it predicts beyond the table counts as uncertain by a fifth in any case."
        ),
        "backtests": [
            {"form": name, "cut": cut, "points": len(miss), "error": rms(miss), "scaled": rms(errors)}
            for name, test in tests.items()
            for cut, miss, errors in zip(test.cut, test.miss, test.scaled, strict=True)
        ],
        "checklist": checklist(fit),
        "caption": CAPTION,
        "law": fit.verdict(law) if law is not None else None,
    }


def text(fit: "Fit", law: Any = None) -> str:
    """The fit in lines for a terminal."""
    lines = [f"{fit.table.quantity} against {' and '.join(fit.table.variables)}: {len(fit.table)} rows"]
    lines += [f"  {note}" for note in fit.table.notes]
    lines += [f"  {fit.fitted.noise.words}", *sentences(fit)]
    for name in fit.allowed:
        found, test = fit.fitted.solutions[name], fit.fitted.backtests[name]
        values = ", ".join(f"{p}={v:.4g}" for p, v in found.parameters.items())
        error = f"; backtest error {100 * test.rms:.2g} % over {len(test.cut)} cuts" if len(test.cut) > 1 else ""
        lines.append(f"  {name}: {found.form.formula}  with {values}{error}")
    for one in predictions(fit):
        sizes = ", ".join(f"{n}={v:.3g}" for n, v in zip(fit.table.variables, one["x"], strict=True))
        lines.append(f"Predicted at {sizes}: {plain(one['value'])}, 95 % interval {interval(one['low'], one['high'])}.")
    if law is not None:
        verdict = fit.verdict(law)
        lines.append(f"The law {verdict.law}: {verdict}")
    return "\n".join(lines)


def notebook(fit: "Fit") -> str:
    """The fit in a notebook: its sentences."""
    return notebook_html("Fit", " ".join(sentences(fit)))


def write(fit: "Fit", folder: Any, law: Any = None) -> str:
    """Write index.html, fit.json and the figure to a folder; the page's path."""
    target, shown, files = Path(folder), record(fit, law), file_bytes(figure(fit))
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise ValueError(
            f"the page needs a folder to be written to; {target} cannot be one: {problem.strerror}"
        ) from None
    for form, body in files.items():
        (target / f"fit.{form}").write_bytes(body)
    (target / "fit.json").write_text(dumps(shown), encoding="utf-8")
    svg = inline(files, prefix="fit", label=CAPTION)
    page = target / "index.html"
    page.write_text(render("fit.html", fit=shown, svg=svg, footer="Made by asymp fit."), encoding="utf-8")
    return str(page)
