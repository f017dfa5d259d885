"""Orders in time, as cards write them."""

import numpy as np
import pandas as pd
import pytest

from lassoflexnet.bench.data.times import time_order
from lassoflexnet.exceptions import InvalidInput

DAYS = pd.to_datetime(["2013-10-02", "2013-01-30", "2014-01-01"])
SECONDS = [day.timestamp() for day in DAYS]


@pytest.mark.parametrize(
    "form", ["%m/%d/%y", "%m/%d/%Y", "%Y/%m/%d", "%Y%m%dT%H%M%S", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%d"]
)
def test_dates_as_text_are_read_and_hidden(form):
    frame = pd.DataFrame({"when": DAYS.strftime(form), "x": 0.0})
    found = time_order(frame, "when")
    np.testing.assert_array_equal(found.values, SECONDS)
    assert found.hidden == ("when",)


def test_months_and_days_need_no_leading_zero():
    found = time_order(pd.DataFrame({"when": ["2008/12/1", "2008/2/11", "2008/2/9"]}), "when")
    assert np.argsort(found.values).tolist() == [2, 1, 0]


def test_year_month_and_day_stay_columns():
    names = ("arrival_date_year", "arrival_date_month", "arrival_date_day_of_month")
    columns = dict(zip(names, (DAYS.year, DAYS.month_name(), DAYS.day), strict=True))
    found = time_order(pd.DataFrame(columns), "arrival_date_year+month+day")
    np.testing.assert_array_equal(found.values, SECONDS)
    assert found.hidden == ()


def test_words_for_a_single_column():
    frame = pd.DataFrame({"time_hour": DAYS.strftime("%Y-%m-%dT%H:%M:%SZ"), "year": 2013})
    found = time_order(frame, "time_hour or year/month/day")
    np.testing.assert_array_equal(found.values, SECONDS)
    assert found.hidden == ("time_hour",)


def test_numbers_are_their_own_order_and_stay():
    found = time_order(pd.DataFrame({"day": [3, 1, 2]}), "day")
    assert found.values.tolist() == [3, 1, 2]
    assert found.hidden == ()


def test_rows_may_be_in_order_already_or_have_none():
    frame = pd.DataFrame({"x": [5, 5, 5]})
    assert time_order(frame, "row order").values.tolist() == [0, 1, 2]
    assert time_order(frame, None).values is None


def test_what_is_no_order_is_refused():
    frame = pd.DataFrame({"x": ["2013-01-01", "soon"]})
    with pytest.raises(InvalidInput, match="no column `y`"):
        time_order(frame, "y")
    with pytest.raises(InvalidInput, match="column `x` holds '2013-01-01', which is no date"):
        time_order(frame, "x")
