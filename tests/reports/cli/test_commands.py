"""The command line: what it prints, its exit codes, and one clear sentence for bad input."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from support.own_claims import CHEAP, FLAT, assert_refused

from asymp.reports.claims import index

VERBS = ("list", "show", "eval", "measure", "check", "report", "cite", "calibrate", "store")


def test_list_names_every_claim(asymp):
    ran = asymp("list")
    assert ran.code == 0
    assert all(id in ran.out for id in index())
    assert [entry["id"] for entry in json.loads(asymp("list", "--json").out)] == list(index())


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_and_json(asymp, verb):
    ran = asymp(verb, "--help")
    assert ran.code == 0
    assert f"asymp {verb}" in ran.out and "--json" in ran.out
    assert "Example" in ran.out


SCRIPT = Path(sys.executable).with_name("asymp")
HEAVY = ["sympy", "torch", "numpy", "scipy", "matplotlib"]


@pytest.mark.parametrize(
    ("command", "heavy"),
    [
        ("--help", HEAVY),
        ("list", HEAVY),
        ("check missing-mas", HEAVY),
        ("eval missing-mass -s alpha=2 -s T=10", ["torch", "scipy.stats", "asymp.montecarlo", "asymp.models"]),
    ],
)
def test_light_commands_load_nothing_heavy(command, heavy):
    # The time limit of half a second follows from what is not imported; the times themselves are for `make bench`.
    code = (
        f"import sys; sys.argv = {['asymp', *command.split()]}\n"
        "from asymp.reports.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        f"assert not set({heavy}) & set(sys.modules), sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


COMPLETED = [
    ("check mis", ["missing-mass"]),
    ("show adam", ["adam"]),
    ("eval missing-mass:", ["missing-mass:source", "missing-mass:asymptotic"]),
    ("measure train-", ["train-memory"]),
    ("report --figures figure-", [f"figure-{n}" for n in range(1, 6)]),
]


@pytest.mark.parametrize(("typed", "completed"), COMPLETED)
def test_the_shell_completes_ids(typed, completed):
    from asymp.reports.cli.main import cli

    *words, started = typed.split()
    found = ShellComplete(cli, {}, "asymp", "_ASYMP_COMPLETE").get_completions(words, started)
    assert [item.value for item in found] == completed


def test_the_console_script_runs_and_completes():
    typed = {"_ASYMP_COMPLETE": "bash_complete", "COMP_WORDS": "asymp check mis", "COMP_CWORD": "2"}
    for args, extra, said in ((["--version"], {}, "asymp, version "), ([], typed, "plain,missing-mass\n")):
        ran = subprocess.run([SCRIPT, *args], env={**os.environ, **extra}, capture_output=True, text=True, check=True)
        assert ran.stdout.startswith(said)


@pytest.mark.parametrize("id", list(index()))
def test_show_prints_every_part(asymp, id):
    data = json.loads(asymp("show", id, "--json").out)
    text = asymp("show", id)
    assert text.code == 0
    assert all(f"[{part['name']}]" in text.out for part in data["parts"])


def test_eval(asymp):
    # sum_x p (1-p) at alpha = 2, T = 1: 1 - zeta(4)/zeta(2)^2 = 1 - 2/5.
    assert float(asymp("eval", "missing-mass", "-s", "alpha=2", "-s", "T=1").out) == pytest.approx(0.6, rel=1e-12)
    digits = asymp("eval", "missing-mass", "-s", "alpha=2", "-s", "T=1", "--digits", "40").out.strip()
    assert re.fullmatch(r"0\.60{39}", digits)
    rows = asymp("eval", "missing-mass", "-s", "alpha=2", "-s", "T=0,1").out.split()
    assert [float(row) for row in rows] == pytest.approx([1, 0.6])
    assert json.loads(asymp("eval", "missing-mass", "-s", "alpha=2", "-s", "T=0,1", "--json").out)["result"][0] == 1
    # A decimal means itself to every digit: T^(-1+1/alpha) at alpha = 1.25 is T^(-1/5).
    root = asymp("eval", "missing-mass:source", "-s", "alpha=1.25", "-s", "T=32", "--digits", "30").out.strip()
    assert re.fullmatch(r"0\.50{29}", root)


MEASURED = {
    "missing-mass": "alpha=2 T=1",
    "recall-error": "alpha=2 N=20 M=4 d=8",
    "score-moments": "N=12 M=4 d=8",
    "train-memory": "alpha=2 N=10 M=4 d=8 T=20 lr=1",
}


@pytest.mark.parametrize("name", MEASURED)
def test_every_measurement_prints_as_text_and_as_json(asymp, name):
    from asymp.reports.cli.texts import MEASUREMENTS

    assert {id.replace("-", "_") for id in MEASURED} == set(MEASUREMENTS)
    command = ["measure", name, *(word for pair in MEASURED[name].split() for word in ("-s", pair)), "--replicas"]
    text = asymp(*command, "1000" if name == "score-moments" else "30")
    assert text.code == 0
    assert "95 % interval" in text.out and len(text.out.splitlines()) <= 3
    found = json.loads(asymp(*command, "2000" if name == "missing-mass" else "30", "--json").out)
    assert found["experiment"] == name
    if name == "missing-mass":  # 1 - zeta(4)/zeta(2)^2, as above
        assert found["interval"][0] < 0.6 < found["interval"][1]


def test_an_experiment_is_measured_by_its_own_id_or_by_that_of_a_claim(asymp):
    settings = ["-s", "N=12", "-s", "M=4", "-s", "d=8"]
    named = asymp("measure", "score", *settings).out
    assert "95 % interval" in named and asymp("measure", "score-mean", *settings).out == named
    assert "d must be an integer" in asymp("measure", "quasi-orthogonality", "-s", "d=2.5", "-s", "P=4").err


def test_cite(asymp):
    assert "cabannes2024" in asymp("cite", "missing-mass").out
    assert "bietti2025" not in asymp("cite", "missing-mass").out
    assert set(json.loads(asymp("cite", "--json").out)) >= {"asymp", "cabannes2024", "bietti2025"}


def test_check_prints_budget_triad_and_its_progress_in_plain_lines(asymp):
    ran = asymp("check", CHEAP)
    assert ran.code == 0
    assert "budget 1.5e-05" in ran.out and "would have detected" in ran.out and "1 supported" in ran.out
    assert re.search(r"done: 6 of 6 statements decided, \d+ s", ran.err)
    assert "\x1b" not in ran.err + ran.out
    data = json.loads(asymp("check", CHEAP, "--json", "--quiet").out)
    assert data[0]["outcome"] == "supported"
    part = data[0]["parts"][0]
    assert {"statement", "smallest_discrepancy", "replicas_needed", "p_value", "margin"} <= set(part)


LONG = 300 * "x"
MALFORMED = ("", "1", "0/4", "5/4", "1/0", "a/b", "-1/4", "1/4/2", "1.5/4")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["check", "missing-mas"], "did you mean 'missing-mass'"),
        (["check", "missing-mass", "-s", "alfa=2"], "did you mean 'alpha'"),
        (["check", "missing-mass", "-s", "alpha=1"], "alpha must"),
        (["check", "missing-mass", "-s", "alpha=nan"], "alpha must"),
        (["check", "missing-mass", "-s", "alpha"], "name=value"),
        (["check", "missing-mass", "-s", "T=100"], "leave T out"),
        (["check", "learned-inputs", "-s", "M=280"], "measures how large M can be, which needs a range of sizes"),
        (["check", "training-grid", "-s", "alpha=1.4"], "alpha must be 2, at which the grid was published; got 1.4"),
        (["check", "missing-mass", "-s", "alpha=1,2"], "one value"),
        (["check", "missing-mass", "--preset", "fast"], "quick"),
        (["check", "missing-mass", "--time", "0"], "such as 90s, 3m or 1h"),
        (["check", "missing-mass", "--time", "-3m"], "such as 90s, 3m or 1h"),
        (["check", "missing-mass", "--time", "3 parsecs"], "such as 90s, 3m or 1h"),
        (["check", "missing-mass", "--time", "3m", "--until", "decided"], "not both"),
        (["check", "missing-mass", "--rounds", "0"], "from 1 to 16"),
        (["check", "missing-mass", "--shard", "1/2"], "--rounds"),
        (["check", "missing-mass", "--device", "tpu"], "device"),
        (["check", "missing-mass", "--claims", "nowhere.py"], "nowhere.py is not there"),
        (["check", "finite-memory-lower", "-s", "d=0"], "d must be an integer >= 2; got 0"),
        (["check", "finite-memory-lower", "-s", "M=1"], "M must be an integer >= 2; got 1"),
        (["eval", "missing-mass", "-s", "alpha=0.9", "-s", "T=10"], "alpha must exceed 1 when N is infinite"),
        (["eval", "missing-mass", "-s", "alpha=2", "-s", "T=-1"], "T must be a number >= 0; got -1"),
        (["eval", "missing-mass", "-s", "alpha=2", "-s", "T=nan"], "T must be a number >= 0; got nan"),
        (["eval", "missing-mass", "-s", "alpha=2"], "needs T"),
        (["eval", "missing-mass", "-s", "alpha=2", "-s", "T=1", "--digits", "0"], "digits must be"),
        (["eval", "missing-mass", "-s", "alpha=2", "-s", "T=__import__('os')"], "T must be"),
        (["eval", "missing-mass", "-s", "alpha=2", "-s", "alpha=3"], "set twice"),
        (["eval", "nothing"], "no law named 'nothing'"),
        (["measure", "missing-mass", "-s", "alpha=2", "-s", "T=-1"], "T must be"),
        (["measure", "missing-mass", "-s", "alpha=2", "-s", "Z=1"], "no parameter of experiment"),
        (["measure", "missing-mass", "-s", "alpha=2"], "needs T"),
        (["measure", "missing-mass", "-s", "alpha=1", "-s", "T=10"], "alpha must"),
        (["measure", "missing-mass", "-s", "alpha=2", "-s", "T=10", "--replicas", "0"], "replicas must be"),
        (["measure", "recall-errors"], "did you mean 'recall-error'"),
        (["measure", "recall-error", "-s", "N=10", "-s", "M=1", "-s", "d=4", "-s", "alpha=1"], "M must"),
        (["show", "missing"], "did you mean 'missing-mass'"),
        (["cite", "missing"], "did you mean 'missing-mass'"),
        (["lst"], "No such command"),
        (["check", CHEAP, "--workers", "0"], "workers must be an integer >= 1"),
        (["check", CHEAP, "--cluster", "nonsense"], "cluster must be tcp://HOST:PORT"),
        (["check", CHEAP, "--cluster", "tcp://127.0.0.1:1"], "scheduler of --cluster cannot be reached"),
        (["check", CHEAP, "--cluster", "slurm:short"], "sbatch is not found"),
        (["check", CHEAP, "--cluster", "slurm:short", "--workers", "2"], "not both"),
        (["check", CHEAP, "--store", "x", "--no-store"], "not both"),
        (["report", "--figures", "figure-9", "-o", "r"], "there is no figure named 'figure-9'; did you mean"),
        (["report", "--figures", "figure-1", "-o", "r", "--shard", "1/2"], "--shard"),
        (["report", "--figures", "figure-1", "-o", "r", "--plan"], "--plan"),
        (["report", "--figures", "figure-1", "-o", "r", "-s", "d=3"], "settings of their own"),
        *[(["check", CHEAP, "--shard", text], "shard must be i/n") for text in MALFORMED],
        *[
            ([*words, LONG], f"the path {LONG[:36]} ... cannot be used (File name too long); give another")
            for words in (
                ["check", CHEAP, "--store"],
                ["check", CHEAP, "--claims"],
                ["report", CHEAP, "--rounds", "1", "-o"],
                ["new"],
                ["fit"],
            )
        ],
        (["check", CHEAP, f"--store={LONG}"], "cannot be used (File name too long)"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2_and_writes_nothing(asymp, monkeypatch, tmp_path, command, words):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("asymp.montecarlo.running.cluster.SECONDS_TO_CONNECT", 1)
    assert_refused(asymp(*command), words)
    assert {path.name for path in tmp_path.iterdir()} <= {"asymp-store"}


FILE = (Path(__file__).resolve().parents[3] / "examples" / "my_rate.py").read_text()


@pytest.mark.parametrize(
    ("old", "new", "options", "code", "words"),
    [
        ("", "", [], 0, "my-rate: supported"),
        ('"c * d**-b"', '"c * d**(-b - 0.1)"', [], 1, "my-rate: refuted"),
        ('"c * d**-b"', '"c * d**(-b + 0.1)"', [], 1, "my-rate: refuted"),
        ('source="mine"', "margin=0.001", ["--rounds", "2"], 0, "my-rate: inconclusive"),
        ('source="mine"', "margin=0.001", ["--rounds", "2", "--strict"], 3, "my-rate: inconclusive"),
        ("    return ", "    raise OSError('lost')\n    return ", [], 4, "experiment 'my-rate' failed at"),
    ],
)
def test_a_claim_of_your_own_and_the_same_with_something_wrong(asymp, tmp_path, old, new, options, code, words):
    file = tmp_path / "mine.py"
    file.write_text(FILE.replace(old, new))
    ran = asymp("check", "--claims", file, *options)
    assert ran.code == code and words in ran.out + ran.err and "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def broken(:\n", "syntax error in line 1"),
        ("x = 1\n", "declares no claim"),
        ("x = 1\ny = 1 / 0\n", "error in line 2: ZeroDivisionError"),
        ("import asymp.theory as t\nt.law('a', 'd', relation='?', params={'d': (1, 2)})\n", "relation must be one of"),
        ("import no_such_module\n", "No module named"),
    ],
)
def test_a_bad_claims_file_is_told_in_one_sentence(asymp, tmp_path, text, words):
    file = tmp_path / "bad.py"
    file.write_text(text)
    assert_refused(asymp("check", "--claims", file), words)


def test_ctrl_c_exits_with_130_and_says_how_to_go_on(asymp, monkeypatch):
    from asymp.montecarlo import Experiment

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Experiment, "blocks", interrupted)
    ran = asymp("check", "missing-mass")
    assert ran.code == 130
    assert "run the same command again" in ran.err


def test_progress_is_a_bar_on_a_terminal(asymp, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert asymp("check", "--claims", FLAT, "flat", "--workers", "1").code == 0
    seen = sys.stderr.getvalue()
    assert "cells" in seen and "\x1b[" in seen and "left" in seen


def test_asymp_alone_says_what_to_do_next(asymp):
    ran = asymp()
    assert ran.code == 0 and "asymp report" in ran.out and "asymp check missing-mass" in ran.out
