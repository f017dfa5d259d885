"""Where trials are kept: memory, a journal file, or a database.

Opened by every worker of a study; the only file that knows about connections.
"""

import json
import os
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lassoflexnet.exceptions import InvalidInput, MissingDependency

if TYPE_CHECKING:
    from optuna.storages import BaseStorage, RDBStorage

# A worker on another machine counts as dead when a database has not heard of it for so long.
HEARTBEAT_SECONDS = 60
GRACE_SECONDS = 180
ATTEMPTS = 10
# What PostgreSQL and SQLite say to a worker whose tables another one is just making.
SIGNS_OF_A_RACE = ("already exists", "duplicate key", "UNIQUE constraint", "is locked")


def require_optuna() -> Any:
    """Optuna, or an error that says how to get it."""
    try:
        import optuna
    except ImportError as error:
        raise MissingDependency(
            'tuning needs Optuna, which is not installed: run `pip install "lassoflexnet[tuning]"`.'
        ) from error
    return optuna


@contextmanager
def opened(storage: str | Path | None) -> Iterator["BaseStorage"]:
    """Open a storage and, if it is a database, close its connections at the end.

    Parameters
    ----------
    storage : str, Path or None
        A database URL as SQLAlchemy writes them ("sqlite:///tuning.db",
        "postgresql+psycopg://user@host/name"), the path of a journal file, or None for
        memory.
    """
    optuna = require_optuna()
    if storage is None:
        yield optuna.storages.InMemoryStorage()
    elif "://" in str(storage):
        database = _database(str(storage))
        try:
            yield database
        finally:
            database.remove_session()
            database.engine.dispose()
    else:
        yield _journal(Path(storage))


def _journal(path: Path) -> "BaseStorage":
    optuna = require_optuna()
    _check_journal(path)
    backend = optuna.storages.journal.JournalFileBackend(str(path))
    _mend(path)
    return optuna.storages.JournalStorage(backend)


def _check_journal(path: Path) -> None:
    """Raise if there can be no journal at this path, or if there is something else."""
    if not path.parent.is_dir():
        raise InvalidInput(
            f"`storage` is {str(path)!r}, in a folder that does not exist. Create the folder."
        )
    if path.is_dir():
        raise InvalidInput(f"`storage` is {str(path)!r}, a folder. Name a file in it.")
    if path.exists() and not _starts_as_journal(path):
        raise InvalidInput(
            f"`storage` is {str(path)!r}, which exists and is no journal of Optuna. "
            "Name another file, or write a database's URL with ://."
        )


def _starts_as_journal(path: Path) -> bool:
    with path.open("rb") as file:
        first = file.readline()
    try:
        return not first or "op_code" in json.loads(first)
    except (ValueError, TypeError):
        return False


def _mend(path: Path) -> None:
    """Cut off half a line that a killed worker has left, or the next line would be glued to it."""
    optuna = require_optuna()
    lock = optuna.storages.journal.JournalFileSymlinkLock(str(path))
    lock.acquire()
    try:
        content = path.read_bytes()
        if content and not content.endswith(b"\n"):
            os.truncate(path, content.rfind(b"\n") + 1)
    finally:
        lock.release()


def _database(url: str) -> "RDBStorage":
    """Make the tables if there are none, and connect."""
    optuna = require_optuna()
    _make_tables(url)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return optuna.storages.RDBStorage(
            url,
            heartbeat_interval=HEARTBEAT_SECONDS,
            grace_period=GRACE_SECONDS,
            skip_compatibility_check=True,
            skip_table_creation=True,
        )


def _make_tables(url: str) -> None:
    """Try several times if need be: workers may start at once, and all but one then fail."""
    import sqlalchemy.exc
    from sqlalchemy.pool import NullPool

    # No pool here: what fails half-way could not be closed.
    options = {"poolclass": NullPool}
    for left in reversed(range(ATTEMPTS)):
        try:
            require_optuna().storages.RDBStorage(url, engine_kwargs=options).remove_session()
        except ImportError as error:
            raise MissingDependency(
                f"`storage` is {_without_password(url)!r}, and its driver is not installed. "
                'For PostgreSQL run `pip install "psycopg[binary]"` and write '
                "postgresql+psycopg://."
            ) from error
        except (sqlalchemy.exc.SQLAlchemyError, ValueError) as error:
            if not left or not any(sign in str(error) for sign in SIGNS_OF_A_RACE):
                raise _refused(url, error) from error
            time.sleep(0.5)
        else:
            return


def _refused(url: str, error: Exception) -> InvalidInput:
    reason = " ".join(str(error).split())[:300]
    return InvalidInput(
        f"`storage` is {_without_password(url)!r}, which cannot be opened: {reason} "
        "Use the path of a journal file, or a URL such as 'sqlite:///tuning.db' or "
        "'postgresql+psycopg://user@host/name'."
    )


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    user, at, place = rest.rpartition("@")
    return f"{scheme}://{user.partition(':')[0]}{at}{place}"
