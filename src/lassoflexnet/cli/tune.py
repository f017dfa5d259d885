"""``lassoflexnet tune``: search for good settings for a table in a file.

Our own method is searched by ``tuning.tune``, any other by the benchmark's adapter of it.
"""

import json
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from lassoflexnet.cli.errors import told_plainly
from lassoflexnet.cli.trials import shown_trials

if TYPE_CHECKING:
    import pandas as pd

    from lassoflexnet.bench.rows import Table
    from lassoflexnet.bench.rows import Task as Kind
    from lassoflexnet.tuning import StudyResult, StudySettings

OURS = "lassoflexnet"


class Task(Enum):
    """What is predicted."""

    regression = "regression"
    classification = "classification"


class Question(NamedTuple):
    """What to search for: a method's settings on a table, in a space if it has several."""

    frame: "pd.DataFrame"
    target: str
    task: Task
    method: str
    space: str | None


class Answer(NamedTuple):
    """Trials, what is said of the best one, and its settings."""

    study: "StudyResult"
    words: str
    best: Mapping[str, Any]


@told_plainly()
def tune(
    file: Annotated[Path, typer.Argument(help="table: Parquet, or CSV with a header")],
    target: Annotated[str, typer.Option(help="column to predict")],
    *,
    task: Annotated[Task, typer.Option(help="what the column is")],
    method: Annotated[
        str, typer.Option(help="what to tune: ours, or a method of the benchmark")
    ] = OURS,
    trials: Annotated[int, typer.Option(min=1, help="trials in all, earlier ones included")] = 40,
    workers: Annotated[int, typer.Option(min=1, help="processes")] = 1,
    storage: Annotated[
        str | None, typer.Option(help="journal file or database URL, to go on or to share")
    ] = None,
    study: Annotated[
        str | None, typer.Option(help="name of the study in the storage; else the method's")
    ] = None,
    space: Annotated[
        str | None,
        typer.Option(help="everyday (the default), paper or paper_tabred; of our method alone"),
    ] = None,
    seed: Annotated[int, typer.Option(help="of the search, the hold-out and the fits")] = 0,
    out: Annotated[Path | None, typer.Option(help="write the best settings there as JSON")] = None,
) -> None:
    """Search for settings for the table in FILE; with the same storage and study it goes on."""
    from lassoflexnet.tuning import StudySettings

    settings = StudySettings(
        trials, storage=storage, name=study or method, n_workers=workers, random_state=seed
    )
    search = _ours if method == OURS else _other
    question = Question(read_table(file, target), target, task, method, space)
    _check_target(question)
    with shown_trials(settings) as shown:
        answer = search(question, shown)
    _tell(answer, out)


def read_table(file: Path, target: str) -> "pd.DataFrame":
    """Table of a file that has this column."""
    import pandas as pd

    from lassoflexnet.exceptions import InvalidInput, MissingDependency

    if not file.exists():
        raise InvalidInput(f"`{file}` does not exist. Name a Parquet or CSV file.")
    read = pd.read_parquet if file.suffix == ".parquet" else pd.read_csv
    try:
        frame = read(file)
    except ImportError as error:
        raise MissingDependency(
            f'`{file}` needs pyarrow to be read. Run `pip install "lassoflexnet[bench]"`.'
        ) from error
    if target not in frame:
        raise InvalidInput(
            f"`{file}` has no column `{target}`. It has {', '.join(map(str, frame.columns))}."
        )
    return frame


def _ours(question: Question, settings: "StudySettings") -> Answer:
    """Search with the estimators, which report their epochs and select columns."""
    from lassoflexnet import LassoFlexNetClassifier, LassoFlexNetRegressor
    from lassoflexnet.names import unknown
    from lassoflexnet.tuning import tune as search
    from lassoflexnet.tuning.spaces import SPACES

    space = question.space or "everyday"
    if space not in SPACES:
        raise unknown("search space", space, SPACES)
    kinds = {Task.regression: LassoFlexNetRegressor, Task.classification: LassoFlexNetClassifier}
    found = search(
        kinds[question.task](n_threads=1),
        question.frame.drop(columns=question.target),
        question.frame[question.target].to_numpy(),
        space=SPACES[space],
        n_trials=settings.n_trials,
        n_workers=settings.n_workers,
        storage=settings.storage,
        study_name=settings.name,
        random_state=settings.random_state,
    )
    n_selected = found.best_estimator.n_selected_
    words = f"validation loss {found.best_score:.5f} with {n_selected} columns"
    return Answer(found.study, words, found.best_params)


