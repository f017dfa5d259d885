"""Where and how a fit runs: device, threads, random numbers.

None of it changes what is learned, but for the seed.
"""

import ctypes
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import RLock

import numpy as np
import torch
from sklearn.utils import check_random_state

from lassoflexnet.exceptions import InvalidInput

# Torch's generator is one for all threads: fits in several of them take turns, or a seed
# would not give the same model every time.
_ONE_AT_A_TIME = RLock()


# Of malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_MIB = 1 << 20


def find_device(name: str) -> torch.device:
    """Device by name; "auto" is a CUDA device where there is one, else the CPU."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.zeros(1, device=name).item()
        return torch.device(name)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise InvalidInput(
            f"`device` is {name!r}, which this machine does not have. "
            "Use 'auto', 'cpu', or a device that torch finds, such as 'cuda:0'."
        ) from error


# Multiplications of a step below which a second thread costs more than it helps; beside
# another busy process it can make a small fit many times slower.
SHARED_STEP = 1 << 24


def worth_sharing(n_threads: int | None, n_weights: int, batch_size: int) -> int | None:
    """Threads for training: what the user says, else one where a step is small.

    >>> [worth_sharing(None, n, 500) for n in (1_000, 1_000_000)]
    [1, None]
    >>> worth_sharing(2, 1_000, 500)
    2
    """
    small = n_weights * batch_size < SHARED_STEP
    return 1 if n_threads is None and small else n_threads


@contextmanager
def threads(n_threads: int | None) -> Iterator[None]:
    """Run with so many torch threads, then restore the number; None leaves it alone."""
    before = torch.get_num_threads()
    if n_threads in (None, before):
        yield
        return
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def kept_memory() -> Iterator[None]:
    """Let malloc keep what training frees, for training will ask for it again at once.

    Otherwise glibc hands large blocks back to the system and gets them anew, page by page,
    at every step. Afterwards what is free is handed
    back; the threshold for blocks of their own stays at 32 MiB, which is where glibc's own
    rule ends up in a process that has freed large arrays. Nothing happens where the C
    library is another one.
    """
    libc = _glibc()
    if libc is None:
        yield
        return
    libc.mallopt(_MMAP_THRESHOLD, 32 * _MIB)
    libc.mallopt(_TRIM_THRESHOLD, 1024 * _MIB)
    try:
        yield
    finally:
        libc.mallopt(_TRIM_THRESHOLD, _MIB)
        libc.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if not sys.platform.startswith("linux"):
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None


@contextmanager
def seeded(random_state: object) -> Iterator[np.random.Generator]:
    """Seed everything below from one number; the user's global states are left alone.

    Yields the generator for what numpy draws (split, samples of rows); torch draws
    from its global generator, which is put back afterwards.
    """
    # Not scikit-learn's reading of None, which would draw from numpy's global state.
    seed = None
    if random_state is not None:
        seed = int(check_random_state(random_state).randint(np.iinfo(np.int32).max))
    numpy_seed, torch_seed = np.random.SeedSequence(seed).generate_state(2)
    with _ONE_AT_A_TIME, torch.random.fork_rng(devices=range(torch.cuda.device_count())):
        torch.manual_seed(int(torch_seed))
        yield np.random.default_rng(int(numpy_seed))
