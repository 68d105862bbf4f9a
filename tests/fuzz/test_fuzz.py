"""Whatever is typed: an answer or one sentence, with the right exit code, within 10 seconds and 4 GiB; never a traceback.

A commit tries 500 inputs, `make fuzz` 10,000 (ASYMP_FUZZ=10000).
"""

import os
import resource
import time

import click
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from asymp.montecarlo import Estimate, capacity_of, fit_exponent
from asymp.montecarlo.independence import dependence
from asymp.reports.claims import index
from asymp.reports.cli import main as command
from asymp.reports.cli.options import parse_duration, parse_settings, parse_shard
from asymp.theory import integer, law, laws

INPUTS = int(os.environ.get("ASYMP_FUZZ", "500"))
SECONDS, MEMORY = 10, 4 * 2**30
CODES = {0, 1, 2, 3, 4}
# Shares of the inputs: what is cheap is tried most.
BY_TEXT, BY_LAW, BY_VERB, BY_VALUES = INPUTS * 4 // 10, INPUTS * 3 // 10, INPUTS * 2 // 10, INPUTS // 10
LAWS = sorted(laws)
NUMBERS = "0 1 2 -1 3/2 1e400 1e308 1e-308 1e-400 nan inf oo 1e12 1e18 3e9 10,100 0.1 1/0 true sphere x 1_0".split(" ")  # noqa: SIM905
number = st.one_of(
    st.sampled_from(NUMBERS), st.floats().map(str), st.integers(-(10**20), 10**20).map(str), st.text(max_size=8)
)


def fuzzed(inputs):
    return settings(
        max_examples=max(1, inputs), deadline=None, database=None, derandomize=INPUTS <= 500,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip


@pytest.fixture(autouse=True, scope="module")
def limited():
    """No more memory than stated: what takes more gets a MemoryError."""
    before = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_DATA, before)


def ran(capsys, monkeypatch, *words):
    """Run the command in this process: exit code and what was written to standard error."""
    monkeypatch.setattr("sys.argv", ["asymp", *words])
    monkeypatch.setattr(command, "limit_memory", lambda: None)
    begun, code = time.process_time(), 0
    try:
        command.main()
    except SystemExit as stop:
        code = stop.code or 0
    out = capsys.readouterr()
    assert time.process_time() - begun < SECONDS, words
    assert code in CODES, (words, code, out.err)
    assert "Traceback" not in out.err
    assert code != 2 or out.err.count("\n") == 1, out.err
    return code


@st.composite
def law_settings(draw):
    id = draw(st.sampled_from(LAWS))
    given = [f"{name}={draw(number)}" for name in laws[id].params if draw(st.integers(0, 9))]
    return id, given, draw(st.sampled_from([None, "5", "30", "0", "-1", "x"]))


def test_evaluation_of_laws(capsys, monkeypatch):
    @fuzzed(BY_LAW)
    @given(law_settings())
    @example(("missing-mass", ["alpha=2", "T=1e400"], "30"))
    @example(("missing-mass", ["alpha=1e12", "T=1", "N=10"], None))
    @example(("fill-scheme", ["alpha=0.5", "N=20", "M=3e9", "d=5", "T=inf"], None))
    @example(("optimal-scheme", ["alpha=1e12", "M=2", "d=10", "N=100"], None))
    def holds(given):
        id, pairs, digits = given
        words = [w for pair in pairs for w in ("-s", pair)]
        ran(capsys, monkeypatch, "eval", id, *words, *(["--digits", digits] if digits else []))

    holds()


VERBS = (
    "list",
    "show",
    "eval",
    "cite",
    "check",
    "report",
    "measure",
    "store",
    "calibrate",
    "nothing",
    "--help",
)
words = st.one_of(
    st.sampled_from(
        ("--json", "--laws", "--errata", "--figures", "--plan", "--no-store", "--quiet", "--strict", "-s", "--help")
    ),
    st.sampled_from(
        ("--rounds", "--time", "--seed", "--shard", "--until", "--workers", "--claims", "--store", "--preset")
    ),
    number,
    st.text(max_size=6),
)


