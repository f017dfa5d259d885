"""What all estimators share: ``fit`` from table to chosen network, and its outputs.

Regressors and classifiers add what their target means; each builds a recipe.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
import torch
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted
from torch import Tensor

from lassoflexnet.assembly import build_network, sketched
from lassoflexnet.codes import CodeLayout
from lassoflexnet.estimators.execution import (
    find_device,
    kept_memory,
    seeded,
    threads,
    worth_sharing,
)
from lassoflexnet.estimators.inputs import warn_of_names, warn_of_nothing_kept
from lassoflexnet.estimators.reading import Job, Reader
from lassoflexnet.estimators.targets import Labels, Numbers
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn import Network
from lassoflexnet.recipe import Recipe
from lassoflexnet.training import FitResult, History, Monitor, Objective, Trainer
from lassoflexnet.training.evaluation import predict
from lassoflexnet.training.knockout import MAX_ROWS, knock_out
from lassoflexnet.training.tasks import RowMetric, Task, softened

SHARED_CONSTRAINTS: dict[str, list[Any]] = {
    "validation_fraction": [Interval(Real, 0, 1, closed="neither")],
    "eval_metric": [None, str],
    "categorical_features": [StrOptions({"auto"}), "array-like"],
    "random_state": ["random_state"],
    "device": [str],
    "n_threads": [None, Interval(Integral, 1, None, closed="left")],
    "verbose": ["verbose"],
}
CLASSIFIER_CONSTRAINTS: dict[str, list[Any]] = {
    **SHARED_CONSTRAINTS,
    "class_weight": [dict, StrOptions({"balanced"}), None],
}


class TabularEstimator(BaseEstimator, ABC):
    """Fits a recipe to a table; subclasses say which recipe and what the target means."""

    # Arguments that every subclass's constructor stores.
    validation_fraction: float
    eval_metric: str | None
    categorical_features: Any
    random_state: Any
    device: str
    n_threads: int | None
    verbose: int

    @abstractmethod
    def _recipe(self, n_rows: int) -> Recipe:
        """Recipe for so many training rows."""

    def _sizes(self, n_rows: int) -> dict[str, float]:  # noqa: ARG002
        """Sizes that follow the number of training rows; in a recipe there are none."""
        return {}

    @abstractmethod
    def _target_reader(self) -> Numbers | Labels:
        """How the target is read."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None) -> Self:
        """Fit the network and select columns.

        Parameters
        ----------
        X : pandas, polars or pyarrow table, or array-like of shape (n, d)
            Training rows, as they are: no scaling, no imputing, no encoding.
        y : array-like of shape (n,)
            Target.
        sample_weight : array-like of shape (n,) or None
            Weights of the rows in bins, loss and validation. A weight of 0 leaves a row out.
        eval_set : tuple (X_val, y_val) or (X_val, y_val, sample_weight), or None
            Validation rows. None holds out ``validation_fraction`` of the rows.

        Returns
        -------
        self
            The fitted estimator. If anything fails, an earlier fit is left as it was.
        """
        self._validate_params()
        reader = Reader(
            target=self._target_reader(),
            recipe=self._recipe,
            validation_fraction=self.validation_fraction,
            categorical_features=self.categorical_features,
            device=find_device(self.device),
        )
        with seeded(self.random_state) as rng, threads(self.n_threads), kept_memory():
            job = reader.read(X, y, sample_weight, eval_set, rng)
            task, monitor = job.target.task, Monitor(int(self.verbose))
            objective = Objective(task.loss, _metric(task, self.eval_metric), monitor)
            _say_what_was_read(job, self._sizes(job.data.train.n_rows), monitor)
            with threads(self._training_threads(job)):
                result = _trainer(job, objective).fit()
                importances = _importances(result, objective)
        self._keep(job, result, importances, monitor)
        warn_of_nothing_kept(self.n_selected_)
        return self

    def _training_threads(self, job: Job) -> int | None:
        batch_size = min(job.recipe.plan.dense.batch_size, job.data.train.n_rows)
        n_outputs = job.target.task.n_outputs
        with torch.device("meta"):
            network = build_network(job.recipe, job.data.layout, n_outputs)
        n_weights = sum(p.numel() for p in network.parameters())
        return worth_sharing(self.n_threads, n_weights, batch_size)

    def _keep(self, job: Job, result: FitResult, importances: np.ndarray, monitor: Monitor) -> None:
        """Set every fitted attribute; nothing above touches the estimator."""
        d = len(job.table.columns)
        self._features = job.columns[list(result.point.features)]
        self._table = job.table
        self._target = job.target
        # In float32, a row's prediction would depend on how many rows are asked for with it.
        self._network = result.network.cpu().finished()
        self.n_features_in_ = d
        if job.table.schema.named:
            self.feature_names_in_ = np.array(job.table.schema.names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self.support_ = _spread(np.ones(len(self._features), dtype=bool), self._features, d)
        self.selected_features_ = np.array(job.table.schema.names, dtype=object)[self.support_]
        self.n_selected_ = len(self._features)
        beta = self._network.gate().beta.numpy()
        weights = _spread(beta, self._features, d)
        self.skip_weights_ = weights[:, 0] if weights.shape[1] == 1 else weights
        self.feature_importances_ = _spread(importances, self._features, d)
        self.lambda_ = result.point.lam
        self.validation_loss_ = result.validation_loss
        self.screening_ = result.screening and result.screening.renumbered(job.columns, d)
        self.path_ = result.path.renumbered(job.columns, d)
        self.history_ = History(tuple(monitor.epochs))
        self.n_iter_ = len(monitor.epochs)

    def _outputs(self, X: Any) -> Tensor:
        """Outputs of the network on the link scale: (n, c), float64."""
        # `check_is_fitted` costs much of a single row's time, so it is called for its error alone.
        if not self.__sklearn_is_fitted__():
            check_is_fitted(self)
        if not self._table.schema.named:
            warn_of_names(X)
        with threads(self.n_threads):
            blocks = self._table.blocks(X, self._features)
            return torch.cat([predict(self._network, codes) for codes in blocks])

    def __sklearn_tags__(self) -> Tags:
        """Say what scikit-learn may expect."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        """Whether ``fit`` has succeeded once."""
        return hasattr(self, "_network")


def _trainer(job: Job, objective: Objective) -> Trainer:
    def build(recipe: Recipe, layout: CodeLayout) -> Network:
        return build_network(recipe, layout, job.target.task.n_outputs)

    return Trainer(
        job.recipe.plan,
        partial(build, job.recipe),
        job.data,
        objective,
        sketch=partial(build, sketched(job.recipe)),
    )


def _metric(task: Task, name: str | None) -> RowMetric:
    if name is None:
        return task.loss
    if name not in task.metrics:
        known = ", ".join(repr(known) for known in task.metrics)
        raise InvalidInput(f"`eval_metric` is {name!r}. Use None or one of {known}.")
    return task.metrics[name]


def _say_what_was_read(job: Job, sizes: Mapping[str, float], monitor: Monitor) -> None:
    data, d = job.data, len(job.table.columns)
    monitor.say(
        f"{data.train.n_rows} training and {data.validation.n_rows} validation rows, "
        f"{d} columns, {d - len(job.columns)} of them constant or empty"
    )
    for name, count in job.table.folded.items():
        monitor.say(f"column `{name}`: {count} rare categories share one slot")
    if sizes:
        listed = ", ".join(f"{name} {_short(value)}" for name, value in sizes.items())
        monitor.say(f"sizes by the number of rows: {listed}")
    departures = job.recipe.differences(Recipe())
    monitor.say(
        ", ".join(["default recipe", *(f"{k} {_short(v)}" for k, (v, _) in departures.items())]),
        level=2,
    )


def _short(value: Any) -> str:
    """Write a part by its name and numbers, a number with few digits."""
    if isinstance(value, dict):
        inside = {k: v for k, v in value.items() if k != "kind" and not isinstance(v, dict)}
        numbers = ", ".join(f"{k}={_short(v)}" for k, v in inside.items())
        return f"{value['kind']}({numbers})"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _importances(result: FitResult, objective: Objective) -> np.ndarray:
    """Share of each kept column in the rise of the loss when it is taken out: (k,).

    Of several networks each is as sure as they are together: one that is too sure loses by its
    best columns.
    """
    if not result.unseen:
        return np.zeros(0)
    most = MAX_ROWS // len(result.unseen)
    loss = softened(objective.loss, result.network.factor)
    rises = [
        # In steps, not from the start: folds are sorted by target.
        knock_out(network, rows.at(slice(None, None, -(-rows.n_rows // most))), loss).rise
        for network, rows in result.unseen
    ]
    rise = torch.stack(rises).mean(dim=0).clamp_min(0.0).double().cpu().numpy()
    total = rise.sum()
    return np.asarray(rise / total) if total > 0 else np.full(len(rise), 1 / len(rise))


def _spread(values: np.ndarray, at: np.ndarray, n: int) -> np.ndarray:
    """Values at these places of n, zeros elsewhere."""
    spread = np.zeros((n, *values.shape[1:]), dtype=values.dtype)
    spread[at] = values
    return spread
