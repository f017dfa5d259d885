"""Errors on rows that the network has not seen."""

import torch

from lassoflexnet.training.crossfit import cross_fitted_errors, stratified_folds
from lassoflexnet.training.evaluation import row_errors
from lassoflexnet.training.tasks import squared_error
from tests.nn.makers import make_network
from tests.training.makers import problem


def test_each_fold_is_judged_by_a_network_trained_on_the_others():
    data = problem(n=40, d=3)
    folds = torch.randperm(data.train.n_rows).tensor_split(3)
    seen = []

    def train(part):
        seen.append(part.train.target)
        assert part.validation is data.validation
        return make_network(part.layout, seed=len(seen))

    errors = cross_fitted_errors(data, folds, train, squared_error)
    networks = [make_network(data.layout, seed=i + 1) for i in range(3)]
    slow = [
        torch.stack([row_errors(n, data.validation, squared_error) for n in networks]).mean(0),
        *(
            row_errors(n, data.train.at(fold), squared_error)
            for n, fold in zip(networks, folds, strict=True)
        ),
    ]
    assert torch.equal(errors, torch.cat(slow))
    for targets, fold in zip(seen, folds, strict=True):
        left = set(data.train.target.tolist()) - set(targets.tolist())
        assert left == set(data.train.target[fold].tolist())


def test_folds_share_every_class_and_every_row():
    target = torch.tensor([0] * 30 + [1] * 3)
    folds = stratified_folds(target, 3)
    assert sorted(torch.cat(folds).tolist()) == list(range(33))
    assert [target[fold].sum().item() for fold in folds] == [1, 1, 1]
    assert folds[0].tolist() != stratified_folds(target, 3)[0].tolist(), "they are random"
