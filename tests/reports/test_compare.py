"""Rival laws on the same data: a wrong one is refuted, the right one is allowed, whichever stands in the claim."""

import pytest

import asymp
from asymp.reports.compare import compare, summary, together


def gap(draw, *, n):
    return 1 - draw.uniform(shape=(n,)).amax(1)


def declared(formula):
    return asymp.claim.identity(formula, id="gap", n=[4, 16], kurtosis=9, block=512)(gap)


def test_a_wrong_rival_is_refuted_and_the_right_law_allowed():
    found = compare(declared("1/(n + 1)"), rivals=["1/(n + 2)", "1/(n + 1.001)"], rounds=4)
    outcomes = {name: part.outcome for name, part in found.parts.items()}
    assert outcomes["gap"] != "refuted" and outcomes["1/(n + 2)"] == "refuted"
    assert outcomes["1/(n + 1.001)"] != "refuted"  # too near to be told apart
    left = [found.parts[name] for name in ("gap", "1/(n + 1.001)")]
    assert len({tuple(p.mean for p in part.evidence.points) for part in left}) == 1  # the same data
    words = summary(found)
    # 1/5 and 1/5.001 differ by 0.02 %
    assert (
        "2 laws are left" in words and "differ by at most 0.02 %, at n=4" in words and "1/(n + 2)      refuted" in words
    )
    seen = found.parts["gap"].evidence.seen
    assert f"about {(seen / (1 - 5 / 5.001)) ** 2:.2g} times the runs" in words


def test_the_sizes_are_told_at_which_two_laws_would_differ():
    made, rivals = declared("1/(n + 1)"), ["1/(n + 1) + 1e-3"]
    found = compare(made, rivals=rivals, rounds=3)
    assert {part.outcome for part in found.parts.values()} == {"inconclusive"}
    # at 16 numbers 1e-3 is 1.7 % of 1/17, at 256 it is 20 % of the larger value
    words, seen = summary(found, together(made, rivals)), found.parts["gap"].evidence.seen
    size = next(n for n in (32, 64, 128, 256) if 1 - 1 / (1 + 1e-3 * (n + 1)) > seen)
    assert f"and so would n={size}, where they differ by" in words, words


def test_laws_of_one_exponent_are_said_to_be_the_same_to_a_rate():
    def power(draw, *, n):
        return draw.uniform(0.8, 1.2) / n

    made = asymp.claim.rate("1/n", variable="n", n=(16, 4096))(power)
    with_log, other = compare(made, rivals=["log(n)/n"], rounds=1), compare(made, rivals=["n**-1.001"], rounds=1)
    assert "have the same exponent, all that a rate is about" in summary(with_log)
    assert "the same exponent" not in summary(other)
    negative = compare(made, rivals=["-1/n"], rounds=1)
    assert negative.parts["power"].outcome != "refuted" and negative.parts["-1/n"].outcome == "refuted"
    assert "The law is negative there, and what is measured is not." in summary(negative)


def test_the_claims_own_law_may_be_the_wrong_one():
    found = compare(declared("1/(n + 2)"), rivals=["1/(n + 1)"], rounds=4)
    assert found.parts["gap"].outcome == "refuted" and found.parts["1/(n + 1)"].outcome != "refuted"


@pytest.mark.parametrize(
    ("rivals", "words"),
    [
        ([], "at least one rival"),
        (["1/(m + 1)"], "uses m"),
        (["1/n", "1/n"], "given once"),
        (["missing-mass"], "has not: alpha"),
    ],
)
def test_bad_rivals_are_one_sentence(rivals, words):
    with pytest.raises(ValueError, match=words):
        compare(declared("1/(n + 1)"), rivals=rivals, rounds=1)
