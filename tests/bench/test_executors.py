"""Here, in processes and on a Dask cluster: the same results, whatever happens to a worker."""

import functools
import os
import signal
import time
from pathlib import Path

import pytest

from lassoflexnet.bench import executors
from lassoflexnet.bench.executors import Dask, Processes, Serial, make_executor
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import InvalidInput

RUNS = [Run("suite", "iris", "lasso", "hold_out", seed=seed) for seed in range(8)]


def work(run: Run) -> dict:
    return {"status": "done", "square": run.seed**2, "process": os.getpid()}


def fragile(run: Run, marks: Path) -> dict:
    """The first to do seed 3 is killed in the middle of it."""
    mark = marks / str(run.seed)
    if run.seed == 3 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.05)
    return work(run)


def squares(executor, task=work) -> dict[int, int]:
    return {run.seed: result["square"] for run, result in executor.each(task, RUNS)}


def test_options_choose_the_executor():
    assert isinstance(make_executor(), Serial)
    assert make_executor(3) == Processes(3)
    assert make_executor(2, "local") == Dask(None, 2)
    assert make_executor(1, "tcp://host:8786") == Dask("tcp://host:8786", 1)


@pytest.mark.parametrize("executor", [Serial(), Processes(2)], ids=str)
def test_every_run_is_done_once(executor):
    done = list(executor.each(work, RUNS))
    assert sorted(run.seed for run, _ in done) == list(range(8))
    assert squares(executor) == {seed: seed**2 for seed in range(8)}


def test_processes_are_others():
    assert os.getpid() not in {result["process"] for _, result in Processes(2).each(work, RUNS)}


def deadly(run: Run) -> dict:
    if run.seed == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return work(run)


@pytest.mark.filterwarnings("default")
def test_run_that_kills_its_process_fails_and_the_rest_goes_on():
    done = {run.seed: result for run, result in Processes(2).each(deadly, RUNS)}
    assert sorted(done) == list(range(8))
    assert [seed for seed in done if done[seed]["status"] == "failed"] == [3]
    assert "its process died" in done[3]["error"]
    assert done[7]["square"] == 49


def test_who_does_it_in_words():
    found = [make_executor(*options).words for options in ((), (3,), (2, "local"))]
    assert found == ["this process", "3 processes", "2 Dask workers on this machine"]
    assert Dask("tcp://host:1").words == "the Dask cluster at tcp://host:1"


@pytest.mark.filterwarnings("default")
def test_silent_scheduler_is_named(monkeypatch):
    pytest.importorskip("distributed", reason="needs the extra `distributed`")
    monkeypatch.setattr(executors, "ANSWER_SECONDS", 0.2)
    with pytest.raises(InvalidInput, match=r"answered at `tcp://127.0.0.1:9` .*dask scheduler"):
        list(Dask("tcp://127.0.0.1:9").each(work, RUNS))


@pytest.mark.filterwarnings("default")
def test_cluster_survives_a_killed_worker(tmp_path: Path):
    pytest.importorskip("distributed", reason="needs the extra `distributed`")
    task = functools.partial(fragile, marks=tmp_path)
    assert squares(Dask(n_workers=2), task) == squares(Serial())
    assert (tmp_path / "3").exists()
