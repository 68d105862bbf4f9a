"""Regimes, boundaries and consequences of orders: against derivations by hand, and against slopes of the laws themselves."""

import math

import pytest
import sympy

from asymp.theory import law, laws
from asymp.theory.regimes import growth

SIZES = {"d": (10, "oo"), "T": (10, "oo"), "N": (10, "oo")}


def made(text, relation="~", **more):
    d, T, N = (laws["joint-law:source"].params[n].over(10, 1e6) for n in ("d", "T", "d"))
    params = {"d": d, "T": T, "N": N.but(name="N")}
    return law("made", text, relation=relation, params={k: v for k, v in params.items() if k in text}, **more)


def shown(id, **values):
    return {(str(r.order), r.conditions) for r in laws[id].regimes(**values)}


def test_crossovers_of_the_joint_law():
    # By hand: d^(1-alpha) = T^(-1+1/alpha) at T = d^alpha.
    wanted = {("d**(1 - alpha)", ("T >> d**alpha",)), ("T**(-(alpha - 1)/alpha)", ("T << d**alpha",))}
    assert shown("joint-law:source") == wanted
    assert shown("joint-law") == wanted  # from the sums over x themselves
    assert shown("joint-law:asymptotic") == wanted  # from the incomplete gamma function
    # Beside the floor nothing that falls with d is seen: P = k d inputs are lost with a constant probability.
    assert shown("joint-law:interference") == {
        ("1", ("T >> d**alpha",)), ("T**(-(alpha - 1)/alpha)", ("T << d**alpha",))
    }  # fmt: skip


def test_crossovers_of_schemes_and_capacities():
    # 1/N = 1/(m d) + 3/d^3: m d up to m = d^2.
    assert shown("mlp-capacity") == {("d*m", ("d >> sqrt(m)",)), ("d**3", ("d << sqrt(m)",))}
    powers = {r.conditions: r.exponents for r in laws["power-scheme:source"].regimes()}
    alpha, rho = (laws["power-scheme:source"].symbols[n] for n in ("alpha", "rho"))
    assert set(powers) == {("2*alpha*rho > 1",), ("1 > 2*alpha*rho",)}
    few = powers["1 > 2*alpha*rho",]["N"] - (alpha - 1) * (1 - 2 * alpha * rho) / (2 * alpha * rho)
    assert sympy.simplify(few) == 0 and powers["2*alpha*rho > 1",]["N"] == 0
    # At rho = 1/2 the inputs up to d^(1/alpha) are held, all of them if N is smaller.
    assert shown("threshold-scheme:best", rho=sympy.Rational(1, 2)) == {
        ("d**(-(alpha - 1)/alpha)", ("d << N**alpha",)), ("N**(1 - alpha)", ("d >> N**alpha",))
    }  # fmt: skip


@pytest.mark.parametrize(("alpha", "rho"), [("2", "0"), ("2", "1/8"), ("2", "1/4"), ("3/2", "1/2"), ("3", "1")])
def test_the_best_threshold_has_the_exponent_of_its_infimum(alpha, rho):
    # By hand: P ~ d^(1/max(1, 2 alpha rho)) inputs are held.
    alpha, rho = sympy.Rational(alpha), sympy.Rational(rho)
    wanted = -(alpha - 1) / max(sympy.Integer(1), 2 * alpha * rho)
    assert laws["threshold-scheme:best"].exponent("d", alpha=alpha, rho=rho) == wanted


def test_the_slip_in_the_learnability_theorem():
    theorem = laws["attention-learnability:source"]
    # T^2/N <= sqrt N for T <= N^(3/4), whatever n: there d >> sqrt N is enough, against the slide's words for T >> 1.
    assert theorem.enough("d >> sqrt(N)", given="T << N**(3/4)")
    assert theorem.enough("d >> sqrt(N)", given="T >> 1, T << N**(3/4)")
    found = theorem.enough("d >> sqrt(N)")
    assert not found and "N >> T**(4/3)" in found.follows_if  # the boundary is found, not given
    assert not theorem.enough("d >> sqrt(N)", given="T << N**(4/5)")
    assert not theorem.implies("d >> sqrt(N)", given="T << N**(3/4)")
    assert theorem.implies("d >> sqrt(N)", given="T >> N**(3/4), T**8 >> N*n**4")
    with pytest.raises(ValueError, match="a comparison is written"):
        theorem.implies("d = N")
    with pytest.raises(ValueError, match="of a bound"):
        laws["joint-law:source"].implies("E >> 1")


def own(text, relation="~"):
    """A law as a user writes it, with sizes from 1 to infinity and nothing said about where they are studied."""
    params = {"d": (1, "oo"), "T": (1, "oo"), "b": (0, 4), "c": (0, "oo"), "a": (1, "oo")}
    return law("own", text, relation=relation, params={n: p for n, p in params.items() if n in text})


