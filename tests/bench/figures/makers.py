"""Made-up results with known numbers."""

from typing import Any

import numpy as np

from lassoflexnet.bench.results import Result
from lassoflexnet.bench.runs import Run

Pairs = list[tuple[Run, Result]]


def result(scores: dict[str, float], facts: dict[str, Any] | None = None) -> Result:
    return {"status": "done", "scores": scores, "facts": facts or {}, "validation": {}}


def accuracies(n_sets: int = 12) -> Pairs:
    """Three methods on some data sets, two folds each; the trees are 0.01 and 0.03 worse."""
    generator = np.random.default_rng(0)
    less = {"lassoflexnet": 0.0, "xgboost": 0.01, "random_forest": 0.03}
    found = []
    for i in range(n_sets):
        level = generator.uniform(0.6, 0.9)
        spread = {method: 0.002 * generator.standard_normal() for method in less}
        for fold in (0, 1):
            for method in less:
                value = level - less[method] + (0 if method == "lassoflexnet" else spread[method])
                run = Run("s", f"set{i}", method, "tabzilla", case={"fold": fold}, label=method)
                found.append((run, result({"accuracy": value + 0.01 * fold})))
    return found


def configurations(datasets: tuple[str, ...] = ("CH", "GE"), n: int = 12) -> Pairs:
    """Random configurations; of each data set, a third gains nothing on the path."""
    generator = np.random.default_rng(1)
    found = []
    for dataset in datasets:
        for i in range(n):
            settings = {
                "tau": float(generator.uniform(0.01, 2.0)),
                "learning_rate": float(generator.choice([5e-4, 1e-3, 2e-3])),
                "n_bins": int(generator.integers(4, 32)),
                "dropout": float(generator.uniform(0.05, 0.25)),
                "d_hidden": int(generator.choice([32, 64])),
                "max_epochs": 15,
                "backbone": "mixer",
            }
            dense = float(generator.uniform(0.3, 0.5))
            gain = -0.02 if i % 3 == 0 else float(generator.uniform(0.01, 0.04))
            kept = dense - gain
            facts = {"dense_validation_loss": dense, "path_validation_loss": kept}
            run = Run("s", dataset, "lassoflexnet", "p", settings=settings, label="lassoflexnet")
            done = result({"accuracy": 0.99 - kept}, facts)
            found.append((run, {**done, "validation": {"accuracy": 1 - kept}}))
    return found


def training(n_epochs: int = 20, n_seeds: int = 2) -> Pairs:
    """The targeted experiment: weights overlap with one tau and part with the other."""
    x = np.linspace(0, 1, n_epochs + 1)
    found = []
    for label, gain in (("tau = 1", 0.02), ("tau = 0.001", 0.3)):
        for seed in range(n_seeds):
            groups = {"true": 0.05 + gain * x, "false": 0.05 - 0.04 * x * (gain > 0.1)}
            width = {"q0": 0.5, "q25": 0.8, "mean": 1.0, "q75": 1.2, "q100": 1.5}
            facts: dict[str, Any] = {
                kind: {q: (share * mean).tolist() for q, share in width.items()}
                for kind, mean in groups.items()
            }
            facts["train_loss"] = np.exp(-4 * x[1:]).tolist()
            facts["validation_loss"] = (0.02 + np.exp(-4 * x[1:])).tolist()
            facts["auc"] = (0.5 + (0.5 if gain > 0.1 else 0.1) * x).tolist()
            run = Run("s", "none", "targeted", "analysis", seed, label=label)
            found.append((run, result({"auc": facts["auc"][-1]}, facts)))
    return found


def evolutions(n_updates: int = 10, d: int = 6) -> Pairs:
    """Skip weights that the joint operator makes equal and the sequential one shrinks."""
    start = np.linspace(0.05, 0.4, d)
    step = np.linspace(0, 1, n_updates + 1)[:, None]
    sequential = np.clip(start - 0.3 * step, 0, None)
    joint = start + (0.2 - start) * step
    facts = {
        "names": [f"c{j}" for j in range(d)],
        "real": [j >= d // 2 for j in range(d)],
        "lambdas": np.linspace(0, 0.01, n_updates + 1).tolist(),
        "joint": {"beta": joint.tolist(), "w1": (2 * joint).tolist()},
        "sequential": {"beta": sequential.tolist(), "w1": (2 * sequential).tolist()},
    }
    run = Run("s", "CH", "prox_evolution", "analysis", label="prox_evolution")
    return [(run, result({"rank_joint": 0.5, "rank_sequential": 0.9}, facts))]


def rotations() -> Pairs:
    losses = {"lassoflexnet": (0.45, 0.56), "xgboost": (0.47, 0.6), "mlp": (0.52, 0.52)}
    return [
        (
            Run("s", "CH", "rotation", "analysis", seed, label=label),
            result(
                {"rotated_loss": after + 0.01 * seed, "plain_loss": before + 0.01 * seed},
                {"loss": "rmse"},
            ),
        )
        for label, (before, after) in losses.items()
        for seed in (0, 1)
    ]


def curves(n_dense: int = 10, n_lambdas: int = 5) -> Pairs:
    """Two epochs per lambda, looked at when it ends."""
    x = np.arange(n_dense + 2 * n_lambdas) / (n_dense + 2 * n_lambdas)
    validation = 0.3 + 0.4 * np.exp(-5 * x)
    seen = [i < n_dense or (i - n_dense) % 2 == 1 for i in range(len(x))]
    facts = {
        "stage": ["dense"] * n_dense + ["path"] * 2 * n_lambdas,
        "train_loss": (0.2 + 0.5 * np.exp(-6 * x) + 0.1 * (x > 0.5)).tolist(),
        "validation_loss": [v if s else None for v, s in zip(validation, seen, strict=True)],
        "average_loss": [v - 0.02 if s else None for v, s in zip(validation, seen, strict=True)],
    }
    run = Run("s", "CH", "loss_curves", "analysis", label="loss_curves")
    return [(run, result({"path_loss": 0.3}, facts))]


EVERY_KIND: dict[str, Pairs] = {
    "differences": accuracies(),
    "scatter": configurations(),
    "sensitivity": configurations(),
    "targeted": training(),
    "prox_evolution": evolutions(),
    "rotation": rotations(),
    "loss_curves": curves(),
}
