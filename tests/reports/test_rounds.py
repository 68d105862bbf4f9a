"""Runs in rounds: both error rates hold over all looks, a verdict depends on seed and round alone, the time is kept."""

import math
import re
import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import bdtrc, bdtri

from asymp.montecarlo import experiment
from asymp.montecarlo.running.series import Series
from asymp.reports import check, write_report
from asymp.reports.check import tracks_of
from asymp.reports.claim import Claim
from asymp.reports.grid import Grid
from asymp.reports.kinds import Constant, Evidence, Identity, Order, Point, Rate
from asymp.reports.planning import foreseen_rate
from asymp.reports.reference import Reference
from asymp.reports.track import Track
from asymp.theory import law

ALPHA = 1e-6  # a test fails by chance with at most this probability


def sample_share(draw, *, p):
    """1 with probability p, else 0."""
    return (draw.uniform() < p).double()


def sample_slow(draw, *, d, nap):
    """A value around 1/d, after a nap for each replica."""
    time.sleep(nap * draw.replicas)
    return draw.uniform(0.99, 1.01) / d


SHARE = experiment("rounds-share", sample_share, block=64, bounds=(0, 1))
RUNS = experiment("rounds-runs", sample_share, block=4)
SLOW = experiment("rounds-slow", sample_slow, block=2)


def claim_of(*parts):
    """A claim of these statements, which no list has."""
    return Claim(id="rounds", parts=parts)


def says(value, kind=Identity, relation="="):
    """The statement that the share at p = 0.5 is `value`, within 2 %; a `Constant` says it within 10 %."""
    stated = law("rounds-law", f"{value}*p/p", relation=relation, params={"p": (0, 1)})
    return claim_of(kind("only", "a share", law=stated, experiment=SHARE, grid=Grid([{"p": 0.5}])))


def at_most(count, runs, probability):
    """Whether so many of the runs are compatible with a probability of at most this."""
    return count == 0 or bdtrc(count - 1, runs, probability) >= ALPHA


def test_a_true_law_is_refuted_within_the_budget_over_all_looks():
    runs, budget = 60, 0.2
    found = [check(says("0.5"), rounds=11, seed=seed, budget=budget).outcome for seed in range(runs)]
    assert at_most(found.count("refuted"), runs, budget)
    assert found.count("supported") + found.count("refuted") > runs // 2  # 2^16 values tell 2 % of 1/2


def test_a_law_that_is_off_by_its_margin_is_supported_in_one_run_of_a_hundred_at_most():
    # 0.5 is 2 % below 0.5/0.98; a budget so small that nothing is refuted leaves every look to support it
    runs = 60
    found = [check(says("0.5/0.98"), rounds=11, seed=seed, budget=1e-9).outcome for seed in range(runs)]
    assert at_most(found.count("supported"), runs, 0.01)


def test_a_wrong_law_is_refuted():
    verdict = check(says("0.55"), rounds=12, seed=3)
    assert verdict.outcome == "refuted"
    assert verdict.parts["only"].round is not None


def order_of(p, **more):
    """The statement that a run ends at 1, where it does with probability p."""
    return claim_of(Order("only", "an order", experiment=RUNS, grid=Grid([{"p": p}]), above=0.5, **more))


def test_an_order_states_a_share_of_runs():
    assert check(order_of(1.0), rounds=8, seed=0).outcome == "supported"
    assert check(order_of(0.95), rounds=9, seed=0).outcome == "supported"
    assert check(order_of(0.5), rounds=9, seed=0).outcome == "refuted"
    assert check(order_of(0.95, at_least=0.99), rounds=10, seed=0).outcome == "refuted"


def test_the_fewest_runs_that_support_an_order_are_those_of_the_binomial():
    # the first look that could support a share of 3/4 may do so by chance with probability 0.0039: 0.75^n is below that from 20 on
    assert 0.75**19 > 0.01 * order_of(1.0).parts[0].share_of_look(3) > 0.75**20
    verdicts = {rounds: check(order_of(1.0), rounds=rounds, seed=0).parts["only"] for rounds in (3, 4)}
    assert (verdicts[3].outcome, verdicts[3].evidence.runs) == ("inconclusive", (16,))
    assert (verdicts[4].outcome, verdicts[4].evidence.runs) == ("supported", (32,))


