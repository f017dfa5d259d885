"""The arena as it stands: runs of its experiments, read from result files alone.

Made by the command line; the points and the report are functions of it.
"""

from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lassoflexnet.bench.arena.bootstrap import Worse, worse_sets
from lassoflexnet.bench.arena.collecting import check_data, collect, with_chosen_form
from lassoflexnet.bench.arena.rechoosing import Rechosen, rechoose, with_default
from lassoflexnet.bench.experiment import read_experiment
from lassoflexnet.bench.results import ResultFolder

DEFAULTS, NOISE, CALIFORNIA = "defaults", "defaults_noise", "california"
CANDIDATES, OUTSIDE = "defaults_candidates", "defaults_outside"
"""Settings that were tried, and data sets that none was tried on; the arena can do without."""


class Arena(NamedTuple):
    """What is known so far.

    Attributes
    ----------
    table, every_form : DataFrame
        Runs of the arena with CatBoost in its chosen form, and with both of its forms.
    noise, california : DataFrame
        Runs with noise columns, and those of the README's table.
    worse : list of Worse
        Data sets on which our default is worse than CatBoost by more than the margin.
    candidates : DataFrame or None
        The arena's runs of the default, then those of settings that were tried; None without any.
    rechosen : Rechosen or None
        What would have been chosen among them without each data set.
    outside : DataFrame or None
        Runs on data sets that no setting was tried on, with both of CatBoost's forms; None
        without any.
    """

    table: pd.DataFrame
    every_form: pd.DataFrame
    noise: pd.DataFrame
    california: pd.DataFrame
    worse: list[Worse]
    candidates: pd.DataFrame | None = None
    rechosen: Rechosen | None = None
    outside: pd.DataFrame | None = None


def read_arena(experiments: Path, results: Path) -> Arena:
    """Arena of the experiments in a folder, and of their results in another."""
    every_form, noise, california = (
        read_runs(experiments / f"{name}.toml", results) for name in (DEFAULTS, NOISE, CALIFORNIA)
    )
    table = with_chosen_form(every_form)
    worse = worse_sets(table, ResultFolder(results / DEFAULTS))
    candidates, outside = (
        read_runs(file, results) if file.exists() else None
        for file in (experiments / f"{name}.toml" for name in (CANDIDATES, OUTSIDE))
    )
    candidates = None if candidates is None else with_default(candidates, table)
    there = [one for one in (candidates, outside) if one is not None]
    check_data([every_form, noise, california, *there])
    rechosen = None if candidates is None else rechoose(candidates, table)
    return Arena(table, every_form, noise, california, worse, candidates, rechosen, outside)


def rechosen_of(file: Path, results: Path) -> Rechosen:
    """Candidates of a file, against the arena of the experiment beside it."""
    table = with_chosen_form(read_runs(file.parent / f"{DEFAULTS}.toml", results))
    return rechoose(with_default(read_runs(file, results), table), table)


def read_runs(file: Path, results: Path) -> pd.DataFrame:
    """Every run of an experiment file, with what came of it."""
    experiment = read_experiment(file)
    return collect(experiment, ResultFolder(results / experiment.name))
