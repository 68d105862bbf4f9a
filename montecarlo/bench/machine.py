"""What a machine is called in a table of speeds: CPU model, cores, versions. No host, user or path."""

import os
import platform
from pathlib import Path

import numpy as np
import torch

__all__ = ["describe_machine"]


def describe_machine() -> dict[str, str | int]:
    """CPU model, number of cores, GPU if any, and the versions that matter."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count() or 1,
        "gpu": torch.cuda.get_device_name(0) if torch.cuda.is_available() else "none",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.is_file():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
