"""The command line: what it prints, its exit codes, and one clear sentence for bad input."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from asymp.reports.claims import index

VERBS = ("list", "show", "eval", "measure", "check", "report", "cite", "calibrate", "slopes", "store")


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


@pytest.mark.parametrize("command", [["--help"], ["list"], ["check", "missing-mas"]])
def test_light_commands_load_neither_sympy_nor_torch(command):
    # The time limit of half a second follows from what is not imported; the times themselves are for `make bench`.
    code = (
        "import sys; sys.argv = ['asymp', *sys.argv[1:]]\n"
        "from asymp.reports.cli.main import main\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'sympy', 'torch', 'numpy', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", code, *command], check=True, capture_output=True)


COMPLETED = [
    ("asymp check mis", ["missing-mass"]),
    ("asymp show adam", ["adam"]),
    ("asymp eval missing-mass:", ["missing-mass:source", "missing-mass:asymptotic"]),
    ("asymp measure train-", ["train-facts", "train-induction", "train-memory"]),
    ("asymp report --figures figure-", [f"figure-{n}" for n in range(1, 6)]),
]


@pytest.mark.parametrize(("typed", "completed"), COMPLETED)
def test_the_shell_completes_ids(typed, completed):
    words = typed.split()
    ran = subprocess.run(
        [Path(sys.executable).with_name("asymp")],
        env={**os.environ, "_ASYMP_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(len(words) - 1)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [line.removeprefix("plain,") for line in ran.stdout.splitlines()] == completed


def test_theory_loads_no_torch_and_no_scipy_stats():
    code = (
        "import sys\nfrom asymp.theory import laws, missing_mass\nmissing_mass(alpha=2, T=10)\n"
        "assert not {'torch', 'scipy.stats', 'asymp.montecarlo', 'asymp.models'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


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


def test_measure(asymp):
    ran = asymp("measure", "missing-mass", "-s", "alpha=2", "-s", "T=1", "--replicas", "2000", "--json")
    found = json.loads(ran.out)
    assert found["interval"][0] < 0.6 < found["interval"][1]
    assert "95 % interval" in asymp("measure", "missing-mass", "-s", "alpha=2", "-s", "T=10").out


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("missing-mass", ["alpha=2", "T=10"]),
        ("recall-error", ["alpha=2", "N=20", "M=4", "d=8"]),
        ("score-moments", ["N=12", "M=4", "d=8"]),
        ("train-memory", ["alpha=2", "N=10", "M=4", "d=8", "T=20", "lr=1"]),
        ("train-facts", ["S=3", "R=2", "D=2", "T=4", "d=4", "steps=2", "batch=4"]),
        ("train-induction", ["N=4", "T=5", "K=1", "d=4", "steps=2", "batch=4"]),
    ],
)
def test_every_measurement_prints_as_text_and_as_json(asymp, name, settings):
    command = ["measure", name, *(word for pair in settings for word in ("-s", pair)), "--replicas", "30"]
    text = asymp(*command)
    assert text.code == 0
    assert "interval" in text.out and len(text.out.splitlines()) <= 3
    assert json.loads(asymp(*command, "--json").out)["experiment"] == name


def test_there_is_a_test_for_every_measurement():
    from asymp.reports.cli.texts import MEASUREMENTS

    tested = {"missing_mass", "recall_error", "score_moments", "train_facts", "train_induction", "train_memory"}
    assert tested == set(MEASUREMENTS)


def test_cite(asymp):
    assert "cabannes2024" in asymp("cite", "missing-mass").out
    assert "bietti2025" not in asymp("cite", "missing-mass").out
    assert set(json.loads(asymp("cite", "--json").out)) >= {"asymp", "cabannes2024", "bietti2025"}


def test_check_prints_budget_and_triad(asymp):
    ran = asymp("check", "score-variance")
    assert ran.code == 0
    assert "budget 1.5e-05" in ran.out and "would have detected" in ran.out and "1 supported" in ran.out
    data = json.loads(asymp("check", "score-variance", "--json", "--quiet").out)
    assert data[0]["outcome"] == "supported"
    part = data[0]["parts"][0]
    assert {"statement", "smallest_discrepancy", "replicas_needed", "p_value", "margin"} <= set(part)


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
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(asymp, command, words):
    ran = asymp(*command)
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert "Traceback" not in ran.err and ran.out == ""


SLOPES = {"right": "b", "wrong": "b + 0.1"}
FILE = (Path(__file__).resolve().parents[2] / "examples" / "my_rate.py").read_text()


@pytest.mark.parametrize("change", ["", "c * d**(-b - 0.1)", "c * d**(-b + 0.1)"])
def test_a_claim_of_your_own_and_the_same_with_a_wrong_exponent(asymp, tmp_path, change):
    file = tmp_path / "mine.py"
    file.write_text(FILE.replace("c * d**(-b)", change) if change else FILE)
    ran = asymp("check", "--claims", file, "my-rate")
    assert ran.code == (1 if change else 0), ran.out
    assert f"my-rate: {'refuted' if change else 'supported'}" in ran.out


def test_the_example_is_short():
    code = [line for line in FILE.splitlines() if line.strip()]
    assert len(code) < 20


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def broken(:\n", "syntax error in line 1"),
        ("x = 1\n", "declares no claim"),
        ("x = 1\ny = 1 / 0\n", "error in line 2: ZeroDivisionError"),
        (
            "from asymp.theory import law\nlaw('a', 'd', relation='?', params={'d': (1, 2)})\n",
            "relation must be one of",
        ),
        ("import no_such_module\n", "No module named"),
    ],
)
def test_a_bad_claims_file_is_told_in_one_sentence(asymp, tmp_path, text, words):
    file = tmp_path / "bad.py"
    file.write_text(text)
    ran = asymp("check", "--claims", file)
    assert ran.code == 2
    assert words in ran.err and len(ran.err.strip().splitlines()) == 1


def test_an_experiment_that_fails_exits_with_4(asymp, tmp_path):
    file = tmp_path / "fails.py"
    file.write_text(FILE.replace("    return ", "    raise OSError('lost')\n    return "))
    ran = asymp("check", "--claims", file)
    assert ran.code == 4
    assert "experiment 'my-rate' failed at" in ran.err and "Traceback" not in ran.err


def test_strict_exits_with_3_when_something_is_inconclusive(asymp, tmp_path):
    file = tmp_path / "few.py"
    file.write_text(FILE.replace("margin=0.05", "margin=0.001"))
    assert asymp("check", "--claims", file).code == 0
    assert asymp("check", "--claims", file, "--strict").code == 3


def test_ctrl_c_exits_with_130_and_says_how_to_go_on(asymp, monkeypatch):
    from asymp.montecarlo import Experiment

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Experiment, "blocks", interrupted)
    ran = asymp("check", "missing-mass")
    assert ran.code == 130
    assert "run the same command again" in ran.err


def test_the_console_script_runs():
    script = Path(sys.executable).with_name("asymp")
    ran = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("asymp, version ")


def test_progress_is_plain_lines_when_not_a_terminal(asymp):
    ran = asymp("check", "score-variance")
    assert re.search(r"score-variance: \d+ of \d+ cells, \d+ s", ran.err)
    assert "\x1b" not in ran.err + ran.out


def test_progress_is_a_bar_on_a_terminal():
    import pty

    leader, follower = pty.openpty()
    script = Path(sys.executable).with_name("asymp")
    with subprocess.Popen(
        [script, "check", "score-variance"],
        stderr=follower,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(follower)
        seen = b""
        while True:
            try:
                chunk = os.read(leader, 4096)
            except OSError:
                break
            if not chunk:
                break
            seen += chunk
        assert process.wait() == 0
    os.close(leader)
    assert b"cells" in seen and b"\x1b[" in seen and b"left" in seen


def test_asymp_alone_says_what_to_do_next(asymp):
    ran = asymp()
    assert ran.code == 0 and "asymp report" in ran.out and "asymp check missing-mass" in ran.out
