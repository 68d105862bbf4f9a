"""A Dask cluster that is already there: `--cluster tcp://HOST:PORT`. Dask tries lost work again on other workers.

Nothing here listens. A `tls://` address takes its certificates from Dask's own configuration
(`distributed.comm.tls`, or the environment: DASK_DISTRIBUTED__COMM__TLS__CA_FILE and so on).
"""

from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from typing import Any

from asymp.montecarlo.executors.pools import PACE, Borrowed

__all__ = ["DaskCluster"]

RETRIES = 3
SECONDS_TO_CONNECT = 10


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
        self.workers = max(1, sum(self._client.nthreads().values()))
        self.slots, self.pace = 2 * self.workers + 1, PACE
        self._inner = Borrowed(self._client.get_executor(pure=False, retries=RETRIES), workers=self.workers)

    def submit(self, function: Callable[..., Any], task: Any) -> "Future[Any]":
        """Have some worker run it."""
        return self._inner.submit(function, task)

    def recover(self) -> bool:
        """Dask looks after its workers itself."""
        return False

    def consider(self, *, spent: float, left: float) -> None:
        """Use workers that have joined since."""
        self.workers = max(1, sum(self._client.nthreads().values()))
        self.slots = 2 * self.workers + 1

    def close(self, *, now: bool) -> None:
        """Leave the cluster; what has not begun is withdrawn."""
        self._inner.close(now=now)
        self._client.close()
