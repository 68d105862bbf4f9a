"""`asymp.fit`: what is allowed, exponents, predictions, verdicts, the refusal of D = kN, formulas, the command."""

import json
import math
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest
import sympy
from click.testing import CliRunner

import asymp
from asymp.reports.cli.main import cli

X = np.geomspace(1e6, 1e9, 14)
TRUTH = "1.8 + 480/N**.34 + 2000/D**.37"


def curve(seed=0, noise=0.005, floor=1.5):
    rng = np.random.default_rng(seed)
    return {"params": X, "loss": (floor + 60 * X**-0.3) * np.exp(noise * rng.normal(size=len(X)))}


def design(seed=0, side=6, noise=0.003):
    rng = np.random.default_rng(seed)
    n, d = (v.ravel() for v in np.meshgrid(np.geomspace(1e8, 1e10, side), np.geomspace(2e9, 2e11, side)))
    return {"N": n, "D": d, "loss": (1.8 + 480 * n**-0.34 + 2000 * d**-0.37) * np.exp(noise * rng.normal(size=len(n)))}


def test_a_floor_is_seen_and_a_pure_power_is_not_allowed():
    found = asymp.fit(curve(), x="params")
    assert "floor" in found.allowed and "power" not in found.allowed
    low, high = found.interval(0.95)
    assert low <= 0.3 <= high and low <= found.exponent <= high
    one = found.predict(4e9)
    assert one.low <= 1.5 + 60 * 4e9**-0.3 <= one.high
    whole = found.predict([2e9, 4e9], simultaneous=True)[1]
    assert whole.low <= one.low and one.high <= whole.high


def test_intervals_of_predictions_hold():
    """Two thirds of what nominal intervals would need to fail: 40 curves, 95 %: fewer than 33 inside has p < 1e-3."""
    inside = 0
    for seed in range(40):
        found = asymp.fit(curve(seed, noise=0.01), x="params", forms=["power", "floor", "shifted"])
        one = found.predict(2e9)
        new = (1.5 + 60 * 2e9**-0.3) * np.exp(0.01 * np.random.default_rng(seed + 1000).normal())
        inside += one.low <= new <= one.high
    assert inside >= 33


def test_both_exponents_and_the_optimum_of_a_joint_design():
    found = asymp.fit(design())
    assert "additive" in found.allowed
    for (low, high), truth in zip(found.interval(0.95).values(), (0.34, 0.37), strict=True):
        assert low <= truth <= high
    best = asymp.fit(design(), forms="additive").optimum(1e22)
    # N* = (alpha A/(beta B))^(1/(alpha + beta)) (C/6)^(beta/(alpha + beta)), by hand from the Lagrangian
    by_hand = (0.34 * 480 / (0.37 * 2000)) ** (1 / 0.71) * (1e22 / 6) ** (0.37 / 0.71)
    (low, high), _ = best.intervals
    assert low <= by_hand <= high and high / low < 4
    assert best.sizes[0] * best.sizes[1] * 6 == pytest.approx(1e22)


def test_a_true_law_is_not_refuted_a_wrong_one_is():
    found = asymp.fit(design())
    assert found.verdict(TRUTH).outcome == "supported"
    wrong = found.verdict("1.7 + 480/N**.34 + 2000/D**.37")
    assert wrong.outcome == "refuted" and wrong.p_value < 1e-3 and "refuted" in str(wrong)
    few = asymp.fit({k: v[::4] for k, v in design(noise=0.03).items()}, forms="additive")
    assert few.verdict("1.8 + 481/N**.34 + 2000/D**.37").outcome == "open"


def test_a_design_on_one_line_is_refused_with_the_runs_that_would_help():
    n = np.geomspace(1e7, 1e10, 10)
    with pytest.raises(ValueError, match="cannot be told apart.*add runs off this line, such as N=.* with D="):
        asymp.fit({"N": n, "D": 20 * n, "loss": 2 + 400 * n**-0.3}, x="N,D")


