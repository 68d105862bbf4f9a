"""Claims in five lines: what a decorator declares is what the long form does, and mistakes are refused where they stand."""

import json

import numpy as np
import pytest
import sympy

import asymp
from asymp.reports import Claim
from asymp.reports.kinds import Bound, Capacity, Constant, Identity, Order, Rate
from asymp.theory import Param, integer, law, real

FIVE_LINES = """import asymp

@asymp.claim.rate("c * d**-b", variable="d", d=(16, 16384), b=(0.5, 2), c=(1, 2))
def my_rate(draw, *, d, b, c):
    return c * d**-b * (1 + 1 / d) * draw.uniform(0.8, 1.2)
"""


def my_rate(draw, *, d, b, c):
    return c * d**-b * (1 + 1 / d) * draw.uniform(0.8, 1.2)


def sampler(draw, *, n):
    return draw.uniform()


def test_a_rate_in_five_lines_is_supported_and_a_wrong_one_refuted(asymp, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FIVE_LINES)
    ran = asymp("check", "--claims", file, "--no-store", "--quiet", "--rounds", 6)
    assert ran.code == 0 and ran.out.startswith("my-rate: supported")
    file.write_text(FIVE_LINES.replace('"c * d**-b"', '"c * d**-(b + 0.2)"'))
    ran = asymp("check", "--claims", file, "--no-store", "--quiet", "--rounds", 6)
    assert ran.code == 1 and ran.out.startswith("my-rate: refuted")


def test_a_decorator_declares_what_the_long_form_does():
    positive = real(above=0)
    params = {"c": Param(positive, (1, 2)), "d": Param(positive, (16, 16384)), "b": Param(positive, (0.5, 2))}
    one = law("long", "c * d**-b", relation="~", params=params)
    long = asymp.claim("long", law=one, experiment=asymp.experiment("long", my_rate), kind="rate", variable="d")
    short = asymp.claim.rate("c * d**-b", variable="d", d=(16, 16384), b=(0.5, 2), c=(1, 2))(my_rate)
    assert repr(short) == "<Claim my-rate: my-rate (source, rate)>"
    assert isinstance(short, Claim) and short.id == "my-rate" and asymp.claims["my-rate"] is short
    [of_long], [of_short] = long.parts, short.parts
    by_name = [sorted(cell.items()) for cell in of_short.grid.settings]
    assert by_name == [sorted(cell.items()) for cell in of_long.grid.settings] and len(by_name) == 12
    assert by_name[0] == [("b", 1.0), ("c", 1.41421), ("d", 16)]
    assert of_short.formula.expr.subs({"d": 4}) and of_short.formula.exponent("d") == -of_short.formula.symbols["b"]
    assert of_short.margin == of_long.margin == 0.05


def test_each_kind_has_a_decorator():
    known = {"n": [4, 16], "bounds": (0, 1)}

    def f(draw, *, n):
        """It is small."""
        return draw.uniform()

    declare = asymp.claim
    made = [
        declare.identity("1/n", id="a", **known)(f),
        declare.identity("~ 1/n", id="b", **known)(f),
        declare.bound("<= 1/n", id="c", **known)(f),
        declare.order(">= 1/n", id="d", n=[4, 16], at_least=0.5)(f),
        declare.rate("1/n", id="e", variable="n", n=[4, 8, 16, 32], kappa=(0, 2))(f),
    ]
    kinds = [type(claim.leading) for claim in made]
    assert kinds == [Identity, Constant, Bound, Order, Rate]
    assert all(claim.title == "It is small." for claim in made)
    assert made[3].leading.at_least == 0.5 and made[4].leading.kappa == (0, 2)
    assert made[2].leading.relation == "<=" and made[3].leading.relation == ">="