def _other(question: Question, settings: "StudySettings") -> Answer:
    """Search with the benchmark's adapter, on the rows of its plain hold-out."""
    from lassoflexnet.bench.methods.catalogue import make_method
    from lassoflexnet.bench.methods.tuned import Tuned, nested
    from lassoflexnet.bench.protocols import HoldOut
    from lassoflexnet.bench.protocols.scores import score

    _check_method(question)
    protocol, seed = HoldOut(), settings.random_state or 0
    split = protocol.split(_table(question), seed)
    tuned = Tuned(question.method, space=question.method)
    found = tuned.search(split, make_method, settings)
    fitted = tuned.with_settings(found.best_params, make_method).fit(split, seed)
    test = score(split.test.y, fitted.predict(split.test.X), split.task, split.n_classes)
    loss = protocol.scores[split.task].name
    unit = " in units of the target's spread" if split.task == "regression" else ""
    words = f"validation {loss} {found.best_value:.5f}, test {loss} {test[loss]:.5f}{unit}"
    return Answer(found, words, nested(found.best_params))


def _check_target(question: Question) -> None:
    """Raise if classes are asked for and the column holds fractions."""
    from pandas.api.types import is_float_dtype

    from lassoflexnet.exceptions import InvalidInput

    y = question.frame[question.target].dropna()
    if question.task is Task.regression or not is_float_dtype(y):
        return
    fractions = y[y != y.round()]
    if len(fractions):
        raise InvalidInput(
            f"column `{question.target}` holds fractions, such as {fractions.iloc[0]:g}, which "
            "are no classes. Use `--task regression`, or make classes of them first."
        )


def _check_method(question: Question) -> None:
    """Raise unless the method has a search space, and is asked for no other."""
    from lassoflexnet.bench.methods.spaces import ALL_SPACES
    from lassoflexnet.exceptions import InvalidInput
    from lassoflexnet.names import unknown
    from lassoflexnet.tuning.spaces import SPACES

    known = [OURS, *(name for name in ALL_SPACES if name not in SPACES)]
    if question.method not in known:
        raise unknown("method with a search space", question.method, known)
    if question.space is not None:
        raise InvalidInput(
            f"`--space` is {question.space!r}, and `{question.method}` has one space, its own. "
            "Leave it out."
        )


def _table(question: Question) -> "Table":
    """The frame as the benchmark has tables."""
    from lassoflexnet.bench.data.cards import Card
    from lassoflexnet.bench.data.coding import to_table

    return to_table(question.frame, Card(question.target, "", question.target, _kind(question)))


def _kind(question: Question) -> "Kind":
    """What is predicted in the benchmark's words, which tell two classes from more."""
    from pandas.api.types import is_numeric_dtype

    from lassoflexnet.exceptions import InvalidInput

    y = question.frame[question.target]
    if question.task is Task.regression:
        if not is_numeric_dtype(y):
            raise InvalidInput(
                f"column `{question.target}` holds {y.dtype} and no numbers. "
                "Use `--task classification`, or convert it."
            )
        return "regression"
    n_classes = y.nunique()
    if n_classes < 2:
        raise InvalidInput(
            f"column `{question.target}` holds {n_classes} class. Use rows of two or more."
        )
    return "binary" if n_classes == 2 else "multiclass"


def _tell(found: Answer, out: Path | None) -> None:
    """Print the best trials and write the best settings."""
    typer.echo(found.study.to_frame().sort_values("value").head(5).to_string(index=False))
    typer.echo(found.words)
    text = json.dumps(found.best, indent=2)
    typer.echo(text)
    if out is not None:
        out.write_text(text + "\n")
