"""What a worker process does first: one torch thread, deaf to Ctrl-C, and gone when its parent is."""

import multiprocessing
import os
import signal
import threading
from multiprocessing.context import BaseContext

__all__ = ["context", "start", "start_server"]


def context() -> BaseContext:
    """How processes are started: from a clean server that has torch loaded, never by a fork of a process with threads."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    chosen = multiprocessing.get_context("forkserver")
    chosen.set_forkserver_preload(["asymp.montecarlo.executors.task"])
    return chosen


def start_server() -> None:
    """Have the server begin to load, without waiting for it; where processes are spawned one by one there is none."""
    if context().get_start_method() == "forkserver":
        from multiprocessing.forkserver import ensure_running

        ensure_running()


def start() -> None:
    """Called in each worker before its first task."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the whole group; the parent ends its workers itself
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    import torch

    torch.set_num_threads(1)


def _follow(parent: "multiprocessing.process.BaseProcess") -> None:
    """End this process when its parent has gone, however it went."""
    parent.join()
    os._exit(1)
