"""Where work runs beyond this machine: a Dask cluster, or SLURM through submitit.

Dask, `--cluster tcp://HOST:PORT`: a cluster that is already there. It tries lost work again on other workers. A cluster
whose scheduler has gone, or that has had no worker for a minute, has ended: what is left is then missing. Nothing here
listens. A `tls://` address takes its certificates from Dask's own configuration (`distributed.comm.tls`, or the
environment: DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on).

SLURM, `--cluster slurm:PARTITION`: each job computes one cell of about a minute. For sweeps of many hours a job array of
`--shard i/n` is the better way: it needs no process that waits for it.
"""

import contextlib
import gc
import logging
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from asymp.montecarlo.running.pools import Borrowed, Pool

RETRIES = 3
SECONDS_TO_CONNECT = 10
SECONDS_WITHOUT_WORKERS = 60
SECONDS_BETWEEN_LOOKS = 0.2
MINUTES_A_JOB = 60
MOST_JOBS = 64
R = TypeVar("R")


def connect(cluster: str, *, folder: Path | None = None) -> Pool:
    """The pool of a cluster: tcp://HOST:PORT of a Dask scheduler, or slurm:PARTITION, whose files are in `folder` meanwhile."""
    kind, colon, rest = cluster.partition(":")
    if colon and kind in ("tcp", "tls", "ucx", "ws", "wss") and rest.startswith("//") and ":" in rest:
        return DaskCluster(cluster)
    if kind == "slurm":
        return Slurm(rest, folder=folder)
    raise ValueError(f"cluster must be tcp://HOST:PORT (a Dask scheduler) or slurm:PARTITION; got {cluster!r}")


class DaskCluster(Pool):
    """The workers of a Dask scheduler, as a pool."""

    def __init__(self, address: str) -> None:
        try:
            client: Any = import_module("distributed").Client
        except ImportError:
            raise ValueError("a Dask cluster needs the extra: pip install 'asymp[dask]'") from None
        try:
            with _no_finalizers():
                self._client = client(address, timeout=SECONDS_TO_CONNECT, set_as_default=False)
        except Exception as error:
            # OSError, TimeoutError, a malformed address, TLS errors: whatever it is, there is no cluster.
            reason = " ".join(str(error).split()).partition(" after ")[0][:160] or type(error).__name__
            raise ValueError(f"the Dask scheduler of --cluster cannot be reached ({reason})") from None
        try:
            self._client.wait_for_workers(1, timeout=SECONDS_TO_CONNECT)
        except Exception:
            self._client.close()
            raise ValueError("the Dask scheduler of --cluster has no workers; start some and try again") from None
        self.workers = max(1, self._threads())
        self._asked = self._seen = time.monotonic()
        self._gone = False
        self._inner = Borrowed(self._client.get_executor(pure=False, retries=RETRIES), workers=self.workers)

    def _threads(self) -> int:
        """The threads of all workers; 0 if there are none, or nobody to ask."""
        try:
            return sum(self._client.nthreads().values())
        except Exception:
            return 0

    @property
    def slots(self) -> int:
        """Uses workers that have joined since; gives up a cluster that has been without any for long."""
        now = time.monotonic()
        if now - self._asked < SECONDS_BETWEEN_LOOKS:
            return 2 * self.workers + 1
        self._asked, threads = now, 0 if self._gone else self._threads()
        if threads:
            self._seen, self.workers = now, threads
        elif self._client.status != "running" or now - self._seen > SECONDS_WITHOUT_WORKERS:
            self._gone = True
            self._inner.close(now=True)
        return 2 * self.workers + 1

    def submit(self, function: Callable[..., R], *arguments: object) -> "Future[R]":
        """Have some worker run it."""
        if self._gone:
            raise BrokenExecutor("the Dask cluster has gone")
        return self._inner.submit(function, *arguments)

    def close(self, *, now: bool) -> None:
        """Leave the cluster; what has not begun is withdrawn."""
        with contextlib.suppress(Exception), _quiet():
            self._inner.close(now=now)
            self._client.close(timeout=SECONDS_TO_CONNECT)


@contextlib.contextmanager
def _no_finalizers() -> Iterator[None]:
    """No garbage collection: a Dask client that failed to connect waits for ever if it is finalized while another starts."""
    gc.collect()
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Without Dask's many log lines on work that is withdrawn: one sentence of ours says the same."""
    loggers = [logging.getLogger(name) for name in ("distributed", "asyncio", "tornado.application")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)


class Slurm(Pool):
    """Jobs of a SLURM partition, as a pool; `cluster="local"` runs them as processes here, for tests."""

    def __init__(
        self, partition: str = "", *, cluster: str = "slurm", folder: Path | None = None, jobs: int = MOST_JOBS
    ) -> None:
        try:
            import submitit
        except ImportError:
            raise ValueError("SLURM needs the extra: pip install 'asymp[slurm]'") from None
        if cluster == "slurm" and shutil.which("sbatch") is None:
            raise ValueError("there is no SLURM here: the command sbatch is not found")
        self.workers = jobs
        if cluster == "slurm":
            self.pace = (60.0, 60.0)
        # submitit's own files name hosts and paths: they are next to the results only while the run lasts.
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._folder = Path(tempfile.mkdtemp(prefix="jobs-", dir=folder))
        self._executor = submitit.AutoExecutor(folder=self._folder, cluster=cluster)
        options: dict[str, Any] = {"timeout_min": MINUTES_A_JOB, "name": "asymp", "cpus_per_task": 1}
        if partition:
            options["slurm_partition"] = partition
        self._executor.update_parameters(**options)
        self._jobs: dict[Future[Any], Any] = {}
        self._turn = threading.Lock()
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()

    @property
    def slots(self) -> int:
        """As many jobs as there may be: SLURM has a line of its own."""
        return self.workers

    def submit(self, function: Callable[..., R], *arguments: object) -> "Future[R]":
        """Submit a job."""
        future: Future[R] = Future()
        future.set_running_or_notify_cancel()
        job = self._executor.submit(function, *arguments)
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
