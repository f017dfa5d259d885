"""``lassoflexnet tune``: search for good settings for a table in a file."""

import json
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lassoflexnet.cli.errors import told_plainly

if TYPE_CHECKING:
    import pandas as pd


class Task(Enum):
    """What is predicted."""

    regression = "regression"
    classification = "classification"


def tune(
    file: Annotated[Path, typer.Argument(help="table: Parquet, or CSV with a header")],
    target: Annotated[str, typer.Option(help="column to predict")],
    *,
    task: Annotated[Task, typer.Option(help="what it is")],
    trials: Annotated[int, typer.Option(min=1, help="trials in all, earlier ones included")] = 40,
    workers: Annotated[int, typer.Option(min=1, help="processes")] = 1,
    storage: Annotated[
        str | None, typer.Option(help="journal file or database URL, to go on or to share")
    ] = None,
    study: Annotated[str, typer.Option(help="name of the study in the storage")] = "lassoflexnet",
    space: Annotated[str, typer.Option(help="everyday, paper or paper_tabred")] = "everyday",
    seed: Annotated[int, typer.Option(help="seed")] = 0,
    out: Annotated[Path | None, typer.Option(help="write the best settings there as JSON")] = None,
) -> None:
    """Try settings on FILE and print the best; the same storage and study go on."""
    from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor
    from lassoflexnet.names import unknown
    from lassoflexnet.tuning import tune as search
    from lassoflexnet.tuning.spaces import SPACES

    kinds = {Task.regression: LassoFlexNetRegressor, Task.classification: LassoFlexNetClassifier}
    with told_plainly():
        if space not in SPACES:
            raise unknown("search space", space, SPACES)
        X = read_table(file, target)
        found = search(
            kinds[task](n_threads=1),
            X,
            X.pop(target).to_numpy(),
            space=SPACES[space],
            n_trials=trials,
            n_workers=workers,
            storage=storage,
            study_name=study,
            random_state=seed,
        )
    _tell(found, out)


def read_table(file: Path, target: str) -> "pd.DataFrame":
    """Table of a file that has this column."""
    import pandas as pd

    from lassoflexnet.exceptions import InvalidInput

    if not file.exists():
        raise InvalidInput(f"`{file}` does not exist. Name a Parquet or CSV file.")
    read = pd.read_parquet if file.suffix == ".parquet" else pd.read_csv
    frame = read(file)
    if target not in frame:
        raise InvalidInput(
            f"`{file}` has no column `{target}`. It has {', '.join(map(str, frame.columns))}."
        )
    return frame


def _tell(found: Any, out: Path | None) -> None:
    """Print the best trials and write the best settings."""
    trials = found.to_frame()
    typer.echo(trials.sort_values("value").head(5).to_string(index=False))
    model = found.best_estimator
    typer.echo(f"validation loss {found.best_score:.5f} with {model.n_selected_} columns")
    text = json.dumps(found.best_params, indent=2)
    typer.echo(text)
    if out is not None:
        out.write_text(text + "\n")
