"""The real command line, run in the process of the tests: a process of its own costs ten times as much."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import CompletedProcess

from ctxrepo.faces.cli.app import main


def run_in_process(
    words: Sequence[str], env: Mapping[str, str], cwd: Path, stdin: bytes = b""
) -> CompletedProcess[str]:
    """Run a command as `python -m ctxrepo WORDS` would, with this environment and folder and nothing else.

    What only a process of its own shows (its start, its end, signals, closed or full streams) wants one:
    `Machine.process`.
    """
    with _surroundings(env, cwd), _streams(stdin) as (out, err):
        code = main(words)
        out.flush()
        err.flush()
        printed = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]  # type: ignore[attr-defined]
    _bury_workers()
    return CompletedProcess(["ctxrepo", *words], code, *printed)


@contextmanager
def _surroundings(env: Mapping[str, str], cwd: Path) -> Iterator[None]:
    before, folder = dict(os.environ), os.getcwd()
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
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


def _bury_workers() -> None:
    """Reap workers that have ended: a command that starts one is usually gone by then, and the tests are not.

    A worker leads a session of its own, which nothing else does that tests start and wait for.
    """
    with suppress(FileNotFoundError):  # Linux only; elsewhere they stay until the tests are over
        for child in map(int, Path("/proc/thread-self/children").read_text().split()):
            with suppress(ProcessLookupError, ChildProcessError):
                if os.getsid(child) == child:
                    os.waitpid(child, os.WNOHANG)
