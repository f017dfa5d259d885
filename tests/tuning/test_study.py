"""The generic core: what is searched, what is reproducible, what is resumed."""

import logging
import math
import sys

import pytest

from lassoflexnet.exceptions import InvalidInput, MissingDependency, TrainingDiverged
from lassoflexnet.tuning import (
    Fixed,
    FloatRange,
    Halving,
    IntRange,
    Space,
    StudySettings,
    ZeroOr,
    run_study,
)

optuna = pytest.importorskip("optuna", reason="tuning needs Optuna")

SPACE = Space({"x": FloatRange(0.0, 1.0), "w": ZeroOr(IntRange(1, 9)), "kind": Fixed("a")})


def bowl(params, report):
    return (params["x"] - 0.3) ** 2 + params["w"]


def test_best_is_the_lowest_and_the_search_closes_in():
    result = run_study(bowl, SPACE, StudySettings(n_trials=40, random_state=0))
    values = [row.value for row in result.trials]
    assert result.best_value == min(values) == bowl(result.best_params, None)
    assert result.trials[result.best_number].params == result.best_params
    assert result.best_params["kind"] == "a"
    assert result.best_params["w"] == 0
    assert abs(result.best_params["x"] - 0.3) < 0.02
    # At random, half of them would be zero.
    assert sum(row.params["w"] == 0 for row in result.trials[20:]) > 15


def test_seed_decides():
    def params(seed):
        settings = StudySettings(n_trials=14, random_state=seed)
        return [row.params for row in run_study(bowl, SPACE, settings).trials]

    assert params(1) == params(1)
    assert params(1) != params(2)
    assert params(None) != params(None)


@pytest.mark.parametrize("storage", ["journal.log", "sqlite:///{}/study.db"])
def test_resuming_adds_what_is_missing_and_changes_nothing(storage, tmp_path):
    place = storage.format(tmp_path) if "{" in storage else tmp_path / storage
    calls = []

    def counted(params, report):
        calls.append(params)
        return bowl(params, report)

    def study(n_trials, at=place):
        settings = StudySettings(n_trials=n_trials, storage=at, random_state=5)
        return run_study(counted, SPACE, settings)

    assert len(study(11).trials) == len(calls) == 11
    resumed = study(14)
    assert len(resumed.trials) == len(calls) == 14
    assert [row.params for row in resumed.trials] == calls
    assert study(3) == study(14) == resumed
    assert len(calls) == 14
    assert [row.params for row in study(14, at=None).trials] == calls[:14]


def test_stored_study_without_a_seed_has_one_by_its_name(tmp_path):
    def settings(name, file):
        return StudySettings(n_trials=1, storage=tmp_path / file, name=name)

    first, again, other = (
        run_study(bowl, SPACE, settings(name, file)).best_params
        for name, file in (("a", "1"), ("a", "2"), ("b", "1"))
    )
    assert first == again != other


