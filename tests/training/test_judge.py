"""What supports are judged by."""

from dataclasses import replace

import pytest
import torch

from tests.training.test_fit import DATA, TINY, Fixed, fit


@pytest.mark.parametrize("weighted", [False, True])
def test_what_is_explained_is_measured_on_the_rows_compared(weighted: bool):
    """However far the path went, and whatever the validation rows are like."""
    given = []

    class Noting(Fixed):
        paired = True

        def __call__(self, points, weight, constant):
            given.append((points, weight, constant))
            return super().__call__(points, weight, constant)

    shifted = DATA.validation._replace(target=DATA.validation.target + 3)
    train = DATA.train._replace(weight=torch.rand(200) + 0.1) if weighted else DATA.train
    data = DATA._replace(validation=shifted, train=train)
    fit(replace(TINY, choice=Noting(), path=replace(TINY.path, n_lambdas=1, end=1e-9)), data)
    ((points, weight, constant),) = given
    assert len(weight) == len(points[0].snapshot.errors) == 300
    target = torch.cat([shifted.target, train.target])
    mean = (target * weight).sum() / weight.sum()
    expected = ((target - mean).square() * weight).sum() / weight.sum()
    assert constant == pytest.approx(float(expected), rel=1e-4)
