"""The real command line, run in the process of the tests: a process of its own costs ten times as much."""

from __future__ import annotations

import io
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

from ctxrepo.faces.cli.app import main


def run_in_process(
    words: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: bytes = b""
) -> CompletedProcess[str]:
    """Run a command as `python -m ctxrepo WORDS` would, with this environment and folder and nothing else.

    It calls no worker: `Machine.process` does, and shows what only a process shows: its start and its end,
    signals, closed or full streams.
    """
    no_worker = mock.patch("ctxrepo.app.desk.start_worker")
    with no_worker, _surroundings(env, cwd), _streams(stdin) as (out, err):
        code = main(words)
        out.flush()
        err.flush()
        printed = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]  # type: ignore[attr-defined]
    return CompletedProcess(["ctxrepo", *words], code, *printed)


@contextmanager
def _surroundings(env: Mapping[str, str], cwd: Path) -> Iterator[None]:
    before, folder = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(env)
    time.tzset()  # the time zone is taken from the environment once, when a process starts
    os.chdir(cwd)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        time.tzset()
        os.chdir(folder)


@contextmanager
def _streams(stdin: bytes) -> Iterator[tuple[io.TextIOWrapper, io.TextIOWrapper]]:
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    sys.stdout, sys.stderr = out, err
    try:
        yield out, err
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