def by_hand(xs):
    """Steps that trials of these x take: at a rung, the better half of those there goes on."""
    reached = {2: [], 4: [], 8: []}
    steps = []
    for x in xs:
        for rung, others in reached.items():
            others.append(x)
            if x > sorted(others)[max(len(others) // 2, 1) - 1]:
                steps.append(rung)
                break
        else:
            steps.append(9)
    return steps


def test_halving_ends_trials_at_rungs():
    seen = []

    def steps(params, report):
        seen.append(0)
        for step in range(1, 10):
            seen[-1] = step
            report(step, params["x"] + 1 / step)
        return params["x"]

    space = Space({"x": FloatRange(0.0, 1.0)})
    settings = StudySettings(n_trials=12, random_state=0, pruning=Halving(2, 2))
    result = run_study(steps, space, settings)
    assert [row.steps for row in result.trials] == seen
    for row in result.trials:
        assert row.state == ("complete" if row.steps == 9 else "pruned")
        assert row.steps in (2, 4, 8, 9)
    assert seen == by_hand([row.params["x"] for row in result.trials])
    assert 2 in seen
    assert result.best_value == min(row.params["x"] for row in result.trials)
    without = StudySettings(n_trials=4, random_state=0, pruning=None)
    assert {row.steps for row in run_study(steps, space, without).trials} == {9}


def test_configurations_that_fail_are_noted_and_count():
    def sometimes(params, report):
        if params["x"] > 0.5:
            raise TrainingDiverged("too fast")
        return math.nan if params["x"] < 0.1 else params["x"]

    space = Space({"x": FloatRange(0.0, 1.0)})
    result = run_study(sometimes, space, StudySettings(n_trials=20, random_state=0))
    assert len(result.trials) == 20
    for row in result.trials:
        expected = "TrainingDiverged: too fast" if row.params["x"] > 0.5 else ""
        expected = "the objective is nan" if row.params["x"] < 0.1 else expected
        assert row.error == expected
        assert row.state == ("failed" if expected else "complete")
    assert {row.error for row in result.trials} >= {"", "TrainingDiverged: too fast"}


def test_other_errors_end_the_study_and_do_not_count(tmp_path):
    settings = StudySettings(n_trials=3, storage=tmp_path / "journal.log", random_state=0)

    def broken(params, report):
        raise KeyError("a mistake")

    with pytest.raises(KeyError, match="a mistake"):
        run_study(broken, SPACE, settings)
    result = run_study(bowl, SPACE, settings)
    assert [row.number for row in result.trials] == [1, 2, 3]


def test_nothing_completed():
    def hopeless(params, report):
        raise TrainingDiverged("too fast")

    with pytest.raises(InvalidInput, match=r"none of 2 trials .* first error: .*too fast"):
        run_study(hopeless, SPACE, StudySettings(n_trials=2))
    with pytest.raises(InvalidInput, match=r"none of 0 trials .* no time"):
        run_study(bowl, SPACE, StudySettings(timeout=0.0))


def test_timeout_keeps_what_was_done():
    settings = StudySettings(n_trials=10**6, timeout=0.2, random_state=0)
    assert 1 <= len(run_study(bowl, SPACE, settings).trials) < 10**6


def test_half_a_line_of_a_killed_writer_is_cut_off(tmp_path):
    journal = tmp_path / "journal.log"
    settings = StudySettings(n_trials=2, storage=journal, random_state=0)
    before = run_study(bowl, SPACE, settings)
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"op_code":4,"worker')
    assert run_study(bowl, SPACE, settings) == before
    more = StudySettings(n_trials=4, storage=journal, random_state=0)
    assert run_study(bowl, SPACE, more).trials[:2] == before.trials


def test_another_space_under_the_same_name(tmp_path):
    settings = StudySettings(n_trials=1, storage=tmp_path / "journal.log")
    run_study(bowl, SPACE, settings)
    wider = SPACE.changed(x=FloatRange(0.0, 2.0))
    with pytest.raises(InvalidInput, match=r"another space: `x` differs.*another study name"):
        run_study(bowl, wider, settings)


def test_table_has_a_row_per_trial_and_a_column_per_parameter():
    result = run_study(bowl, SPACE, StudySettings(n_trials=3, random_state=0))
    frame = result.to_frame()
    assert frame.number.tolist() == [0, 1, 2]
    assert frame.x.tolist() == [row.params["x"] for row in result.trials]
    assert {"state", "value", "steps", "seconds", "w", "kind"} <= set(frame)


def test_optuna_is_quiet_here_and_as_before_afterwards(capfd):
    before = optuna.logging.get_verbosity()
    run_study(bowl, SPACE, StudySettings(n_trials=2))
    assert capfd.readouterr() == ("", "")
    assert optuna.logging.get_verbosity() == before == logging.INFO


@pytest.mark.parametrize("field", ["n_trials", "n_workers"])
def test_budget_of_nothing(field):
    with pytest.raises(InvalidInput, match=f"`{field}` is 0. Use 1 or more"):
        StudySettings(**{field: 0})


def test_without_optuna(monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(MissingDependency, match=r'pip install "lassoflexnet\[tuning\]"'):
        run_study(bowl, SPACE, StudySettings(n_trials=1))
