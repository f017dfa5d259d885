"""Draw the README's picture, ``docs/path.png``: five columns that matter among ten of noise.

In Friedman's function two columns interact, one is squared and two are linear.
"""

from pathlib import Path

import matplotlib as mpl
from sklearn.datasets import make_friedman1

from lassoflexnet import LassoFlexNetRegressor
from lassoflexnet.plots import plot_path

N_REAL, N_NOISE = 5, 10


def main() -> None:
    """Train, save the picture."""
    mpl.use("Agg")
    X, y = make_friedman1(1000, n_features=N_REAL + N_NOISE, noise=1.0, random_state=0)
    names = [*(f"real {i}" for i in range(N_REAL)), *(f"noise {i}" for i in range(N_NOISE))]
    model = LassoFlexNetRegressor(random_state=0, n_threads=1, verbose=1).fit(X, y)
    axes = plot_path(model.path_, names, kept=model.lambda_)
    axes[0].figure.savefig(Path(__file__).parents[1] / "docs" / "path.png", dpi=130)


if __name__ == "__main__":
    main()
