"""Networks trained by our own loop: a plain MLP and the FT-Transformer.

Rows of the catalogue, downstream models of two-stage selection, and parts of selectors.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from torch import Tensor, nn

from lassoflexnet.bench.methods.base import Fitted
from lassoflexnet.bench.methods.inputs import Encoder
from lassoflexnet.bench.methods.packages import package
from lassoflexnet.bench.methods.training import (
    STOPPING,
    Batch,
    Budget,
    Goal,
    Objective,
    Trained,
    outputs,
    plain,
    train,
)
from lassoflexnet.bench.rows import Rows, Split
from lassoflexnet.estimators.execution import seeded, threads

Prepare = Callable[[pd.DataFrame], tuple[Tensor, ...]]


class Problem(NamedTuple):
    """A split as tensors.

    Attributes
    ----------
    rows : pair of Batch
        Training and validation rows.
    prepare : callable
        Frame -> inputs of the network.
    n_outputs : int
        One, or the number of classes if there are more than two.
    mean, std : float
        Of the training targets of a regression; 0 and 1 otherwise.
    """

    encoder: Encoder
    rows: tuple[Batch, Batch]
    goal: Goal
    prepare: Prepare
    n_outputs: int
    mean: float
    std: float


def pose(split: Split, encoder: Encoder, prepare: Prepare) -> Problem:
    """Make tensors of the training and validation rows."""
    goal, y = STOPPING[split.stopping][split.task], np.asarray(split.train.y, dtype=float)
    numeric = split.task == "regression"
    mean, std = (float(y.mean()), float(y.std()) or 1.0) if numeric else (0.0, 1.0)

    def batch(rows: Rows) -> Batch:
        target = torch.as_tensor((np.asarray(rows.y, dtype=float) - mean) / std)
        return Batch(prepare(rows.X), target.to(goal.dtype))

    n_outputs = split.n_classes if split.task == "multiclass" else 1
    rows = (batch(split.train), batch(split.validation))
    return Problem(encoder, rows, goal, prepare, n_outputs, mean, std)


def answers(module: nn.Module, problem: Problem, trained: Trained) -> Fitted:
    """A trained network as the benchmark wants it."""

    def predict(X: pd.DataFrame) -> np.ndarray:
        found = problem.goal.answer(outputs(module, problem.prepare(X))).numpy()
        return found * problem.std + problem.mean

    facts = {"validation_score": float(trained.score), "n_epochs": trained.n_epochs}
    return Fitted(predict, None, facts)


@dataclass(frozen=True)
class MLP:
    """Linear layers with ReLU and dropout, on scaled numbers and one-hot codes."""

    n_blocks: int = 2
    d_block: int = 100
    dropout: float = 0.1
    learning_rate: float = 1e-3
    weight_decay: float = 2e-4
    max_epochs: int = 200
    patience: int = 20
    batch_size: int = 512
    scaling: str | None = None

    def pose(self, split: Split) -> Problem:
        """Make tensors of a split."""
        encoder = Encoder(split.train.X, self.scaling or split.scaling)
        return pose(split, encoder, lambda X: (torch.as_tensor(encoder.matrix(X)),))

    def train(
        self, problem: Problem, seed: int, objective: Objective = plain
    ) -> tuple[nn.Sequential, Trained]:
        """Build and train a network; its first layer is its first module."""
        with seeded(seed), threads(1):
            module = self._build(len(problem.encoder.owners), problem.n_outputs)
            budget = budget_of(self)
            return module, train(module, problem.rows, problem.goal, budget, objective=objective)

    def fit(self, split: Split, seed: int) -> Fitted:
        """Train until the score on the validation rows stops rising."""
        problem = self.pose(split)
        module, trained = self.train(problem, seed)
        return answers(module, problem, trained)

    def _build(self, n_inputs: int, n_outputs: int) -> nn.Sequential:
        layers: list[nn.Module] = []
        for width in [n_inputs] + [self.d_block] * (self.n_blocks - 1):
            layers += [nn.Linear(width, self.d_block), nn.ReLU(), nn.Dropout(self.dropout)]
        return nn.Sequential(*layers, nn.Linear(self.d_block, n_outputs))


@dataclass(frozen=True)
class FTTransformer:
    """FT-Transformer of `rtdl_revisiting_models`: one token per column."""

    n_blocks: int = 3
    d_block: int = 192
    n_heads: int = 8
    attention_dropout: float = 0.2
    ffn_factor: float = 4 / 3
    ffn_dropout: float = 0.1
    residual_dropout: float = 0.0
    learning_rate: float = 1e-4
    weight_decay: float = 1e-5
    max_epochs: int = 200
    patience: int = 20
    batch_size: int = 512
    scaling: str | None = None

    def pose(self, split: Split) -> Problem:
        """Make tensors of a split."""
        encoder = Encoder(split.train.X, self.scaling or split.scaling)

        def prepare(X: pd.DataFrame) -> tuple[Tensor, ...]:
            return torch.as_tensor(encoder.numbers(X)), torch.as_tensor(encoder.codes(X))

        return pose(split, encoder, prepare)

    def train(self, problem: Problem, seed: int) -> tuple["Tokens", Trained]:
        """Build and train a network."""
        with seeded(seed), threads(1):
            module = Tokens(self._build(problem))
            groups = module.network.make_parameter_groups()
            budget = budget_of(self)
            return module, train(module, problem.rows, problem.goal, budget, parameters=groups)

    def fit(self, split: Split, seed: int) -> Fitted:
        """Train until the score on the validation rows stops rising."""
        problem = self.pose(split)
        module, trained = self.train(problem, seed)
        return answers(module, problem, trained)

    def _build(self, problem: Problem) -> nn.Module:
        return package("rtdl_revisiting_models").FTTransformer(
            n_cont_features=len(problem.encoder.numeric),
            cat_cardinalities=problem.encoder.cardinalities,
            d_out=problem.n_outputs,
            n_blocks=self.n_blocks,
            d_block=self.d_block,
            attention_n_heads=self.n_heads,
            attention_dropout=self.attention_dropout,
            ffn_d_hidden_multiplier=self.ffn_factor,
            ffn_dropout=self.ffn_dropout,
            residual_dropout=self.residual_dropout,
        )


class Tokens(nn.Module):
    """The FT-Transformer, with kinds of columns that a table lacks left out."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        self.network = network

    def forward(self, numbers: Tensor, codes: Tensor) -> Tensor:
        """Outputs (n, c) from scaled numbers and codes."""
        present = (values if values.shape[1] else None for values in (numbers, codes))
        return self.network(*present)


def budget_of(part: Any) -> Budget:
    """What a method's settings say of its training."""
    return Budget(
        part.learning_rate,
        part.weight_decay,
        max_epochs=part.max_epochs,
        patience=part.patience,
        batch_size=part.batch_size,
    )
