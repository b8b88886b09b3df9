"""Locks between processes."""

from __future__ import annotations

import errno
import fcntl
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ctxrepo.errors import Busy, CtxrepoError
from ctxrepo.storage.processes.lock import is_held, locked


def test_a_second_holder_waits_and_then_gives_up_with_a_name(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    with locked(path, 1):
        assert is_held(path)
        began = time.monotonic()
        with pytest.raises(Busy, match=r"write\.lock"), locked(path, 0.2):
            pass
        assert time.monotonic() - began >= 0.2
    assert not is_held(path)


def test_a_disk_without_locks_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def flock(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", flock)
    with pytest.raises(CtxrepoError, match=f"the disk of {tmp_path}") as error, locked(tmp_path / "lock", 1):
        pass
    assert "CTXREPO_STATE" in error.value.hint


def test_a_killed_holder_leaves_no_stale_lock(tmp_path: Path) -> None:
    path = tmp_path / "write.lock"
    code = (
        "import sys, time; from pathlib import Path; from ctxrepo.storage.processes.lock import locked\n"
        "with locked(Path(sys.argv[1]), 1): print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert is_held(path)
        holder.kill()
        holder.wait()
    with locked(path, 1):
        pass