def test_looks_that_cannot_support_an_order_leave_their_share_to_those_that_can():
    order = order_of(1.0).parts[0]  # blocks of 4 runs: 32 after round 3
    shares = [order.share_of_look(round) for round in range(16)]
    assert sum(shares) <= 1 and min(shares) > 0 and max(shares) == shares[3]
    # P(31 or more of 32) = 0.75^32 + 32 * 0.75^31 / 4 = 0.0012 is below 1 % of round 3's share, 0.39; that of 30, 0.0067, is not
    for held, shown in ((31, True), (30, False)):
        values = RUNS.estimate(np.arange(32) < held, p=1.0)
        found = order.judge([({"p": 1.0}, values)], level=1e-6, support=0.01 * shares[3])
        assert found.shown == shown


def test_an_order_at_its_share_is_supported_in_one_run_of_a_hundred_at_most():
    # runs in the order after 4, 8, ..., 4 * 2^9 of them, each in it with probability 3/4 just as the order denies
    runs, order = 4000, order_of(1.0).parts[0]
    held = np.cumsum(np.random.default_rng(3).random((runs, 4 * 2**9)) < 0.75, axis=1)
    looks = [(4 * 2**round, 0.01 * order.share_of_look(round)) for round in range(10)]
    supported = np.any([bdtrc(held[:, n - 1] - 1, n, 0.75) <= share for n, share in looks], axis=0)
    assert at_most(int(supported.sum()), runs, 0.01)


@pytest.mark.parametrize(("shrink", "rounds"), [(1.0, 1), (2.0, 1), (3.0, 2), (8.0, 3), (99.0, 3), (math.inf, 1)])
def test_the_next_look_is_at_the_first_round_that_could_decide(shrink, rounds):
    # intervals of bounded values may shrink as fast as their number grows, so that half of what roots of it take may do
    evidence = replace(check(says("0.5"), rounds=1).parts["only"].evidence, shrink=shrink)
    assert Track(claim_of(), 0, [], 1e-3, round=4, evidence=evidence).next_round() == 4 + rounds


def test_the_interval_of_a_share_is_that_of_clopper_and_pearson():
    found = check(order_of(0.5), rounds=1, seed=0).parts["only"].evidence
    held, runs = found.holds[0], found.runs[0]
    low, high = (float(end) for end in found.summary().interval.replace("to", " ").split())
    # the ends are where the binomial tails are 2.5 %: bdtri inverts the lower tail
    assert high == pytest.approx(float(bdtri(held, runs, 0.025)), abs=5e-3)
    assert low == pytest.approx(1 - float(bdtri(runs - held, runs, 0.025)), abs=5e-3)


@pytest.mark.parametrize("how", [{"executor": 2}, {"store": "kept"}])
def test_a_verdict_depends_on_seed_and_rounds_alone(how, tmp_path):
    how = {name: tmp_path / value if name == "store" else value for name, value in how.items()}
    plain = check("score-mean", rounds=4, seed=7)
    for _ in range(2 if "store" in how else 1):
        other = check("score-mean", rounds=4, seed=7, **how)
        assert {n: (p.outcome, p.round, p.evidence) for n, p in other.parts.items()} == {
            n: (p.outcome, p.round, p.evidence) for n, p in plain.parts.items()
        }


def rate_of(sizes, nap):
    """A rate of which every replica takes a nap."""
    stated = law("rounds-rate", "1/d", relation="~", params={"d": (1, 1e6)})
    grid = Grid([{"d": d, "nap": nap} for d in sizes])
    return claim_of(
        Rate("only", "a rate", law=stated, experiment=SLOW, grid=grid, variable="d", to_law=lambda s: {"d": s["d"]})
    )


def test_a_slow_simulator_answers_within_its_time():
    # the naps alone, which no load of the machine makes longer, would take six times 64 * 0.02 s in the seventh round
    part = check(rate_of((8, 16, 32, 64, 128, 256), nap=0.02), time=4.0).parts["only"]
    assert part.round is not None
    assert sum(point.replicas for point in part.evidence.points) * 0.02 <= 4.0


def sample_noisy(draw, *, d):
    """A value around 1/d, far from it, after a nap for each replica."""
    time.sleep(0.02 * draw.replicas)
    return draw.uniform(0.8, 1.2) / d


