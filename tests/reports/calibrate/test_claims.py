"""The calibration of verdicts: a small sample of it, and that it would notice a test that refutes too often or never."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from support.own_claims import cells_in
from support.processes import members, wait_for

from asymp.montecarlo import Estimate, experiment, fit_exponent
from asymp.montecarlo.running.store import Store
from asymp.reports import claims
from asymp.reports.calibrate import claims as claim_calibration
from asymp.reports.calibrate.claims import calibrate_claims, claims_text
from asymp.reports.calibrate.errors import LONG, draws, power_of_part, size_of_part, size_of_tests
from asymp.reports.declaring import Grid, settings
from asymp.reports.kinds import Identity, WrongLaw, rate
from asymp.theory import Param, integer, law

pytestmark = pytest.mark.slow


def part_of(id, name):
    return next(p for p in claims[id].parts if p.name == name)


def coins(*cells):
    """A fair coin at three settings, or at those given: its share of heads has an interval of nearly the exact size."""
    toss = experiment("coins", lambda draw, *, c: (draw.uniform() < 0.5).double(), bounds=(0, 1))
    says = law("coins", "1/2 + 0*c", relation="=", params={"c": Param(integer(1), (1, 3))})
    grid = Grid(settings(c=cells or (1, 2, 3)))
    return Identity("sharp", "Half of the tosses are heads.", law=says, experiment=toss, grid=grid)


def power(id, name, resamplings=10, fresh=1, round=5, **more):
    """The rows of the wrong laws of a part."""
    return power_of_part(id, part_of(id, name), resamplings=resamplings, fresh=fresh, round=round, **more)


@pytest.mark.parametrize(
    ("id", "name"), [("score-variance", "sharp"), ("interference", "sharp"), ("exact-recall-error", "binary")]
)
def test_a_right_law_is_refuted_at_five_per_cent_at_most(id, name):
    found = size_of_part(id, part_of(id, name), seeds=60)
    # The test itself has three looks at 1e-3, here at fixed seeds.
    assert found["good"], found
    assert found["seeds"] == found["able"] == 60


def test_a_judge_that_refutes_too_often_is_caught(monkeypatch):
    """Negative control: a judge with Student's test that forgets to share its level among three cells: 14 %, not 5 %."""
    right = Identity.judge

    def careless(part, measured, *, level, **more):
        judged = right(part, measured, level=level, **more)
        by_student = [stats.ttest_1samp(e.values, part.predicted(params)).pvalue for params, e in measured]
        return replace(judged, p_value=min(by_student))

    part = coins()
    assert size_of_part("coins", part, seeds=400)["good"]
    monkeypatch.setattr(Identity, "judge", careless)
    found = size_of_part("coins", part, seeds=400)
    # The three cells are independent, so 1 - 0.95^3 = 14.3 % are expected; at most 35 of 400, which would pass the
    # binomial test, have probability 1e-4 under that; the seed is fixed.
    assert not found["good"], found
    assert found["binomial_p"] < 1e-3


def test_a_run_that_forgets_its_earlier_looks_is_caught(monkeypatch):
    """Negative control: a run of four looks, each of which spends the whole 5 %, refutes too often; one of 16 does not."""
    part = coins(1)
    # so many tosses that the share's interval, which whole numbers widen, is nearly of the exact size
    monkeypatch.setattr(Identity, "calibration_replicas", lambda self, cell: 1600)
    assert size_of_part("coins", part, seeds=400)["in_rounds"] <= 20
    monkeypatch.setattr(Identity, "share_of_look", lambda self, round: 1.0)
    found = size_of_part("coins", part, seeds=400)
    # four looks at doubling samples, each at 5 %, refute about 12 %; 29 of 400 would still pass
    assert found["in_rounds"] > 29 and not found["good"], found


def test_p_values_that_are_too_small_are_noticed():
    uniform = np.random.default_rng(1).random(400)
    assert size_of_tests(uniform)["good"]
    assert not size_of_tests(uniform**1.7)["good"]  # 5 % become 0.05^(1/1.7) = 17 %
    assert not size_of_tests(np.where(uniform < 0.05, 1e-9, uniform))["good"]  # 5 % below 0.001: 20 instead of 0.4
    assert not size_of_tests(np.where(uniform < 0.5, uniform * 0.7, uniform))["good"]  # 14 points too many below 0.35
    assert size_of_tests(np.ones(400))["good"]  # never refuted: conservative, which is allowed


def test_the_reduced_size_keeps_whole_groups():
    growth = part_of("at-most-d", "growth")
    cells = growth.reduced()
    whole = growth.cells("quick", {})
    dimensions = {c[growth.variable] for c in cells}
    assert len(dimensions) == 4
    assert cells == [c for c in whole if c[growth.variable] in dimensions]
    rate = part_of("remapping", "source")
    assert len(rate.reduced()) == 6
    assert len({json.dumps({k: v for k, v in c.items() if k != rate.variable}) for c in rate.reduced()}) == 1


def test_intervals_of_a_batch_are_those_of_the_samples_one_by_one():
    random = np.random.default_rng(2)
    samples = [random.beta(0.3, 2, 80) * (random.random(80) < 0.7) for _ in range(9)]
    samples[4] = np.zeros(80)
    samples[5] = (random.random(80) < 0.3).astype(float)
    batch = draws(samples, Estimate(samples[0], (0.0, 1.0)))
    for level in (0.9, 1 - 1e-6):
        assert [d.interval(level) for d in batch] == [
            Estimate(values=s, bounds=(0, 1)).interval(level) for s in samples
        ]
    long = draws([np.resize(s, LONG) for s in samples[:2]], batch[0])
    assert long[1].interval(0.9) == Estimate(values=np.resize(samples[1], LONG), bounds=(0, 1)).interval(0.9)
    free = draws(samples, Estimate(samples[0]))
    assert free[0].interval(0.9) == Estimate(values=samples[0]).interval(0.9)


