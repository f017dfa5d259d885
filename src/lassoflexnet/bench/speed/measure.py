"""Timing side by side: what is compared takes turns, so that a busy moment hits all alike.

Used by every section of the speed benchmark.
"""

import os
import platform
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from lassoflexnet.bench.checking import Check

Work = Callable[[], Any]


class Section(NamedTuple):
    """What a part of the benchmark found: checks, and figures without a bar."""

    checks: list[Check]
    figures: dict[str, Any]


def medians(work: dict[str, Work], repeats: int, warm_up: int = 2) -> dict[str, float]:
    """Median seconds of each, called in turns."""
    for _ in range(warm_up):
        for run in work.values():
            run()
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(repeats):
        for name, run in work.items():
            started = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - started)
    return {name: statistics.median(found) for name, found in seconds.items()}


def seconds_of(run: Work) -> float:
    """Seconds of one call."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def slope(sizes: list[int], seconds: list[float]) -> float:
    """Exponent of growth: slope of log seconds over log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def machine(n_threads: int) -> dict[str, Any]:
    """Facts of the machine that the ratios were measured on."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cpu": _cpu_name(),
        "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "cores": os.cpu_count(),
        "threads": n_threads,
        "memory_gib": round(memory / 2**30, 1),
        "python": platform.python_version(),
        "torch": torch.__version__,
    }


def _cpu_name() -> str:
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()