def test_the_time_to_a_decision_is_that_of_the_interval():
    stated = law("rounds-noisy", "1/d", relation="~", params={"d": (1, 1e6)})
    grid = Grid([{"d": 2**k} for k in range(4, 10)])
    noisy = experiment("rounds-noisy", sample_noisy)
    made = claim_of(Rate("only", "a rate", law=stated, experiment=noisy, grid=grid, variable="d"))
    why = check(made, time=2.0).parts["only"].why_open
    # its exponent is known to 0.3 after 8 values a size, and the margin is 0.05: three rounds are not enough
    assert re.search(r"about .* to \d+ (s|min) of one processor", why), why


def test_a_slow_simulator_tells_its_values_before_there_is_a_verdict():
    seen = []
    check(rate_of((8, 16, 32, 64), nap=1.1), rounds=1, progress=seen.append)
    looks = [state.look for state in seen if state.look]
    assert [look.partition(", the mean of 2 values")[1] != "" for look in looks] == [True] * 4 + [False]
    assert looks[0].startswith("rounds only: rounds-slow at d=8, nap=1.1: 0.12")


def test_what_there_was_no_time_for_is_said():
    part = check(rate_of((8, 16, 32, 64, 128, 256), nap=0.5), time=1.5).parts["only"]
    assert part.outcome == "inconclusive"
    assert "there was no time for rounds-slow at d=16" in part.why_open


def sample_steep(draw, *, d):
    """A value around 1/d, after a nap that grows with the square of d."""
    time.sleep(1e-4 * d**2)
    return draw.uniform(0.99, 1.01) / d


def steep(exponent, sizes=(4, 8, 16, 32, 64, 300)):
    """A rate whose size 300 takes 9 s a block."""
    stated = law("rounds-steep", f"d**{exponent}", relation="~", params={"d": (1, 1e6)})
    measured = experiment("rounds-steep", sample_steep, bounds=(0, 1))
    grid = Grid([{"d": d} for d in sizes])
    return claim_of(Rate("only", "a rate", law=stated, experiment=measured, grid=grid, variable="d"))


def test_a_size_that_there_is_no_time_for_is_left_out_and_the_others_go_on():
    part = check(steep(-1), time=3.0).parts["only"]
    assert [point.params["d"] for point in part.evidence.points] == [4, 8, 16, 32, 64]
    # a statement about six sizes is not supported by five of them, but it can be refuted by them
    assert part.outcome == "inconclusive" and "no time for rounds-steep at d=300" in part.why_open
    assert check(steep(-2), time=3.0).outcome == "refuted"
    assert re.search(r"d=300 \(about [\d.]+ (s|min|h)\)", part.why_open), (
        part.why_open
    )  # and what it would take is said


def test_sizes_that_are_too_few_to_be_judged_are_not_measured_again_and_again():
    part = check(steep(-1, (4, 8, 16, 300, 400)), time=3.0).parts["only"]
    assert "got 3" in part.evidence.words and part.round == 0


def test_what_a_setting_costs_follows_from_smaller_ones():
    found = experiment("rounds-steep", sample_steep, bounds=(0, 1))
    four, eight, large = (Series(found, {"d": d}, 0, "cpu") for d in (4, 8, 64))
    assert foreseen_rate([], large) is None
    assert foreseen_rate([(four, 0.1)], large) == 0.1
    assert math.isclose(foreseen_rate([(four, 0.1), (eight, 0.4)], large), 0.4 * 64)
    assert foreseen_rate([(four, 0.4), (eight, 0.1)], large) == 0.1  # what gets cheaper is not trusted to go on


def test_a_forecast_from_few_rounds_is_not_believed():
    # 2 of 2 runs in the order forecast 8 doublings, and 4 are enough if it goes on to hold
    evidence = check(claim_of(Order("only", "an order", above=0.5, experiment=RUNS, grid=Grid([{"p": 1.0}]))), rounds=1)
    track = Track(claim_of(), 0, [], 1e-3, round=0, evidence=evidence.parts["only"].evidence)
    assert track.evidence.rounds_to_decide > 3 and track.round_of_decision() == 3
    assert replace(track, round=3).round_of_decision() == 3 + track.evidence.rounds_to_decide


