"""What a method is: something that can be fitted to a split, and then predicts.

Every adapter is a frozen dataclass of its settings with one method, ``fit``.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol

import numpy as np
import pandas as pd

from lassoflexnet.bench.rows import Split


class Fitted(NamedTuple):
    """A fitted method.

    Attributes
    ----------
    predict : callable
        Rows -> predictions: (n,) numbers, or (n, n_classes) probabilities.
    selected : tuple of str or None
        Columns that it uses; None if it does not select.
    facts : dict
        Anything worth keeping beside the scores; must be JSON.
    learnt_validation : bool
        Whether the validation rows were trained on in the end: they are no judges then.
    """

    predict: Callable[[pd.DataFrame], np.ndarray]
    selected: tuple[str, ...] | None = None
    facts: dict | None = None
    learnt_validation: bool = False


class Method(Protocol):
    """A frozen dataclass of settings.

    ``fit`` sees the training and the validation rows of a split and its task, uses one
    thread, and is the same for the same seed.
    """

    def fit(self, split: Split, seed: int) -> Fitted: ...  # noqa: D102


def spread(probabilities: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Probabilities of the classes that were trained on -> of all classes.

    >>> spread(np.array([[0.25, 0.75]]), np.array([0, 2]), 3)
    array([[0.25, 0.  , 0.75]])
    """
    found = np.zeros((len(probabilities), n_classes))
    found[:, np.asarray(classes, dtype=int)] = probabilities
    return found
