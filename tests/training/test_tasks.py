"""Losses and metrics of a row, against their formulas and scikit-learn."""

import numpy as np
import pytest
import torch
from sklearn.metrics import (
    accuracy_score,
    brier_score_loss,
    mean_absolute_error,
    mean_squared_error,
)
from sklearn.metrics import log_loss as sklearn_log_loss

from lassoflexnet.training.tasks import (
    BINARY,
    REGRESSION,
    Task,
    binary_probabilities,
    multiclass,
    probabilities,
)

N = 30
torch.manual_seed(0)
NUMBERS = (torch.randn(N, 1), torch.randn(N))
LOGITS = (torch.randn(N, 1) * 3, torch.arange(N) % 2)
CLASSES = (torch.randn(N, 3) * 3, torch.arange(N) % 3)


def one_hot(target: torch.Tensor, n: int) -> np.ndarray:
    return np.eye(n)[target]


def multiclass_brier(outputs: torch.Tensor, target: torch.Tensor) -> float:
    difference = probabilities(outputs).numpy() - one_hot(target, outputs.shape[1])
    return (difference**2).sum(axis=1).mean()


REFERENCES = [
    (REGRESSION, "mse", NUMBERS, lambda o, y: mean_squared_error(y, o)),
    (REGRESSION, "mae", NUMBERS, lambda o, y: mean_absolute_error(y, o)),
    (
        BINARY,
        "log_loss",
        LOGITS,
        lambda o, y: sklearn_log_loss(y, binary_probabilities(o.double()).numpy()),
    ),
    (BINARY, "error", LOGITS, lambda o, y: 1 - accuracy_score(y, o[:, 0] > 0)),
    # Summed over both classes, as for more of them: twice the usual score of two.
    (BINARY, "brier", LOGITS, lambda o, y: 2 * brier_score_loss(y, torch.sigmoid(o[:, 0]))),
    (
        multiclass(3),
        "log_loss",
        CLASSES,
        lambda o, y: sklearn_log_loss(y, probabilities(o.double()).numpy()),
    ),
    (multiclass(3), "error", CLASSES, lambda o, y: 1 - accuracy_score(y, o.argmax(1))),
    (multiclass(3), "brier", CLASSES, multiclass_brier),
]


@pytest.mark.parametrize(("task", "name", "rows", "reference"), REFERENCES)
def test_mean_of_the_rows_is_the_known_score(task: Task, name: str, rows, reference):
    errors = task.metrics[name](*rows)
    assert errors.shape == (N,)
    assert errors.double().mean().item() == pytest.approx(reference(*rows), rel=1e-5)
    first = task.metrics[name](rows[0][:1], rows[1][:1])
    torch.testing.assert_close(first, errors[:1])


def test_every_metric_has_a_reference():
    tested = {(task.n_outputs, name) for task, name, *_ in REFERENCES}
    assert tested == {
        (t.n_outputs, m) for t in (REGRESSION, BINARY, multiclass(3)) for m in t.metrics
    }


def test_outputs_and_losses():
    assert (REGRESSION.n_outputs, BINARY.n_outputs, multiclass(4).n_outputs) == (1, 1, 4)
    assert REGRESSION.loss is REGRESSION.metrics["mse"]
    assert BINARY.loss is BINARY.metrics["log_loss"]
    assert multiclass(3).loss is multiclass(3).metrics["log_loss"]


@pytest.mark.parametrize(("task", "rows"), [(BINARY, LOGITS), (multiclass(3), CLASSES)])
def test_losses_of_huge_logits_are_finite_with_their_gradients(task: Task, rows):
    outputs = (1e4 * rows[0]).requires_grad_()
    loss = task.loss(outputs, rows[1]).sum()
    loss.backward()
    assert torch.isfinite(loss)
    assert torch.isfinite(outputs.grad).all()


def test_two_probabilities_from_one_logit():
    p = binary_probabilities(torch.tensor([[0.0], [20.0]]))
    assert p.shape == (2, 2)
    torch.testing.assert_close(p.sum(dim=1), torch.ones(2))
    torch.testing.assert_close(p[0], torch.tensor([0.5, 0.5]))
    assert p[1, 1] > 0.999
