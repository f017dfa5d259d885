"""Choosing without each data set, against a loop that does it by hand."""

from pathlib import Path

import numpy as np
import pytest

from lassoflexnet.bench.arena.collecting import with_chosen_form
from lassoflexnet.bench.arena.reading import read_runs, rechosen_of
from lassoflexnet.bench.arena.rechoosing import rechoose, with_default
from lassoflexnet.exceptions import InvalidInput
from tests.bench.arena.makers import change, make, times

SETS = ["houses", "flowers", "birds", "fish"]
NAMES = ("defaults", "defaults_candidates")


@pytest.fixture(scope="module")
def place(tmp_path_factory) -> Path:
    place = make(tmp_path_factory.mktemp("candidates"), NAMES)
    # `deep` is by far the best of the validation rows of houses, and bad on its test rows.
    change(place, "defaults_candidates/houses.deep.*", times(0.5, of="validation"))
    change(place, "defaults_candidates/houses.deep.*", times(1.5))
    return place


def test_each_data_set_has_no_say_in_its_own_choice(place: Path):
    found = rechosen_of(place / "defaults_candidates.toml", place)
    validation = {name: dict.fromkeys(SETS, e) for name, e in (("default", 0.40), ("wide", 0.39))}
    validation["deep"] = {**dict.fromkeys(SETS, 0.41), "houses": 0.205}
    # It is for fish alone, and elsewhere what it changes.
    validation["flat"] = {**validation["default"], "fish": 0.43}
    catboost = {**dict.fromkeys(SETS, 0.41), "birds": 0.43}
    test = {"default": 0.40, "wide": 0.39, "deep": 0.41, "flat": 0.40}
    logs = []
    for name in SETS:
        relative = {
            c: np.prod([v[s] / validation["default"][s] for s in SETS if s != name]) ** (1 / 3)
            for c, v in validation.items()
        }
        chosen = min(relative, key=relative.get)
        ratio = test[chosen] / catboost[name]
        assert found.table.loc[name, "chosen"] == chosen
        assert found.table.loc[name, "ratio"] == pytest.approx(ratio)
        logs.append(np.log(ratio))
    assert found.table["chosen"].tolist() == ["wide", "deep", "deep", "deep"]
    assert found.ratio == pytest.approx(np.exp(np.mean(logs)))
    assert found.overall == "deep"
    assert found.unfinished == ()


def test_a_candidate_for_some_data_sets_may_be_chosen(tmp_path: Path):
    place = make(tmp_path, NAMES)
    change(place, "defaults_candidates/fish.flat.*", times(0.5, of="validation"))
    change(place, "defaults_candidates/fish.flat.*", times(0.5))
    found = rechosen_of(place / "defaults_candidates.toml", place)
    assert found.table["chosen"].tolist() == ["flat", "flat", "flat", "wide"]
    assert found.table["ratio"].tolist() == pytest.approx(
        [0.40 / 0.41, 0.40 / 0.41, 0.40 / 0.43, 0.39 / 0.41]
    )
    assert found.overall == "flat"


def test_candidates_that_are_not_done_are_left_out(place: Path):
    arena = with_chosen_form(read_runs(place / "defaults.toml", place))
    candidates = with_default(read_runs(place / "defaults_candidates.toml", place), arena)
    part = candidates.copy()
    part.loc[part["method"] == "deep", "validation"] = np.nan
    found = rechoose(part, arena)
    assert found.unfinished == ("deep",)
    assert set(found.table["chosen"]) == {"wide"}
    assert found.ratio is None, "deep might have been chosen"
    nothing = rechoose(part[part["method"] == "deep"], arena)
    assert (len(nothing.table), nothing.ratio, nothing.overall) == (0, None, None)
    with pytest.raises(InvalidInput, match=r"run on `houses` by .*Use the arena's protocol"):
        rechoose(candidates.assign(rows="other"), arena)
    with pytest.raises(InvalidInput, match=r"run on 1 data set\. Use two or more"):
        rechoose(candidates[candidates["dataset"] == "fish"], arena)
    arena.loc[arena["dataset"] == "fish", "error"] = np.nan
    assert rechoose(candidates, arena).ratio is None


def test_the_default_is_the_arena_itself(place: Path):
    arena = with_chosen_form(read_runs(place / "defaults.toml", place))
    candidates = read_runs(place / "defaults_candidates.toml", place)
    found = with_default(candidates, arena)
    first = found[found["method"] == found["method"].iloc[0]]
    wide = candidates[candidates["method"] == "wide"]
    assert {*zip(first["dataset"], first["seed"], strict=True)} == {
        *zip(wide["dataset"], wide["seed"], strict=True)
    }
    assert {run.label for run in first["run"]} == {"lassoflexnet"}
    assert first["error"].notna().all()
    assert len(arena[(arena["method"] == "lassoflexnet") & (arena["dataset"] == "fish")]) == 4