def test_a_capacity_is_looked_for_around_what_the_law_says():
    def cover(draw, *, d, n):
        return draw.uniform()

    made = asymp.claim.capacity("2*d", size="n", d=[20, 40])(cover)
    sizes = [cell["n"] for cell in made.leading.grid.settings if cell["d"] == 20]
    assert isinstance(made.leading, Capacity) and sizes[0] == 10 and sizes[-1] == 160 and 40 in sizes
    made = asymp.claim.capacity("2*d", id="given", size="n", d=[20, 40], n=[10, 40, 160])(cover)
    assert len(made.leading.grid.settings) == 6
    grown = asymp.claim.capacity("2*d", id="grown", size="n", variable="d", d=(16, 256))(cover)
    assert len({cell["d"] for cell in grown.leading.grid.settings}) == 8


def test_a_sampler_may_have_parameters_that_the_law_does_not_know():
    def trained(draw, *, n, lr=0.1, width):
        return draw.uniform()

    made = asymp.claim.identity("1/n", n=[4, 8], width=[16, 32], bounds=(0, 1))(trained)
    assert tuple(made.leading.formula.params) == ("n",)
    assert made.leading.grid.settings[0] == {"lr": 0.1, "n": 4, "width": 16} and len(made.leading.grid.settings) == 4
    assert asymp.check(made, rounds=1, settings={"lr": 0.2}).parts["source"].evidence.points[0].params["lr"] == 0.2
    plain = asymp.experiment("trained", trained, bounds=(0, 1))
    with pytest.raises(ValueError, match=r"a default or values in the grid \(width\)"):
        asymp.claim("long", law=made.leading.formula, experiment=plain, kind="identity", grid=[{"n": 4}])


def test_the_formula_may_be_a_law_or_a_sympy_expression():
    n = sympy.Symbol("n")  # plain, without the assumptions of a law's own symbols
    made = asymp.claim.identity(1 / (n + 1), n=[4, 9], bounds=(0, 1))(sampler)
    assert made.leading.formula(n=9) == 0.1 and made.leading.formula.latex() == r"E = \frac{1}{n + 1}"
    own = law("own", "1/(n + 1)", relation="=", params={"n": Param(integer(1), (4, 64))})
    made = asymp.claim.identity(own, id="of-law", bounds=(0, 1))(sampler)
    assert made.leading.formula is own and made.leading.grid.settings[0]["n"] == 16
    with pytest.raises(ValueError, match="uses m, which its parameters do not declare"):
        law("own", 1 / sympy.Symbol("m"), relation="=", params={"n": (1, 2)})


def test_values_may_come_from_numpy_or_a_range():
    for values in (range(4, 8), np.array([4, 5, 6, 7]), [np.int64(n) for n in (4, 5, 6, 7)]):
        made = asymp.claim.rate("1/n", variable="n", n=values)(sampler)
        assert made.leading.grid.settings == [{"n": 4}, {"n": 5}, {"n": 6}, {"n": 7}]
        assert all(type(cell["n"]) is int for cell in made.leading.grid.settings)
    made = asymp.claim.rate("1/n", variable="n", n=(np.int64(4), np.float64(64.0)))(sampler)
    assert made.leading.formula.typical["n"] == (4, 64)


def test_a_wide_margin_needs_a_reason():
    made = asymp.claim.rate("1/n", variable="n", n=(16, 4096), margin=0.1, reason="a run costs an hour")(sampler)
    assert made.leading.margin == 0.1 and "Margin 0.1: a run costs an hour." in made.leading.text
    loose = asymp.claim.identity("1/n", id="loose", n=[4], margin=0.05, reason="4 runs", bounds=(0, 1))(sampler)
    assert isinstance(loose.leading, Constant)
    with pytest.raises(ValueError, match=r"at most 0\.05, or up to 0\.1 with reason"):
        asymp.claim.rate("1/n", id="x", variable="n", n=(16, 4096), margin=0.1)(sampler)


