"""What an experiment's results say, as Markdown; and one run's, as a line.

Used by the command line and by the results page.
"""

import pandas as pd

from lassoflexnet.bench.analyses.catalogue import PROTOCOL
from lassoflexnet.bench.experiment import Experiment
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
    return f"{head}; {table['total_s'].sum() / 3600:.1f} hours of one thread."


def tables(experiment: Experiment, table: pd.DataFrame) -> list[str]:
    """Scores, the paper's beside ours, selection, ranks: as far as there are any."""
    if table.empty:
        return []
    if experiment.runs[0].protocol == PROTOCOL:
        return [markdown(mean_scores(table))]
    columns = list(experiment.table.get("columns", ["dataset"]))
    found = [markdown(counted(table, columns, "score", 4))]
    if experiment.paper is not None:
        found.append(f"Beside the paper:\n\n{markdown(against_paper(table, experiment.paper))}")
    if table["precision"].notna().any():
        found += [
            f"Selection, {word}:\n\n{markdown(counted(table, columns, word, 2).dropna(how='all'))}"
            for word in ("precision", "recall")
        ]
    return [*found, *_ranking(table, [*columns, *experiment.table.get("groups", ["seed"])])]


def _ranking(table: pd.DataFrame, groups: list[str]) -> list[str]:
    found = ranks(table, groups)
    if found.empty or found.shape[1] < 2:
        return []
    best = top_three(table, groups).rename("among the best three")
    both = found.mean().rename("average rank").to_frame().join(best)
    text = markdown(both.sort_values("average rank"), 2)
    return [f"Ranks over the {len(found)} comparisons that all methods finished:\n\n{text}"]
