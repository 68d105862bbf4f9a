"""Writing cells beside the work: a few threads, because syncs that wait together cost hardly more than one."""

import threading
from concurrent.futures import ThreadPoolExecutor

from asymp.montecarlo.store.cellfile import Cell
from asymp.montecarlo.store.folder import Store

__all__ = ["Writer"]

THREADS = 4
MOST_WAITING = (
    32  # cells whose values are known but not yet on the disk: what a kill can lose, apart from those in work
)


class Writer:
    """Keeps cells in a store in the background. A cell that cannot be kept is counted, with the reason."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.kept = 0
        self.lost = 0
        self.reason = ""
        self._room = threading.Semaphore(MOST_WAITING)
        self._count = threading.Lock()
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="asymp-store")

    def keep(self, cell: Cell) -> None:
        """Have a cell written; waits only if many others are waiting."""
        self._room.acquire()
        self._threads.submit(self._write, cell)

    def _write(self, cell: Cell) -> None:
        try:
            self.store.write(cell)
            with self._count:
                self.kept += 1
        except Exception as error:
            with self._count:
                self.lost += 1
                self.reason = getattr(error, "strerror", None) or type(error).__name__
        finally:
            self._room.release()

    def close(self) -> None:
        """Wait until everything is on the disk."""
        self._threads.shutdown(wait=True)
