"""What an experiment's results say, as Markdown; and one run's, as a line.

Used by the command line and by the results page.
"""

import pandas as pd

from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.results import Result, ResultFolder
from lassoflexnet.bench.runs import Run
from lassoflexnet.bench.tables import against_paper, markdown, pivot, ranks, records, top_three


def outcome(run: Run, result: Result) -> str:
    """One line: what was run and what came of it."""
    case = " ".join(f"{name}={value}" for name, value in run.case.items())
    what = " ".join(part for part in (run.dataset, case, run.label, f"seed {run.seed}") if part)
    if result["status"] == "failed":
        return f"FAILED {what}: {result['error']}"
    scores = " ".join(f"{name} {value:.4f}" for name, value in result["scores"].items())
    return f"{what}: {scores} ({result['seconds']['fit']:.0f} s)"


def tell(experiment: Experiment, folder: ResultFolder) -> str:
    """Title, how much is done, and the table that the file asks for."""
    table = records(experiment, folder)
    head = f"# {experiment.title}\n\n{len(table)} of {len(experiment.runs)} runs are done."
    if table.empty:
        return head
    return f"{head}\n\n" + "\n\n".join(_parts(experiment, table))


def _parts(experiment: Experiment, table: pd.DataFrame) -> list[str]:
    columns = list(experiment.table.get("columns", ["dataset"]))
    groups = [*columns, *experiment.table.get("groups", ["seed"])]
    parts = [markdown(pivot(table, columns))]
    if experiment.paper is not None:
        parts.append(markdown(against_paper(table, experiment.paper)))
    if table["precision"].notna().any():
        parts += [
            f"Selection: {word}.\n\n{markdown(pivot(table, columns, word), 2)}"
            for word in ("precision", "recall")
        ]
    found = ranks(table, groups)
    if len(found) and found.shape[1] > 1:
        best = top_three(table, groups).rename("among the best three")
        mean = found.mean().rename("average rank")
        both = mean.to_frame().join(best).sort_values("average rank")
        parts.append(f"Over {len(found)} comparisons:\n\n{markdown(both, 2)}")
    return parts
