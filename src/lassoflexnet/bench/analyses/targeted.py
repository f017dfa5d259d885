"""The targeted experiment: whether dense training finds a sparse truth in the skip weights.

An analysis (paper, appendix "The Failure of Joint Optimization").
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from lassoflexnet.bench.analyses.base import Found, rounded
from lassoflexnet.bench.analyses.ranking import auc
from lassoflexnet.codes import CodeLayout, Codes
from lassoflexnet.estimators.execution import seeded, threads
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.nn import MLPSettings, Network, TiedGroupSkipSettings
from lassoflexnet.nn.embeddings import DenseCodes, Embedding, NoMap
from lassoflexnet.nn.per_feature import PerFeatureBatchNorm
from lassoflexnet.optim import AdamWSettings, Constant
from lassoflexnet.training import Monitor, Objective, StageSettings
from lassoflexnet.training.averaging import average_of
from lassoflexnet.training.data import Rows, TrainingData
from lassoflexnet.training.history import Epoch
from lassoflexnet.training.stage import Stage
from lassoflexnet.training.tasks import squared_error

QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Of the sizes of true and of false skip weights, by epoch."""

TEACHER_WIDTH = 100


class Problem(NamedTuple):
    """Columns (n, d), target (n,) and the true weights (d,)."""

    x: np.ndarray
    y: np.ndarray
    beta: np.ndarray


@dataclass(frozen=True)
class Targeted:
    """LassoNet's network on y = beta' x + alpha NN(x) + gamma noise, without lambda.

    The paper gives neither sizes nor rates; these are LassoNet's hidden layer and Adam's
    usual rate. Data are the same for every seed, which sets the start and the batches.

    Attributes
    ----------
    tau : float
        Scale of the network beside the skip connection.
    alpha, gamma : float
        Strength of the random network and of the noise; beta' x has variance 1.
    n_columns, n_true : int
        Columns, and how many of them have a weight other than 0.
    n_rows : int
        Training rows, and as many validation rows.
    n_blocks, d_hidden : int
        Hidden layers and their width.
    learning_rate, batch_size, max_epochs : numbers
        Of Adam, at a constant rate.
    """

    tau: float = 1.0
    alpha: float = 0.0
    gamma: float = 0.1
    n_columns: int = 100
    n_true: int = 10
    n_rows: int = 1000
    n_blocks: int = 1
    d_hidden: int = 100
    learning_rate: float = 1e-3
    batch_size: int = 128
    max_epochs: int = 80

    def __post_init__(self) -> None:
        """Check that there are true and false columns."""
        if not 0 < self.n_true < self.n_columns:
            raise InvalidInput(
                f"`n_true` is {self.n_true} of {self.n_columns} columns. Use at least one, and "
                "leave at least one without a weight."
            )

    def fingerprint(self) -> str | None:
        """None: nothing here follows the estimators' defaults."""
        return None

    def carry_out(self, seed: int, data: Path | None = None) -> dict[str, Any]:  # noqa: ARG002
        """Train, and follow the loss and the skip weights."""
        problem = make_problem(self)
        with seeded(seed), threads(1):
            epochs, sizes = self._train(training_data(problem))
        truth = problem.beta != 0
        scores = {
            "auc": auc(sizes[-1], truth),
            "true_mean": float(sizes[-1][truth].mean()),
            "false_mean": float(sizes[-1][~truth].mean()),
            "validation_loss": epochs[-1].validation_loss,
        }
        facts = {
            "train_loss": rounded([row.train_loss for row in epochs]),
            "validation_loss": rounded([row.validation_loss for row in epochs]),
            "auc": rounded([auc(row, truth) for row in sizes]),
            "true": summary(sizes[:, truth]),
            "false": summary(sizes[:, ~truth]),
        }
        return Found(scores, facts).to_dict()

    def _train(self, data: TrainingData) -> tuple[list[Epoch], np.ndarray]:
        """Epochs, and sizes of skip weights before the first and after each: (epochs + 1, d)."""
        network = self._network(data.layout)
        sizes = [network.gate().norm().numpy().copy()]
        # The stage tells an epoch when the network is as that epoch has left it.
        monitor = Monitor(on_epoch=lambda _: sizes.append(network.gate().norm().numpy().copy()))
        optimizer = AdamWSettings(self.learning_rate, weight_decay=0.0)
        stage = Stage(
            "dense",
            network,
            optimizer.build(*network.split_parameters()),
            data,
            settings=StageSettings(self.max_epochs, self.max_epochs, self.batch_size, Constant()),
            objective=Objective(squared_error, squared_error, monitor),
            average=average_of(network, 0.0),
        )
        stage.run()
        return monitor.epochs, np.stack(sizes)

    def _network(self, layout: CodeLayout) -> Network:
        d = layout.n_features
        norm = PerFeatureBatchNorm(d, 1)
        return Network(
            layout,
            embedding=Embedding(RawColumns(layout), nn.Sequential(), NoMap(), norm),
            skip=TiedGroupSkipSettings().build(d, 1),
            backbone=MLPSettings(self.n_blocks, self.d_hidden, dropout=0.0).build(d, 1, 1),
            tau=self.tau,
        )


class RawColumns(DenseCodes):
    """Numbers as they are, (d, n, 1): what the codes expand to with one slot each, but faster."""

    def forward(self, codes: Codes) -> Tensor:
        """Read the fractions."""
        return codes.fraction.unsqueeze(-1)


def make_problem(settings: Targeted) -> Problem:
    """Draw the truth and the rows; always the same for the same settings."""
    generator = np.random.default_rng(0)
    d, n = settings.n_columns, 2 * settings.n_rows
    beta = np.zeros(d)
    at = generator.choice(d, settings.n_true, replace=False)
    beta[at] = generator.choice([-1.0, 1.0], len(at)) * generator.uniform(0.5, 1.5, len(at))
    beta /= np.linalg.norm(beta)
    x = generator.standard_normal((n, d))
    y = x @ beta + settings.alpha * teacher(x, generator)
    return Problem(x, y + settings.gamma * generator.standard_normal(n), beta)


def teacher(x: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Outputs (n,) of a random network of one hidden layer, with mean 0 and variance 1."""
    w1 = generator.standard_normal((x.shape[1], TEACHER_WIDTH)) / np.sqrt(x.shape[1])
    found = np.maximum(x @ w1, 0.0) @ generator.standard_normal(TEACHER_WIDTH)
    return np.asarray((found - found.mean()) / found.std())


def training_data(problem: Problem) -> TrainingData:
    """First half of the rows to train on, second half to validate."""
    n, d = len(problem.y) // 2, problem.x.shape[1]
    layout = CodeLayout(tuple(range(d)), (0,) * d, (1,) * d, (1,) * d)

    def rows(part: slice) -> Rows:
        fraction = torch.tensor(problem.x[part].T.copy(), dtype=torch.float32)
        target = torch.tensor(problem.y[part], dtype=torch.float32)
        codes = Codes(torch.zeros(fraction.shape, dtype=torch.uint8), fraction)
        return Rows(codes, target, torch.ones_like(target))

    return TrainingData(layout, rows(slice(n)), rows(slice(n, None)))


def summary(sizes: np.ndarray) -> dict[str, list[float]]:
    """Mean and quantiles over columns: (epochs, columns) -> series by name."""
    quantiles = np.quantile(sizes, QUANTILES, axis=1)
    named = {f"q{round(100 * q)}": rounded(x) for q, x in zip(QUANTILES, quantiles, strict=True)}
    return {"mean": rounded(sizes.mean(axis=1)), **named}
