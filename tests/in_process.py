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
    no_worker = mock.patch("ctxrepo.app.desk.run_forking")
    out, err = io.BytesIO(), io.BytesIO()
    with no_worker, _surroundings(env, cwd), _streams(io.BytesIO(stdin), out, err):
        code = main(words)
        printed = [stream.getvalue().decode("utf-8", "replace") for stream in (out, err)]
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
def _streams(*buffers: io.BytesIO) -> Iterator[None]:
    """Standard input, output and errors from and to these; what is written is there at once."""
    before = sys.stdin, sys.stdout, sys.stderr
    streams = [io.TextIOWrapper(buffer, encoding="utf-8", write_through=True) for buffer in buffers]
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
