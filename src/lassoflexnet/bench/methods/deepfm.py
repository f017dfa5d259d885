"""DeepFM of `deepctr-torch`, trained by our own loop.

A row of the catalogue. The package's own training prints, and keeps the last epoch.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.inputs import Encoder
from lassoflexnet.bench.methods.networks import answers, budget_of, pose
from lassoflexnet.bench.methods.packages import package
from lassoflexnet.bench.methods.training import Batch, Goal, plain, train
from lassoflexnet.bench.rows import Split
from lassoflexnet.estimators.execution import seeded, threads
from lassoflexnet.exceptions import InvalidInput

_UTILS = "deepctr_torch.utils"


@contextmanager
def without_version_check() -> Iterator[None]:
    """Import the package without its question to the network about newer versions.

    The question also needs a package that it does not declare.
    """
    if "deepctr_torch" in sys.modules:
        yield
        return
    silent = ModuleType(_UTILS)
    silent.check_version = lambda _: None  # type: ignore[attr-defined]
    sys.modules[_UTILS] = silent
    try:
        yield
    finally:
        del sys.modules[_UTILS]


@dataclass(frozen=True)
class DeepFM:
    """Linear model, factorisation machine and MLP; not for more than two classes."""

    hidden_units: tuple[int, ...] = (256, 128)
    dropout: float = 0.0
    d_embedding: int = 4
    l2: float = 1e-5
    learning_rate: float = 1e-3
    weight_decay: float = 0.0
    max_epochs: int = 200
    patience: int = 20
    batch_size: int = 512
    scaling: str | None = None

    def fit(self, split: Split, seed: int) -> Fitted:
        """Train until the score on the validation rows stops rising."""
        if split.task == "multiclass":
            raise InvalidInput(
                f"DeepFM was given {split.n_classes} classes. It knows regression and two "
                "classes only: leave it out here."
            )
        encoder = Encoder(split.train.X, self.scaling or split.scaling)

        def prepare(X: pd.DataFrame) -> tuple[Tensor, ...]:
            return (torch.as_tensor(np.hstack([encoder.numbers(X), encoder.codes(X)])).float(),)

        problem = pose(split, encoder, prepare)
        budget = budget_of(self)
        with seeded(seed), threads(1):
            module = self._build(encoder, seed)
            trained = train(module, problem.rows, problem.goal, budget, objective=_with_l2)
        return answers(module, problem, trained)

    def _build(self, encoder: Encoder, seed: int) -> nn.Module:
        with without_version_check():
            inputs = package("deepctr_torch.inputs")
            models = package("deepctr_torch.models")
        columns = [inputs.DenseFeat(f"n{j}", 1) for j in range(len(encoder.numeric))]
        columns += [
            inputs.SparseFeat(f"c{j}", size, embedding_dim=self.d_embedding)
            for j, size in enumerate(encoder.cardinalities)
        ]
        # "regression" leaves the last sigmoid out, which our loss has in it.
        return models.DeepFM(
            columns,
            columns,
            dnn_hidden_units=tuple(self.hidden_units),
            dnn_dropout=self.dropout,
            l2_reg_linear=self.l2,
            l2_reg_embedding=self.l2,
            seed=seed,
            task="regression",
        )


def _with_l2(module: Any, batch: Batch, goal: Goal) -> Tensor:
    # The package adds its penalty to a sum over the batch, the loss here is a mean.
    penalty = module.get_regularization_loss() / len(batch.target)
    return plain(module, batch, goal) + penalty.squeeze()
