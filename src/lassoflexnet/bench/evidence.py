"""What the committed results must show: bars from one file, values from result files.

Written to ``results/evidence.json`` by ``lassoflexnet bench evidence``.
"""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from lassoflexnet.bench.checking import Check, at_least, at_most
from lassoflexnet.bench.experiment import Experiment, read_experiment
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.tables import records
from lassoflexnet.bench.verification import Comparison, compare, tenth
from lassoflexnet.names import unknown

Bar = Mapping[str, Any]


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
    """Hours that the runs took, on two cores."""
    return float(_chosen(table, bar)["total_s"].sum() / 3600 / 2)


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


def check_all(bars: Path, results: Path) -> list[Check]:
    """Every bar of a file against the results in a folder."""
    content = tomllib.loads(bars.read_text())
    names = dict.fromkeys(name for bar in content["check"] for name in bar["experiments"])
    tables = {name: _records(read_experiment(bars.parent / name), results) for name in names}
    return [
        _check(bar, pd.concat([tables[name] for name in bar["experiments"]]))
        for bar in content["check"]
    ]


def check_repeated(experiments: Sequence[Experiment], results: Path, again: Path) -> Check:
    """Whether every run of the tenth that was repeated has come out the same."""
    found = [one for experiment in experiments for one in _compared(experiment, results, again)]
    share = sum(one.agrees for one in found) / len(found) if found else None
    name = f"repeated runs that agree, of {len(found)}"
    return Check(name, share, ">= 1", ok=share == 1)


def _compared(experiment: Experiment, results: Path, again: Path) -> list[Comparison]:
    folders = (ResultFolder(place / experiment.name) for place in (results, again))
    return compare(tenth(experiment.runs), *folders)


def _records(experiment: Experiment, results: Path) -> pd.DataFrame:
    return records(experiment, ResultFolder(results / experiment.name))


def _check(bar: Bar, table: pd.DataFrame) -> Check:
    if bar["value"] not in VALUES:
        raise unknown("value of a bar", bar["value"], VALUES)
    value = VALUES[bar["value"]](table, bar) if len(table) else None
    judge, limit = (at_least, "at_least") if "at_least" in bar else (at_most, "at_most")
    if value is None:
        return judge(bar["name"], 0.0, float(bar[limit]))._replace(value=None, ok=False)
    return judge(bar["name"], value, float(bar[limit]))