@pytest.mark.parametrize("first_round", [None, 50.0])
def test_what_the_reference_run_had_no_time_for_comes_last(first_round, monkeypatch):
    # the reference run measured `cheap`, and of `dear` it began nothing: what that costs is unknown, but not nothing
    known = Reference("supported", 0, 0.01, "", "", 1)
    dear = replace(known, outcome="inconclusive", round=None, first_round=first_round)
    referred = {"cheap": known, "dear": dear}
    monkeypatch.setattr(sys.modules[tracks_of.__module__], "reference_of", lambda claim, part: referred[part])
    parts = [replace(says("0.5").parts[0], name=name) for name in ("dear", "cheap")]
    seen = []
    check(claim_of(*parts), time=5.0, rounds=2, seed=1, progress=seen.append)
    looks = [state.look.partition(":")[0] for state in seen if state.look]
    assert looks == ["rounds cheap", "rounds cheap", "rounds dear", "rounds dear"]


def test_every_look_is_told():
    seen = []
    check(says("0.5"), rounds=3, seed=1, progress=seen.append)
    looks = [state.look for state in seen if state.look]
    assert looks and all(look.startswith("rounds only: ") and "round" in look for look in looks)


def test_values_that_cannot_be_judged_are_that_claims_verdict():
    # at p = 0 every value is 0, of which no exponent can be made
    stated = law("rounds-zero", "p", relation="~", params={"p": (0, 1)})
    grid = Grid([{"p": p} for p in (0.0, 0.1, 0.2, 0.4, 0.8)])
    part = check(claim_of(Rate("only", "a rate", law=stated, experiment=SHARE, grid=grid, variable="p")), rounds=2)
    assert part.outcome == "inconclusive"
    assert "Not judged" in part.parts["only"].evidence.words


def test_what_stays_open_says_why():
    # 0.5 lies 10 % below 0.5556: at the edge of the margin no number of values decides
    edge = check(says("0.5/0.9", Constant, "~"), rounds=14, seed=1).parts["only"]
    assert (edge.outcome, edge.why_open) == ("inconclusive", "The data sit at the edge of the margin.")
    # an interval at 3.2 errors, as 1 % over 16 looks has it, is below 2 % of 1/2 from (3.2 * 50)^2 values on, in the tenth round
    few = check(says("0.5"), rounds=2, seed=1).parts["only"]
    said = re.fullmatch(r"Too few runs; about (\d+) rounds would decide it\.", few.why_open)
    assert said and 9 <= int(said[1]) <= 13, few.why_open


@pytest.mark.parametrize(
    ("round", "replicas", "seen", "noise", "needed", "shrink", "why"),
    [
        # an interval of bounded values shrinks as their number grows, at first: ten more rounds decide, not seventeen
        (3, 64, 14.4, 0.7, 160_000, 350, "too few runs"),
        (10, 8192, 0.03, 0.03, 20_000, 1000, "the data sit at the edge of the margin"),
        (3, 64, 30.0, 30.0, 10**9, 4000, "too few runs, even after all rounds: give the experiment a larger block"),
        (3, 64, math.inf, None, None, 1000, "too few runs"),  # nothing is known yet of its intervals
        (15, 64, 0.1, 0.1, 2000, math.inf, "too few runs"),
    ],
)
def test_the_edge_of_the_margin_is_told_from_too_few_runs(round, replicas, seen, noise, needed, shrink, why):
    points = (Point({}, 1.0, 1.0, 0.9, 1.1, 0.95, replicas),)
    what = {"points": points, "seen": seen, "noise": noise, "needed": needed, "shrink": shrink}
    evidence = Evidence(shown=False, p_value=1.0, words="", wanted=0.02, **what)
    assert evidence.why_open(round) == why


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"time": 0}, "time must be"),
        ({"time": -1.0}, "time must be"),
        ({"time": math.nan}, "time must be"),
        ({"time": "3m"}, "time must be"),
        ({"rounds": 0}, "rounds must be"),
        ({"rounds": 17}, "rounds must be"),
        ({"rounds": True}, "rounds must be"),
    ],
)
def test_a_time_or_a_number_of_rounds_that_makes_no_sense_is_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        check("score-mean", **wrong)


def test_a_time_too_short_for_anything_is_said():
    with pytest.raises(ValueError, match="nothing could be measured in .* give more time"):
        check(rate_of((8, 16, 32, 64, 128, 256), nap=0.1), time=1e-6)


def test_a_report_shows_what_there_was_no_time_for(tmp_path):
    verdict = check("missing-mass", rounds={"source": 0, "sharp": 1, "asymptotic": 1})
    assert (verdict.outcome, verdict.parts["source"].round) == ("inconclusive", None)
    write_report([verdict], tmp_path)
    page = (tmp_path / "claims" / "missing-mass.html").read_text()
    assert "Nothing was measured: the time was up before." in page and "it was left out" in page
