"""Calls of JSON-RPC to a program on its standard streams, a line each, within a time."""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from ctxrepo.errors import CtxrepoError
from ctxrepo.storage.processes.process import end_group

_CHUNK = 64 * 1024

_MOST_BYTES = 8 * 1024 * 1024
"""As much as a program may say in all."""


class RpcFailed(CtxrepoError):
    """The program can't be started, says nothing in time, or refuses a call."""


class Rpc:
    """A program that answers calls; `end` is when the last answer must be there, on the monotonic clock."""

    def __init__(self, process: subprocess.Popen[bytes], name: str, end: float) -> None:
        self._process, self._name, self._end = process, name, end
        self._heard, self._said, self._number = bytearray(), 0, 0

    def call(self, method: str, params: Mapping[str, Any]) -> Any:
        """The result of a call; RpcFailed when there is none."""
        self._number += 1
        assert self._process.stdin
        line = json.dumps({"id": self._number, "method": method, "params": params}) + "\n"
        try:
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
        except OSError as error:
            raise RpcFailed(f"{self._name} has ended: {error.strerror}") from error
        for said in self._lines():
            if said.get("id") == self._number and "method" not in said:
                if "error" in said:
                    raise RpcFailed(f"{self._name} refuses {method}: {said['error']}")
                return said.get("result")
        raise RpcFailed(f"{self._name} didn't answer {method}")

    def _lines(self) -> Iterator[Mapping[str, Any]]:
        """What it says, an object a line, until its end or the end of the time."""
        assert self._process.stdout
        with selectors.DefaultSelector() as streams:
            streams.register(self._process.stdout, selectors.EVENT_READ)
            while True:
                line, newline, rest = self._heard.partition(b"\n")
                if newline:
                    self._heard = rest
                    found = _object(bytes(line))
                    if found is not None:
                        yield found
                    continue
                if not streams.select(max(0.0, self._end - time.monotonic())):
                    return
                chunk = os.read(self._process.stdout.fileno(), _CHUNK)
                self._said += len(chunk)
                if not chunk or self._said > _MOST_BYTES:
                    return
                self._heard += chunk


@contextmanager
def started(words: Sequence[str], env: Mapping[str, str], seconds: float) -> Iterator[Rpc]:
    """A program that is started for some calls, and ended with all it started; RpcFailed when it can't be."""
    name = " ".join(words)
    try:
        process = subprocess.Popen(
            [*words],
            env={**env},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError as error:
        raise RpcFailed(f"{name} could not be started: {error.strerror or error}") from error
    try:
        yield Rpc(process, name, time.monotonic() + seconds)
    finally:
        end_group(process)
        assert process.stdin
        assert process.stdout
        process.stdout.close()
        with suppress(OSError):  # it was gone before it had read everything
            process.stdin.close()


def _object(line: bytes) -> Mapping[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
