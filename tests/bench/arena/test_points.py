"""Points of the arena: values by hand, and that each one turns false."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from lassoflexnet.bench.arena import reading
from lassoflexnet.bench.arena.bootstrap import Worse
from lassoflexnet.bench.arena.points import POINTS, check_points, left_out_ratio, worst_ratio
from lassoflexnet.bench.arena.reading import read_arena
from lassoflexnet.bench.checking import Check
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.exceptions import InvalidInput
from tests.bench.arena import makers
from tests.bench.arena.makers import change, make, runs_of, times


@pytest.fixture(scope="module")
def good(tmp_path_factory) -> Path:
    return make(tmp_path_factory.mktemp("arena"))


@pytest.fixture
def place(good: Path, tmp_path: Path, monkeypatch) -> Path:
    # Experiment files take longer to read than results, and are the same every time.
    monkeypatch.setattr(reading, "read_experiment", lambda file: makers._read(file.stem, good))
    return shutil.copytree(good, tmp_path / "arena")


def checks(place: Path) -> dict[str, Check]:
    return {check.name: check for check in check_points(read_arena(place, place))}


def test_values_are_those_by_hand(place: Path):
    found = checks(place)
    assert len(found) == len(POINTS) == 19
    assert [check.name for check in found.values() if not check.ok] == []
    values = {name: check.value for name, check in found.items()}
    # CatBoost is slow (0.41) but for birds, where validation rows prefer the other (0.43).
    log = (3 * np.log(0.40 / 0.41) + np.log(0.40 / 0.43)) / 4
    best = (3 * np.log(0.38 / 0.41) + np.log(0.38 / 0.43)) / 4
    wide = (3 * np.log(0.39 / 0.41) + np.log(0.39 / 0.43)) / 4
    assert values == {
        "California, 0 % random columns: RMSE of the default": round(0.3725 * 1.0005, 4),
        "California, 50 % random columns: RMSE of the default": round(0.3725 * 1.0005 * 1.005, 4),
        "California, 75 % random columns: RMSE of the default": round(0.3725 * 1.0005 * 1.0075, 4),
        "California, 0 % random columns: RMSE of best": round(0.3665 * 1.0005, 4),
        "California, 50 % random columns: RMSE of best": round(0.3665 * 1.0005 * 1.005, 4),
        "California, 75 % random columns: RMSE of best": round(0.3665 * 1.0005 * 1.0075, 4),
        "California, 50 % random columns: default / better form of CatBoost": 0.9085,
        "California, 75 % random columns: default / better form of CatBoost": 0.9085,
        # First everywhere; CatBoost is second everywhere.
        "arena: average rank of the default minus the best other's, all data sets": -1.0,
        "arena: average rank of the default minus the best other's, on RealMLP's data sets": -1.0,
        "arena: geometric mean error, default / CatBoost": round(np.exp(log), 4),
        "arena: geometric mean error, best / CatBoost": round(np.exp(best), 4),
        "arena: largest error, default / CatBoost (1 where test rows cannot tell)": 0.9756,
        "cost: geometric mean fit time, default / RealMLP, on its data sets": 0.6667,
        "cost: geometric mean fit time, default / TabM, on its data sets": 0.0444,
        "cost: geometric mean fit time, default / fast": 5.0,
        # On flowers and fish: fast is behind CatBoost; RealMLP behind LightGBM too.
        "cost: average rank of fast minus the better of RealMLP and LassoNet": -2.0,
        "noise: geometric mean error, half of all columns noise / none": 1.005,
        "left out: geometric mean error, chosen by the other data sets / CatBoost": round(
            np.exp(wide), 4
        ),
    }


RANKS = {"all data sets", "on RealMLP's data sets"}
BETTER = {f"{share} % random columns: default / better" for share in (50, 75)}
SPOILT = [
    (
        {
            "california/*.lassoflexnet_all_rows.*": 1.04,
            "california/*.lassoflexnet_best_all_rows.*": 1.04,
            "defaults_noise/*.lassoflexnet.*": 1.02,
            "defaults_candidates/*.wide.*": 1.09,
        },
        {
            *(f"{share} % random columns: RMSE of the default" for share in (0, 50, 75)),
            *(f"{share} % random columns: RMSE of best" for share in (0, 50, 75)),
            "noise: geometric mean",
            "left out: geometric mean",
        },
    ),
    # Either form of CatBoost can be the better one.
    (
        {"california/*.catboost_slow.*": 0.9, "defaults/*.lassonet.*": 0.82},
        {*BETTER, "rank of fast"},
    ),
    (
        {"california/*.catboost.*": 0.8, "defaults/*.lassoflexnet_best.*": 1.1},
        {*BETTER, "error, best / CatBoost"},
    ),
    ({"defaults/*.lightgbm.*": 0.9}, RANKS),
    ({"defaults/*.realmlp.*": 0.8}, {"on RealMLP's data sets", "rank of fast"}),
    ({"defaults/*.lassoflexnet.*": 1.06}, {"mean error, default / CatBoost", *RANKS}),
    (
        {"defaults/fish.lassoflexnet.*": 1.09, "defaults/birds.lassoflexnet.*": 0.9},
        {"largest error"},
    ),
]


@pytest.mark.parametrize(("spoilt", "points"), SPOILT, ids=[min(s) for s, _ in SPOILT])
def test_other_scores_turn_these_points_false_and_no_others(
    place: Path, spoilt: dict[str, float], points: set[str]
):
    for pattern, factor in spoilt.items():
        assert change(place, pattern, times(factor)) > 0
    false = [check for check in checks(place).values() if not check.ok]
    assert all(check.value is not None for check in false)
    assert len(false) == len(points)
    assert all(any(point in check.name for check in false) for point in points)


def test_other_times_turn_points_false(place: Path):
    for pattern, factor in (("realmlp", 0.5), ("tabm", 0.4), ("lassoflexnet_fast", 1.3)):
        assert change(place, f"defaults/*.{pattern}.*", times(factor, of="seconds")) > 0
    false = [name for name, check in checks(place).items() if not check.ok]
    start = "cost: geometric mean fit time, default / "
    assert false == [
        *(f"{start}{peer}, on its data sets" for peer in ("RealMLP", "TabM")),
        f"{start}fast",
    ]


def test_missing_run_leaves_its_points_unknown(place: Path):
    next((place / "defaults").glob("fish.realmlp.*.json")).unlink()
    unknown = {name: check for name, check in checks(place).items() if check.value is None}
    assert [name.split(":")[0] for name in unknown] == ["arena", "cost", "cost"]
    assert all(name.endswith("; runs are missing") for name in unknown)
    assert not any(check.ok for check in unknown.values())


def test_what_is_left_out_must_be_every_data_set(place: Path):
    arena = read_arena(place, place)
    assert left_out_ratio(arena) is not None
    fewer = arena.rechosen._replace(table=arena.rechosen.table.drop(index="fish"))
    assert fewer.ratio is not None
    assert left_out_ratio(arena._replace(rechosen=fewer)) is None


def test_results_of_two_tables_are_told_apart(place: Path):
    change(place, "defaults/*", lambda result: result.update(data_sha="a"))
    # Older results do not say.
    assert len(checks(place)) == len(POINTS)
    change(place, "defaults_noise/fish.catboost.*", lambda result: result.update(data_sha="b"))
    with pytest.raises(InvalidInput, match="results on `fish` are of different tables"):
        checks(place)


def test_without_results_no_point_is_met(place: Path):
    for name in ("defaults", "defaults_noise", "california"):
        shutil.rmtree(place / name)
    (place / "defaults_candidates.toml").unlink()
    assert {(check.value, check.ok) for check in checks(place).values()} == {(None, False)}


def test_worst_data_set_is_excused_if_test_rows_cannot_tell(place: Path):
    change(place, "defaults/fish.lassoflexnet.*", times(1.09))
    folder, rng = ResultFolder(place / "defaults"), np.random.default_rng(1)
    ours = [
        run
        for run in runs_of("defaults", place)
        if (run.dataset, run.label) == ("fish", "lassoflexnet")
    ]

    def judged(spread: float) -> tuple[Worse, float | None]:
        for run in ours:
            errors = rng.normal(0.40 * 1.09, spread, 50)
            folder.write(run, {**folder.read(run), "row_errors": errors})
        arena = read_arena(place, place)
        (worse,) = arena.worse
        return worse, worst_ratio(arena)

    clear, worst = judged(0.01)
    assert clear.dataset == "fish"
    assert clear.ratio == worst == pytest.approx(0.40 * 1.09 / 0.41)
    assert 1.05 < clear.low < clear.high < 1.08
    unclear, worst = judged(1.0)
    assert unclear.low < 1 < unclear.high
    assert worst == 1.0
    for path in (place / "defaults" / "errors").glob("fish.lassoflexnet.*"):
        path.unlink()
    arena = read_arena(place, place)
    assert arena.worse == [Worse("fish", clear.ratio)]
    assert worst_ratio(arena) == clear.ratio
