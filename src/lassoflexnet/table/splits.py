"""Hold-out split: which rows train and which judge.

Called by the estimators before anything is fitted.
"""

import numpy as np

from lassoflexnet.exceptions import InvalidInput


def holdout(
    n: int, fraction: float, y: np.ndarray | None = None, *, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Split n rows at random in two, neither of them empty.

    Parameters
    ----------
    n : int
        Number of rows, at least 2.
    fraction : float
        Share of the rows to hold out, between 0 and 1.
    y : ndarray of shape (n,) or None
        Class codes. If given, each class is held out in proportion, and the last row of a
        class is left for training (unless every class has just one).
    rng : numpy.random.Generator
        Source of randomness.

    Returns
    -------
    train, validation : ndarray of int
        Row numbers, ascending.

    Examples
    --------
    >>> train, validation = holdout(10, 0.2, rng=np.random.default_rng(0))
    >>> len(train), len(validation)
    (8, 2)
    """
    if n < 2:
        raise InvalidInput(
            f"Found array with {n} sample(s) while a minimum of 2 is required: "
            "one to train on and one to hold out."
        )
    if not 0 < fraction < 1:
        raise InvalidInput(f"`fraction` is {fraction}. Use a number between 0 and 1.")
    n_held = min(max(1, round(n * fraction)), n - 1)
    shuffled = rng.permutation(n)
    is_held = np.zeros(n, dtype=bool)
    is_held[_in_proportion(shuffled, n_held, y)] = True
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)


def _in_proportion(shuffled: np.ndarray, n_held: int, y: np.ndarray | None) -> np.ndarray:
    """First rows of each class in shuffled order, as many as its quota."""
    if y is None:
        return shuffled[:n_held]
    _, code, count = np.unique(y[shuffled], return_inverse=True, return_counts=True)
    if count.max() == 1:
        return shuffled[:n_held]
    by_class = np.argsort(code, kind="stable")
    place = np.empty(len(code), dtype=np.int64)
    place[by_class] = np.arange(len(code)) - np.repeat(np.cumsum(count) - count, count)
    return shuffled[place < _quotas(count, n_held, code)[code]]


def _quotas(count: np.ndarray, n_held: int, code: np.ndarray) -> np.ndarray:
    """Rows to hold out of each class: its share rounded, always short of the whole class."""
    share = n_held * count / count.sum()
    quota = np.floor(share).astype(np.int64)
    # Equal remainders are common (many small classes); the class of the row shuffled first
    # goes first, so that they are settled by chance and not by class number.
    _, chance = np.unique(code, return_index=True)
    for _ in range(n_held - int(quota.sum())):
        has_room = np.flatnonzero(quota < count - 1)
        if has_room.size == 0:
            break
        remainder = (share - quota)[has_room]
        quota[has_room[np.lexsort((chance[has_room], -remainder))[0]]] += 1
    return quota