WRONG = {
    'rate("1/n", variable="n", n=[4, 8, 16])': "at least 4 sizes of it; got 3",
    'rate("1/n", variable="n", n=(4, 4))': "n must be a range (low, high) with low < high",
    'rate("1/n", variable="m", n=(4, 64))': "there is no parameter of law 'sampler' named 'm'",
    'rate("sqtr(n)", variable="n", n=(4, 64))': "did you mean 'sqrt'?",
    'rate("1/n", varable="n", n=(4, 64))': "missing 1 required keyword-only argument: 'variable'",
    'rate("1/n", variable="n", n=(4, 64), blok=3)': "did you mean 'block'?",
    'rate("1/m", variable="n", n=(4, 64))': "nothing says what m is",
    'rate("1/n", variable="n")': "nothing says what n is",
    'rate("1/n", variable="n", n=(4, 64), threshold=0.3)': "of kind rate, which takes no threshold=",
    'rate("1/n", variable="n", n=(4, 64), margin=0.5)': "margin must be a number above 0",
    'identity("1/n", n=[4])': "give bounds=(low, high)",
    'identity("1/n", n=[4], bounds=(0, 1), grid=[])': "is empty; give at least one setting",
    'identity("1/n", n=[], bounds=(0, 1))': "a list of values, or one value",
    'identity("I*n", n=[4], bounds=(0, 1))': "nothing says what I is",
    'bound("1/n", n=[4], bounds=(0, 1))': "begins with its side, such as '<= 1/n'",
    'bound("<= 1/n", n=[4], bounds=(0, 1), families=["power"])': "of kind bound, which takes no families=",
    'capacity("2*n", size="k", n=[4], threshold=2)': "threshold must lie in (0, 1)",
    'order("<= 1/n", n=[4], at_least=1.5)': "at_least must be a share of runs",
    'rate("1/n", variable="n", n=(4, 64), block=0)': "block must be an integer >= 1",
    'rate("1/n", variable="n", n=(4, 64), families=["powr"])': "families must be some of power, corrected",
    'rate("1/n", variable="n", n=(4, 64), kappa=-1)': "kappa must be a pair (low, high) of numbers; got -1",
    'rate("1/n", variable="n", n=(4, 64), shape="1/m")': "uses m, which its parameters do not declare",
    'rate("1/n", variable="n", n=(4, 64), block=2.5)': "block must be an integer >= 1; got 2.5",
    'rate("1/n", variable="n", n=(4, 64), bounds=(1, 0))': "bounds must be two numbers, low < high",
    'rate("1/n", variable="n", n=(4, 64), kurtosis="9")': "kurtosis must be a number >= 1",
    'rate("1/n", variable="n", n=(4, 64), params=3)': "params must hold ranges by name",
    'rate("1/n", variable="n", n=(4, 64), id=3)': "a claim's id must be a non-empty string; got 3",
    'rate("1/n", variable="n", n=(4, 64), title=3)': "the title of claim 'sampler' must be text; got 3",
    'rate("1/n", variable="n", n=[4, 8, 16, "a"])': "the values of n must be numbers, or words",
    'rate("exp(-n)", variable="n", n=(4, 64))': "its law is no power of it: exp(-n)",
    'rate("log(log(n))/n", variable="n", n=(1, 64))': "law 'sampler' is not finite at n=1",
    'identity("1/(n - 4)", n=[4, 8], bounds=(0, 1))': "law 'sampler' is not finite at n=4",
    'identity("1/0", n=[4, 8], bounds=(0, 1))': "divides by zero",
    'identity("<= 1/n", n=[4, 8], bounds=(0, 1))': "its law's relation must be = or ~; it is '<='",
    'rate("1/n", variable=3, n=(4, 64))': "variable must be the name of a parameter; got 3",
    'rate("1/n", variable="n", n={4, 8})': "a list of values, or one value; got {8, 4}",
    'rate("-1/n", variable="n", n=(4, 64))': "is a rate, whose law must be above 0; it is -0.25 at n=4",
    'rate("<= 1/n", variable="n", n=(4, 64))': "its law's relation must be = or ~; it is '<='",
    'rate("1/n", variable="n", n=(4, 64), shape="exp(-n)")': "its shape is no power of it: exp(-n)",
    'rate("1/n", variable="n", n=(4, 64), deterministic="yes")': "deterministic must be True or False; got 'yes'",
    'rate("1/n", variable="n", n=(4, 64), deterministic=True)': "numbers without noise are for assert_order",
    'rate("1/n", variable="n", n=(4, 64), grid=3)': "must be a list of settings",
    'rate("1/n", variable="n", n=(4, 64), id="../a")': "the name of its page too",
    'bound("< 1/n", n=[4], bounds=(0, 1))': "such as '<= 1/n' or '>= 1/n'",
    'bound("<= 1/n", n=[4], bounds=(0, 1), margin=0.01)': "a claim of kind bound has no margin; got 0.01",
    'bound("<= 1/n", n=[4], bounds=(0, 1), constant=-1)': "constant must be a number above 0; got -1",
    'order("<= 1/n", n=[4], margin=0.01)': "a claim of kind order has no margin",
    'order("<= 1/n", n=[4], at_least="most")': "at_least must be a share of runs",
    'capacity("2*n", size=3, n=[4])': "size must be the name of a parameter; got 3",
    'capacity("-2*n", size="k", n=[4], k=[4, 8])': "is a capacity, whose law must be above 0; it is -8 at",
    'capacity("2*n", size="k", n=[4], k=[8])': "two or more values of k, whole numbers from 1 on, at n=4; got 8",
    'capacity("2*n", size="k", n=[4], k=[0, 8])': "two or more values of k, whole numbers from 1 on, at n=4; got 0, 8",
    'capacity("2*n", size="k", variable="n", n=[4, 8])': "is a capacity in n, which needs at least 4 sizes of it; got 2",
    'capacity("2*n", size="k", n=[4], counted=3)': "counted must be a function of the setting and the size; got 3",
    'rat("1/n", n=[4])': "there is no kind of claim named 'rat'; did you mean 'rate'?",
    'capacity("2*n", size="n", n=[4], k=[4])': "n, the size whose largest value is sought, must be a parameter of the sampler",
}


