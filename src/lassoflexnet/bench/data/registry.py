"""Data sets by name, from the first source that knows the name.

Called by experiments and runs. Sources in order: a folder named by the caller or by
LASSOFLEXNET_DATA (Parquet files with cards, or TabReD's own folders), scikit-learn's
bundled sets, downloads; for the rest an error says what to put where.
"""

import os
from pathlib import Path

from lassoflexnet.bench.data.cards import FILE_NAME
from lassoflexnet.bench.data.downloads import PUT_THERE, Downloads
from lassoflexnet.bench.data.sources import Bundled, ByHand, CardFolder, Source
from lassoflexnet.bench.data.tabred import TABRED, TabredFolder
from lassoflexnet.bench.rows import Table
from lassoflexnet.exceptions import InvalidInput
from lassoflexnet.names import unknown

VARIABLE = "LASSOFLEXNET_DATA"
_FILES = {"OT": "otto_group_products", "MI": "microsoft", "YE": "year"}
_PLACES = {
    **{
        code: PUT_THERE.removeprefix("put ").format(file=f"{f}.parquet")
        for code, f in _FILES.items()
    },
    **{
        name: f"TabReD's folder `{name}` (X_num.npy, X_bin.npy, X_cat.npy, Y.npy, splits) into a "
        f"folder, and name that folder by `folder` or by the environment variable {VARIABLE}"
        for name in TABRED
    },
}


def load(name: str, folder: Path | None = None, *, data_home: Path | None = None) -> Table:
    """Load a data set.

    Parameters
    ----------
    name : str
        Name of the data set, or its short name in the feature-selection suite ("CH").
    folder : Path or None
        Folder to look in first; None takes the one that LASSOFLEXNET_DATA names, if any.
    data_home : Path or None
        Cache of downloads; None is scikit-learn's.
    """
    for source in _sources(folder, data_home):
        if name in source.names():
            return source.load(name)
    raise unknown("data set", name, known_names(folder))


def known_names(folder: Path | None = None) -> tuple[str, ...]:
    """Every name that ``load`` takes, short ones too, without repetition."""
    found = (name for source in _sources(folder, None) for name in source.names())
    return tuple(dict.fromkeys(found))


def _sources(folder: Path | None, data_home: Path | None) -> tuple[Source, ...]:
    given = folder or os.environ.get(VARIABLE)
    local = _local(Path(given)) if given else ()
    return (*local, Bundled(), Downloads(data_home), ByHand(_PLACES))


def _local(folder: Path) -> tuple[Source, ...]:
    if not folder.is_dir():
        raise InvalidInput(
            f"`{folder}` is no folder. Name one that holds data sets, or none (see {VARIABLE})."
        )
    tabred = TabredFolder(folder)
    if not (folder / FILE_NAME).exists() and not tabred.names():
        raise InvalidInput(
            f"`{folder}` holds neither `{FILE_NAME}` nor folders of TabReD. Put Parquet files "
            f"there and describe each by a line in `{FILE_NAME}`, or name another folder."
        )
    return CardFolder(folder), tabred
