"""How well sizes of weights tell columns apart: two measures of rank.

Used by the analyses of skip weights.
"""

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score


def auc(sizes: np.ndarray, truth: np.ndarray) -> float:
    """Chance that a true column is larger than a false one; ties count half.

    >>> auc(np.array([3.0, 2.0, 1.0]), np.array([True, True, False]))
    1.0
    """
    return float(roc_auc_score(truth, sizes))


def rank_correlation(a: np.ndarray, b: np.ndarray) -> float:
    """Spearman's correlation, ties ranked by their mean; 0 if either does not vary.

    >>> rank_correlation(np.array([1.0, 2.0, 5.0]), np.array([0.1, 0.3, 0.4]))
    1.0
    """
    centred = [ranks - ranks.mean() for ranks in (rankdata(a), rankdata(b))]
    size = float(np.sqrt(np.prod([np.square(ranks).sum() for ranks in centred])))
    return float((centred[0] * centred[1]).sum()) / size if size > 0 else 0.0