def test_any_expression_is_fitted_as_the_built_in_form_is():
    text = "E + A*N**-alpha + B*D**-beta"
    own, built_in = asymp.fit(design(), forms=text), asymp.fit(design(), forms="additive")
    floor, a, b, n, d, alpha, beta = sympy.symbols("E A B N D alpha beta", positive=True)
    symbolic = asymp.fit(design(), forms=floor + a * n**-alpha + b * d**-beta)
    (form,) = (one.form for one in own.fitted.solutions.values())
    assert form.linear == {"A", "B", "E"} and form.exponents == {"N": "alpha", "D": "beta"}
    for found in (own, symbolic):
        assert found.parameters["alpha"] == pytest.approx(built_in.parameters["alpha"], rel=1e-4)
        assert found.interval()["N"] == pytest.approx(built_in.interval()["N"], rel=1e-2)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"forms": "__import__('os').system('true')"}, "may not contain"),
        ({"forms": "A*x**-b + (lambda: 1)()"}, "may not contain"),
        ({"forms": "A.real*x"}, "may not contain"),
        ({"forms": "A*x**"}, "is no formula"),
        ({"forms": "A*z"}, "has no size in it"),
        ({"forms": "2*x"}, "no parameters to fit"),
        ({"forms": "A*x**-b + B*y**-c"}, "is one of them a size that is spelt differently"),
        ({"forms": "A*B*x**-b"}, "3 letters act as 2"),
        ({"forms": "powr"}, "there is no form 'powr'"),
        ({"forms": "additive"}, "is one of 2 sizes"),
        ({"huber": -1}, "huber must be"),
        ({"huber": True}, "huber must be"),
        ({"forms": 5}, "a form is a name"),
    ],
)
def test_bad_forms_are_one_sentence_and_nothing_is_executed(options, says):
    with pytest.raises(ValueError, match=".") as error:
        asymp.fit(curve(), **options)
    assert says in str(error.value) and "\n" not in str(error.value)


def test_too_few_points_and_bad_laws_are_one_sentence(tmp_path):
    with pytest.raises(ValueError, match="needs at least 3"):
        asymp.fit({"x": [1, 2], "loss": [2, 1]})
    found = asymp.fit(curve())
    with pytest.raises(ValueError, match="unknown symbol gamma"):
        found.verdict("1.5 + 60/x**gamma")
    for bad in (-1, [[1e9, 1e9]], [], None):
        with pytest.raises(ValueError, match="each size to predict must give params above 0"):
            found.predict(bad)
    for bad in ("0.95", None, 95):
        with pytest.raises(ValueError, match="level must lie"):
            found.predict(1e9, level=bad)
    for bad in ("1e20", 5, float("nan"), -1):
        with pytest.raises(ValueError, match="compute must be a number of FLOP"):
            asymp.fit(design()).optimum(bad)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(ValueError, match="needs a folder"):
        found.write(blocked)
    with pytest.raises(ValueError, match="is no formula"):
        found.write(tmp_path / "page", "1.5 +")
    assert not (tmp_path / "page").exists()


def test_a_formula_whose_values_overflow_is_fitted_without_a_warning(recwarn):
    asymp.fit(curve(), forms="A*x**-b + B*exp(c*x) + C*log(d*x)")
    asymp.fit({"params": 10.0 ** np.arange(300, 305), "loss": [3, 2.5, 2.2, 2, 1.9]})
    assert not recwarn.list


def test_every_function_of_a_formula_can_be_fitted_and_what_cannot_be_computed_is_one_sentence():
    data = {"x": X, "loss": 3 * (1 + X**-0.2)}
    assert asymp.fit(data, forms="gamma(A)*(1 + x**-b)").parameters["b"] == pytest.approx(0.2, rel=1e-3)
    for form in ("A*x**-b + 1e999", "A*uppergamma(b, x)"):
        with pytest.raises(ValueError, match="cannot be computed"):
            asymp.fit(data, forms=form)
    with pytest.raises(ValueError, match="not positive and finite"):
        asymp.fit(data).verdict("sqrt(-1)*x")


