"""Two workers on a PostgreSQL server that the test starts for itself."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from lassoflexnet.tuning import run_study
from tests.tuning.worker import SPACE, SlowSquare, settings, share_a_study

pytest.importorskip("optuna", reason="tuning needs Optuna")
pytest.importorskip("psycopg", reason="PostgreSQL's driver psycopg is not installed")

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
if not PROGRAMS:
    pytest.skip("Debian's package postgresql is not installed", allow_module_level=True)
BIN = PROGRAMS[-1].parent
# The server refuses to run as root.
AS_USER = ("runuser", "-u", "postgres", "--") if os.geteuid() == 0 else ()


pytestmark = pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")


def run(program: str, *arguments: object) -> None:
    command = [*AS_USER, str(BIN / program), *map(str, arguments)]
    # Not through a pipe: the server would keep its end open.
    with tempfile.TemporaryFile("w+") as output:
        done = subprocess.run(command, stdout=output, stderr=output, cwd="/", timeout=60)
        output.seek(0)
        assert done.returncode == 0, output.read()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    # Not `tmp_path`, which only its owner may enter; and sockets have short paths.
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if AS_USER:
        os.chown(folder, pwd.getpwnam("postgres").pw_uid, -1)
    data = folder / "data"
    try:
        run("initdb", "-D", data, "-U", "tuner", "--auth=trust", "--no-sync")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        run("pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start")
        try:
            yield f"postgresql+psycopg://tuner@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder)


def test_two_processes_share_a_database(url, tmp_path):
    result = share_a_study(url, tmp_path / "log", n_trials=16)
    again = run_study(SlowSquare(tmp_path / "log"), SPACE, settings(url, 16))
    assert again == result
