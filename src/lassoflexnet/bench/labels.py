"""Words for readers: scores, fields of cases and headings of tables.

Used wherever results are shown; result files keep the short names.
"""

from collections.abc import Iterable, Sequence
from typing import Any

SCORES = {
    "rmse": "RMSE",
    "r2": "R²",
    "accuracy": "accuracy",
    "log_loss": "log loss",
    "roc_auc": "ROC AUC",
    "roc_auc_ovo": "ROC AUC, mean over pairs of classes",
    # Targeted experiment.
    "auc": "AUC of the size of skip weights, true against false columns",
    "true_mean": "mean size of skip weight, true columns",
    "false_mean": "mean size of skip weight, false columns",
    "validation_loss": "validation loss",
    # Evolution under the two operators.
    "rank_joint": "rank correlation with the dense network, joint prox",
    "rank_sequential": "rank correlation with the dense network, sequential prox",
    "rank_first_joint": "the same after the first update, joint",
    "rank_first_sequential": "the same after the first update, sequential",
    "auc_joint": "AUC of real against added columns, joint",
    "auc_sequential": "AUC of real against added columns, sequential",
    "alive_joint": "columns left at the end, joint",
    "alive_sequential": "columns left at the end, sequential",
    "rank_noised": "rank correlation with the dense network, before any update",
    "auc_noised": "AUC of real against added columns, before any update",
    # Rotation.
    "rotated_loss": "test loss, columns rotated",
    "plain_loss": "test loss, columns as they are",
    "rise": "rise by the rotation",
    # Loss curves.
    "path_loss": "lowest validation loss of the path",
    "dense_loss": "lowest validation loss of the dense stage",
    "gain": "gain by the path",
    "train_rise": "rise of the training loss meanwhile",
    "average_gain": "gain by averaged weights",
}
"""Scores of protocols and of analyses by their names in result files."""

VALUES = {
    "dataset": "{}",
    "method": "{}",
    "added": "{} columns",
    "share": "share of added columns {}",
    "kind": "{} split",
    "max_train_rows": "at most {} training rows",
    "test_rows": "{} test rows",
}
"""How a value of a field is called in a heading; of others, name and value."""

SHORT = {**VALUES, "share": "share {}"}
"""The same where a heading has several parts."""

PLURALS = {"seed": "seeds", "fold": "folds", "window": "windows", "dataset": "data sets"}


def score_words(name: str) -> str:
    """A score as readers know it.

    >>> score_words("log_loss"), score_words("my_score")
    ('log loss', 'my score')
    """
    return SCORES.get(name, name.replace("_", " "))


def heading(names: Sequence[Any], values: Any) -> str:
    """Heading of a column that has these values of these fields; without fields, a score's.

    >>> heading(["share"], 0.5), heading(["dataset", "share"], ("CH", 0.5))
    ('share of added columns 0.5', 'CH, share 0.5')
    """
    parts = values if isinstance(values, tuple) else (values,)
    table = VALUES if len(parts) == 1 else SHORT
    return ", ".join(_named(table, *pair) for pair in zip(names, parts, strict=True))


def _named(table: dict[str, str], name: Any, value: Any) -> str:
    if name is None:
        return score_words(str(value))
    form = table.get(name, f"{str(name).replace('_', ' ')} {{}}")
    return form.format(str(value).replace("_", " ") if name in ("added", "kind") else value)


def plural(name: str) -> str:
    """Several values of a field in a word."""
    return PLURALS.get(name, f"values of {name}")


def listed(words: Iterable[object], *, last: str = "and") -> str:
    """Words in a row, each once.

    >>> listed(["CH", "HO", "CH"]), listed(["a", "b", "c"], last="or")
    ('CH and HO', 'a, b or c')
    """
    *most, end = dict.fromkeys(str(word) for word in words)
    return f"{', '.join(most)} {last} {end}" if most else end


def duration(seconds: float) -> str:
    """Time in the unit that fits.

    >>> duration(12), duration(130), duration(5400)
    ('12 seconds', '2 minutes', '1.5 hours')
    """
    for most, unit, words in ((99.5, 1, "seconds"), (5400, 60, "minutes")):
        if seconds < most:
            return f"{seconds / unit:.0f} {words}"
    return f"{seconds / 3600:.1f} hours"
