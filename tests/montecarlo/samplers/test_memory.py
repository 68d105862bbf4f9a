"""Memory stays bounded: peaks are measured in a process of their own, where nothing else has raised them before."""

import json
import math
import subprocess
import sys
from typing import Any

import pytest
import torch

from asymp.montecarlo.checks import check_memory, memory_there
from asymp.montecarlo.samplers.memory_training.memory import train_memory
from asymp.montecarlo.samplers.recall.error import recall_error
from asymp.montecarlo.samplers.score_moments import score_moments

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")

PEAKS = """
import json, re, sys
from pathlib import Path
from asymp.montecarlo import recall_error, train_memory

def peak():
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text()).group(1)) / 1024

peaks = []
for name, arguments in json.loads(sys.argv[1]):
    Path("/proc/self/clear_refs").write_text("5")
    {"recall": recall_error, "train": train_memory}[name](**arguments)
    peaks.append(peak())
print(json.dumps(peaks))
"""


def peaks(*runs: tuple[str, dict[str, Any]]) -> list[float]:
    """The peak of each run in megabytes, in one process."""
    ran = subprocess.run(
        [sys.executable, "-c", PEAKS, json.dumps(runs)], capture_output=True, text=True, timeout=600, check=True
    )
    found: list[float] = json.loads(ran.stdout)
    return found


CASES: list[tuple[str, dict[str, Any]]] = [
    ("recall", {"alpha": 1, "N": 3000, "M": 5, "d": 100}),
    ("recall", {"alpha": 1, "N": 3000, "M": 5, "d": 100, "T": 2000, "rho": 1}),
    ("recall", {"alpha": 1, "N": 100, "M": 5, "d": 200, "inputs": "sphere"}),
    ("train", {"alpha": 1, "N": 200, "M": 5, "d": 150, "T": 4, "lr": 1.0, "optimiser": "sign"}),
]


@pytest.mark.slow
def test_peaks_do_not_grow_with_replicas() -> None:
    """400 replicas more: at once, the normals of the inputs alone would take 48 MB (recall) to 96 MB (training)."""
    found = peaks(*[(name, {**case, "replicas": n}) for name, case in CASES for n in (100, 500)])
    for (name, case), few, many in zip(CASES, found[::2], found[1::2], strict=True):
        assert many - few < 20, (name, case)


@pytest.mark.slow
def test_a_million_inputs_fit_into_two_gigabytes() -> None:
    """With all samples and with T of them: some 25 numbers an input, 200 MB, and the interpreter with torch."""
    million: dict[str, Any] = {"alpha": 1, "N": 10**6, "M": 5, "d": 1000, "replicas": 2}
    start, *reached = peaks(CASES[0], ("recall", million), ("recall", {**million, "T": 10**5, "rho": 0.5}))
    assert max(reached) - start < 500
    assert max(reached) < 2000


LIMITED = """
import resource
from asymp.montecarlo import recall_error
from asymp.montecarlo.checks import memory_there
limit = 6 * 2**30
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
assert memory_there() <= limit
try:
    recall_error(alpha=1, N=5, M=2, d=40_000, route="naive", replicas=1)
except ValueError as refused:
    print(refused)
"""


def test_a_limit_of_the_process_is_respected() -> None:
    """d = 40000: one W has 12.8 GB, in a process that may have 6."""
    ran = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True, timeout=120, check=True)
    assert "M = 2, d = 40000, N = 5 need about 12.8" in ran.stdout
    assert "GB of memory, and there are " in ran.stdout


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (recall_error, {"alpha": 1, "N": 5, "M": 2, "d": 10**6, "route": "naive"}),
        (recall_error, {"alpha": 1, "N": 5, "M": 10**6, "d": 10**7}),
        (recall_error, {"alpha": 1, "N": 5, "M": 10**10, "d": 4}),
        (recall_error, {"alpha": 1.3, "N": math.inf, "M": 5, "d": 10, "T": 10**12}),
        (score_moments, {"alpha": 1, "N": 5, "M": 2, "d": 10**6, "route": "naive"}),
        (train_memory, {"alpha": 1, "N": 5, "M": 2, "d": 10**6, "T": 8, "lr": 1.0, "optimiser": "adam"}),
        (train_memory, {"alpha": 1, "N": 10**8, "M": 2, "d": 1000, "T": 8, "lr": 1.0}),
        (train_memory, {"alpha": 1, "N": 5, "M": 2, "d": 4, "T": 10**10, "lr": 1.0}),
        (train_memory, {"alpha": 1, "N": 5, "M": 2, "d": 4, "T": 10, "lr": 1.0, "replicas": 10**12}),
    ],
)
def test_too_little_memory_is_said_before_work_starts(function: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="memory") as caught:
        function(**arguments)
    assert "GB" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_fits_is_not_refused() -> None:
    cpu = torch.device("cpu")
    have = memory_there(cpu)
    check_memory("a little", have / 8 * 0.79, cpu)
    with pytest.raises(ValueError, match="too much need about"):
        check_memory("too much", have / 8 * 0.81, cpu)
