"""The arena's files and commands."""

import json
from pathlib import Path

import pytest

from tests.bench.arena.makers import make
from tests.cli.test_cli import call


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    return make(tmp_path_factory.mktemp("report"))


def test_command_writes_both_files(place: Path):
    found = call("bench", "arena", place, "--results", place)
    assert found.exit_code == 0, found.output
    assert (
        "yes        arena: geometric mean error, default / CatBoost: 0.9641 (<= 1)" in found.output
    )
    content = json.loads((place / "defaults.json").read_text())
    assert list(content) == ["tables", "checks"]
    assert len(content["checks"]) == 19
    assert set(content["checks"][0]) == {"name", "value", "bar", "ok"}
    tables = content["tables"]
    assert tables["ratios"]["birds"]["CatBoost's form"] == "catboost"
    assert tables["ratios"]["geometric mean"]["lassoflexnet / CatBoost"] == pytest.approx(
        ((0.40 / 0.41) ** 3 * (0.40 / 0.43)) ** 0.25, abs=1e-5
    )
    assert tables["ranks_4"]["lightgbm"]["lassoflexnet"] == 3.0
    assert tables["ranks_2"]["realmlp"]["lassoflexnet_fast"] == 4.0
    assert tables["ranks_1"]["tabm"]["lassoflexnet"] == 5.0
    assert tables["ranks_every_form_4"]["catboost"]["lassoflexnet"] == 3.0
    assert tables["ratios"]["median"]["lassoflexnet / CatBoost"] == pytest.approx(0.40 / 0.41)
    assert tables["noise"]["geometric mean"]["catboost"] == pytest.approx(1.005)
    assert tables["noise_kept"]["fish"] == {"used": 4.0, "of them noise": 1.0, "columns there": 8.0}
    assert tables["columns"]["fish"]["lassoflexnet"] == 4.0
    assert "houses" not in tables["accuracy"]
    assert tables["seconds"]["fish"]["tabm"] == 900
    assert "worse" not in tables
    tried = tables["candidates"]
    assert tried["houses"] == pytest.approx({"wide": 0.39 / 0.4, "deep": 0.41 / 0.4, "flat": None})
    assert tried["geometric mean"]["deep"] == pytest.approx(0.41 / 0.4, abs=1e-5)
    assert tried["geometric mean"]["flat"] == pytest.approx(0.43 / 0.4, abs=1e-5)
    assert tried["median"]["deep"] == pytest.approx(0.41 / 0.4, abs=1e-5)
    stars = tables["outside"]["stars"]
    assert stars["lassoflexnet / CatBoost"] == pytest.approx(0.40 / 0.41, abs=1e-5)
    assert (stars["catboost, chosen form"], stars["columns used"]) == (0.41, 4.0)
    assert tables["outside"]["geometric mean"] == pytest.approx(
        {**dict.fromkeys(stars), "lassoflexnet / CatBoost": 0.40 / 0.41}, abs=1e-5
    )
    page = (place / "defaults.md").read_text()
    assert "70 of 70 runs of `defaults.toml` are done" in page
    assert "| noise: geometric mean error, half of all columns noise / none | 1.0050 |" in page
    assert "Average rank (1 is best) over 4 data sets; a column" in page
    assert "Average rank (1 is best) over 2 data sets (flowers, fish); a column" in page
    assert page.count("| yes |") == 19


def test_points_that_are_not_met_leave_with_one(place: Path, tmp_path: Path):
    found = call("bench", "arena", place, "--results", tmp_path)
    assert found.exit_code == 1
    assert found.output.count("runs are missing: (") == 19
    assert json.loads((tmp_path / "defaults.json").read_text())["checks"][0]["ok"] is False
    page = (tmp_path / "defaults.md").read_text()
    assert "0 of 70 runs" in page
    assert page.count("| not known |") == 19


def test_data_sets_outside_count_when_all_is_done_there(tmp_path: Path):
    place = make(tmp_path)
    next((place / "defaults_outside").glob("stars.catboost_slow.*.json")).unlink()
    call("bench", "arena", place, "--results", place)
    tables = json.loads((place / "defaults.json").read_text())["tables"]
    assert list(tables["outside"]) == ["trees", "geometric mean", "median"]


def test_tables_that_lack_runs_do_not_look_whole(tmp_path: Path):
    place = make(tmp_path)
    next((place / "defaults_candidates").glob("fish.deep.*.json")).unlink()
    next((place / "defaults_noise").glob("fish.lassoflexnet.*.json")).unlink()
    call("bench", "arena", place, "--results", place)
    tables = json.loads((place / "defaults.json").read_text())["tables"]
    assert "rechosen" not in tables
    assert tables["candidates"]["fish"]["deep"] is None
    assert "fish" not in tables["noise_kept"]
    assert "birds" in tables["noise_kept"]


def test_rechoosing_is_printed(tmp_path: Path):
    place = make(tmp_path, ("defaults", "defaults_candidates"))
    next((place / "defaults_candidates").glob("fish.deep.*.json")).unlink()
    found = call("bench", "rechoose", place / "defaults_candidates.toml", "--results", place)
    assert found.exit_code == 0, found.output
    assert "| fish | wide | 0.9512 |" in found.stdout
    assert "best on all data sets: wide" in found.stdout
    assert "in units of CatBoost's: not known" in found.stdout
    assert "runs are missing, left out: deep\n" in found.stderr
