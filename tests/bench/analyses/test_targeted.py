"""The targeted experiment: its data, its network, and what tau does to the skip weights."""

import json

import numpy as np
import pytest
import torch

from lassoflexnet.bench.analyses.ranking import auc, rank_correlation
from lassoflexnet.bench.analyses.targeted import (
    RawColumns,
    Targeted,
    make_problem,
    summary,
    training_data,
)
from lassoflexnet.codes import dense_codes
from lassoflexnet.exceptions import InvalidInput

SMALL = Targeted(n_columns=30, n_true=5, n_rows=300, max_epochs=40, batch_size=64)


def test_auc_counts_pairs():
    sizes, truth = np.array([3.0, 1.0, 2.0, 1.0]), np.array([True, True, False, False])
    # Pairs: 3 > 2, 3 > 1, 1 < 2, 1 = 1.
    assert auc(sizes, truth) == (1 + 1 + 0 + 0.5) / 4
    assert auc(truth.astype(float), truth) == 1.0
    assert auc(np.ones(4), truth) == 0.5


def test_rank_correlation_by_hand():
    a = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    assert rank_correlation(a, np.exp(a)) == 1.0
    assert rank_correlation(a, -a) == -1.0
    # Without ties: 1 - 6 sum d^2 / (n (n^2 - 1)), here d = 0, 1, 1, 1, 1.
    assert rank_correlation(a, np.array([1.0, 3.0, 2.0, 5.0, 4.0])) == pytest.approx(0.8)
    assert rank_correlation(a, np.zeros(5)) == 0.0


def test_data_are_what_the_equation_says():
    problem = make_problem(SMALL)
    noise = problem.y - problem.x @ problem.beta
    assert (problem.beta != 0).sum() == 5
    assert np.linalg.norm(problem.beta) == pytest.approx(1)
    assert noise.std() == pytest.approx(0.1, rel=0.1)
    again = make_problem(SMALL)
    assert all((a == b).all() for a, b in zip(problem, again, strict=True))


def test_alpha_adds_a_network_that_is_not_linear():
    wide = Targeted(n_columns=5, n_true=2, n_rows=2000, alpha=1.0, gamma=0.0)
    problem = make_problem(wide)
    rest = problem.y - problem.x @ problem.beta
    assert rest.std() == pytest.approx(1)
    coef, *_ = np.linalg.lstsq(problem.x, rest, rcond=None)
    assert (rest - problem.x @ coef).std() > 0.1


def test_raw_columns_are_the_codes_written_out():
    data = training_data(make_problem(SMALL))
    expected = dense_codes(data.train.codes, data.layout)
    torch.testing.assert_close(RawColumns(data.layout)(data.train.codes), expected)
    assert (data.train.n_rows, data.validation.n_rows) == (300, 300)
    assert not torch.equal(data.train.target, data.validation.target)


def test_summary_by_hand():
    found = summary(np.array([[1.0, 2.0, 3.0, 4.0, 5.0]]))
    assert found == {
        "mean": [3.0],
        "q0": [1.0],
        "q25": [2.0],
        "q50": [3.0],
        "q75": [4.0],
        "q100": [5.0],
    }


@pytest.fixture(scope="module")
def by_tau() -> dict[float, dict]:
    return {tau: Targeted(**{**vars(SMALL), "tau": tau}).carry_out(0) for tau in (1.0, 0.001)}


def test_small_tau_separates_true_from_false(by_tau):
    hard, easy = by_tau[1.0], by_tau[0.001]
    assert easy["scores"]["auc"] == 1.0
    assert easy["scores"]["auc"] > hard["scores"]["auc"] + 0.05
    assert easy["scores"]["true_mean"] > 4 * easy["scores"]["false_mean"]
    assert hard["facts"]["train_loss"][5] < easy["facts"]["train_loss"][5]


def test_series_cover_every_epoch_and_agree_with_scores(by_tau):
    found = by_tau[0.001]
    facts = found["facts"]
    assert len(facts["train_loss"]) == len(facts["validation_loss"]) == 40
    assert len(facts["auc"]) == len(facts["true"]["mean"]) == 41
    assert facts["auc"][-1] == pytest.approx(found["scores"]["auc"], abs=1e-5)
    assert facts["true"]["mean"][-1] == pytest.approx(found["scores"]["true_mean"], abs=1e-5)
    assert np.all(np.array(facts["false"]["q25"]) <= np.array(facts["false"]["q75"]))
    assert len(json.dumps(found)) < 20_000


def test_same_seed_same_result_and_another_seed_another():
    short = Targeted(**{**vars(SMALL), "max_epochs": 2})
    assert short.carry_out(3) == short.carry_out(3)
    assert short.carry_out(3) != short.carry_out(4)


@pytest.mark.parametrize("n_true", [0, 100])
def test_there_must_be_both_kinds_of_columns(n_true: int):
    with pytest.raises(InvalidInput, match=rf"`n_true` is {n_true} of 100 columns"):
        Targeted(n_true=n_true)