@pytest.mark.parametrize(
    ("form", "true"),
    [
        ("E + A*exp(-b*x/1e8)", {"E": 1.5, "A": 2, "b": 0.7}),
        ("E + A*(1 + x/d)**-b", {"E": 1.5, "A": 2, "d": 2e7, "b": 0.6}),
        ("E + (chance - E)/(1 + (x/m)**k)", {"E": 0.3, "chance": 0.8, "m": 3e7, "k": 0.8}),
        ("E + A*x**-b + B*x**-c", {"E": 1.2, "A": 40, "b": 0.3, "B": 300, "c": 0.6}),
        ("(a*x**-p + q)**s", {"a": 3000, "p": 0.9, "q": 1e-4, "s": 0.1}),
    ],
)
def test_a_formula_without_noise_is_found_again_whatever_the_size_of_its_parameters(form, true):
    names = sympy.symbols(sorted(true))
    says = sympy.lambdify(sympy.Symbol("x"), sympy.sympify(form, {s.name: true[s.name] for s in names}))
    found = asymp.fit({"x": X, "loss": says(X)}, forms=form)
    (one,) = found.fitted.solutions.values()  # its parameters may be the true ones in another order
    assert one.status == "converged" and np.abs(one.residuals).max() < 1e-9


@pytest.mark.parametrize("noise", [0, 0.005])
def test_a_whole_training_curve_is_fitted_in_little_memory(noise):
    """Ten runs of 300 checkpoints: a matrix of all rows by all rows would take 72 MB, the exponent's several of them."""
    rng = np.random.default_rng(8)
    x = np.exp(rng.uniform(np.log(1e6), np.log(1e9), 3000))
    data = {"x": x, "loss": (1.5 + 60 * x**-0.3) * np.exp(noise * rng.normal(size=3000)), "run": np.arange(3000) % 10}
    tracemalloc.start()
    found = asymp.fit(data, x="x", run="run")
    low, high = found.interval()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert low <= 0.3 <= high and most < 40e6


def test_two_exponents_of_one_size_are_not_called_its_exponent():
    found = asymp.fit({"x": X, "loss": 1.2 + 40 * X**-0.3 + 300 * X**-0.6}, forms="E + A*x**-b + B*x**-c")
    assert "alone is the exponent in x" in str(found)
    assert asymp.fit(curve(), forms="E + A*(x/1e6)**-b").interval() != (-np.inf, np.inf)


def test_a_floor_without_noise_keeps_its_exponent():
    """A power with a correction and the exponent 0 is a floor too: it must not be the only one that is seen."""
    found = asymp.fit({"x": X, "loss": 1.5 + 60 * X**-0.3})
    assert found.exponent == pytest.approx(0.3, abs=1e-4)
    low, high = found.interval()
    assert low <= 0.3 <= high < 0.301


def test_a_law_is_judged_by_hubers_losses_where_they_were_asked_for():
    """Five outliers neither refute the true law nor hide that another is wrong."""
    data = design(noise=0.003)
    data["loss"][3::7] *= 1.3
    found = asymp.fit(data, forms="additive", huber=1e-3)
    assert found.verdict(TRUTH).p_value > 1e-3
    assert found.verdict("1.7 + 480/N**.34 + 2000/D**.37").outcome == "refuted"


def test_correlated_checkpoints_widen_the_exponent():
    data = design(side=4, noise=0.01)
    runs = {**data, "run": [f"{n:g}" for n in data["N"]]}
    rng = np.random.default_rng(3)
    shift = dict(zip(dict.fromkeys(runs["run"]), 0.02 * rng.normal(size=4), strict=True))
    runs["loss"] = data["loss"] * np.exp([shift[r] for r in runs["run"]])
    plain, aware, seen = (
        asymp.fit(rows, x="N,D", run=run, forms="additive") for rows, run in ((data, None), (runs, "run"), (runs, None))
    )
    widths = [np.ptp(np.log(found.interval()["N"])) for found in (plain, aware, seen)]
    assert widths[1] > widths[0] and "correlate" in aware.fitted.noise.words
    # 16 rows less 5 parameters; four runs whose rows are nearly the same are four rows
    assert plain.fitted.noise.freedom == 11 and 3 <= aware.fitted.noise.freedom < 5
    # what nobody said is seen: the rows of one N are alike
    assert widths[2] > 1.5 * widths[0] and "neighbours at the same N correlate" in seen.fitted.noise.words
    assert "correlate" not in plain.fitted.noise.words


