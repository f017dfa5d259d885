"""From the words of a card to numbers that sort rows by time.

Called when a frame becomes a table. A column of dates written as text leaves the columns
that methods see if it gives the order: as a nominal column it would have a category per
day, none of them known at test time. Columns that are numbers, or parts of a date, stay.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from lassoflexnet.exceptions import InvalidInput

ROW_ORDER = "row order"
FORMATS = ("ISO8601", "%m/%d/%y", "%m/%d/%Y", "%Y/%m/%d", "%Y%m%dT%H%M%S")
DATE_PARTS = ("%Y-%B-%d", "%Y-%m-%d")
COLUMNS = {
    "arrival_date_year+month+day": (
        *("arrival_date_year", "arrival_date_month", "arrival_date_day_of_month"),
    ),
    "time_hour or year/month/day": ("time_hour",),
}
"""Orders that are described in words: one column, or year, month and day."""


class TimeOrder(NamedTuple):
    """Numbers that sort rows (n,), and the columns that methods must not see."""

    values: np.ndarray | None
    hidden: tuple[str, ...] = ()


def time_order(frame: pd.DataFrame, order: str | None) -> TimeOrder:
    """Read the order that a card describes: seconds, row numbers, or a column's own numbers."""
    if order is None:
        return TimeOrder(None)
    if order == ROW_ORDER:
        return TimeOrder(np.arange(len(frame), dtype=float))
    columns = COLUMNS.get(order, (order,))
    absent = [name for name in columns if name not in frame]
    if absent:
        raise InvalidInput(
            f"`time_order` is {order!r}, and there is no column `{absent[0]}`. "
            f"Use a column, {ROW_ORDER!r}, or one of {', '.join(map(repr, COLUMNS))}."
        )
    if len(columns) > 1:
        first, *others = (frame[name].astype(str) for name in columns)
        text = first.str.cat(others, sep="-")
        return TimeOrder(_seconds(text, DATE_PARTS))
    column = frame[columns[0]]
    if pd.api.types.is_numeric_dtype(column):
        return TimeOrder(column.to_numpy(dtype=float, na_value=np.nan))
    return TimeOrder(_seconds(column, FORMATS), hidden=columns)


def _seconds(dates: pd.Series, formats: tuple[str, ...]) -> np.ndarray:
    """Seconds since 1970, by the first format that fits every row."""
    for form in formats:
        try:
            found = pd.to_datetime(dates, format=form, utc=True)
        except ValueError:
            continue
        seconds = (found - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(1, "s")
        return np.asarray(seconds, dtype=float)
    raise InvalidInput(
        f"column `{dates.name}` holds {dates.iloc[0]!r}, which is no date of the forms "
        f"{', '.join(formats)}. Rewrite the column, or the `time_order` of the card."
    )
