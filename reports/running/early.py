"""Workers that load while the command itself does: torch takes more than a second to import, in whichever process."""

import multiprocessing
import time

__all__ = ["start_early"]

# What the workers of a check need: the cells' code, and the judges' with the laws'.
LOADED = ["asymp.montecarlo.executors.task", "asymp.reports.running.judging", "sympy"]


def start_early() -> float | None:
    """Have the server of worker processes begin to load, and say when; None where processes are spawned one by one.

    This imports nothing of ours, so that it can come first. A server that is running already stays as it is.
    """
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return None
    from multiprocessing.forkserver import ensure_running, set_forkserver_preload

    set_forkserver_preload(LOADED)
    ensure_running()
    return time.monotonic()