BY_HAND = [  # with the expansion at each of the two ends
    ("d**2 + c*d*T", {("d**2", ("d >> T",)), ("T*d", ("d << T",))}),
    ("1/(1/d + 1/T)", {("T", ("d >> T",)), ("d", ("d << T",))}),
    ("Min(d, T)/Max(d, T)", {("T/d", ("d >> T",)), ("d/T", ("d << T",))}),
    ("log(d)*T + T/log(T)", {("T", ())}),
    ("(d + T)**2 - d**2", {("T*d", ("d >> T",)), ("T**2", ("d << T",))}),
    ("1 - exp(-d/T)", {("1", ("d >> T",)), ("d/T", ("d << T",))}),
    ("1 - (1 - 1/d)**T", {("1", ("d << T",)), ("T/d", ("d >> T",))}),
    ("exp(1/d) - 1", {("1/d", ())}),
    ("1 - erf(d/T)", {("0", ("d >> T",)), ("1", ("d << T",))}),
    ("log(d/(d - 1))", {("1/d", ())}),
    ("Abs(d - T)", {("d", ("d >> T",)), ("T", ("d << T",))}),
    ("Max(0, d - T)", {("d", ("d >> T",)), ("0", ("d << T",))}),
    ("floor(d/T)", {("d/T", ("d >> T",)), ("0", ("d << T",))}),
    ("d**(1 - a) + 1/T", {("d**(1 - a)", ("d << T**(1/(a - 1))",)), ("1/T", ("d >> T**(1/(a - 1))",))}),
    ("3*b*d + 2*d - 2*b*d", {("d", ())}),
]


@pytest.mark.parametrize(("text", "wanted"), BY_HAND)
def test_regimes_of_laws_with_known_answers(text, wanted):
    assert {(str(r.order), r.conditions) for r in own(text).regimes()} == wanted


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("sqrt(d**2 + d) - d", "cancel"),  # 1/2, but no term says so
        ("d*log(d) - d", "cancel"),
        ("Min(d, T**2) - Min(d, T)", "cancel"),
        ("d - T", "negative"),
        ("exp(-log(d)**2)", "logarithm"),
        ("T/(d + T*exp(-log(d)**2))", "logarithm"),
    ],
)
def test_where_terms_cancel_no_order_is_made_up(text, why):
    unknown = [r for r in own(text).regimes() if r.unknown]
    assert unknown and all(why in r.unknown and "not known" in str(r) and r.order is sympy.nan for r in unknown)


def test_growth_says_that_terms_cancel():
    with pytest.raises(ValueError, match="no rule gives the growth in d: the leading terms of a difference cancel"):
        own("sqrt(d**2 + d) - d").exponent("d")
    assert own("d - T").exponent("d") == 1
    with pytest.raises(ValueError, match="a difference is negative"):
        own("d - T").exponent("T")
    for text in ("log(1 + exp(d))", "LambertW(exp(d))"):  # both grow like d, no logarithm of it
        with pytest.raises(ValueError, match="no rule"):
            own(text).exponent("d")


def test_errors_below_one_have_consequences_too():
    # By hand: d^(-b) is at most of the order 1/T for d^b >> T only.
    rate = own("c*d**(-b) + 1/T", "<~")
    assert rate.implies("E <~ 1/T", given="d >> T", b=2) and rate.implies("E <~ 1/T", given="d**b >> T")
    found = rate.implies("E <~ 1/T", given="d >> T")
    assert not found and found.follows_if == ("d >> T**(1/b)",)
    assert rate.implies("E << 1") and not rate.implies("E << d**-1")
    # E may be below 1 and below 1/T: neither E + 1 nor max(E, 1/T) is of the order of E.
    assert not rate.implies("E >~ E + 1") and not rate.implies("max(E, 1/T) <~ E")
    assert rate.implies("E + 1/T <~ 1/T", given="d >> T", b=2) and rate.implies("E + 1 <~ 1")
    with pytest.raises(ValueError, match="not known at d << T: a difference is negative"):
        own("d - T", "<~").implies("E <~ d")
    assert own("d - T", "<~").implies("E <~ d", given="d >> T")


def test_letters_that_are_compared_are_sizes():
    # Attention alone has (S + R)(R + A_max) parameters, more than S R A_max where there are more relations than facts.
    needed = laws["factual-recall-attention:parameters-needed"]
    found = needed.implies("parameters >> S*R*A_max")
    assert not found and "A_max*S << R" in found.follows_if
    assert {str(r.order) for r in needed.regimes(sizes=["R", "A_max"])} == {"R*S", "R**2", "A_max*R", "A_max*S"}


@pytest.mark.parametrize("values", [{"b": 7}, {"b": "x"}, {"q": 1}])
def test_values_outside_of_the_domain_are_refused(values):
    with pytest.raises(ValueError, match="b must be a number >= 0|no parameter"):
        own("d**(-b)").regimes(**values)


def test_a_changed_formula_has_other_regimes():
    theorem = laws["attention-learnability:source"]
    changed = theorem.but("changed", "T**3/N * Min(1, (N**2/(T*n))**(2/3))")
    assert not changed.enough("d >> sqrt(N)", given="T << N**(3/4)")
    assert changed.enough("d >> sqrt(N)", given="T << N**(1/2)")


