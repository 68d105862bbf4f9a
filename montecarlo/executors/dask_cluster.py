"""A Dask cluster that is already there: `--cluster tcp://HOST:PORT`. Dask tries lost work again on other workers.

A cluster whose scheduler has gone, or that has had no worker for a minute, has ended: what is left is then missing.

Nothing here listens. A `tls://` address takes its certificates from Dask's own configuration
(`distributed.comm.tls`, or the environment: DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on).
"""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future
from importlib import import_module
from typing import Any

from asymp.montecarlo.executors.pools import PACE, Borrowed

__all__ = ["DaskCluster"]

RETRIES = 3
SECONDS_TO_CONNECT = 10
SECONDS_WITHOUT_WORKERS = 60


class DaskCluster:
    """The workers of a Dask scheduler, as a pool."""

    local = False

    def __init__(self, address: str) -> None:
        try:
            client: Any = import_module("distributed").Client
        except ImportError:
            raise ValueError("a Dask cluster needs the extra: pip install 'asymp[dask]'") from None
        try:
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
        self.slots, self.pace = 2 * self.workers + 1, PACE
        self._seen, self._gone = time.monotonic(), False
        self._inner = Borrowed(self._client.get_executor(pure=False, retries=RETRIES), workers=self.workers)

    def _threads(self) -> int:
        """The threads of all workers; 0 if there are none, or nobody to ask."""
        try:
            return sum(self._client.nthreads().values())
        except Exception:
            return 0

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Have some worker run it."""
        if self._gone:
            raise BrokenExecutor("the Dask cluster has gone")
        return self._inner.submit(function, task)

    def recover(self) -> bool:
        """Dask looks after its workers itself."""
        return False

    def consider(self, *, spent: float, left: float) -> None:
        """Use workers that have joined since; give up a cluster that has been without any for long."""
        threads = 0 if self._gone else self._threads()
        if threads:
            self._seen, self.workers, self.slots = time.monotonic(), threads, 2 * threads + 1
        elif self._client.status != "running" or time.monotonic() - self._seen > SECONDS_WITHOUT_WORKERS:
            self._gone = True
            self._inner.close(now=True)

    def close(self, *, now: bool) -> None:
        """Leave the cluster; what has not begun is withdrawn."""
        with contextlib.suppress(Exception), _quiet():
            self._inner.close(now=now)
            self._client.close(timeout=SECONDS_TO_CONNECT)


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Of work that is withdrawn Dask says in many lines what has been, or will be, said in one."""
    loggers = [logging.getLogger(name) for name in ("distributed", "asyncio", "tornado.application")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
