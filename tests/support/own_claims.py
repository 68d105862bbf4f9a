"""Claims of a test's own, how they are declared and how they are run: the one place to change when either changes."""

import re
from pathlib import Path
from types import SimpleNamespace

from asymp.montecarlo import experiment
from asymp.reports import check, claim, judging
from asymp.reports.grid import Grid
from asymp.theory import Param, law, real

# A file of claims, as a user writes one: its simulation mostly sleeps, and fails where the environment says so.
FLAT = Path(__file__).with_name("flat.py")
# The claim of the ledger that costs least, a tenth of a second: where any claim of the ledger serves.
CHEAP = "interference"
# What asks for all that a test needs in order to decide: more than the least that a command does.
ENOUGH = {"rounds": 9}


def uniform(draw, *, d):
    """Uniform noise around 1/d with a spread of 40 %: its mean is 1/d, its standard deviation 0.23/d."""
    return (0.6 + 0.8 * draw.uniform()) / d


def law_of_d(expression, relation="=", *, id="mine", typical=(10, 10_000), **words):
    """A law of one number d, at least 1."""
    return law(id, expression, relation=relation, params={"d": Param(real(1), typical)}, **words)


def claim_of_d(
    expression,
    relation="=",
    kind="identity",
    *,
    id="mine",
    simulate=uniform,
    bounds=lambda d: (0, 4 / d),
    **more,
):
    """A claim that a law of d holds for a simulation with such bounds."""
    if kind == "rate":
        more = {"variable": "d", **more}
    made = law_of_d(expression, relation, id=id)
    return claim(id, law=made, experiment=experiment(id, simulate, block=64, bounds=bounds), kind=kind, **more)


HOSTILE = "<script>alert(1)</script>../x&`<b>`"


def claim_of_words(id="words"):
    """A claim, with a simulation without any spread, whose words and whose law's name are mark-up of every kind."""

    def simulate(draw, *, d):
        return draw.uniform() * 0 + 1 / d

    made = law_of_d("1/d", id=HOSTILE, source=HOSTILE, title=HOSTILE, notes=(HOSTILE,))
    one = experiment(HOSTILE, simulate, block=64, bounds=lambda d: (0, 4 / d))
    return claim(id, law=made, experiment=one, kind="identity", title=HOSTILE)


def verdict_of(made, **how):
    """The verdict on a claim, with values enough to decide."""
    return check(made, **{**ENOUGH, **how})


def statement(kind, law, simulation=None, cells=({"d": 2},), **fields):
    """A statement by its class, at settings of its own; without a simulation, of values given."""
    measured = simulation or experiment("nothing", lambda draw, *, d: None)
    stated = {} if law is None else {"law": law}
    return kind("only", "", **stated, experiment=measured, grid=Grid(list(cells)), **fields)


def measured(one, replicas=16):
    """The settings of a statement, each with an estimate."""
    return [(cell, one.experiment.run(replicas=replicas, **cell)) for cell in one.cells("quick", {})]


def outcome_of(one, found, *, budget=1e-5):
    """The verdict on a single statement, from a list of (setting, estimate)."""
    evidence = judging.judged(one, found, level=budget)
    return SimpleNamespace(outcome=judging.outcome_of(evidence, budget), evidence=evidence)


def flat_file(folder, **constants):
    """A copy of FLAT with other constants: worker processes do not see what a test changes in the environment."""
    text = FLAT.read_text()
    for name, value in constants.items():
        text = re.sub(rf"^{name} = .*$", f"{name} = {value!r}", text, flags=re.MULTILINE)
    (folder / "flat.py").write_text(text)
    return folder / "flat.py"


def cells_in(store):
    """The names of the files of finished cells in a store's folder."""
    return sorted(path.name for path in Path(store).glob("cells/*/*.cell"))


def assert_refused(ran, words):
    """A command told bad input in one line of standard error, and did nothing else."""
    assert ran.code == 2 and words in ran.err and ran.out == ""
    assert len(ran.err.strip().splitlines()) == 1 and "Traceback" not in ran.err
