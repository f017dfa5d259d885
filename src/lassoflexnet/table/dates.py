"""Dates as one feature of several pieces: the moment, and where it falls in the calendar.

Called by the table encoder for columns of kind date.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lassoflexnet.table.bins import Target
from lassoflexnet.table.encodings import Encoding
from lassoflexnet.table.fitted import FittedEncoding


def epoch_seconds(dates: np.ndarray) -> np.ndarray:
    """Seconds since 1970, float64, NaT as NaN: (n,)."""
    return (dates - np.datetime64(0, "s")) / np.timedelta64(1, "s")


def _months(dates: np.ndarray) -> np.ndarray:
    return dates.astype("M8[M]").astype(np.int64) % 12


def _days(dates: np.ndarray) -> np.ndarray:
    return (dates.astype("M8[D]") - dates.astype("M8[M]")).astype(np.int64)


def _weekdays(dates: np.ndarray) -> np.ndarray:
    return (dates.astype("M8[D]").astype(np.int64) + 3) % 7  # 1970 began on a Thursday


def _hours(dates: np.ndarray) -> np.ndarray:
    return dates.astype("M8[h]").astype(np.int64) % 24


_CALENDAR: dict[str, tuple[int, Callable[[np.ndarray], np.ndarray]]] = {
    "month": (12, _months),
    "weekday": (7, _weekdays),
    "day": (31, _days),
    "hour": (24, _hours),
}


@dataclass(frozen=True)
class FittedEpoch:
    """The moment, as a number of seconds in a numeric code."""

    seconds: FittedEncoding
    n_folded: ClassVar[int] = 0
    unseen: ClassVar[None] = None
    segments: ClassVar[None] = None

    @property
    def n_ordered(self) -> int:
        """Number of ordered slots of the numeric code."""
        return self.seconds.n_ordered

    @property
    def n_slots(self) -> int:
        """Number of slots of the numeric code."""
        return self.seconds.n_slots

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,) and fraction (n,) of each date."""
        return self.seconds(epoch_seconds(x))


@dataclass(frozen=True)
class FittedCalendar:
    """One slot per month, weekday (Monday first), day of the month or hour; then "missing".

    Attributes
    ----------
    part : {"month", "weekday", "day", "hour"}
        Which of them.
    """

    part: str
    n_ordered: ClassVar[int] = 0
    n_folded: ClassVar[int] = 0
    unseen: ClassVar[None] = None
    segments: ClassVar[None] = None

    @property
    def n_slots(self) -> int:
        """Number of values the part can take, and the slot "missing"."""
        return _CALENDAR[self.part][0] + 1

    def __call__(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Slot (n,) and fraction (n,), all 1, of each date."""
        n_values, part_of = _CALENDAR[self.part]
        slot = np.where(np.isnat(x), n_values, part_of(x)).astype(np.int32)
        return slot, np.ones(len(x), dtype=np.float32)


@dataclass(frozen=True)
class Dates:
    """Dates: the moment by a numeric encoding, month, weekday, day, and hour if there is one.

    Parameters
    ----------
    moment : Encoding
        How the seconds since 1970 are coded.
    """

    moment: Encoding

    def fit(
        self, x: np.ndarray, target: Target, rng: np.random.Generator
    ) -> tuple[FittedEncoding, ...]:
        """Learn the pieces from training dates (n,); hours only if not all are midnight."""
        moment = FittedEpoch(self.moment.fit(epoch_seconds(x), target, rng))
        calendar = [FittedCalendar(part) for part in ("month", "weekday", "day")]
        present = x[~np.isnat(x)]
        if (present != present.astype("M8[D]")).any():
            calendar.append(FittedCalendar("hour"))
        return (moment, *calendar)
