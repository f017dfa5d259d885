"""The arena's report: tables for readers, and both files that hold them and the checks.

Written by ``lassoflexnet bench arena``.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from lassoflexnet.bench.arena.collecting import (
    CATBOOST,
    SECONDS,
    forms_chosen,
    middles,
    with_chosen_form,
)
from lassoflexnet.bench.arena.comparing import (
    OURS,
    against_trees,
    average_ranks,
    coverages,
    geometric_mean,
    median,
    noise_ratios,
    ratios,
)
from lassoflexnet.bench.arena.reading import Arena
from lassoflexnet.bench.checking import Check, met
from lassoflexnet.bench.tables import markdown

TITLE = """# Defaults against other methods' defaults

Written by `lassoflexnet bench arena` from result files"""

PROTOCOL = (
    "Each splits a data set 65/15/20 by its seed, has at most 12,000 training rows and chooses by "
    "the validation rows; the error is that on the test rows. Three seeds, ten below 2,000 rows "
    "(RealMLP, LassoNet, EBM and TabM three everywhere; ranks and ratios are over the seeds that "
    "all compared have). Slow forms take 4,000 small steps at most. CatBoost, where not said "
    "otherwise, is on each data set the form (default or slow) with the lower error on the "
    "validation rows. What is compared with what: [docs/benchmarks.md](../docs/benchmarks.md); the "
    "candidates, and how seconds were taken: [docs/defaults.md](../docs/defaults.md)."
)

TOTALS = {"geometric mean": geometric_mean, "median": median}


class Section(NamedTuple):
    """A table, its name in the JSON file, and what it says."""

    name: str
    words: str
    frame: pd.DataFrame
    digits: int = 4


def write_report(arena: Arena, checks: list[Check], results: Path) -> tuple[Path, Path]:
    """Write ``defaults.json`` and ``defaults.md`` into the folder of results."""
    found = [section for section in sections(arena) if not section.frame.empty]
    tables = {section.name: _plain(section.frame) for section in found}
    content = {"tables": tables, "checks": [check._asdict() for check in checks]}
    paths = results / "defaults.json", results / "defaults.md"
    paths[0].write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    paths[1].write_text(_page(arena, checks, found), encoding="utf-8")
    return paths


def sections(arena: Arena) -> Iterator[Section]:
    """Every table, in order."""
    presets = presets_of(arena.table)
    yield Section("ratios", "Our mean test error in units of others'", ratio_table(arena, presets))
    yield from _rank_sections(arena, presets)
    yield Section(
        "worse",
        "Data sets on which the default is worse than CatBoost by more than 5 %: interval of the "
        "ratio over 10,000 paired draws of test rows",
        _worse_table(arena),
    )
    yield Section(
        "errors",
        "Mean test error over seeds (RMSE in units of the target's spread, or log loss)",
        each(arena.every_form, "error"),
    )
    yield Section("accuracy", "Mean accuracy on test rows", each(arena.table, "accuracy"))
    yield Section("seconds", "Median seconds of a fit", each(arena.table, SECONDS), 1)
    yield Section("columns", "Mean number of columns used", _columns(arena.table, presets), 1)
    noisy = "Error with noise as half of all columns, in units of that without, same seed"
    yield Section("noise", noisy, noise_table(arena))
    kept = "Columns used when half of all columns are noise, and how many of these are noise"
    yield Section("noise_kept", kept, _kept(arena.noise), 1)
    yield Section(
        "california",
        "California Housing, RMSE by share of random columns",
        each(arena.california, "error", by="share"),
    )
    if arena.candidates is not None:
        words = "Candidates: test error in units of the default's, same seeds (above 1: worse)"
        yield Section("candidates", words, candidates_table(arena.candidates))
    if arena.rechosen is not None and not arena.rechosen.unfinished:
        yield Section("rechosen", "Chosen without each data set", arena.rechosen.table)
    if arena.outside is not None:
        found, n_sets = outside_table(arena.outside), arena.outside["dataset"].nunique()
        n_done = max(len(found) - len(TOTALS), 0)
        words = f"Outside the arena, {n_done} of {n_sets} data sets: test error"
        yield Section("outside", words, found)


def presets_of(table: pd.DataFrame) -> list[str]:
    """Our default and what presets there are."""
    return [method for method in table["method"].unique() if method.startswith(OURS)]


def ratio_table(arena: Arena, presets: list[str]) -> pd.DataFrame:
    """Every preset against CatBoost and the best tree, means and medians."""
    found: dict[str, pd.Series] = {}
    for preset in presets:
        found[f"{preset} / CatBoost"] = ratios(arena.table, preset, CATBOOST)
        found[f"{preset} / best tree"] = against_trees(arena.table, preset)
    frame = with_totals(pd.DataFrame(found))
    forms = forms_chosen(arena.every_form).reindex(frame.index)
    return _methods(frame.assign(**{"CatBoost's form": forms.where(forms.notna(), "-")}))


def noise_table(arena: Arena) -> pd.DataFrame:
    """What noise columns cost every method, means and medians."""
    methods = arena.noise["method"].unique()
    found = {m: noise_ratios(arena.every_form, arena.noise, m) for m in methods}
    return _methods(with_totals(pd.DataFrame(found)))


def outside_table(runs: pd.DataFrame) -> pd.DataFrame:
    """Errors, their ratio, its mean and median over data sets on which all is done."""
    table = with_chosen_form(runs)
    errors = middles(table, "error", [OURS, CATBOOST]).dropna()
    columns = _columns(table, [OURS]).rename(columns={OURS: "columns used"})
    ratio = with_totals((errors[OURS] / errors[CATBOOST]).to_frame(f"{OURS} / CatBoost"))
    return _methods(ratio.join([errors, columns])) if len(errors) else errors


def candidates_table(candidates: pd.DataFrame) -> pd.DataFrame:
    """Every candidate against the first, the default, by data set, means and medians.

    A candidate that is not to be run on all data sets has these over those that it is on.
    """
    first, *others = candidates["method"].unique()
    by_set = {one: ratios(candidates, one, first) for one in others}
    frame = pd.DataFrame(by_set).dropna(how="all")
    if frame.empty:
        return frame
    return _methods(pd.concat([frame, _totals(by_set)]).rename_axis("data set"))


def _totals(columns: Mapping[str, pd.Series]) -> pd.DataFrame:
    """Geometric means and medians; NaN where a value is missing."""
    found = {name: [total(x) for total in TOTALS.values()] for name, x in columns.items()}
    return pd.DataFrame(found, index=list(TOTALS), dtype=float)


def with_totals(frame: pd.DataFrame) -> pd.DataFrame:
    """The same with rows of geometric means and of medians; NaN where a cell is missing."""
    columns = {str(name): frame[name] for name in frame}
    return pd.concat([frame, _totals(columns)]).rename_axis("data set")


def each(table: pd.DataFrame, value: str, *, by: str = "dataset") -> pd.DataFrame:
    """Mean over all seeds of every method, each on its own data sets."""
    methods = table["method"].unique()
    found = [middles(table, value, [method], by=by) for method in methods]
    rows = pd.Index(table[by].unique(), name="data set" if by == "dataset" else by)
    return _methods(pd.concat(found, axis=1).reindex(rows).dropna(how="all"))


def _methods(frame: pd.DataFrame) -> pd.DataFrame:
    """Columns that are called as they are."""
    return frame.rename_axis(columns="method")


def _rank_sections(arena: Arena, presets: list[str]) -> Iterator[Section]:
    cases = [("ranks", arena.table, sets) for sets in coverages(arena.table)]
    cases.append(("ranks_every_form", arena.every_form, cases[0][2]))
    for name, table, sets in cases:
        found = {preset: average_ranks(table, preset, sets) for preset in presets}
        ranks = {preset: series for preset, series in found.items() if not series.empty}
        forms = "" if table is arena.table else ", both forms of CatBoost apart"
        yield Section(
            f"{name}_{len(sets)}",
            f"Average rank (1 is best) over {_named(table, sets)}{forms}; a column for each of our "
            "presets in the company of the others",
            _methods(pd.DataFrame(ranks).sort_values(list(ranks)[:1]) if ranks else pd.DataFrame()),
            2,
        )


def _named(table: pd.DataFrame, sets: list[str]) -> str:
    """How many data sets, and which if not all."""
    names = "" if len(sets) == table["dataset"].nunique() else f" ({', '.join(sets)})"
    return f"{len(sets)} data sets{names}"


def _worse_table(arena: Arena) -> pd.DataFrame:
    rows = [
        {**worse._asdict(), "verdict": "cannot tell" if worse.cannot_tell else "worse"}
        for worse in arena.worse
    ]
    return pd.DataFrame(rows).set_index("dataset") if rows else pd.DataFrame()


def _columns(table: pd.DataFrame, presets: list[str]) -> pd.DataFrame:
    used = each(table[table["method"].isin(presets)], "n_selected")
    there = table.groupby("dataset")["n_columns"].max().reindex(used.index)
    return _methods(used.assign(**{"columns there": there}))


def _kept(noise: pd.DataFrame) -> pd.DataFrame:
    ours = noise[noise["method"] == OURS]
    names = {"n_selected": "used", "n_noise": "of them noise", "n_columns": "columns there"}
    found = {name: each(ours, value).get(OURS) for value, name in names.items()}
    return pd.DataFrame(found).dropna().rename_axis("data set")


def _plain(frame: pd.DataFrame) -> dict[str, dict[str, object]]:
    """Cells by row and column; JSON has no NaN."""
    return json.loads(frame.to_json(orient="index", double_precision=6))


def _page(arena: Arena, checks: list[Check], found: list[Section]) -> str:
    n_done, n_runs = arena.every_form["error"].notna().sum(), len(arena.every_form)
    rows = {
        check.name: {"value": check.value, "bar": check.bar, "met": met(check)} for check in checks
    }
    points = pd.DataFrame.from_dict(rows, orient="index").rename_axis("point")
    head = f"{TITLE}; {n_done} of {n_runs} runs of `defaults.toml` are done. {PROTOCOL}"
    parts = [f"{section.words}:\n\n{markdown(section.frame, section.digits)}" for section in found]
    return "\n\n".join([head, markdown(points), *parts]) + "\n"