@pytest.mark.parametrize(
    "text",
    [
        "d**2*T/(d + T**3)",
        "Min(d, T**2)/Max(T, sqrt(d))",
        "(d + T)**3/(d**2 + T)*log(d)",
        "Sum(x**(-2), (x, d, T*d))",
        "Sum(x**(-1/2)*exp(-x/T), (x, 1, d))",
    ],
)
def test_regimes_are_the_slopes_of_the_formula(text):
    """Along rays in the logarithms of the sizes, far out: the sum is taken as an integral."""
    declared = made(text)
    for a, b in ((1, 0.2), (1, 0.45), (1, 0.7), (0.6, 1), (0.2, 1)):
        regime = _at(declared, {"d": a, "T": b})
        wanted = sum(float(e) * {"d": a, "T": b}[n] for n, e in regime.exponents.items())
        values = [math.log(_value(text, math.exp(size * a), math.exp(size * b))) for size in (24.0, 36.0)]
        assert (values[1] - values[0]) / 12 == pytest.approx(wanted, abs=0.05)


def _at(declared, sizes):
    point = {n: sympy.exp(400 * sympy.Rational(str(s))) for n, s in sizes.items()}
    holding = []
    for regime in declared.regimes():
        sides = [c.replace(">>", ">").replace("<<", "<") for c in regime.conditions]
        if all(bool(sympy.sympify(c).subs(point)) for c in sides):
            holding.append(regime)
    (regime,) = holding
    return regime


def _value(text, d, T):
    import mpmath

    if not text.startswith("Sum"):
        return float(sympy.sympify(text).subs({"d": d, "T": T}))
    if "exp" not in text:
        return float(mpmath.quad(lambda y: mpmath.exp(-y), [mpmath.log(d), mpmath.log(T * d)]))
    points = [0, mpmath.log(d) / 2, mpmath.log(d)]
    return float(mpmath.quad(lambda y: mpmath.exp(y / 2 - mpmath.exp(y) / T), points))


def test_what_has_no_rule_says_so():
    d = sympy.Symbol("d", positive=True)
    with pytest.raises(ValueError, match="no rule gives the growth of sin"):
        growth(sympy.sin(d), d)
    with pytest.raises(ValueError, match="give their values"):
        laws["threshold-scheme:best"].exponent("d")


def test_the_slope_of_the_best_threshold_changes_at_two_alpha_rho_of_one():
    # By hand, for an infinite N: P ~ d^(1/max(1, 2 alpha rho)) inputs are held, of all N if that is more.
    assert shown("threshold-scheme:best") == {
        ("d**(1 - alpha)", ("1 > 2*alpha*rho", "d << N")),
        ("N**(1 - alpha)", ("1 > 2*alpha*rho", "d >> N")),
        ("d**(-(alpha - 1)/(2*alpha*rho))", ("2*alpha*rho > 1", "d << N**(2*alpha*rho)")),
        ("N**(1 - alpha)", ("2*alpha*rho > 1", "d >> N**(2*alpha*rho)")),
    }  # fmt: skip


def test_premises_may_be_a_list_and_have_max_and_sums():
    theorem = laws["attention-learnability:source"]
    assert theorem.enough("d >> sqrt(N)", given=["T << N**(3/4)", "n >> N"])
    # By hand: T^2/N <= T for T <= N, so that a d beyond the larger of T and sqrt N is enough where T << N.
    assert theorem.enough("d >> max(T, sqrt(N))", given="T << N") and theorem.enough("d >> T + sqrt(N)", given="T << N")
    assert not theorem.enough("d >> Min(T, sqrt(N))", given="T << N")
    assert theorem.implies("d >> min(N, T)", given="T >> N**2, n << N")


@pytest.mark.parametrize(
    ("premise", "given", "message"),
    [
        ("d >> sqrt(N)", "T << N, T >> N**2", "no sizes have all that is given: T << N, T >> N.*2"),
        ("d >> N - T", "", "sums of positive terms"),
        ("d >> -N", "", "sums of positive terms"),
        ("d >> Q", "", "uses Q"),
        (3, "", "a comparison is written"),
        ("d >> N >> T", "", "a comparison is written"),
    ],
)
def test_comparisons_that_make_no_sense_are_one_sentence(premise, given, message):
    with pytest.raises(ValueError, match=message) as said:
        laws["attention-learnability:source"].enough(premise, given=given)
    assert "\n" not in str(said.value)


def test_what_contradicts_the_premises_is_no_way_out():
    least = own("Min(d, T)", ">~")
    assert least.enough("d >> T").where == ("d >> T",)
    assert least.enough("d <~ T", given="T <~ d").where == ("d ~ T",)
    assert least.enough("d <~ T**2", given="T**2 <~ d").where == ("d ~ T**2",)
    # d >> T^2/N says nothing about sqrt N where T << N^(3/4), whatever else is supposed.
    assert not laws["attention-learnability:source"].implies("d >> sqrt(N)", given="T << N**(3/4)").follows_if
