"""What happened, one row per epoch; and what is printed of it.

Stages write to a monitor; estimators show its rows as ``history_``.
"""

import time
from dataclasses import dataclass, field, fields
from typing import Any

from lassoflexnet.exceptions import MissingDependency


@dataclass(frozen=True)
class Epoch:
    """One epoch of one stage.

    Losses on the validation rows are NaN where these were not looked at; without an averaged
    network ``average_loss`` is the live one's.
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


@dataclass
class Monitor:
    """Collects epochs; with ``verbose`` 1 prints a line per stage, with 2 per epoch."""

    verbose: int = 0
    epochs: list[Epoch] = field(default_factory=list)
    started: float = field(default_factory=time.perf_counter)

    def seconds(self) -> float:
        """Seconds since the fit began."""
        return time.perf_counter() - self.started

    def epoch(self, row: Epoch) -> None:
        """Note an epoch."""
        self.epochs.append(row)
        if self.verbose > 1:
            print(  # noqa: T201
                f"  {row.stage:<6} lambda {row.lam:<9.3g} epoch {row.epoch:>3}"
                f"  train {row.train_loss:.5f}  validation {row.validation_loss:.5f}"
                f"  averaged {row.average_loss:.5f}  columns {row.n_features}"
            )

    def say(self, text: str) -> None:
        """Print a line about a stage."""
        if self.verbose > 0:
            print(f"[{self.seconds():7.1f} s] {text}")  # noqa: T201


def to_frame(rows: tuple[Any, ...], kind: type, leave_out: tuple[str, ...] = ()) -> Any:
    """Rows of one dataclass as a pandas DataFrame, one column per field."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingDependency(
            "`to_frame()` needs pandas, which is not installed: run `pip install pandas`."
        ) from error
    names = [f.name for f in fields(kind) if f.name not in leave_out]
    return pd.DataFrame({name: [getattr(row, name) for row in rows] for name in names})


@dataclass(frozen=True)
class History:
    """All epochs of a fit."""

    epochs: tuple[Epoch, ...]

    def to_frame(self) -> Any:
        """One row per epoch (needs pandas)."""
        return to_frame(self.epochs, Epoch)