def test_whole_runs_that_are_shifted_refute_no_true_law_with_and_without_their_name():
    """At the rate .001 more than one of 16 has p < 2e-4; as independent rows they refuted 43 of 60."""
    refuted = 0
    for seed in range(16):
        rng = np.random.default_rng([22, seed])
        n, d = (v.ravel() for v in np.meshgrid(np.geomspace(1e8, 1e10, 4), np.geomspace(2e9, 2e11, 20), indexing="ij"))
        noise = np.repeat(rng.normal(size=4), 20) + 0.3 * rng.normal(size=80)
        data = {"N": n, "D": d, "loss": (1.8 + 480 * n**-0.34 + 2000 * d**-0.37) * np.exp(0.01 * noise), "run": n}
        refuted += asymp.fit(data, x="N,D", run="run" if seed % 2 else None).verdict(TRUTH).outcome == "refuted"
    assert refuted <= 1


def test_verdicts_take_the_upper_limit_of_the_correlation_of_neighbours_and_see_wrong_laws_of_independent_rows():
    x, enough, refuted = np.geomspace(100, 1e5, 40), {"most": 0, "inflation": 0}, []
    for seed in range(30):
        noise = np.random.default_rng(seed).standard_normal(40)
        alike = noise.copy()
        for i in range(1, 40):
            alike[i] = 0.7 * alike[i - 1] + math.sqrt(1 - 0.7**2) * noise[i]
        correlated, independent = (
            asymp.fit({"x": x, "y": (1 + 30 * x**-0.5) * np.exp(0.02 * drawn)}, x="x", y="y")
            for drawn in (alike, noise)
        )
        for key in enough:
            enough[key] += getattr(correlated.fitted.noise, key) >= (1 + 0.7) / (1 - 0.7)
        refuted.append(independent.verdict("1.2 + 36*x**-.5").outcome)
    assert (
        enough["most"] >= 27 and enough["inflation"] <= 15
    )  # a limit, and an estimate that is too small as often as not
    # by the noise of 2 % alone, 20 % off is more than 60 standard errors of the curve
    assert refuted.count("refuted") >= 29


def test_replicates_and_declared_errors_are_said():
    data = {k: np.repeat(v, 3) for k, v in curve().items()}
    data["loss"] = data["loss"] * np.exp(0.01 * np.random.default_rng(5).normal(size=42))
    data["seed"], data["sd"] = np.tile([0, 1, 2], 14), 0.01 * data["loss"]
    assert "28 differences between replicates" in asymp.fit(data, x="params", by="seed").fitted.noise.words
    assert "as declared" in asymp.fit(data, x="params", by="seed", error="sd").fitted.noise.words


def test_the_command_writes_a_page_json_and_a_figure(tmp_path):
    data = curve()
    table = tmp_path / "runs.csv"
    table.write_text("params,loss\n" + "\n".join(f"{x},{y}" for x, y in zip(data["params"], data["loss"], strict=True)))
    out = tmp_path / "page"
    command = ["fit", str(table), "--law", "1.5 + 60*x**-.3", "--predict", "1e10", "-o", str(out)]
    said = CliRunner().invoke(cli, command)
    assert said.exit_code == 0, said.output
    assert "supported" in said.output and "Predicted at 1e+10" in said.output
    page = (out / "index.html").read_text()
    assert "Reporting checklist" in page and "<svg" in page
    record = json.loads((out / "fit.json").read_text())
    assert record["law"]["outcome"] == "supported" and len(record["checklist"]) == 10
    assert {"fit.svg", "fit.png", "fit.pdf"} <= {path.name for path in out.iterdir()}
    printed = json.loads(CliRunner().invoke(cli, ["fit", str(table), "--json"]).output)
    assert printed["allowed"] == record["allowed"]


def test_bad_input_of_the_command_is_exit_code_2(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "asymp", "fit", str(tmp_path / "no.csv")], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 2 and ran.stderr.startswith("asymp: there is no file") and ran.stderr.count("\n") == 1


def test_a_fit_needs_neither_torch_nor_sympy_nor_scipy_to_be_imported():
    code = "import asymp, sys; asymp.fit; print({'torch', 'sympy', 'scipy', 'matplotlib'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"


def test_a_fit_shows_itself():
    found = asymp.fit(curve())
    assert found._repr_html_().startswith("<div><b>Fit</b>: The data allow")
    assert "floor" in repr(found) and len(found.plot().axes) == 2
