"""What a fitted network's outputs mean: numbers, or classes.

Mixed into the estimators, left of their base.
"""

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin

from lassoflexnet.estimators.targets import Labels, Numbers


class RegressionFace(RegressorMixin):
    """Predicts numbers."""

    def _target_reader(self) -> Numbers:
        return Numbers()

    def predict(self, X: Any) -> np.ndarray:
        """Predict the target.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (n, d)
            Rows. Columns of a named frame are found by name, in any order.

        Returns
        -------
        ndarray of shape (n,)
            Predictions in the unit of the training target.
        """
        outputs = self._outputs(X)
        return self._target.decode(outputs)


class ClassificationFace(ClassifierMixin):
    """Predicts classes and their probabilities."""

    def _target_reader(self) -> Labels:
        return Labels(self.class_weight)

    @property
    def classes_(self) -> np.ndarray:
        """Class labels, sorted."""
        if not hasattr(self, "_target"):
            raise AttributeError("`classes_` is known after `fit`.")
        return self._target.classes

    def decision_function(self, X: Any) -> np.ndarray:
        """Logits: shape (n,) for two classes, else (n, n_classes).

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (n, d)
            Rows.
        """
        logits = self._outputs(X).numpy()
        return logits[:, 0] if logits.shape[1] == 1 else logits

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, in the order of ``classes_``: (n, n_classes).

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (n, d)
            Rows. Columns of a named frame are found by name, in any order.
        """
        outputs = self._outputs(X)
        return self._target.probabilities(outputs)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Logarithm of ``predict_proba``: (n, n_classes).

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (n, d)
            Rows.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """Most probable class of each row: (n,).

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (n, d)
            Rows. Columns of a named frame are found by name, in any order.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]
