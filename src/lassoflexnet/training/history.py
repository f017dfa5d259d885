"""What happened, one row per epoch; and what is printed of it.

Stages write to a monitor; estimators show its rows as ``history_``.
"""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields
from typing import Any

from lassoflexnet.exceptions import MissingDependency


@dataclass(frozen=True)
class Epoch:
    """One epoch of one stage.

    Losses on the validation rows are NaN where these were not looked at, or are trained on;
    without an averaged network ``average_loss`` is the live one's.
    """

    stage: str
    lam: float
    epoch: int
    train_loss: float
    validation_loss: float
    average_loss: float
    n_features: int
    learning_rate: float
    seconds: float


OnEpoch = Callable[[Epoch], None]
_WATCHER: ContextVar[OnEpoch | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(on_epoch: OnEpoch) -> Iterator[None]:
    """Have every fit inside tell each of its epochs as it ends; an exception ends the fit.

    A context and not an argument of the estimators: a callable is no hyperparameter, would
    have to survive ``clone`` and pickling, and matters to a caller around the fit alone. A
    fit that is ended leaves its estimator as it was.
    """
    token = _WATCHER.set(on_epoch)
    try:
        yield
    finally:
        _WATCHER.reset(token)


@dataclass
class Monitor:
    """Collects epochs; with ``verbose`` 1 prints a line per stage, with 2 per epoch.

    ``on_epoch`` is told each epoch; by default it is that of ``watched``, if the monitor is
    made inside one.
    """

    verbose: int = 0
    epochs: list[Epoch] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)
    on_epoch: OnEpoch | None = field(default_factory=_WATCHER.get)

    def seconds(self) -> float:
        """Seconds since the fit began."""
        return time.perf_counter() - self.started

    def epoch(self, row: Epoch) -> None:
        """Note an epoch."""
        self.epochs.append(row)
        if self.verbose > 1:
            print(  # noqa: T201
                f"  {row.stage:<8} lambda {row.lam:<9.3g} epoch {row.epoch:>3}"
                f"  train {_short(row.train_loss)}  validation {_short(row.validation_loss)}"
                f"  averaged {_short(row.average_loss)}  columns {row.n_features}"
            )
        if self.on_epoch is not None:
            self.on_epoch(row)

    def say(self, text: str, level: int = 1) -> None:
        """Print a line, if so much is to be told."""
        if self.verbose >= level:
            print(f"[{self.seconds():7.1f} s] {text}")  # noqa: T201


def counted(number: int, thing: str = "column") -> str:
    """So many things in words.

    >>> counted(1), counted(2, "epoch")
    ('1 column', '2 epochs')
    """
    return f"{number} {thing}{'s' * (number != 1)}"


def _short(loss: float) -> str:
    """A loss, or a dash where there is none.

    >>> _short(0.25), _short(math.nan)
    ('0.25000', '      -')
    """
    return f"{'-':>7}" if math.isnan(loss) else f"{loss:.5f}"


def to_frame(rows: tuple[Any, ...], kind: type, leave_out: tuple[str, ...] = ()) -> Any:
    """Rows of one dataclass as a pandas DataFrame, one column per field.

    ``lam`` is called ``lambda`` there, which no field can be: Python has other plans for it.
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingDependency(
            "`to_frame()` needs pandas, which is not installed: run `pip install pandas`."
        ) from error
    names = [f.name for f in fields(kind) if f.name not in leave_out]
    frame = pd.DataFrame({name: [getattr(row, name) for row in rows] for name in names})
    return frame.rename(columns={"lam": "lambda"})


@dataclass(frozen=True, repr=False)
class History:
    """All epochs of a fit."""

    epochs: tuple[Epoch, ...]

    def __repr__(self) -> str:
        """How many; a table of them is long."""
        return f"<History: {counted(len(self.epochs), 'epoch')}, see to_frame()>"

    def to_frame(self) -> Any:
        """One row per epoch (needs pandas)."""
        return to_frame(self.epochs, Epoch)
