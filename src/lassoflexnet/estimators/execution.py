"""Where and how a fit runs: device, threads, random numbers.

None of it changes what is learned, but for the seed.
"""

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


@contextmanager
def threads(n_threads: int | None) -> Iterator[None]:
    """Run with so many torch threads, then restore the number; None leaves it alone."""
    if n_threads is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(n_threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


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
