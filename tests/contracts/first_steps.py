"""A user's first steps with numpy arrays, run where only the core dependencies exist.

Started by test_wheel.py in an environment of its own.
"""

import importlib.util
import pickle

import numpy as np

import lassoflexnet

OPTIONAL = ("matplotlib", "pandas", "polars", "pyarrow")
SHORT = {"max_epochs": 2, "max_epochs_per_lambda": 1, "n_lambdas": 3, "random_state": 0}


def check_frame_library_is_named(path) -> None:
    message = "no error at all"
    try:
        path.to_frame()
    except ImportError as error:
        message = str(error)
    assert "install" in message, message
    assert "pandas" in message, message


def check_model(model, X, y) -> None:
    model.fit(X, y)
    prediction = model.predict(X)
    assert prediction.shape == y.shape
    assert np.isfinite(model.score(X, y))
    assert model.support_.shape == (X.shape[1],)
    assert model.feature_importances_.shape == (X.shape[1],)
    assert len(model.selected_features_) == model.n_selected_
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), prediction)
    check_frame_library_is_named(model.path_)


def main() -> None:
    found = [name for name in OPTIONAL if importlib.util.find_spec(name)]
    assert not found, f"not the core alone: {found}"
    for name in lassoflexnet.__all__:
        getattr(lassoflexnet, name)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 4))
    y = X[:, 0] + np.abs(X[:, 1])
    check_model(lassoflexnet.LassoFlexNetRegressor(**SHORT), X, y)
    check_model(lassoflexnet.LassoFlexNetClassifier(**SHORT), X, np.where(y > 1, "high", "low"))


if __name__ == "__main__":
    main()
