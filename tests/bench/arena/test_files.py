"""The committed experiments of the arena."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from lassoflexnet.bench.arena.points import check_points
from lassoflexnet.bench.arena.reading import read_arena
from lassoflexnet.bench.arena.report import write_report
from lassoflexnet.bench.experiment import read_experiment

FOLDER = Path(__file__).parents[3] / "experiments"
RESULTS = FOLDER.parent / "results"
SMALL = {"credit-g", "vehicle"}
CHEAP = {"phoneme", "telco_churn", "california_housing", "bike_sharing_hour", *SMALL}


def test_arena_has_its_sets_seeds_and_methods():
    runs = read_experiment(FOLDER / "defaults.toml").runs
    seeds: dict[str, dict[str, set]] = defaultdict(lambda: defaultdict(set))
    for run in runs:
        assert run.case == {"max_train_rows": 12000}
        seeds[run.label][run.dataset].add(run.seed)
    sets = set(seeds["lassoflexnet"])
    assert len(sets) == 16
    peers = {"realmlp": CHEAP, "lassonet": CHEAP, "ebm": CHEAP, "tabm": {"phoneme", *SMALL}}
    for label, of in seeds.items():
        assert set(of) == peers.get(label, sets)
        for name, found in of.items():
            many = name in SMALL and label not in peers
            assert found == set(range(10 if many else 3))
    assert {"catboost", "catboost_slow", "lightgbm", "lightgbm_slow", "xgboost"} <= set(seeds)
    assert {"xgboost_slow", "random_forest", "linear", *peers} <= set(seeds)
    kept = {run.label for run in runs if run.keep_errors}
    assert {"lassoflexnet", "catboost", "catboost_slow"} <= kept


def test_noise_is_added_to_runs_of_the_arena():
    clean, noisy = (
        read_experiment(FOLDER / f"{name}.toml").runs for name in ("defaults", "defaults_noise")
    )
    more = {"added": "random", "share": 0.5}
    plain = {(r.dataset, r.label, r.seed, r.recipe): r.case for r in clean}
    assert len(noisy) == (14 + 2 * 10) * 4
    for run in noisy:
        assert run.case == {**plain[run.dataset, run.label, run.seed, run.recipe], **more}


def test_california_has_both_forms_of_catboost():
    runs = read_experiment(FOLDER / "california.toml").runs
    found = {(run.label, run.case["share"], run.seed) for run in runs}
    for label in ("lassoflexnet_all_rows", "catboost", "catboost_slow"):
        assert {(label, share, seed) for share in (0.0, 0.5, 0.75) for seed in range(3)} <= found


def test_data_sets_outside_are_others_on_the_same_terms():
    inside, outside = (
        read_experiment(FOLDER / f"{name}.toml").runs for name in ("defaults", "defaults_outside")
    )
    assert not {run.dataset for run in inside} & {run.dataset for run in outside}
    methods = {run.label: (run.method, run.settings, run.recipe) for run in inside}
    for run in outside:
        assert (run.method, run.settings, run.recipe) == methods[run.label]
        assert run.case == {"max_train_rows": 12000}


def test_candidates_are_run_on_every_data_set_of_the_arena():
    inside, candidates = (
        read_experiment(FOLDER / f"{name}.toml").runs
        for name in ("defaults", "defaults_candidates")
    )
    sets = {run.dataset for run in inside}
    ours = {run.recipe for run in inside if run.label == "lassoflexnet"}
    where: dict[str, set] = defaultdict(set)
    for run in candidates:
        assert run.case == {"max_train_rows": 12000}
        assert (run.method, run.seed) == ("lassoflexnet", 0)
        assert run.settings, "it changes something"
        where[run.label].add(run.dataset)
        if run.label != "not calibrated":
            assert run.recipe not in ours
    assert all(found == sets for label, found in where.items() if label != "not calibrated")


def test_committed_report_is_what_the_committed_results_say(tmp_path: Path):
    """Numbers were written by another machine; the last digit may differ."""
    arena = read_arena(FOLDER, RESULTS)
    write_report(arena, check_points(arena), tmp_path)
    written, committed = (
        json.loads((place / "defaults.json").read_text()) for place in (tmp_path, RESULTS)
    )
    assert written["checks"] == committed["checks"]
    assert list(written["tables"]) == list(committed["tables"])
    for name, table in written["tables"].items():
        for row, cells in table.items():
            expected = committed["tables"][name][row]
            assert [*cells] == [*expected], (name, row)
            assert all(map(alike, cells.values(), expected.values())), (name, row)


def alike(one: object, other: object) -> bool:
    """Equal, or numbers that differ in the last digits alone."""
    both_numbers = isinstance(one, float) and isinstance(other, float)
    return one == (pytest.approx(other, rel=1e-4) if both_numbers else other)
