"""What came of the runs of an experiment, and middles of it that are alike for all methods.

Read by everything else in the arena; knows result files and nothing of what they must show.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.results import Result, ResultFolder
from lassoflexnet.bench.runs import Run
from lassoflexnet.bench.tables import headline
from lassoflexnet.exceptions import InvalidInput

FORMS = ("catboost", "catboost_slow")
CATBOOST = "catboost, chosen form"
"""CatBoost in the form that has the lower validation error on a data set."""

SECONDS = "fit_s"
"""Seconds of a fit."""

VALUES = (
    *("error", "validation", "accuracy", SECONDS),
    *("n_selected", "n_columns", "n_noise"),
)
"""Numbers of a finished run."""


def collect(experiment: Experiment, folder: ResultFolder) -> pd.DataFrame:
    """One row for every run that the experiment asks for; NaN where it is not done.

    ``error`` and ``validation`` are the protocol's main score on test and validation rows.
    """
    done = {run.key: result for run, result in folder.finished(experiment.runs)}
    rows = [{**_what(run), **_values(run, done.get(run.key))} for run in experiment.runs]
    return pd.DataFrame(rows)


def _what(run: Run) -> dict[str, Any]:
    return {
        "dataset": run.dataset,
        "share": run.case.get("share", 0.0),
        "method": run.label,
        "seed": run.seed,
        "rows": json.dumps([run.protocol, dict(run.case)], sort_keys=True),
        "run": run,
    }


def _values(run: Run, result: Result | None) -> dict[str, Any]:
    if result is None:
        return {**dict.fromkeys(VALUES, np.nan), "data_sha": None}
    main = headline(run, result)
    n_selected = len(result["selected"]) if "selected" in result else np.nan
    return {
        "error": main["score"],
        "validation": result["validation"].get(main["score_name"], np.nan),
        "accuracy": result["scores"].get("accuracy", np.nan),
        SECONDS: result["seconds"]["fit"],
        "n_selected": n_selected,
        "n_columns": result["n_columns"],
        "n_noise": n_selected * (1 - result.get("precision", np.nan)),
        "is_root": main["score_name"] == "rmse",
        "data_sha": result.get("data_sha"),
    }


def check_data(tables: Iterable[pd.DataFrame]) -> None:
    """Raise if results on a data set are of different tables: such errors say nothing together."""
    known = pd.concat([table[["dataset", "data_sha"]] for table in tables]).dropna()
    n_tables = known.groupby("dataset")["data_sha"].nunique()
    for name in n_tables.index[n_tables > 1]:
        raise InvalidInput(
            f"results on `{name}` are of different tables (`data_sha` in their files). Delete "
            "those of the other table and run them again."
        )


def sets_of(table: pd.DataFrame, method: str) -> list[str]:
    """Data sets that a method is to be run on, in the order of the file."""
    return list(table.loc[table["method"] == method, "dataset"].unique())


def methods_on(table: pd.DataFrame, sets: Iterable[str]) -> list[str]:
    """Methods that are to be run on each of these data sets."""
    wanted = set(sets)
    return [m for m in table["method"].unique() if wanted <= set(sets_of(table, m))]


def middles(
    table: pd.DataFrame, value: str, methods: Sequence[str], *, by: str = "dataset"
) -> pd.DataFrame:
    """Mean over seeds by data set (rows) and method (columns); of seconds, the median.

    Over the data sets and seeds that all of these methods are to be run with, so that no
    method has others than its rivals; NaN where one of these runs is not done.
    """
    chosen = table[table["method"].isin(methods)]
    n_methods = chosen.groupby([by, "seed"])["method"].transform("nunique")
    shared = chosen[n_methods == len(methods)]
    rows = pd.Index(shared[by].unique(), name=by)
    found = {
        method: _middle_by(shared[shared["method"] == method], by, value) for method in methods
    }
    return pd.DataFrame(found, index=rows, dtype=float).rename_axis(columns="method")


def _middle_by(runs: pd.DataFrame, by: str, value: str) -> pd.Series:
    # What else a machine had to do may have made one run many times as long.
    middle = "median" if value == SECONDS else "mean"
    cells = runs.groupby(by)[value].agg([middle, "count", "size"])
    return cells[middle].where(cells["count"] == cells["size"])


def forms_chosen(table: pd.DataFrame) -> pd.Series:
    """CatBoost's form by data set: that of the lower mean validation error over seeds.

    Data sets on which a run of either form is not done are left out.
    """
    return middles(table, "validation", FORMS).dropna().idxmin(axis=1)


def with_chosen_form(table: pd.DataFrame) -> pd.DataFrame:
    """The table with one CatBoost in place of its forms; NaN where none can be chosen yet."""
    is_form = table["method"].isin(FORMS)
    form = forms_chosen(table)
    known = table["dataset"].isin(form.index)
    kept = is_form & (table["method"] == table["dataset"].map(form).where(known, FORMS[0]))
    chosen = table[kept].assign(method=CATBOOST)
    chosen.loc[~known[kept], list(VALUES)] = np.nan
    return pd.concat([table[~is_form], chosen], ignore_index=True)
