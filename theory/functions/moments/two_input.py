"""Mean and variance of the scores of a two-input memory of random features, derived by contraction.

S subjects s with embeddings e_s and R relations r with embeddings e~_r; the fact (s, r) has the output a(s, r). With
m neurons of frozen directions w_i, w~_i ~ N(0, I) and the values left by one correlation step, the score is

    g((s,r), y) = 1/(m p!^2) sum_i sum_{s',r'} [w_i; e_s] [w_i; e_s'] [w~_i; e~_r] [w~_i; e~_r'] (u_y . u_a(s',r')),

[w; e] = |e|^p He_p(w.e/|e|) the Wick power :(w.e)^p:, which is He_p(w.e) for unit vectors. As m -> inf this is the
kernel memory sum (e_s.e_s')^p (e~_r.e~_r')^p (u_y.u_a(s',r')). The outputs of the facts other than (s, r) are drawn
independently and uniformly from M outputs, and averaged over together with embeddings and neurons; M = oo (`.limit`
or only the terms without 1/M) is a y that answers no other fact. Exact for all d, m, S, R >= 1 and M >= 2.

Symbols: d, m, M, and S and R, which here count subjects and relations.
"""

from functools import cache

import sympy

from asymp.theory.functions.moments.scores import Pairs, gather, inner_moment, output_of_z
from asymp.theory.functions.moments.wick import coincidences, d, expectation, wick_power

m, M, S, R = sympy.symbols("m M S R", positive=True)
Fact = tuple[str, str]


@cache
def _feature_moment(others: tuple[str, ...], neurons: tuple[str, ...], p: int, law: str) -> sympy.Expr:
    """E prod_i [w_i; e_asked] [w_i; e_other_i] / p! over the scores i; d^p turns N(0, I/d) into N(0, I)."""
    product = sympy.prod(
        [wick_power(w, "asked", p) * wick_power(w, other, p) for w, other in zip(neurons, others, strict=True)]
    )
    laws = dict.fromkeys({"asked", *others}, law) | dict.fromkeys(neurons, "gaussian")
    return sympy.factor(expectation(sympy.expand(product), laws=laws) * (d**p / sympy.factorial(p)) ** len(others))


@cache
def _output_moment(facts: tuple[Fact, ...], output_of_asked: str, law: str) -> sympy.Expr:
    """E prod_i (u_y.u_a(fact_i)) over the embeddings and over the outputs of the facts that are not asked, uniform
    among M."""
    asked: Fact = ("asked", "asked")
    named = tuple(dict.fromkeys(["y", output_of_asked]))
    drawn = [fact for fact in dict.fromkeys(facts) if fact != asked]
    total = sympy.Integer(0)
    for values in coincidences(variables=len(drawn), named=named, fresh="w"):
        output = {asked: output_of_asked} | dict(zip(drawn, values, strict=True))
        pairs: Pairs = tuple(("u_y", f"u_{output[fact]}") for fact in facts)
        choices = sympy.ff(M - len(named), len(set(values) - set(named)))
        total += choices / M ** len(drawn) * inner_moment(pairs, law)
    return total


@cache
def _moment(k: int, output_of_asked: str, p: int, inputs: str, outputs: str) -> sympy.Expr:
    """E g^k: the sum over the coincidences of the neurons, of the subjects and of the relations of k stored facts."""
    total = sympy.Integer(0)
    for neurons in coincidences(variables=k, named=(), fresh="w"):
        subject_side, relation_side = (
            {
                values: _feature_moment(values, neurons, p, inputs) * sympy.ff(size - 1, len(set(values) - {"asked"}))
                for values in coincidences(variables=k, named=("asked",), fresh="e")
            }
            for size in (S, R)
        )
        stored = sympy.Integer(0)
        for subjects, subject_moment in subject_side.items():
            for relations, relation_moment in relation_side.items():
                if subject_moment != 0 and relation_moment != 0:
                    facts = tuple(zip(subjects, relations, strict=True))
                    stored += subject_moment * relation_moment * _output_moment(facts, output_of_asked, outputs)
        total += sympy.ff(m, len(set(neurons))) / m**k * stored
    return total


@cache
def _cumulants(output_of_asked: str, p: int, inputs: str, outputs: str) -> tuple[sympy.Expr, sympy.Expr]:
    mean, square = (_moment(k, output_of_asked, p, inputs, outputs) for k in (1, 2))
    return gather(mean), gather(square - mean**2)


def two_input_score_mean(*, match: bool, p: int = 2, inputs: str = "sphere", outputs: str = "gaussian") -> sympy.Expr:
    """E g((s,r), y) in d, M, S, R: y = a(s,r) if `match`, else another output. p is the degree of the features.

    For even p every fact stored under y adds a positive bias: its kernel has the mean E (e.e')^p > 0.
    """
    return _cumulants(output_of_z(match), p, inputs, outputs)[0]


def two_input_score_variance(
    *, match: bool, p: int = 2, inputs: str = "sphere", outputs: str = "gaussian"
) -> sympy.Expr:
    """Var g((s,r), y) in d, m, M, S, R: y = a(s,r) if `match`, else another output. p is the degree of the features."""
    return _cumulants(output_of_z(match), p, inputs, outputs)[1]
