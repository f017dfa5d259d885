"""Outputs for rows that the network has not seen."""

import torch

from lassoflexnet.training.crossfit import cross_fit, stratified_folds
from lassoflexnet.training.evaluation import predict
from tests.nn.makers import make_network
from tests.training.makers import problem


def test_each_fold_is_judged_by_a_network_trained_on_the_others():
    data = problem(n=40, d=3)
    folds = torch.randperm(data.train.n_rows).tensor_split(3)
    seen = []

    def train(parts):
        seen.extend(part.train.target for part in parts)
        assert all(part.validation is data.validation for part in parts)
        return [make_network(part.layout, seed=i + 1) for i, part in enumerate(parts)]

    outputs = cross_fit(data, [folds], train).outputs()
    networks = [make_network(data.layout, seed=i + 1) for i in range(3)]
    slow = torch.empty(data.train.n_rows, 1)
    for network, fold in zip(networks, folds, strict=True):
        slow[fold] = predict(network, data.train.at(fold).codes)
    validation = torch.stack([predict(n, data.validation.codes) for n in networks]).mean(0)
    assert torch.equal(outputs, torch.cat([validation, slow]))
    for targets, fold in zip(seen, folds, strict=True):
        left = set(data.train.target.tolist()) - set(targets.tolist())
        assert left == set(data.train.target[fold].tolist())


def test_several_deals_are_averaged():
    data = problem(n=40, d=3)
    deals = [stratified_folds(data.train.target, 2) for _ in range(3)]

    def outputs(deals):
        seeds = [sum(map(int, fold[:3])) for folds in deals for fold in folds]
        made = [make_network(data.layout, seed=seed) for seed in seeds]
        return cross_fit(data, deals, lambda _: made).outputs()

    slow = sum(outputs([folds]) for folds in deals) / 3
    torch.testing.assert_close(outputs(deals), slow)


def test_rows_of_the_other_folds_stay_in_the_order_they_came():
    """Else the first rows, which stand for all where a few must do, are those of low target."""
    data, seen = problem(n=40, d=3), []

    def train(parts):
        seen.extend(part.train.target.tolist() for part in parts)
        return [make_network(part.layout) for part in parts]

    cross_fit(data, [stratified_folds(data.train.target, 2)], train)
    at = {value: i for i, value in enumerate(data.train.target.tolist())}
    for targets in seen:
        places = [at[value] for value in targets]
        assert places == sorted(places)


def test_folds_share_every_class_and_every_row():
    target = torch.tensor([0] * 30 + [1] * 3)
    folds = stratified_folds(target, 3)
    assert sorted(torch.cat(folds).tolist()) == list(range(33))
    assert [target[fold].sum().item() for fold in folds] == [1, 1, 1]
    assert folds[0].tolist() != stratified_folds(target, 3)[0].tolist(), "they are random"


def test_thinned_rows_are_some_of_all_and_the_same_in_every_deal():
    data = problem(n=41, d=3)
    deals = [stratified_folds(data.train.target, 2) for _ in range(2)]
    made = [make_network(data.layout, seed=seed) for seed in range(4)]
    whole = cross_fit(data, deals, lambda _: made)
    n = data.validation.n_rows
    kept = torch.cat([torch.arange(n)[::2], n + torch.arange(data.train.n_rows)[::2]])
    n_read = 2 * data.train.n_rows + 4 * n
    for most in (n_read - 1, -(-n_read // 2)):
        torch.testing.assert_close(whole.thinned(most).outputs(), whole.outputs()[kept])
    assert torch.equal(whole.thinned(n_read).outputs(), whole.outputs())


def test_a_fold_may_be_left_without_rows():
    data = problem(n=41, d=3)
    folds = [torch.arange(1, data.train.n_rows), torch.tensor([0])]
    made = [make_network(data.layout, seed=seed) for seed in range(2)]
    few = cross_fit(data, [folds], lambda _: made).thinned(data.train.n_rows)
    assert torch.isfinite(few.outputs()).all()
    others = few._replace(deals=[[fold[fold > 0] for fold in few.deals[0]]])
    assert len(others.outputs()) == len(few.outputs()) - 1
