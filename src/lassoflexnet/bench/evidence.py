"""What the committed results must show: bars from one file, values from result files.

Written to ``results/evidence.json`` by ``lassoflexnet bench evidence``.
"""

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from lassoflexnet.bench.experiment import Experiment, read_experiment
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.tables import records
from lassoflexnet.names import unknown

Bar = Mapping[str, Any]


class Check(NamedTuple):
    """One point to show: a value, the bar it is held against, and whether it passes."""

    name: str
    value: float | None
    bar: str
    ok: bool


def finished(table: pd.DataFrame, bar: Bar) -> float:
    """Number of finished runs, of those that the bar is about."""
    return float(len(_chosen(table, bar)))


def distinct(table: pd.DataFrame, bar: Bar) -> float:
    """Number of different values in a column of the finished runs."""
    return float(_chosen(table, bar)[bar["column"]].nunique())


def mean(table: pd.DataFrame, bar: Bar) -> float | None:
    """Mean of a column over the finished runs."""
    found = _chosen(table, bar)
    return float(found[bar["column"]].mean()) if len(found) else None


def hours(table: pd.DataFrame, bar: Bar) -> float:
    """Hours that the fits took, on two cores."""
    return float(_chosen(table, bar)["fit_s"].sum() / 3600 / 2)


VALUES: dict[str, Callable[[pd.DataFrame, Bar], float | None]] = {
    "finished": finished,
    "distinct": distinct,
    "mean": mean,
    "hours": hours,
}
"""What a bar may be about, by name."""


def _chosen(table: pd.DataFrame, bar: Bar) -> pd.DataFrame:
    """Rows with the values that the bar names."""
    for column, value in bar.get("where", {}).items():
        if column not in table:
            return table.iloc[:0]
        table = table[table[column] == value]
    return table


def check_all(bars: Path, results: Path, data: Path | None) -> list[Check]:
    """Every bar of a file against the results in a folder."""
    content = tomllib.loads(bars.read_text())
    found = []
    for bar in content["check"]:
        experiments = [read_experiment(bars.parent / f, data) for f in bar["experiments"]]
        found.append(_check(bar, _joined(experiments, results)))
    return found


def _joined(experiments: list[Experiment], results: Path) -> pd.DataFrame:
    return pd.concat([records(e, ResultFolder(results / e.name)) for e in experiments])


def _check(bar: Bar, table: pd.DataFrame) -> Check:
    if bar["value"] not in VALUES:
        raise unknown("value of a bar", bar["value"], VALUES)
    value = VALUES[bar["value"]](table, bar) if len(table) else None
    text, passes = _passes(bar)
    ok = value is not None and passes(value)
    return Check(bar["name"], None if value is None else round(value, 4), text, ok)


def _passes(bar: Bar) -> tuple[str, Callable[[float], bool]]:
    """The bar in words, and as a test of a value."""
    if "at_least" in bar:
        low = float(bar["at_least"])
        return f">= {low:g}", lambda value: value >= low
    high = float(bar["at_most"])
    return f"<= {high:g}", lambda value: value <= high