def test_verbs_and_options(capsys, monkeypatch, tmp_path):
    # an id that is not there ends every run before it begins; runs themselves are for the soak
    monkeypatch.chdir(tmp_path)

    @fuzzed(BY_VERB)
    @given(st.sampled_from(VERBS), st.lists(words, max_size=4))
    def holds(verb, rest):
        runs = verb in ("check", "report", "store", "calibrate")
        ran(capsys, monkeypatch, verb, *(["no-such-claim"] if runs else []), *rest)

    holds()
    assert list(index())


formulas = st.one_of(
    st.text(alphabet="nx0123456789+-*/^()., <>&|=[]'\"_abcEopi{}:@", max_size=30),
    st.recursive(
        st.sampled_from(["n", "x", "2", "0.5", "10**9", "oo", "pi", "k", "1/0"]),
        lambda inner: st.one_of(
            st.tuples(inner, st.sampled_from("+-*/^"), inner).map("({0[0]}){0[1]}({0[2]})".format),
            st.tuples(
                st.sampled_from(["sqrt", "gamma", "zeta", "factorial", "LambertW", "harmonic", "floor", "os"]), inner
            ).map("{0[0]}({0[1]})".format),
            inner.map("Sum({0}, (k, 1, n))".format),
        ),
        max_leaves=6,
    ),
)


def test_formulas_numbers_and_texts():
    @fuzzed(BY_TEXT)
    @given(formulas, number)
    @example("9**9**9**9", "1")
    @example("__import__('os').system('true')", "1")
    @example("Sum(k, (k, 1, 10**12))", "1")
    @example("Sum(1/k, (k, 1, n), (j, 1, k))", "1")
    @example("Sum(1/n, (n, 1, n))", "1")
    @example("sqrt(-1)", "1")
    @example("10**400", "1")
    @example("Failure()", "1")
    @example("Max(" + ",".join(f"sin({i}*n)" for i in range(200)) + ")", "1")
    def holds(text, value):
        begun = time.process_time()
        for attempt in (
            lambda: law("f", text, relation="=", params={"n": integer(1), "x": (0, "oo")})(n=3, x=2),
            lambda: parse_settings([f"n={value}"]),
            lambda: parse_duration(value),
            lambda: parse_shard(value),
        ):
            try:
                attempt()
            except (ValueError, click.ClickException) as error:
                assert "\n" not in str(error)
        assert time.process_time() - begun < SECONDS, text

    holds()


value = st.one_of(st.floats(), st.floats(-2, 2), st.sampled_from([0.0, 1.0, 1e-300, 1e300, 5e-324, -0.0]))
samples = st.lists(value, max_size=40)
declared = st.one_of(st.none(), value, st.tuples(value, value))


def test_values_and_sizes():
    @fuzzed(BY_VALUES)
    @given(samples, st.lists(samples, max_size=6), declared, declared, st.floats(0, 1))
    @example([0.0] * 9, [[0.0] * 4] * 6, (0.0, 1.0), None, 0.95)
    @example([1e300, -1e300], [[1e300] * 4] * 6, None, 3.0, 0.95)
    @example([0.0, 1.0], [], None, 1.0, 0.5)
    def holds(values, table, bounds, kurtosis, level):
        begun = time.process_time()
        sizes = [2.0**i for i in range(len(table))]
        for attempt in (
            lambda: str(Estimate(values, bounds)) + Estimate(values, bounds).assumption,
            lambda: Estimate(values, kurtosis=kurtosis).interval(level),
            lambda: Estimate(values, kurtosis=kurtosis).unknown(level),
            lambda: Estimate(values, deterministic=True).to_json(),
            lambda: dependence(Estimate(values).values, 3),
            lambda: fit_exponent(sizes, table).interval(0.95),
            lambda: capacity_of([int(size) for size in sizes], table, threshold=0.5),
        ):
            try:
                attempt()
            except ValueError as error:
                assert "\n" not in str(error)
        assert time.process_time() - begun < SECONDS

    holds()
