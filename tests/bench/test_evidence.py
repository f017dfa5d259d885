"""Bars: what result files must show, and that a spoilt file is noticed."""

import json
from pathlib import Path

import pytest

from lassoflexnet.bench import verification
from lassoflexnet.bench.evidence import check_all, check_repeated
from lassoflexnet.bench.executors import Serial
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.runner import run_all
from lassoflexnet.bench.verification import compare, tenth
from lassoflexnet.exceptions import InvalidInput
from tests.bench.test_runner import small

BARS = """
[[check]]
name = "runs"
experiments = ["small.toml"]
value = "finished"
at_least = 8

[[check]]
name = "methods"
experiments = ["small.toml"]
value = "distinct"
column = "method"
at_least = 2

[[check]]
name = "ridge on iris"
experiments = ["small.toml"]
value = "mean"
column = "score"
where = { method = "ridge", dataset = "iris" }
at_most = 0.5

[[check]]
name = "hours"
experiments = ["small.toml"]
value = "hours"
at_most = 0.1
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    experiment = small(tmp_path)
    run_all(experiment.runs, ResultFolder(tmp_path / "small"), Serial())
    (tmp_path / "bars.toml").write_text(BARS)
    return tmp_path


def verdicts(place: Path) -> dict[str, bool]:
    return {check.name: check.ok for check in check_all(place / "bars.toml", place)}


def test_good_results_pass(place: Path):
    checks = check_all(place / "bars.toml", place)
    assert [check.ok for check in checks] == [True] * 4
    assert checks[0][1:3] == (8.0, ">= 8")


def test_spoilt_result_turns_a_check_false(place: Path):
    file = next((place / "small").glob("iris.ridge.*.json"))
    good = file.read_text()
    result = json.loads(good)
    result["scores"]["log_loss"] = 5.0
    file.write_text(json.dumps(result))
    assert verdicts(place) == {
        "runs": True,
        "methods": True,
        "hours": True,
        "ridge on iris": False,
    }
    file.write_text(good[: len(good) // 2])
    assert not verdicts(place)["runs"]
    file.write_text(good)
    assert all(verdicts(place).values())


def test_no_results_pass_nothing(place: Path):
    for file in (place / "small").glob("*.json"):
        file.unlink()
    assert not any(verdicts(place).values())


def test_unknown_value_is_named(place: Path):
    (place / "bars.toml").write_text(BARS.replace('"hours"\nat', '"hour"\nat'))
    with pytest.raises(InvalidInput, match=r"'hour' is not known. Use one of: hours"):
        check_all(place / "bars.toml", place)


def test_repeated_runs_are_compared(place: Path, monkeypatch):
    monkeypatch.setattr(verification, "ONE_IN", 2)
    experiment, folder = small(place), ResultFolder(place / "small")
    runs = tenth(experiment.runs)
    assert 0 < len(runs) < 8
    assert runs == tenth(reversed(experiment.runs))[::-1]
    again = ResultFolder(place / "again" / "small")
    assert not check_repeated([experiment], place, place / "again").ok
    run_all(runs, again, Serial())
    assert all(one.agrees for one in compare(runs, folder, again))
    assert check_repeated([experiment], place, place / "again").ok
    result = again.read(runs[0])
    result["scores"] = {name: value + 0.2 for name, value in result["scores"].items()}
    again.write(runs[0], result)
    assert [one.agrees for one in compare(runs, folder, again)] == [
        False,
        *[True] * (len(runs) - 1),
    ]
    assert not check_repeated([experiment], place, place / "again").ok
