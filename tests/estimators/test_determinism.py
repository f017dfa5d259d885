"""One seed, one model; and the user's own random numbers are left alone."""

import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from lassoflexnet.training.evaluation import predict
from tests.estimators.makers import (
    QUICK,
    classifier,
    labelled,
    mixed,
    mixed_target,
    numbers,
    outputs,
    regressor,
)


def predictions_of_two_models() -> bytes:
    table = mixed(90)
    models = [
        make(n_threads=1, binning="tree", max_epochs=2, n_lambdas=2, lambda_end=1.0).fit(
            table, mixed_target(table, task)
        )
        for make, task in ((regressor, "regression"), (classifier, "multiclass"))
    ]
    return b"".join(outputs(model, table).tobytes() for model in models)


def test_two_processes_give_the_same_predictions_bit_for_bit():
    script = (
        f"import sys; from {__name__} import predictions_of_two_models as run; "
        "sys.stdout.buffer.write(run())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    here = predictions_of_two_models()
    assert len(here) == 8 * (90 + 3 * 90)
    assert done.stdout == here, done.stderr.decode()


@pytest.mark.parametrize("backbone", ["mlp", "mixer"])
def test_the_seed_decides(backbone):
    X, y = numbers(60)

    def predictions(seed):
        model = regressor(backbone=backbone, **QUICK | {"random_state": seed})
        return model.fit(X, y).predict(X)

    np.testing.assert_array_equal(predictions(1), predictions(1))
    assert (predictions(1) != predictions(2)).any()
    assert (predictions(None) != predictions(None)).any()


def test_fits_in_several_threads_do_not_disturb_each_other():
    X, y = numbers(60)

    def predictions(_):
        return regressor(**QUICK).fit(X, y).predict(X)

    alone, before = predictions(None), torch.get_rng_state()
    with ThreadPoolExecutor(3) as pool:
        for together in pool.map(predictions, range(3)):
            np.testing.assert_array_equal(together, alone)
    assert torch.equal(torch.get_rng_state(), before)


def test_fitting_again_gives_the_same_model():
    X, y = labelled(60)
    model = classifier(**QUICK)
    first = model.fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(model.fit(X, y).predict_proba(X), first)


def test_a_random_state_instance_gives_another_model_each_time():
    X, y = numbers(60)
    model = regressor(max_epochs=1, n_lambdas=0, random_state=np.random.RandomState(0))
    first = model.fit(X, y).predict(X)
    assert (model.fit(X, y).predict(X) != first).any()


@pytest.mark.parametrize("seed", [None, 0])
def test_global_random_states_are_left_alone(seed):
    table = mixed(60)
    y = mixed_target(table, "regression")
    numpy_before, python_before = np.random.get_state(), random.getstate()  # noqa: NPY002
    torch_before = torch.get_rng_state()
    regressor(random_state=seed, **QUICK).fit(table, y).predict(table)
    np.testing.assert_array_equal(np.random.get_state()[1], numpy_before[1])  # noqa: NPY002
    assert np.random.get_state()[2:] == numpy_before[2:]  # noqa: NPY002
    assert random.getstate() == python_before
    assert torch.equal(torch.get_rng_state(), torch_before)


def test_global_random_states_do_not_matter():
    X, y = numbers(60)
    first = regressor(**QUICK).fit(X, y).predict(X)
    np.random.seed(5)  # noqa: NPY002
    torch.manual_seed(5)
    random.seed(5)
    np.testing.assert_array_equal(regressor(**QUICK).fit(X, y).predict(X), first)


def test_threads_are_set_for_fit_and_predict_and_then_restored(monkeypatch):
    X, y = numbers(60)
    before = torch.get_num_threads()
    seen = []

    def watched(network, codes):
        seen.append(torch.get_num_threads())
        return predict(network, codes)

    for user in ("training.stage", "estimators._base"):
        monkeypatch.setattr(f"lassoflexnet.{user}.predict", watched)
    model = regressor(n_threads=before + 1, **QUICK).fit(X, y)
    assert torch.get_num_threads() == before
    during_fit = len(seen)
    model.predict(X)
    assert torch.get_num_threads() == before
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X, np.full(60, np.nan))
    assert torch.get_num_threads() == before
    assert len(seen) == during_fit + 1 > 1
    assert set(seen) == {before + 1}