@pytest.mark.parametrize(("call", "words"), WRONG.items())
def test_what_is_known_at_the_declaration_is_refused_there_with_file_and_line(asymp, tmp_path, call, words):
    file = tmp_path / "mine.py"
    more = ", k" if "capacity" in call else ""
    file.write_text(f"import asymp\n\n@asymp.claim.{call}\ndef sampler(draw, *, n{more}):\n    return draw.uniform()\n")
    ran = asymp("list", "--claims", file)
    assert ran.code == 2 and words in ran.err and "mine.py" in ran.err and "in line 3" in ran.err, ran.out + ran.err
    assert "Traceback" not in ran.err and len(ran.err.splitlines()) == 1


@pytest.mark.parametrize("line", ["import sys; sys.exit(0)", "import no_such_module", "1 / 0"])
def test_a_file_that_ends_or_fails_is_said_with_its_line(asymp, tmp_path, line):
    file = tmp_path / "mine.py"
    file.write_text(FIVE_LINES + line)
    ran = asymp("check", "--claims", file)
    assert ran.code == 2 and "in line 6:" in ran.err and len(ran.err.splitlines()) == 1, ran.err


def test_a_new_package_has_a_verdict_at_the_second_command(asymp, tmp_path):
    ran = asymp("new", "my-paper", "--into", tmp_path)
    assert ran.code == 0 and "next: asymp check --claims" in ran.out
    command = ran.out.splitlines()[-1].removeprefix("next: asymp ").split()
    ran = asymp(*command, "--no-store", "--quiet", "--rounds", 6)
    assert ran.code == 0 and ran.out.startswith("my-paper-rate: supported")
    for name, words in (("my-paper", "is there already"), ("My paper", "lower-case letters")):
        ran = asymp("new", name, "--into", tmp_path)
        assert ran.code == 2 and words in ran.err


