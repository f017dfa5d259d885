"""Tables of an experiment, from its result files alone.

Used by the command line and by the results page.
"""

from typing import Any

import numpy as np
import pandas as pd

from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.labels import heading
from lassoflexnet.bench.protocols import make_protocol
from lassoflexnet.bench.results import Result, ResultFolder
from lassoflexnet.bench.runs import Run


def records(experiment: Experiment, folder: ResultFolder) -> pd.DataFrame:
    """One row per finished run: what it was, its scores, selection and cost."""
    return pd.DataFrame([_record(run, r) for run, r in folder.finished(experiment.runs)])


def _record(run: Run, result: Result) -> dict[str, Any]:
    return {
        "dataset": run.dataset,
        **run.case,
        "method": run.label,
        "seed": run.seed,
        **result["scores"],
        "scores": tuple(result["scores"]),
        "validation": result["validation"],
        "precision": result.get("precision"),
        "recall": result.get("recall"),
        "n_selected": len(result["selected"]) if "selected" in result else None,
        "n_columns": result["n_columns"],
        "fit_s": result["seconds"]["fit"],
        "total_s": _total_seconds(result),
        "peak_mb": result["peak_mb"],
        **headline(run, result),
    }


def _total_seconds(result: Result) -> float:
    """Fit, predictions, and the search for settings if there was one."""
    search = result["facts"].get("tuning", {}).get("search_s", 0.0)
    return float(sum(result["seconds"].values()) + search)


def headline(run: Run, result: Result) -> dict[str, Any]:
    """The protocol's main score, and whether more of it is better."""
    name, higher = make_protocol(run.protocol, run.case).headline(result["scores"])
    return {"score": result["scores"][name], "score_name": name, "higher": higher}


def pivot(table: pd.DataFrame, columns: list[str], score: str = "score") -> pd.DataFrame:
    """Mean score by method (rows) and columns, methods in order of appearance."""
    means = table.pivot_table(score, "method", columns, aggfunc="mean", sort=False)
    return means.reindex(table["method"].drop_duplicates())


def counted(table: pd.DataFrame, columns: list[str], score: str, digits: int) -> pd.DataFrame:
    """The same in words, with the number of finished runs in brackets."""

    def words(x: pd.Series) -> str:
        return f"{x.mean():.{digits}f} [{len(x)}]"

    found = table.dropna(subset=[score])
    cells = found.pivot_table(score, "method", columns, aggfunc=words, sort=False)
    return cells.reindex(table["method"].drop_duplicates())


def mean_scores(table: pd.DataFrame) -> pd.DataFrame:
    """Mean of every score by method, for runs that have many and no headline."""
    names = list(dict.fromkeys(name for row in table["scores"] for name in row))
    return table.groupby("method", sort=False)[names].mean()


def ranks(table: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    """Rank of every method within each group of runs that share all of ``by``: 1 is best.

    Methods that were run for half of the groups or fewer are left out, then groups that lack
    one of the others: every rank is among the same methods.
    """
    signed = table.assign(loss=np.where(table["higher"], -table["score"], table["score"]))
    wide = signed.pivot_table("loss", by, "method", sort=False)
    many = wide.notna().mean() > 0.5
    return wide.loc[:, many].dropna().rank(axis=1)


def top_three(table: pd.DataFrame, by: list[str]) -> pd.Series:
    """How often each method is among the best three of its group."""
    return (ranks(table, by) <= 3).sum()


def markdown(frame: pd.DataFrame, digits: int = 4) -> str:
    """A Markdown table with the index as first column; missing numbers are dashes.

    >>> print(markdown(pd.DataFrame({"a": [0.125, None]}, index=["x", "y"])))
    |  | a |
    |---|---|
    | x | 0.1250 |
    | y | - |
    """
    head = [_title(tuple(frame.index.names)), *(heading(frame.columns.names, c) for c in frame)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for name, *row in frame.itertuples():
        cells = [_title(name), *(_cell(value, digits) for value in row)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _title(index: Any) -> str:
    parts = index if isinstance(index, tuple) else (index,)
    return ", ".join("" if part is None else str(part) for part in parts)


def _cell(value: Any, digits: int) -> str:
    if isinstance(value, str):
        return value
    if value is None or np.isnan(value):
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def against_paper(table: pd.DataFrame, paper: pd.DataFrame) -> pd.DataFrame:
    """Mean, spread and number of runs beside the paper's number, by what the paper tells apart."""
    by = [name for name in paper.columns if name in table.columns and name != "score"]
    ours = table.groupby(by, sort=False)["score"].agg(ours="mean", spread="std", runs="count")
    found = ours.join(paper.set_index(by)["score"].rename("paper"), how="inner")
    return found.assign(difference=found["ours"] - found["paper"])