@pytest.mark.parametrize(
    ("id", "name", "wrong"),
    [("score-mean", "source", 5), ("finite-memory-lower", "sharp", 1), ("at-most-d", "sharp", 2)],
)
def test_the_wrong_laws_of_a_part_are_refuted(id, name, wrong):
    rows = power(id, name)
    assert len(rows) == wrong
    assert all(row["good"] for row in rows), [row for row in rows if not row["good"]]


def test_a_law_that_is_not_wrong_is_not_refuted(monkeypatch):
    """Negative control of the power: a 'wrong' law that is the right one is never refuted, and the row is not good."""
    monkeypatch.setattr(Identity, "wrong_laws", lambda part: [WrongLaw("right", lambda cells: part)])
    (row,) = power("score-mean", "source")
    assert not row["good"] and row["refuted"] == row["confirmed"] == 0


def test_a_rate_is_fitted_once_for_all_its_wrong_exponents(monkeypatch):
    fitted = []

    def fit(sizes, samples, **options):
        fitted.append((tuple(sizes), np.concatenate(samples).tobytes()))
        return fit_exponent(sizes, samples, **options)

    monkeypatch.setattr(rate, "fit_exponent", fit)
    rows = power("near-orthogonality", "source", resamplings=1, fresh=0, round=2)
    assert [row["refuted"] for row in rows] == [1, 1, 1]
    assert fitted and len(set(fitted)) == len(fitted)


def test_resampling_reads_the_run_from_the_store(tmp_path):
    first = power("score-mean", "source", resamplings=3, store=Store(tmp_path))
    kept = cells_in(tmp_path)
    assert kept and power("score-mean", "source", resamplings=3, store=Store(tmp_path)) == first
    assert cells_in(tmp_path) == kept


def test_what_is_finished_is_not_done_again(tmp_path, monkeypatch):
    asked = []

    def fake(task):
        (id, name, study), options, _ = task
        asked.append((id, name, study))
        return {"claim": id, "part": name, "study": study, "asked": options, "good": True}

    monkeypatch.setattr(claim_calibration, "_calibrated", fake)
    file = tmp_path / "claims.jsonl"
    told = []
    calibrate_claims(["score-mean"], workers=1, file=file, progress=lambda *how_far: told.append(how_far[:3]))
    assert told[-1] == ("score-mean power", len(told), len(told)), "told after every part"
    parts = [("score-mean", part.name, study) for study in ("size", "power") for part in claims["score-mean"].parts]
    assert asked == parts
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[:-1]) + lines[-1][:30])  # stopped while writing the last
    # Another seed is another calibration, and so are other numbers, but only of what they are of.
    for other, wanted in (({}, parts[-1:]), ({"seed": 1}, parts), ({"seeds": 10}, parts[: len(parts) // 2])):
        asked.clear()
        calibrate_claims(["score-mean"], workers=1, file=file, **other)
        assert asked == wanted


def test_a_killed_run_leaves_whole_lines_and_no_workers(tmp_path):
    file = tmp_path / "claims.jsonl"
    script = tmp_path / "go.py"
    script.write_text(f"""
from pathlib import Path
from asymp.reports.calibrate.claims import calibrate_claims
if __name__ == '__main__':
    calibrate_claims(['score-mean', 'score-variance'], seeds=60, studies=('size',), file=Path({str(file)!r}))
""")
    run = subprocess.Popen([sys.executable, str(script)], cwd=tmp_path, start_new_session=True)
    wait_for(lambda: file.exists() and file.read_text().count("\n"))
    run.kill()
    run.wait()
    finished = [json.loads(line) for line in file.read_text().splitlines()]
    assert finished
    wait_for(lambda: members(run.pid) == [])  # the workers see that their parent has gone
    rows = calibrate_claims(["score-mean", "score-variance"], seeds=60, studies=("size",), workers=1, file=file)
    assert len(rows) == 5
    assert [json.loads(line) for line in file.read_text().splitlines()][: len(finished)] == finished


def test_the_table_names_what_is_not_as_it_should_be_and_has_it_first():
    size = {
        "part": "sharp",
        "refuted": 90,
        "seeds": 400,
        "share": 0.225,
        "binomial_p": 0.0,
        "below": {},
        "able": 400,
        "in_rounds": 5,
    }
    size |= {"above_uniform": 0.2, "allowed": 0.09, "study": "size", "processor_seconds": 60.0}
    wrong = {"how": "order reversed", "refuted": 100, "supported": 3, "resamplings": 200, "confirmed": 2, "fresh": 5}
    power = {"part": "sharp", "study": "power", "processor_seconds": 60.0}
    rows = [
        {"claim": "fine", **size, "refuted": 20, "binomial_p": 0.53, "good": True},
        {"claim": "fine", **power, "wrong": [{**wrong, "refuted": 200, "good": True}], "good": True},
        {"claim": "bad", **size, "good": False},
        {"claim": "bad", **power, "wrong": [{**wrong, "good": False}], "good": False},
    ]
    text = claims_text(rows, command=["asymp", "calibrate", "claims"])
    lines = text.splitlines()
    assert lines[1].startswith("bad") and lines[1].endswith("NOT AS IT SHOULD BE")
    assert "sharp: refuted 90 of 400" in lines[2]
    assert "order reversed: refuted 100, supported 3 of 200, confirmed 2 of 5" in lines[3]
    assert lines[4].startswith("fine") and "NOT" not in lines[4]
    assert "1 of 2 claims are as they should be" in text
    assert "4 minutes of one processor" in text
    assert lines[-1] == "again: asymp calibrate claims"
