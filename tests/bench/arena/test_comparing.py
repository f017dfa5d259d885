"""Means, the form of CatBoost, ranks and the bootstrap, against numbers by hand."""

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.bench.arena.bootstrap import ratio_interval
from lassoflexnet.bench.arena.collecting import (
    CATBOOST,
    VALUES,
    forms_chosen,
    methods_on,
    middles,
    with_chosen_form,
)
from lassoflexnet.bench.arena.comparing import (
    against_trees,
    average_ranks,
    coverages,
    geometric_mean,
    lead,
    noise_ratios,
    ratios,
)


def table(cells: dict[tuple[str, str], list[float]], **more: float) -> pd.DataFrame:
    """Errors by data set and method, one for each seed."""
    rows = [
        {**dict.fromkeys(VALUES, np.nan), "dataset": d, "method": m, "seed": i, "error": e, **more}
        for (d, m), errors in cells.items()
        for i, e in enumerate(errors)
    ]
    return pd.DataFrame(rows)


def test_a_disturbed_run_moves_no_seconds():
    runs = pd.DataFrame({"dataset": "a", "method": "x", "seed": range(3)})
    found = runs.assign(fit_s=[10.0, 12.0, 900.0], error=[1.0, 2.0, 6.0])
    assert middles(found, "fit_s", ["x"]).loc["a", "x"] == 12.0
    assert middles(found, "error", ["x"]).loc["a", "x"] == 3.0


def test_means_are_over_the_seeds_that_all_have():
    found = table({("a", "x"): [1, 2, 9], ("a", "y"): [3, 5], ("b", "x"): [1, 1]})
    assert middles(found, "error", ["x", "y"]).to_dict() == {"x": {"a": 1.5}, "y": {"a": 4.0}}
    assert middles(found, "error", ["x"]).to_dict() == {"x": {"a": 4.0, "b": 1.0}}
    assert middles(found, "error", ["x", "z"]).empty


def test_one_missing_run_makes_the_mean_unknown():
    found = middles(table({("a", "x"): [1, np.nan], ("b", "x"): [1, 2]}), "error", ["x"])
    assert np.isnan(found.loc["a", "x"])
    assert found.loc["b", "x"] == 1.5


def test_rows_keep_the_order_of_the_file():
    found = table({("b", "y"): [1.0], ("b", "x"): [2.0], ("a", "y"): [3.0], ("a", "x"): [4.0]})
    assert middles(found, "error", ["y", "x"]).to_numpy().tolist() == [[1, 2], [3, 4]]


def test_form_is_chosen_by_validation_rows_not_by_test_rows():
    found = table({(d, m): [0.5] for d in "abc" for m in ("catboost", "catboost_slow", "x")})
    slow = found["method"] == "catboost_slow"
    found.loc[slow, "error"] = 0.1
    found["validation"] = np.where(slow & (found["dataset"] == "a"), 0.2, 0.3)
    found.loc[slow & (found["dataset"] == "b"), "validation"] = 0.4
    found.loc[slow & (found["dataset"] == "c"), "validation"] = np.nan
    assert forms_chosen(found).to_dict() == {"a": "catboost_slow", "b": "catboost"}
    chosen = with_chosen_form(found)
    assert sorted(chosen["method"].unique()) == [CATBOOST, "x"]
    errors = middles(chosen, "error", [CATBOOST])[CATBOOST]
    assert errors[["a", "b"]].tolist() == [0.1, 0.5]
    assert np.isnan(errors["c"])


def test_ranks_have_one_of_ours_at_a_time():
    found = table(
        {
            **{("a", m): [e] for m, e in {"lassoflexnet": 2, "x": 1, "y": 3}.items()},
            **{("b", m): [e] for m, e in {"lassoflexnet": 1, "x": 2, "y": 3}.items()},
            **{(d, "lassoflexnet_best"): [0.5] for d in "ab"},
            ("a", "z"): [0.1],
        }
    )
    ranks = average_ranks(found, "lassoflexnet", ["a", "b"])
    assert ranks.to_dict() == {"lassoflexnet": 1.5, "x": 1.5, "y": 3.0}
    assert lead(ranks, "lassoflexnet") == 0
    assert lead(ranks, "lassoflexnet", ["y"]) == -1.5
    assert lead(ranks, "lassoflexnet", ["y", "w"]) is None
    assert lead(average_ranks(found, "lassoflexnet_best", ["a", "b"]), "lassoflexnet_best") == -1
    assert average_ranks(found, "lassoflexnet_fast", ["a", "b"]).empty
    assert average_ranks(found, "lassoflexnet", ["a"])["z"] == 1.0
    assert methods_on(found, ["a", "b"]) == ["lassoflexnet", "x", "y", "lassoflexnet_best"]
    assert coverages(found) == [["a", "b"], ["a"]]
    found.loc[(found["dataset"] == "b") & (found["method"] == "y"), "error"] = np.nan
    assert average_ranks(found, "lassoflexnet", ["a", "b"]).empty


def test_ratios_to_one_and_to_the_best_of_the_trees():
    found = table(
        {
            **{("a", m): [e] for m, e in {"ours": 2, "lightgbm": 4, "xgboost": 1}.items()},
            **{("b", m): [e] for m, e in {"ours": 3, "lightgbm": 2, "xgboost": 4}.items()},
        }
    )
    assert ratios(found, "ours", "lightgbm").tolist() == [0.5, 1.5]
    assert against_trees(found, "ours").tolist() == [2.0, 1.5]
    assert geometric_mean(against_trees(found, "ours")) == pytest.approx(3**0.5)
    assert geometric_mean(ratios(found, "ours", "none")) is None


def test_noise_is_compared_with_the_same_seed():
    clean, noisy = table({("a", "x"): [1.0, 8.0]}), table({("a", "x"): [1.1]})
    assert noise_ratios(clean, noisy, "x").tolist() == [1.1]
    assert noise_ratios(clean, noisy, "y").empty


@pytest.mark.parametrize("root", [False, True])
def test_interval_is_that_of_rows_drawn_in_pairs(root: bool):
    rng = np.random.default_rng(3)
    ours, theirs = rng.exponential(1.2, 80), rng.exponential(1.0, 80)
    again, found = np.random.default_rng(0), []
    for _ in range(300):
        rows = again.integers(80, size=80)
        ratio = ours[rows].mean() / theirs[rows].mean()
        found.append(ratio**0.5 if root else ratio)
    expected = np.percentile(found, [2.5, 97.5])
    np.testing.assert_allclose(ratio_interval(ours, theirs, root=root, n_draws=300), expected)


def test_pairs_that_go_together_give_a_narrow_interval():
    theirs = np.random.default_rng(0).exponential(1.0, 200)
    low, high = ratio_interval(1.1 * theirs, theirs, root=False, n_draws=200)
    assert low == pytest.approx(1.1)
    assert high == pytest.approx(1.1)
    low, high = ratio_interval(1.1 * theirs[::-1], theirs, root=False, n_draws=200)
    assert low < 1 < high
