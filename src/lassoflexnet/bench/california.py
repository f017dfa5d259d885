"""California Housing with 0, 50 and 75 % random columns: the table of the README.

Run as ``python -m lassoflexnet.bench.california``. Protocol of the feature-selection
benchmark: split 65/15/20 with seed 0, noise drawn once, RMSE in units of the training
target's standard deviation; default constructors, only the seed varies; validation rows
stop and select. A run that has a result file is not repeated.
"""

import argparse
import hashlib
import json
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed

from lassoflexnet import LassoFlexNetRegressor, __version__
from lassoflexnet.bench.datasets import Split, california_housing, with_random_columns

Rows = tuple[Any, np.ndarray]

SHARES = (0.0, 0.5, 0.75)
PAPER = {0.0: 0.4047, 0.5: 0.409, 0.75: 0.411}


class Run(NamedTuple):
    """One fit: method, share of random columns, seed, and arguments other than the defaults."""

    method: str
    share: float
    seed: int
    changes: dict[str, Any]

    def file_name(self) -> str:
        """Name of the result file; another version or other arguments have another one."""
        settings = LassoFlexNetRegressor(**self.changes).get_params()
        text = repr((__version__, sorted(settings.items())))
        key = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{self.method}-{self.share:g}-{self.seed}-{key}.json"


def fit_lassoflexnet(run: Run, train: Rows, validation: Rows) -> tuple[Any, dict[str, Any]]:
    """Our default constructor."""
    model = LassoFlexNetRegressor(random_state=run.seed, n_threads=1, **run.changes)
    model.fit(*train, eval_set=validation)
    dense, last = model.path_.points[0], model.path_.points[-1]
    return model, {
        "dense_validation_rmse": float(np.sqrt(dense.validation_loss)),
        "selected": model.selected_features_.tolist(),
        "alive_at_end": last.n_features,
    }


def fit_catboost(run: Run, train: Rows, validation: Rows) -> tuple[Any, dict[str, Any]]:
    """CatBoost's defaults, with the validation rows to choose the number of trees."""
    from catboost import CatBoostRegressor

    model = CatBoostRegressor(
        random_seed=run.seed, thread_count=1, verbose=False, allow_writing_files=False
    )
    model.fit(*train, eval_set=validation)
    return model, {"selected": list(train[0].columns)}


METHODS = {"lassoflexnet": fit_lassoflexnet, "catboost": fit_catboost}


def execute(run: Run, data: Path | None) -> dict[str, Any]:
    """Fit one model and score it."""
    X, y = california_housing(data)
    split = Split.of(with_random_columns(X, run.share), y)
    started = time.perf_counter()
    model, facts = METHODS[run.method](run, split[:2], split[2:4])
    seconds = time.perf_counter() - started
    unit = split.y_train.std()
    return {
        "method": run.method,
        "share": run.share,
        "seed": run.seed,
        "test_rmse": _rmse(model.predict(split.X_test), split.y_test) / unit,
        "validation_rmse": _rmse(model.predict(split.X_val), split.y_val) / unit,
        "n_columns": split.X_train.shape[1],
        **facts,
        "seconds": seconds,
        "version": __version__,
    }


def _rmse(prediction: np.ndarray, y: np.ndarray) -> float:
    return float(np.sqrt(np.mean((prediction - y) ** 2)))


def execute_or_read(run: Run, data: Path | None, folder: Path) -> dict[str, Any]:
    """Result from its file, or from a run that then writes it."""
    path = folder / run.file_name()
    if path.exists():
        result: dict[str, Any] = json.loads(path.read_text())
        return result
    result = execute(run, data)
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(result, indent=2) + "\n")
    unfinished.rename(path)
    return result


def table(results: list[dict[str, Any]]) -> str:
    """Markdown table, one row per share of random columns."""
    lines = [
        "| method | random columns | test RMSE, mean (by seed) | paper | noise removed "
        "| real kept | fit, s |",
        "|---|---|---|---|---|---|---|",
    ]
    for method, share in sorted({(r["method"], r["share"]) for r in results}, reverse=True):
        rows = [r for r in results if (r["method"], r["share"]) == (method, share)]
        scores = [r["test_rmse"] for r in rows]
        n_noise = rows[0]["n_columns"] - 8
        noise = [sum(n.startswith("noise_") for n in r["selected"]) for r in rows]
        removed = ", ".join(f"{n_noise - k}/{n_noise}" for k in noise)
        kept = ", ".join(str(len(r["selected"]) - k) for r, k in zip(rows, noise, strict=True))
        lines.append(
            f"| {method} | {share:.0%} "
            f"| {np.mean(scores):.4f} ({', '.join(f'{s:.4f}' for s in scores)}) "
            f"| {PAPER.get(share, float('nan')):.4f} | {removed} | {kept} "
            f"| {np.mean([r['seconds'] for r in rows]):.0f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Run what has no result yet and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with california_housing.parquet")
    parser.add_argument("--results", type=Path, default=Path("results/california"))
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    parser.add_argument("--jobs", type=int, default=2, help="fits at the same time")
    parser.add_argument("--set", nargs="*", default=[], metavar="NAME=JSON", help="other arguments")
    given = parser.parse_args()
    changes = {k: json.loads(v) for k, v in (item.split("=", 1) for item in given.set)}
    results = Parallel(n_jobs=given.jobs)(
        delayed(execute_or_read)(Run(method, share, seed, changes), given.data, given.results)
        for method in given.methods
        for share in given.shares
        for seed in given.seeds
    )
    print(table(results))
    for r in (r for r in results if r["method"] == "lassoflexnet"):
        print(
            f"{r['share']:.0%} seed {r['seed']}: test {r['test_rmse']:.4f}, validation "
            f"{r['validation_rmse']:.4f} (dense {r['dense_validation_rmse']:.4f}), "
            f"path ends with {r['alive_at_end']} columns, kept {', '.join(r['selected'])}"
        )


if __name__ == "__main__":
    main()
