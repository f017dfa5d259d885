"""What an experiment's results say, as Markdown; and one run's, as a line.

Used by the command line and by the results page.
"""

import pandas as pd

from lassoflexnet.bench.analyses.catalogue import PROTOCOL
from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.labels import duration, listed, plural, score_words
from lassoflexnet.bench.results import Result, ResultFolder
from lassoflexnet.bench.runs import Run
from lassoflexnet.bench.tables import (
    against_paper,
    counted,
    markdown,
    mean_scores,
    ranks,
    records,
    top_three,
)

FEWEST_FOR_TOP_THREE = 5
"""Methods; among fewer, to be one of the best three says little."""

WIDEST = 9
"""Cases that a table can have as columns."""


def outcome(run: Run, result: Result) -> str:
    """One line: what was run and what came of it."""
    case = " ".join(f"{name}={value}" for name, value in run.case.items())
    what = " ".join(part for part in (run.dataset, case, run.label, f"seed {run.seed}") if part)
    if result["status"] == "failed":
        return f"FAILED {what}: {result['error']}"
    scores = " ".join(f"{name} {value:.4f}" for name, value in result["scores"].items())
    return f"{what}: {scores} ({result['seconds']['fit']:.0f} s)"


def tell(experiment: Experiment, folder: ResultFolder) -> str:
    """Title, how much is done, and the tables."""
    table = records(experiment, folder)
    head = f"# {experiment.title}\n\n{progress(experiment, table)}"
    return "\n\n".join([head, *tables(experiment, table)])


def progress(experiment: Experiment, table: pd.DataFrame) -> str:
    """How many runs are done, and what they cost."""
    head = f"{len(table)} of {len(experiment.runs)} runs are done"
    if table.empty:
        return f"{head}."
    return f"{head}; {duration(table['total_s'].sum())} of one thread."


def tables(experiment: Experiment, table: pd.DataFrame) -> list[str]:
    """Scores, the paper's beside ours, selection, ranks: as far as there are any."""
    if table.empty:
        return []
    if experiment.runs[0].protocol == PROTOCOL:
        n_runs = listed(sorted(table.groupby("method").size().unique()), last="or")
        # Analyses have many scores of few rows.
        text = markdown(mean_scores(table).T.rename(index=score_words))
        return [f"Mean over seeds, {n_runs} of them:\n\n{text}"]
    columns = list(experiment.table.get("columns", ["dataset"]))
    scores = markdown(_shaped(counted(table, columns, "score", 4)))
    found = [f"{metric(table)}; {averaged(table, columns)}:\n\n{scores}"]
    if experiment.paper is not None:
        found.append(_beside_paper(table, experiment.paper))
    return [*found, *_selection(table, columns), *_ranking(experiment, table, columns)]


def _shaped(frame: pd.DataFrame) -> pd.DataFrame:
    """Cases as rows, and methods side by side, where the cases would not fit side by side."""
    return frame.T if frame.shape[1] > WIDEST else frame


def metric(table: pd.DataFrame) -> str:
    """Which score a table shows and which way is better; by data set where they differ."""
    sets = table.groupby(["score_name", "higher"], sort=False)["dataset"]
    parts = [
        f"test {score_words(name)}, {'higher' if higher else 'lower'} is better"
        + (f", for {listed(of)}" if len(sets) > 1 else "")
        for (name, higher), of in sets
    ]
    words = "; ".join(parts)
    return words[0].upper() + words[1:]


def averaged(table: pd.DataFrame, columns: list[str]) -> str:
    """What a cell is the mean of."""
    over = [n for n in ("seed", "fold", "window") if n in table and n not in columns]
    varied = [plural(name) for name in over if len(table[name].unique()) > 1]
    if not varied and table.groupby(["method", *columns]).size().max() > 1:
        varied = ["configurations"]
    mean = f"mean over {listed(varied)}" if varied else "one run each"
    return f"{mean}, number of runs in brackets"


def _beside_paper(table: pd.DataFrame, paper: pd.DataFrame) -> str:
    beside = against_paper(table, paper)
    if beside.empty:
        return "The paper has no number for what is done so far."
    return (
        "The same beside the paper's numbers; spread is the standard deviation over runs:\n\n"
        f"{markdown(beside)}"
    )


def _selection(table: pd.DataFrame, columns: list[str]) -> list[str]:
    if not table["precision"].notna().any():
        return []
    kinds = {
        "precision": "share of the selected columns that are real",
        "recall": "share of the real columns that are selected",
    }
    return [
        f"{word.capitalize()} of the selection ({meaning}; higher is better):\n\n"
        f"{markdown(_shaped(counted(table, columns, word, 2).dropna(how='all')))}"
        for word, meaning in kinds.items()
    ]


def _ranking(experiment: Experiment, table: pd.DataFrame, columns: list[str]) -> list[str]:
    """Average ranks once all runs are done; before, what is missing."""
    n_missing = len(experiment.runs) - len(table)
    if n_missing:
        return [_missing(experiment, table, n_missing)]
    groups = [*columns, *experiment.table.get("groups", ["seed"])]
    found = ranks(table, groups)
    if found.empty or found.shape[1] < 2:
        return []
    shown = found.mean().rename("average rank").to_frame()
    if found.shape[1] >= FEWEST_FOR_TOP_THREE:
        shown = shown.join(top_three(table, groups).rename("times among the best three"))
    text = markdown(shown.sort_values("average rank"), 2)
    by = listed(f"test {score_words(name)}" for name in table["score_name"])
    return [
        f"Ranks by {by} (1 is best) over the {len(found)} comparisons that all of these methods "
        f"have part in:\n\n{text}"
    ]


def _missing(experiment: Experiment, table: pd.DataFrame, n_missing: int) -> str:
    seen = set(table["method"])
    absent = [run.label for run in experiment.runs if run.label not in seen]
    without = f" Not a single one is done of: {'; '.join(dict.fromkeys(absent))}." if absent else ""
    return (
        f"{n_missing} of {len(experiment.runs)} runs are missing, so there are no ranks.{without}"
    )