def test_a_name_that_python_could_not_import_is_refused(asymp, tmp_path):
    for name in ("import", "json", "asymp", "torch"):
        ran = asymp("new", name, "--into", tmp_path)
        assert (
            ran.code == 2
            and "a word of Python's or a module that is there already" in ran.err
            and not [*tmp_path.iterdir()]
        )
    (tmp_path / "file").write_text("")
    ran = asymp("new", "my-paper", "--into", tmp_path / "file")
    assert ran.code == 2 and "cannot be written" in ran.err and len(ran.err.splitlines()) == 1


def test_what_a_sampler_or_a_file_prints_is_no_result(asymp, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FIVE_LINES.replace("    return", "    print('drawing')\n    return") + "print('loading')\n")
    ran = asymp("check", "--claims", file, "--no-store", "--json", "--rounds", 1, "--workers", 1)
    assert json.loads(ran.out)[0]["claim"] == "my-rate" and "loading" in ran.err and "drawing" in ran.err
    ran = asymp("measure", "my-rate", "--claims", file, "-s", "d=16", "-s", "b=1", "-s", "c=1", "--json")
    assert json.loads(ran.out)["experiment"] == "my-rate"


def test_a_list_shows_formulas_where_there_are_no_titles_and_a_file_given_twice_is_loaded_once(asymp, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FIVE_LINES)
    ran = asymp("list", "--claims", file, "--claims", file)
    assert ran.code == 0 and ran.out.splitlines()[1].split(maxsplit=2) == ["my-rate", "rate", "E ~ c * d**-b"]


def test_hundreds_of_names_are_not_listed_in_an_error(asymp):
    for verb in ("show", "eval"):
        ran = asymp(verb, "qqqq")
        assert ran.code == 2 and "`asymp list` has all claims" in ran.err and len(ran.err) < 200


def test_a_law_that_fits_as_it_stands_is_not_refuted_by_its_exponent():
    """H_n/n is (log n + 0.577)/n, which no declared form is: it is open, or judged beside its own finite-size form."""

    def harmonic(draw, *, n):
        return sum(1 / k for k in range(1, n + 1)) / n * draw.uniform(0.9, 1.1)

    def outcome(formula, **how):
        made = asymp.claim.rate(formula, variable="n", n=(16, 2048), id="h", **how)(harmonic)
        return asymp.check(made, rounds=7).outcome

    assert outcome("harmonic(n)/n") == "inconclusive"
    assert outcome("n**-1.1") == outcome("n**-0.8*harmonic(n)", shape="harmonic(n)/n") == "refuted"
    assert outcome("harmonic(n)/n", shape="harmonic(n)/n") == "supported"


def test_an_own_claim_says_how_it_was_measured():
    def drawn(draw, *, n):
        """A title.

        The mean of n draws.
        """
        return draw.uniform()

    made = asymp.claim.identity("1/2 + 0*n", n=[4], bounds=(0, 1))(drawn)
    assert made.simulated == "The mean of n draws. Drawn by drawn in test_own_claim.py."
    for wrong in (3, None, drawn):
        with pytest.raises(ValueError, match="a claim must be given, or its id; got"):
            asymp.check(wrong)


def test_a_report_of_ones_own_says_nothing_of_the_ledgers_figures(asymp, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(FIVE_LINES)
    ran = asymp("report", "--claims", file, "-o", tmp_path / "out", "--rounds", 1, "--no-store", "--quiet")
    assert ran.code == 0 and "figures all" not in ran.out + (tmp_path / "out" / "index.html").read_text()
    assert f"asymp check my-rate --claims {file}" in (tmp_path / "out" / "claims" / "my-rate.html").read_text()
