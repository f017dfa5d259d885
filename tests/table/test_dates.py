"""Dates: the moment and its place in the calendar."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lassoflexnet.table.bins import Target
from lassoflexnet.table.dates import Dates, FittedCalendar, FittedEpoch, epoch_seconds
from lassoflexnet.table.encodings import PiecewiseLinear, Standardized
from lassoflexnet.table.fitted import FittedPiecewise

moments = st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31))
PARTS = {
    "month": lambda moment: moment.month - 1,
    "weekday": lambda moment: moment.weekday(),
    "day": lambda moment: moment.day - 1,
    "hour": lambda moment: moment.hour,
}


def fit(x, moment=PiecewiseLinear()):  # noqa: B008
    target = Target(np.arange(len(x), dtype=float), is_classification=False)
    return Dates(moment).fit(x, target, np.random.default_rng(0))


@pytest.mark.parametrize("part", PARTS)
@given(moment=moments)
def test_calendar_is_that_of_python(part, moment):
    slot, fraction = FittedCalendar(part)(np.array([moment], "M8[us]"))
    assert slot.tolist() == [PARTS[part](moment)]
    assert fraction.tolist() == [1]


@given(moment=moments)
def test_epoch_is_that_of_python(moment):
    seconds = epoch_seconds(np.array([moment], "M8[us]"))
    assert seconds.tolist() == [pytest.approx(moment.replace(tzinfo=UTC).timestamp(), abs=1e-4)]


@pytest.mark.parametrize(("part", "n"), [("month", 12), ("weekday", 7), ("day", 31), ("hour", 24)])
def test_missing_has_its_own_slot_in_every_part(part, n):
    piece = FittedCalendar(part)
    assert (piece.n_ordered, piece.n_slots) == (0, n + 1)
    assert piece(np.array(["NaT"], "M8[us]"))[0].tolist() == [n]


def parts_of(pieces):
    return [piece.part for piece in pieces[1:]]


def test_pieces_of_days_and_of_times():
    days = np.arange("2020-01-01", "2021-01-01", dtype="M8[D]").astype("M8[us]")
    days[3] = "NaT"
    assert parts_of(fit(days)) == ["month", "weekday", "day"]
    times = days.copy()
    times[7] += np.timedelta64(1, "m")
    assert parts_of(fit(times)) == ["month", "weekday", "day", "hour"]


def test_moment_is_coded_as_a_number():
    days = np.arange("2020-01-01", "2020-03-01", dtype="M8[D]").astype("M8[us]")
    target = Target(np.arange(len(days), dtype=float), is_classification=False)
    for encoding in (PiecewiseLinear(4), Standardized()):
        epoch = fit(days, encoding)[0]
        number = encoding.fit(epoch_seconds(days), target, np.random.default_rng(0))
        assert epoch == FittedEpoch(number)
        assert (epoch.n_ordered, epoch.n_slots) == (number.n_ordered, number.n_slots)
        for one, other in zip(epoch(days), number(epoch_seconds(days)), strict=True):
            np.testing.assert_array_equal(one, other)


def test_missing_moment():
    slot, _ = FittedEpoch(FittedPiecewise((0.0, 1.0, 2.0)))(np.array(["NaT"], "M8[us]"))
    assert slot.tolist() == [2]
