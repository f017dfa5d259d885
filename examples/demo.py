"""Find the columns that matter among noise: ``make demo`` runs this.

Breast cancer data of scikit-learn (569 patients, 30 columns) with 30 columns of pure noise. At most
ten columns are asked for; an argument says otherwise, as ``selection`` of the estimators takes it.
"""

import sys
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from lassoflexnet import LassoFlexNetClassifier
from lassoflexnet.plots import plot_path

N_NOISE = 30
SELECTION = 10


def main(selection: str | int = SELECTION) -> None:
    """Train, print what happened, save a picture."""
    mpl.use("Agg")
    data = load_breast_cancer()
    noise = np.random.default_rng(0).normal(size=(len(data.data), N_NOISE))
    X = np.hstack([data.data, noise])
    names = [*data.feature_names, *(f"noise {i}" for i in range(N_NOISE))]
    X_train, X_test, y_train, y_test = train_test_split(X, data.target, random_state=0)

    print(
        f"{len(X_train)} rows, {len(data.feature_names)} columns and {N_NOISE} of noise; "
        f"selection={selection!r}\n"
    )
    model = LassoFlexNetClassifier(selection=selection, random_state=0, n_threads=1, verbose=1)
    model.fit(X_train, y_train)
    linear = make_pipeline(StandardScaler(), LogisticRegression()).fit(X_train, y_train)

    print(f"\non {len(y_test)} test rows:      accuracy  log loss")
    for name, fitted in (("LassoFlexNet", model), ("logistic regression", linear)):
        loss = log_loss(y_test, fitted.predict_proba(X_test))
        print(f"  {name:<20} {fitted.score(X_test, y_test):8.3f} {loss:9.3f}")
    # By the support: a kept column may have an importance of 0, as removed ones have.
    kept = np.flatnonzero(model.support_)
    n_noise = sum(names[j].startswith("noise") for j in kept)
    print(
        f"\nkept {len(kept)} of {len(names)} columns, {n_noise} of them noise; share of importance,"
    )
    print("0 where others can stand in:")
    for j in kept[np.argsort(-model.feature_importances_[kept], kind="stable")]:
        share = model.feature_importances_[j]
        print(f"  {names[j]:<26} {share:6.1%}  {'#' * round(40 * share)}")

    picture = Path("demo-path.png")
    axes = plot_path(model.path_, names, kept=model.lambda_)
    axes[0].figure.savefig(picture, dpi=130)
    print(f"\npicture of the path: {picture.resolve()}")


if __name__ == "__main__":
    main(*(int(given) if given.isdigit() else given for given in sys.argv[1:2]))
