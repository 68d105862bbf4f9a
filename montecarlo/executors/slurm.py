"""SLURM through submitit: `--cluster slurm:PARTITION`. Each job computes one cell of about a minute.

For sweeps of many hours a job array of `--shard i/n` is the better way: it needs no process that waits for it.
"""

import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

__all__ = ["Slurm"]

SECONDS_BETWEEN_LOOKS = 0.2
MINUTES = 60
MOST_JOBS = 64


class Slurm:
    """Jobs of a SLURM partition, as a pool; `cluster="local"` runs them as processes here, for tests."""

    local = False

    def __init__(
        self, partition: str = "", *, cluster: str = "slurm", folder: Path | None = None, jobs: int = MOST_JOBS
    ) -> None:
        try:
            import submitit
        except ImportError:
            raise ValueError("SLURM needs the extra: pip install 'asymp[slurm]'") from None
        if cluster == "slurm" and shutil.which("sbatch") is None:
            raise ValueError("there is no SLURM here: the command sbatch is not found")
        self.workers, self.slots, self.pace = jobs, jobs, ((60.0, 60.0) if cluster == "slurm" else (2.0, 10.0))
        # submitit's own files name hosts and paths: they live beside the results only while the run does.
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="jobs-", dir=folder))
        self._executor = submitit.AutoExecutor(folder=self._folder, cluster=cluster)
        options: dict[str, Any] = {"timeout_min": MINUTES, "name": "asymp", "cpus_per_task": 1}
        if partition:
            options["slurm_partition"] = partition
        self._executor.update_parameters(**options)
        self._jobs: dict[Future[Any], Any] = {}
        self._turn = threading.Lock()
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Submit a job."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        job = self._executor.submit(function, task)
        with self._turn:
            self._jobs[future] = job
        return future

    def _watch(self) -> None:
        while not self._ended.wait(SECONDS_BETWEEN_LOOKS):
            with self._turn:
                finished = [(f, job) for f, job in self._jobs.items() if job.done()]
                for future, _ in finished:
                    del self._jobs[future]
            for future, job in finished:
                try:
                    future.set_result(job.result())
                except Exception as error:
                    # submitit's messages hold paths and logs; the kind of failure is enough here.
                    future.set_exception(RuntimeError(f"a job failed ({type(error).__name__})"))

    def recover(self) -> bool:
        """SLURM looks after its nodes itself."""
        return False

    def consider(self, *, spent: float, left: float) -> None:
        """Stay as it is."""

    def close(self, *, now: bool) -> None:
        """Withdraw the jobs that are left and remove submitit's files."""
        self._ended.set()
        self._watcher.join()
        for job in self._jobs.values():
            job.cancel()
        deadline = time.monotonic() + 5
        while self._jobs and time.monotonic() < deadline and not all(job.done() for job in self._jobs.values()):
            time.sleep(0.05)
        shutil.rmtree(self._folder, ignore_errors=True)
