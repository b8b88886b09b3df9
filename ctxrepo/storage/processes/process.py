"""Child processes: a group of its own, ended when it stays silent, JSON-RPC calls to one, a low priority."""

import json
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ctxrepo.domain.formats.jsonl import record
from ctxrepo.errors import CtxrepoError

_POLL = 0.2
"""Seconds between two looks whether a silent process is still there."""

_CHUNK = 64 * 1024

_SHELL = "/bin/sh"

_WATCH = 'read -r over || kill -s KILL -- "-$0"'
"""What the watcher runs: it waits for a line, and is woken without one when its sender is gone."""


class GivenUp(Exception):
    """The process said nothing for too long, or took too long; its group has been ended."""


class SaidTooMuch(Exception):
    """The process said more than anybody wants to hear; its group has been ended."""


def converse(
    process: subprocess.Popen[bytes],
    stdin: bytes,
    *,
    limit: float,
    silence: float | None = None,
    most: int | None = None,
    hear: Callable[[bytes], None] | None = None,
) -> tuple[bytes, bytes]:
    """Give a process its input and collect (stdout, stderr) until it ends; `hear` is given each chunk of
    stderr. GivenUp after `limit` seconds, or `silence` seconds without a word on either stream;
    SaidTooMuch after `most` bytes. Nothing of the process's group that still holds its streams lives on:
    the helper of a git that was killed would wait for its server for ever."""
    assert process.stdout
    assert process.stderr
    heard = {process.stdout.fileno(): bytearray(), process.stderr.fileno(): bytearray()}
    errors = process.stderr.fileno()
    end, sign = time.monotonic() + limit, time.monotonic()
    try:
        with selectors.DefaultSelector() as open_streams:
            for stream in heard:
                open_streams.register(stream, selectors.EVENT_READ)
            rest = _begin_writing(process, stdin, open_streams)
            while open_streams.get_map():
                ready = open_streams.select(_POLL)
                now = time.monotonic()
                sign = now if ready else sign
                if now > end or (silence is not None and now - sign > silence):
                    raise GivenUp
                if not ready and process.poll() is not None:
                    end_group(process)  # somebody in it outlives git and holds its streams
                    _hear_the_rest(open_streams, heard)
                    break
                for key, _ in ready:
                    if key.data == "stdin":
                        rest = _write(process, rest, open_streams)
                    elif (chunk := _hear(key.fd, open_streams, heard, most)) and hear and key.fd == errors:
                        hear(chunk)
        try:
            process.wait(max(0.0, end - time.monotonic()))  # it may close its streams and keep running
        except subprocess.TimeoutExpired:
            raise GivenUp from None
    except BaseException:
        end_group(process)
        raise
    out, err = heard.values()
    return bytes(out), bytes(err)


@contextmanager
def watched(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Within this, the process's group ends even if we are killed: a pipe that nobody else holds is closed
    by whatever ends us; its reader has a session of its own."""
    try:
        watcher = subprocess.Popen(
            [_SHELL, "-c", _WATCH, str(process.pid)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    except OSError:  # no more processes: what is asked for goes first
        yield
        return
    with watcher:
        try:
            yield
        finally:
            watcher.communicate(b"over\n")


def end_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started in its group (ssh, git-remote-https), also when it is gone itself."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _begin_writing(
    process: subprocess.Popen[bytes], data: bytes, open_streams: selectors.BaseSelector
) -> memoryview:
    assert process.stdin
    if data:
        os.set_blocking(process.stdin.fileno(), False)
        open_streams.register(process.stdin.fileno(), selectors.EVENT_WRITE, "stdin")
    else:
        process.stdin.close()
    return memoryview(data)


def _write(
    process: subprocess.Popen[bytes], rest: memoryview, open_streams: selectors.BaseSelector
) -> memoryview:
    """What is left after as much as the process takes now."""
    assert process.stdin
    try:
        rest = rest[os.write(process.stdin.fileno(), rest[:_CHUNK]) :]
    except BlockingIOError:
        return rest
    except BrokenPipeError:
        rest = rest[:0]
    if not rest:
        open_streams.unregister(process.stdin.fileno())
        process.stdin.close()
    return rest


def _hear(
    stream: int, open_streams: selectors.BaseSelector, heard: Mapping[int, bytearray], most: int | None
) -> bytes:
    """The next chunk of a stream, which is added to `heard`; b"" at its end."""
    chunk = os.read(stream, _CHUNK)
    if not chunk:
        open_streams.unregister(stream)
    heard[stream] += chunk
    if most is not None and sum(map(len, heard.values())) > most:
        raise SaidTooMuch
    return chunk


def _hear_the_rest(open_streams: selectors.BaseSelector, heard: Mapping[int, bytearray]) -> None:
    """What was said between our last look at the streams and the process's end; nobody is waited for."""
    while ready := [key for key, _ in open_streams.select(0) if key.fd in heard]:
        for key in ready:
            if chunk := os.read(key.fd, _CHUNK):
                heard[key.fd] += chunk
            else:
                open_streams.unregister(key.fd)


_LOWEST = 19


def give_precedence() -> None:
    """From now on this process runs when no other one wants to. Linux may share the processor between
    sessions first; then `nice` says nothing to those of other sessions, and a session that is ours alone
    gives way as a whole. A person's shell never does."""
    os.nice(_LOWEST)
    if _is_session_ours():
        with suppress(OSError):  # no Linux, or one that doesn't
            Path("/proc/self/autogroup").write_text(f"{_LOWEST}\n")


def _is_session_ours() -> bool:
    """Whether this process began its session, or whoever did has ended, as for a daemon."""
    leader = os.getsid(0)
    try:
        os.kill(leader, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return leader == os.getpid()


_MOST_BYTES = 8 * 1024 * 1024
"""As much as a program may say in all."""


class RpcFailed(CtxrepoError):
    """The program can't be started, says nothing in time, or refuses a call."""


class Rpc:
    """A program that answers calls; `end` is when the last answer must be there, on the monotonic clock."""

    def __init__(self, process: subprocess.Popen[bytes], name: str, end: float) -> None:
        self._process, self._name, self._end = process, name, end
        self._heard, self._length, self._number = bytearray(), 0, 0

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
        for message in self._lines():
            if message.get("id") == self._number and "method" not in message:
                if "error" in message:
                    raise RpcFailed(f"{self._name} refuses {method}: {message['error']}")
                return message.get("result")
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
                    message = record(line.decode("utf-8", "replace"))
                    if message is not None:
                        yield message
                    continue
                if not streams.select(max(0.0, self._end - time.monotonic())):
                    return
                chunk = os.read(self._process.stdout.fileno(), _CHUNK)
                self._length += len(chunk)
                if not chunk or self._length > _MOST_BYTES:
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
