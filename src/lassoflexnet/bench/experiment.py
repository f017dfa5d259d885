"""Experiments: TOML files that say which runs belong to a table or figure.

Read by the command line. A file has a title, a suite, a protocol, groups of runs
(data sets x methods x cases x seeds) and, by name, methods with settings of their own.
"""

import itertools
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pandas as pd

from lassoflexnet.bench.analyses.catalogue import (
    NO_DATA,
    PROTOCOL,
    analysis_fingerprint,
    make_analysis,
)
from lassoflexnet.bench.analyses.sampling import SAMPLED, draws
from lassoflexnet.bench.data.registry import known_names
from lassoflexnet.bench.labels import listed
from lassoflexnet.bench.methods.catalogue import fingerprint, read_method
from lassoflexnet.bench.protocols import make_protocol
from lassoflexnet.bench.runs import Run
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import offered, unknown

TEXTS = ("claim", "verdict", "note", "table", "figure")
FIELDS = ("title", "suite", "protocol", "runs", "methods", "keep_errors", "paper", *TEXTS)
TABLE_FIELDS = ("columns", "groups")
EXAMPLES = {"datasets": '["CH"]', "methods": '["lassoflexnet"]', "seeds": "[0, 1]"}
GROUP_FIELDS = ("datasets", "methods", "sample", "seeds", "case", "settings")


@dataclass(frozen=True)
class Experiment:
    """What an experiment file says.

    Attributes
    ----------
    name, title : str
        Name of the file, and what it shows.
    suite : str
        Suite that its runs belong to.
    runs : tuple of Run
        Every run, in the order of the file.
    paper : DataFrame or None
        Scores that the paper reports: a column ``score``, the others say of what.
    claim, verdict, note : str
        What the paper says, whether it held here, and what a reader of the numbers must know.
    table, figure : mapping
        How its results are shown.
    file : str
        Path of the file, as it was given.
    """

    name: str
    title: str
    suite: str
    runs: tuple[Run, ...]
    paper: pd.DataFrame | None = None
    claim: str = ""
    verdict: str = ""
    note: str = ""
    table: Mapping[str, Any] = field(default_factory=dict)
    figure: Mapping[str, Any] = field(default_factory=dict)
    file: str = ""


def read_experiment(path: Path) -> Experiment:
    """Experiment of a file; every name in it but those of data sets is checked."""
    try:
        content = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise InvalidInput(f"`{path}` does not exist. Name an experiment's TOML file.") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"`{path}` is not TOML: {error}.") from error
    _check_fields(path.name, content, FIELDS)
    _check_fields(f"{path.name}: table", content.get("table", {}), TABLE_FIELDS)
    for name in ("title", "suite", "protocol", "runs"):
        if name not in content:
            raise InvalidInput(f"{path.name} has no `{name}`. Every experiment needs one.")
    runs = tuple(_runs(path.name, content))
    _check_used(path.name, content)
    _check_kept(path.name, content, runs)
    shown = {"file": str(path), **{name: content[name] for name in TEXTS if name in content}}
    paper = pd.read_csv(path.parent / content["paper"]) if "paper" in content else None
    return Experiment(path.stem, content["title"], content["suite"], runs, paper, **shown)


