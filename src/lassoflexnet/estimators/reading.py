"""From what the user gives to ``fit`` to coded rows.

Called by the estimators' base; the one place where table, target and weights meet.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch

from lassoflexnet.codes import Codes
from lassoflexnet.estimators.inputs import (
    check_lengths,
    naming,
    read_eval_set,
    read_weights,
    warn_of_few_rows,
)
from lassoflexnet.estimators.targets import ClassTarget, Labels, Numbers, NumericTarget
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.recipe import Recipe
from lassoflexnet.table import FittedTable, holdout, infer_schema
from lassoflexnet.table.frames import as_table
from lassoflexnet.training import Rows, TrainingData


class Sample(NamedTuple):
    """A table with its checked target and weights, one per row."""

    X: Any
    y: np.ndarray
    weight: np.ndarray


class Coded(NamedTuple):
    """Target and weight of some rows, as training wants them."""

    y: torch.Tensor
    weight: np.ndarray


class Job(NamedTuple):
    """Everything a fit has read.

    ``columns`` are the numbers of the columns that can tell rows apart; the network is
    given these alone.
    """

    recipe: Recipe
    table: FittedTable
    target: NumericTarget | ClassTarget
    data: TrainingData
    columns: np.ndarray


@dataclass(frozen=True)
class Reader:
    """How an estimator reads its input."""

    target: Numbers | Labels
    recipe: Callable[[int], Recipe]
    validation_fraction: float
    categorical_features: Any
    device: torch.device

    def read(
        self, X: Any, y: Any, sample_weight: Any, eval_set: Any, rng: np.random.Generator
    ) -> Job:
        """Check everything, fit table and target on the training rows, code all rows."""
        given = self._sample(X, y, sample_weight)
        with naming("eval_set"):
            judges = None if eval_set is None else self._sample(*read_eval_set(eval_set))
        # Rows without weight are left out from the start, as if they were not there.
        used = np.flatnonzero(given.weight)
        schema = infer_schema(X, self.categorical_features, used)
        train, held = self._split(given.y, used, rng) if judges is None else (used, used)
        # Tables come sorted; later on, the first rows stand for all where a few must do.
        train, held = rng.permutation(train), rng.permutation(held)
        target = self.target.fit(given.y[train], given.weight[train])
        recipe = self.recipe(len(train))
        training = _coded(given, train, target)
        table = recipe.table.fit(
            X,
            schema,
            training.y.numpy(),
            is_classification=self.target.is_classification,
            sample_weight=_unless_equal(training.weight),
            rows=train,
            rng=rng,
        )
        columns = np.flatnonzero(table.alive)
        codes = table.encode(X, columns)
        unit = training.weight.mean()
        train_rows = self._rows(codes, train, training, unit)
        if judges is None:
            # In the same unit: in the end they may be trained on together.
            validation_rows = self._rows(codes, held, _coded(given, held, target), unit)
        else:
            with naming("eval_set"):
                held = rng.permutation(np.flatnonzero(judges.weight))
                codes = table.encode(judges.X, columns)
                judging = _coded(judges, held, target)
                validation_rows = self._rows(codes, held, judging, judging.weight.mean())
        warn_of_few_rows(len(train))
        held_out = judges is None
        data = TrainingData(table.layout.keep(columns), train_rows, validation_rows, held_out)
        return Job(recipe, table, target, data, columns)

    def _sample(self, X: Any, y: Any, sample_weight: Any) -> Sample:
        """Check target and weights against the table."""
        n_rows = as_table(X).shape[0]
        y = self.target.read(y)
        check_lengths(n_rows, len(y), "y")
        return Sample(X, y, read_weights(sample_weight, n_rows))

    def _split(
        self, y: np.ndarray, used: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Hold out some of the rows in use."""
        strata = y[used] if self.target.is_classification else None
        train, held = holdout(len(used), self.validation_fraction, strata, rng=rng)
        if strata is not None and len(np.unique(strata[train])) < len(np.unique(strata)):
            raise InvalidInput(
                f"y holds {len(used)} classes of one row each, so none can be held out for "
                "validation. Add rows, or pass `eval_set`."
            )
        return used[train], used[held]

    def _rows(self, codes: Codes, index: np.ndarray, coded: Coded, unit: float) -> Rows:
        """Coded rows on the device; weights in this unit."""
        weight = torch.as_tensor(coded.weight / unit, dtype=torch.float32)
        return Rows(
            codes.rows(torch.from_numpy(index)).to(self.device),
            coded.y.to(self.device),
            weight.to(self.device),
        )


def _coded(sample: Sample, index: np.ndarray, target: NumericTarget | ClassTarget) -> Coded:
    y = target.encode(sample.y[index])
    return Coded(y, sample.weight[index] * target.row_weight(y))


def _unless_equal(weight: np.ndarray) -> np.ndarray | None:
    """None for equal weights: bins are then the same as without any."""
    return None if (weight == weight[0]).all() else weight
