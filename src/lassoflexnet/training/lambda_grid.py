"""Lambda grids: polynomial spacing between two ends.

Used by the path.
"""

import numpy as np


def polynomial(start: float, end: float, n: int, power: float) -> np.ndarray:
    """Equally spaced in lambda^(1/power), as the paper spaces its path.

    Power 1 is linear; the larger the power, the closer to geometric.

    >>> polynomial(1e-7, 1e-3, 20, 0.95)[1].round(7)
    np.float64(6.1e-05)
    """
    if n == 1:
        return np.array([start])
    share = np.arange(n) / (n - 1)
    low, high = start ** (1 / power), end ** (1 / power)
    return (low + share * (high - low)) ** power
