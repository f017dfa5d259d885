"""Models that come trained: how they are called, and what is said when they are not there."""

import sys
from importlib.util import find_spec
from types import ModuleType
from typing import ClassVar

import numpy as np
import pytest

from lassoflexnet.bench.methods.packages import package
from lassoflexnet.bench.methods.peers import TabR
from lassoflexnet.bench.methods.pretrained import TabICL, TabPFN
from lassoflexnet.exceptions import MissingDependency
from tests.bench.methods.makers import mixed, odd


class Nearest:
    """Answers with the class of the training row nearest in the first column."""

    calls: ClassVar[dict] = {}

    def __init__(self, **settings):
        type(self).calls = settings

    def fit(self, X, y):
        kept = ~np.isnan(X[:, 0])
        self.X, self.y = X[kept, 0], y[kept]
        return self

    def predict(self, X):
        first = np.nan_to_num(X[:, 0])
        return self.y[np.abs(first[:, None] - self.X).argmin(axis=1)]

    def predict_proba(self, X):
        return np.eye(self.y.max() + 1)[self.predict(X)]


def failing(error):
    class Failing(Nearest):
        def fit(self, X, y):
            raise error

    return Failing


@pytest.fixture
def fake(monkeypatch):
    module = ModuleType("tabpfn")
    module.TabPFNClassifier = Nearest
    monkeypatch.setitem(sys.modules, "tabpfn", module)
    return module


def test_classifier_gets_rows_and_settings(fake):
    split = mixed("multiclass")
    found = TabPFN(weights="here.ckpt", n_estimators=2).fit(split, 3)
    assert Nearest.calls == {
        "categorical_features_indices": [2, 4],
        "model_path": "here.ckpt",
        "n_estimators": 2,
        "device": "cpu",
        "random_state": 3,
    }
    predictions = found.predict(odd(split.test.X))
    assert predictions.shape == (len(split.test.y), 3)
    assert np.mean(predictions.argmax(axis=1) == split.test.y) > 0.5


def test_missing_regressor_and_missing_weights(fake):
    with pytest.raises(MissingDependency, match=r"no TabPFNRegressor.*pip install -U tabpfn"):
        TabPFN().fit(mixed("regression"), 0)
    for error in (
        FileNotFoundError("no model.ckpt"),
        RuntimeError("Failed to download model.ckpt"),
    ):
        fake.TabPFNClassifier = failing(error)
        with pytest.raises(MissingDependency, match=r"no weights.*model.ckpt.*`weights`"):
            TabPFN().fit(mixed("binary"), 0)
    fake.TabPFNClassifier = failing(RuntimeError("sizes differ"))
    with pytest.raises(RuntimeError, match="sizes differ"):
        TabPFN().fit(mixed("binary"), 0)


@pytest.mark.parametrize(
    ("method", "module", "install"),
    [
        (TabPFN(), "tabpfn", "tabpfn"),
        (TabICL(), "tabicl", "tabicl"),
        (TabR(), "faiss", "faiss-cpu"),
    ],
)
def test_missing_package(method, module, install):
    if find_spec(module):
        pytest.skip(f"{module} is installed")
    with pytest.raises(MissingDependency, match=rf"`{module}` is needed.*pip install {install}`"):
        method.fit(mixed("binary"), 0)


def test_missing_package_of_the_extra():
    with pytest.raises(MissingDependency, match=r'pip install "lassoflexnet\[bench\]"'):
        package("no_such_package_anywhere")
