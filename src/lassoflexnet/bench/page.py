"""The results page: every experiment with its protocol, tables, figure and verdict.

Written by ``lassoflexnet bench page``, from result files alone.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from lassoflexnet.bench.experiment import Experiment
from lassoflexnet.bench.figures.catalogue import draw
from lassoflexnet.bench.results import ResultFolder
from lassoflexnet.bench.tables import records
from lassoflexnet.bench.telling import progress, tables

PREFACE = "preface.md"
"""What a page begins with, if there is such a file beside the first experiment's."""

HEAD = """# Results

Written by `lassoflexnet bench page` from result files. RMSE is in units of the target's standard
deviation over the training rows, but for the protocol `six_splits`, which leaves the target as it
is; log loss is natural. A dash stands where no run is done.
"""


def write_page(experiments: Sequence[Experiment], results: Path, out: Path) -> None:
    """Write the page, and the figures into the folder ``figures`` beside it."""
    parts, waiting = [preface(experiments)], []
    for experiment in experiments:
        folder = ResultFolder(results / experiment.name)
        table = records(experiment, folder)
        if table.empty:
            waiting.append(experiment)
        else:
            parts.append(_section(experiment, folder, table, out.parent))
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text("\n".join([*parts, *_not_run(waiting)]), encoding="utf-8")


def preface(experiments: Sequence[Experiment]) -> str:
    """Text of the preface beside the first experiment's file; a plain one if there is none."""
    file = Path(experiments[0].file).parent / PREFACE
    return file.read_text(encoding="utf-8") if file.exists() else HEAD


def _section(experiment: Experiment, folder: ResultFolder, table: pd.DataFrame, place: Path) -> str:
    parts = [f"## {experiment.title}", *_said(experiment)]
    parts.append(f"{protocol(experiment)} {progress(experiment, table)}")
    if experiment.note:
        parts.append(experiment.note)
    # Of some of the runs it would mislead, or cannot be drawn.
    if experiment.figure and len(table) == len(experiment.runs):
        draw(experiment, folder, place / "figures" / experiment.name)
        parts.append(f"![{experiment.title}](figures/{experiment.name}.svg)")
    return "\n\n".join([*parts, *tables(experiment, table)]) + "\n"


def _said(experiment: Experiment) -> list[str]:
    """What the paper says and what was found here, as far as the file has it."""
    said = {"The paper": experiment.claim, "Here": experiment.verdict}
    return [f"*{who}:* {text}" for who, text in said.items() if text]


def _not_run(experiments: Sequence[Experiment]) -> list[str]:
    """One list of those that have no result yet."""
    if not experiments:
        return []
    lines = [
        f"- {experiment.title} (`{experiment.file}`; runs to do: {len(experiment.runs)}). "
        f"{' '.join(_said(experiment))}".rstrip()
        for experiment in experiments
    ]
    return ["\n".join(["## Not run yet", "", *lines, ""])]


def protocol(experiment: Experiment) -> str:
    """One sentence: protocol, what varies, seeds."""
    runs = experiment.runs
    cases = dict.fromkeys(name for run in runs for name in run.case)
    varied = [f"{name} {_listed(run.case.get(name) for run in runs)}" for name in cases]
    seeds = _listed(run.seed for run in runs)
    what = "; ".join([f"Protocol `{runs[0].protocol}`", *varied, f"seeds {seeds}"])
    return f"`{experiment.file}`. {what}."


def _listed(values: Iterable[object]) -> str:
    return ", ".join(dict.fromkeys(str(value) for value in values if value is not None))
