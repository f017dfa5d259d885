"""Text that reads as numbers or dates: told where order would be lost, and nowhere else."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from lassoflexnet.table import infer_schema
from lassoflexnet.table.meanings import meaning_of

ROWS = np.arange(60)
NUMBERS = [f"{at / 7:.3f}" for at in ROWS]
DATES = [f"2024-0{1 + at // 28}-{1 + at % 28:02}" for at in ROWS]


def text(cells: list) -> np.ndarray:
    return np.array(cells, dtype=object)


@pytest.mark.parametrize(
    ("cells", "meaning"),
    [
        (NUMBERS, "numbers"),
        ([f" {at}e-3" for at in ROWS], "numbers"),
        ([*NUMBERS[:57], "?", None, "?"], "numbers"),
        (DATES, "dates"),
        ([f"{1 + at % 28}.{1 + at // 28}.2024" for at in ROWS], "dates"),
        ([f"{1 + at // 28}/{1 + at % 28}/2024" for at in ROWS], "dates"),
        ([f"2014{1 + at // 28:02}{1 + at % 28:02}T000000" for at in ROWS], "dates"),
        ([f"{day} 12:30:00" for day in DATES], "dates"),
        ([f"name {at}" for at in ROWS], None),
        ([*NUMBERS[:50], *(10 * ["none"])], None),
        ([f"{at:05}" for at in ROWS], None),
        ([f"{at % 20}" for at in ROWS], None),
        ([f"{at % 30}" for at in ROWS], None),
        ([f"{at}" for at in ROWS], "numbers"),
        ([None] * 60, None),
        (list(ROWS / 7), None),
        ([*NUMBERS[:59], 0.5], None),
        ([*NUMBERS[:40], *(20 * [" "])], "numbers"),
        ([f"2024/0{1 + at // 28}/{1 + at % 28}" for at in ROWS], "dates"),
        ([f"0{1 + at // 28}/{1 + at % 28}/2024 12:30" for at in ROWS], "dates"),
        ([f"{1 + at % 28}-{'Jan' if at < 28 else 'May'}-20{at}" for at in ROWS[10:]], "dates"),
        ([f"20240{1 + at // 28}{1 + at % 28:02}" for at in ROWS], "dates"),
        # Codes: some begin with zeros, some are none, some are two numbers.
        ([f"{at:05}" if at < 5 else f"{10_000 + 37 * at}" for at in ROWS], None),
        ([*(f"{at % 28}" for at in ROWS), "", "unknown", "-1"], None),
        ([f"{at}_{at}" for at in ROWS], None),
    ],
)
def test_meaning(cells, meaning):
    assert meaning_of(text(cells)) == meaning


def said(frame, categorical_features="auto", rows=ROWS) -> list[str]:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        infer_schema(frame, categorical_features, rows)
    return [str(one.message) for one in found]


COLUMNS = {"price": NUMBERS, "area": NUMBERS, "sold": DATES, "kind": [f"k{at % 3}" for at in ROWS]}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_columns_are_named_by_what_they_read_as(make):
    numbers, dates = said(make(COLUMNS))
    assert "reads as numbers" in numbers
    assert "`price`, `area`" in numbers
    assert "reads as dates" in dates
    assert "`sold`" in dates
    assert "`kind`" not in numbers + dates


def test_what_is_called_categorical_is_believed():
    frame = pd.DataFrame(COLUMNS)
    assert said(frame, ["price", "area", "sold"]) == []
    assert said(frame.astype("category")) == []


def test_numbers_and_dates_of_their_own_type_are_not_text():
    frame = pd.DataFrame({"price": np.array(NUMBERS, float), "sold": pd.to_datetime(DATES)})
    assert said(frame) == []
    assert said(frame.to_numpy()) == []


def test_text_in_an_array_is_told_of_where_it_is_not_read_as_numbers():
    frame = pd.DataFrame({"price": NUMBERS, "area": [*NUMBERS[:59], "?"], "sold": DATES})
    numbers, dates = said(frame.to_numpy())
    assert "`x1`." in numbers
    assert "`x2`." in dates


def test_only_the_first_of_many_columns_are_named():
    (found,) = said(pd.DataFrame({f"c{at}": NUMBERS for at in range(30)}))
    assert "`c4` and 25 more." in found


def test_rows_left_out_do_not_count():
    frame = pd.DataFrame({"price": [*NUMBERS[:30], *(30 * ["none"])]})
    assert said(frame) == []
    assert len(said(frame, rows=ROWS[:30])) == 1
    assert said(frame, rows=ROWS[:0]) == []
