"""Folders of results as commands see them: whether they are there, and what else lies in them.

Used by the commands of ``bench``.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from lassoflexnet.bench.experiment import Experiment
    from lassoflexnet.bench.results import ResultFolder


def results_of(experiment: "Experiment", results: Path) -> "ResultFolder":
    """Folder of an experiment's results; says on stderr which files in it are passed over."""
    from lassoflexnet.bench.results import ResultFolder

    folder = ResultFolder(results / experiment.name)
    damaged, others = folder.strays(experiment.runs)
    for path in damaged:
        typer.echo(f"{path} cannot be read; counted as not done", err=True)
    if others:
        many = "files belong" if len(others) > 1 else "file belongs"
        shown = "are not shown" if len(others) > 1 else "is not shown"
        words = f"{len(others)} result {many} to other settings and {shown}"
        typer.echo(f"{folder.path}: {words}", err=True)
    return folder


def check_results(results: Path) -> None:
    """Raise unless the folder is there."""
    from lassoflexnet.exceptions import InvalidInput

    if not results.is_dir():
        raise InvalidInput(
            f"the folder of results `{results}` does not exist. Name another one by `--results`, "
            "or make it by `lassoflexnet bench run`."
        )
