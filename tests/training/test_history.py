"""What is noted and what is printed."""

import math
import sys
from dataclasses import replace

import pytest

from lassoflexnet.exceptions import MissingDependency
from lassoflexnet.training import History, Monitor
from lassoflexnet.training.history import Epoch

FIRST = Epoch("dense", 0.0, 1, 0.9, 0.8, 0.7, 5, 1e-3, 0.1)
SECOND = Epoch("path", 0.02, 1, 0.6, 0.5, 0.4, 3, 1e-3, 0.2)


def test_frame_has_one_row_per_epoch():
    frame = History((FIRST, SECOND)).to_frame()
    assert frame.columns.tolist() == [
        *("stage", "lambda", "epoch", "train_loss", "validation_loss", "average_loss"),
        *("n_features", "learning_rate", "seconds"),
    ]
    assert frame.stage.tolist() == ["dense", "path"]
    assert frame["lambda"].tolist() == [0.0, 0.02]
    assert frame.validation_loss.tolist() == [0.8, 0.5]
    assert frame.n_features.tolist() == [5, 3]


def test_frame_of_no_epochs_has_the_columns():
    frame = History(()).to_frame()
    assert frame.shape == (0, 9)


def test_frame_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingDependency, match=r"needs pandas.*pip install pandas"):
        History((FIRST,)).to_frame()


@pytest.mark.parametrize(("verbose", "n_lines"), [(0, 0), (1, 1), (2, 3)])
def test_verbosity(verbose: int, n_lines: int, capsys: pytest.CaptureFixture[str]):
    monitor = Monitor(verbose)
    monitor.epoch(FIRST)
    monitor.epoch(SECOND)
    monitor.say("dense stage: done")
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == n_lines
    assert monitor.epochs == [FIRST, SECOND]
    assert all("dense stage: done" in line for line in printed[-1:])
    if verbose == 2:
        assert "0.50000" in printed[1]
        assert "0.02" in printed[1]


def test_a_loss_that_is_not_known_is_a_dash(capsys: pytest.CaptureFixture[str]):
    Monitor(2).epoch(replace(FIRST, validation_loss=math.nan))
    assert capsys.readouterr().out.split("train")[1].split() == [
        *("0.90000", "validation", "-", "averaged", "0.70000", "columns", "5"),
    ]


def test_printed_it_is_short():
    assert repr(History((FIRST, SECOND))) == "<History: 2 epochs, see to_frame()>"


def test_clock_runs_from_the_start():
    monitor = Monitor()
    first = monitor.seconds()
    assert 0 <= first <= monitor.seconds()


def test_monitors_do_not_share_epochs():
    Monitor().epoch(FIRST)
    assert Monitor().epochs == []