def _check_fields(where: str, given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for name in given:
        if name not in known:
            raise unknown(f"{where}: field", name, known)


def _check_used(where: str, content: Mapping[str, Any]) -> None:
    """Settings for a label that no group names would be lost without a word."""
    used = {label for group in content["runs"] for label in group.get("methods", ())}
    for label in content.get("methods", {}):
        if label not in used:
            raise InvalidInput(
                f"{where}: `[methods.{_key(label)}]` is used by no run. Runs name: "
                f"{offered(label, used)}."
            )


def _check_kept(where: str, content: Mapping[str, Any], runs: Iterable[Run]) -> None:
    kept = content.get("keep_errors", [])
    if not isinstance(kept, list):
        raise InvalidInput(f"{where}: `keep_errors` is {kept!r}. Use a list of methods.")
    if kept and content["protocol"] == PROTOCOL:
        raise InvalidInput(f"{where}: analyses have no errors of rows. Leave out `keep_errors`.")
    labels = {run.label for run in runs}
    for label in kept:
        if label not in labels:
            raise unknown(f"{where}: method in `keep_errors`", label, labels)


def _key(label: str) -> str:
    """A label as TOML writes it."""
    return label if label.replace("_", "").isalnum() else f'"{label}"'


def _check_lists(where: str, group: Mapping[str, Any]) -> None:
    for name in ("datasets", "methods", "seeds"):
        needed = name == "datasets" or (name == "methods" and "sample" not in group)
        if (needed or name in group) and not isinstance(group.get(name), list):
            raise InvalidInput(
                f"{where}: `{name}` of a group is {group.get(name)!r}. Use a list, such as "
                f"{EXAMPLES[name]}."
            )
    for seed in group.get("seeds", []):
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise InvalidInput(f"{where}: a seed is {seed!r}. Use whole numbers from 0.")


def check_datasets(experiment: Experiment, data: Path | None) -> None:
    """Raise if a data set of the experiment is not known, before anything runs."""
    names = known_names(data)
    for run in experiment.runs:
        known = (*names, NO_DATA) if run.protocol == PROTOCOL else names
        if run.dataset not in known:
            raise unknown("data set", run.dataset, known)


def _runs(where: str, content: Mapping[str, Any]) -> Iterator[Run]:
    """Every run of every group; the same run twice counts once."""
    seen = set()
    for group in content["runs"]:
        _check_fields(f"{where}: runs", group, GROUP_FIELDS)
        _check_lists(where, group)
        for run in _group(where, content, group):
            if run.key not in seen:
                seen.add(run.key)
                yield run


def _group(where: str, content: Mapping[str, Any], group: Mapping[str, Any]) -> Iterator[Run]:
    methods = _methods(where, content, group)
    protocol = content["protocol"]
    cases = list(product_of(group.get("case", {})))
    for case in cases:
        make_protocol(protocol, case)
    seeds = group.get("seeds", [0])
    kept = content.get("keep_errors", [])
    for dataset, case, method, seed in itertools.product(group["datasets"], cases, methods, seeds):
        run = Run(content["suite"], dataset, protocol=protocol, seed=seed, case=case, **method)
        yield replace(run, keep_errors=run.label in kept)


def _methods(
    where: str, content: Mapping[str, Any], group: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """What every run of a group must know of its methods; random draws are methods too."""
    own, shared = content.get("methods", {}), group.get("settings", {})
    if "sample" in group:
        if "methods" in group:
            raise InvalidInput("a group has `methods` and `sample`. Use one of them.")
        return [_method(SAMPLED, {**draw, **shared}) for draw in draws(group["sample"])]
    settings = {label: {**shared, **own.get(label, {})} for label in group["methods"]}
    made = []
    for label, given in settings.items():
        with _named(where, label, own):
            if content["protocol"] == PROTOCOL:
                made.append(_analysis(label, given, group["datasets"]))
            else:
                made.append(_method(label, given))
    return made


@contextmanager
def _named(where: str, label: str, own: Iterable[str]) -> Iterator[None]:
    """Say of a mistake in settings in which file and for which method it is made.

    A label that the file itself gives may have been meant too.
    """
    try:
        yield
    except InvalidInput as error:
        near = [name for name in get_close_matches(label, own) if name != label]
        also = f" The file's own methods include {listed(near)}." if near else ""
        raise InvalidInput(f"{where}, method `{label}`: {error}{also}") from error
    except TypeError as error:
        raise InvalidInput(f"{where}, method `{label}`: {error}. Correct its settings.") from error


def _analysis(label: str, settings: dict[str, Any], datasets: list[str]) -> dict[str, Any]:
    """Name, settings and fingerprint of an analysis; checked by making it for each data set."""
    name = settings.pop("method", label)
    for dataset in datasets:
        make_analysis(name, settings, dataset)
    recipe = analysis_fingerprint(name, settings)
    return {"method": name, "settings": settings, "label": label, "recipe": recipe}


def _method(label: str, settings: dict[str, Any]) -> dict[str, Any]:
    """Name, settings and fingerprint of a method; checked by making it once."""
    name = settings.pop("method", label)
    read_method(name, settings)
    return {
        "method": name,
        "settings": settings,
        "label": label.removeprefix("recipe:").removeprefix("tuned:"),
        "recipe": fingerprint(name, settings),
    }


def product_of(lists: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every choice of one value per name; a value that is no list is the only one.

    >>> list(product_of({"share": [0.5, 0.75], "added": "random"}))
    [{'share': 0.5, 'added': 'random'}, {'share': 0.75, 'added': 'random'}]
    """
    values = (v if isinstance(v, list) else [v] for v in lists.values())
    for chosen in itertools.product(*values):
        yield dict(zip(lists, chosen, strict=True))
