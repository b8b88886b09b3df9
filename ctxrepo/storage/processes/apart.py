"""Functions that run in another process of ours: in a fork, or in a helper process that is started once; and
work done ahead by forks, so that a machine with several cores uses them.

Nothing ends a call to a disk that is gone, so whatever may hang runs in a process that can be left behind. A
fork is the cheapest such process, but only one thread goes on in it: a lock that another thread held stays
held for ever. So a process with several threads forks nothing. It asks the helper, a fresh interpreter that
answers one function after the other (ADR 64)."""

from __future__ import annotations

import _thread
import copyreg
import fcntl
import gc
import io
import os
import pickle
import select
import signal
import struct
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any, ClassVar, Literal, NoReturn, Self, TypeVar

from ctxrepo.errors import CtxrepoError

Answer = TypeVar("Answer")

_GRACE = 0.3
"""Seconds in which a process that is told to end can end git, which it has started."""

_HANDLES = 65536
"""More files than this no process of ours has open."""

_LENGTH = struct.Struct("!Q")

_ENDED = "the process that looks at folders was ended"


def has_one_thread() -> bool:
    """Whether this process may fork. Libraries start threads too, which Python doesn't count."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:  # not Linux
        return _thread._count() == 0


def run_forking(action: Callable[[], Answer], patience: float = 5.0) -> Answer:
    """Run an action that forks: here if this process has one thread, else in the helper process.
    TimeoutError when the helper doesn't answer within `patience` seconds."""
    return action() if has_one_thread() else ask_apart(action, patience)


def ask_apart(question: Callable[[], Answer], patience: float) -> Answer:
    """What a question is answered in another process; TimeoutError when there is no answer in time."""
    with Apart(partial(answer_once, question), patience) as apart:
        answer: Answer = apart.next()
    return answer


def answer_once(question: Callable[[], Answer]) -> Iterator[Answer]:
    yield question()


class Apart:
    """The answers that a function yields in another process, one after the other. `answers` is found by
    name there, or a `partial` to be pickled; what it changes in memory is lost. Unless it `spoils` its
    process (by a lower priority, say), a helper that has answered is asked again later."""

    def __init__(
        self, answers: Callable[[], Iterable[Any]], patience: float, *, spoils: bool = False
    ) -> None:
        self._patience = patience
        self._is_reusable = not spoils
        self._helper: _Helper | None = None
        if has_one_thread():
            self._process = forked(answers, _detach)
        else:
            self._process = self._helper = _Helper.asked(answers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if not (self._helper and self._is_reusable and self._helper.rest()):
            self._process.leave()

    def next(self) -> Any:
        """The next answer, or the exception that ended the function. TimeoutError when there is none in time,
        StopIteration when there are no more."""
        try:
            kind, value = self._process.receive(self._patience)
        except TimeoutError:
            self._is_reusable = False  # it hangs
            raise
        if kind == "answer":
            return value
        raise StopIteration if kind == "end" else value


def forked(answers: Callable[[], Iterable[Any]], prepare: Callable[[int], int]) -> Child:
    """A fork that says what `answers` yields, and ends; only a process with one thread may make one.
    `prepare` is called in it with the handle that it writes to, and returns the one to use."""
    reading, writing = os.pipe()
    # Python loses what is raised while it forks: Ctrl-C waits until it has.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    try:
        pid = os.fork()
    except OSError as error:
        os.close(reading)
        raise CtxrepoError(f"no process can be started: {error.strerror or error}") from error
    else:
        if pid == 0:
            _be_fork(answers, reading, writing, prepare, mask)
    finally:
        os.close(writing)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    return Child(pid, reading)


def serve() -> int:
    """Be the helper process: run what comes on standard input, until our parent closes that or ends."""
    signal.signal(signal.SIGTERM, _stop)
    requests, answers = (fcntl.fcntl(stream, fcntl.F_DUPFD_CLOEXEC, 3) for stream in (0, 1))
    _silence()
    os.chdir("/")
    parent = Child(0, requests)
    while True:
        try:
            kind, function = parent.receive()
        except CtxrepoError:  # our parent has ended
            return 0
        if kind == "answer":
            _run(function, answers)
        else:
            _write(answers, _pickled(kind, function))
        _write(answers, _pickled("end", None))
        with suppress(ChildProcessError):  # what a function started and didn't wait for
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass


Kind = Literal["answer", "error", "end"]


class Child:
    """Another process of ours, and the pipe from which we read what it says."""

    def __init__(self, pid: int, reading: int) -> None:
        self.pid = pid
        self._reading = reading

    def receive(self, patience: float | None = None) -> tuple[Kind, Any]:
        """Its next message. TimeoutError when there is none in time, CtxrepoError when the process has
        ended. The end of the pipe isn't waited for: git that hangs may hold it."""
        end = None if patience is None else time.monotonic() + patience
        (length,) = _LENGTH.unpack(self._bytes(_LENGTH.size, end))
        data = self._bytes(length, end)
        try:
            kind, value = pickle.loads(data)
        except Exception as error:  # its module can't be imported here, or an argument can't be made again
            return "error", CtxrepoError(f"{type(error).__name__}: {error}")
        return kind, value

    def _bytes(self, count: int, end: float | None) -> bytes:
        data = bytearray()
        while len(data) < count:
            wait = None if end is None else max(0.0, end - time.monotonic())
            if wait is not None and not select.select([self._reading], [], [], wait)[0]:
                raise TimeoutError
            if not (chunk := os.read(self._reading, count - len(data))):
                raise CtxrepoError(_ENDED)
            data += chunk
        return bytes(data)

    def leave(self) -> None:
        """End the process; one that is held by a call to the system is left behind."""
        os.close(self._reading)
        _left_behind[:] = [process for process in _left_behind if not process.has_ended()]
        for number in (signal.SIGTERM, signal.SIGKILL):
            if self.has_ended(_GRACE / 10):
                return
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)
            if self.has_ended(_GRACE):
                return
        _left_behind.append(self)

    def has_ended(self, patience: float = 0.0) -> bool:
        end = time.monotonic() + patience
        while True:
            with suppress(ChildProcessError):
                if os.waitpid(self.pid, os.WNOHANG)[0] == 0:
                    if time.monotonic() >= end:
                        return False
                    time.sleep(0.0005)
                    continue
            return True


_left_behind: list[Child] = []
"""Processes that hang, until they have ended after all."""


class _Helper(Child):
    """A helper process. The caller that takes an idle one has it alone."""

    _idle: ClassVar[list[_Helper]] = []

    def __init__(self) -> None:
        requests, self._writing = _pipe()
        reading, answers = _pipe()
        try:
            pid = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-m", "ctxrepo", "_answer"],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, requests, 0),
                    (os.POSIX_SPAWN_DUP2, answers, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_RDWR, 0),
                ],
                setpgroup=0,  # Ctrl-C at our terminal is not meant for it
                setsigmask=[],
            )
        except OSError as error:
            os.close(reading)
            os.close(self._writing)
            raise CtxrepoError(f"no process can be started: {error.strerror or error}") from error
        finally:
            os.close(requests)
            os.close(answers)
        super().__init__(pid, reading)
        self._parent = os.getpid()

    @classmethod
    def asked(cls, answers: Callable[[], Iterable[Any]]) -> _Helper:
        """A helper that runs `answers` now: one that was idle, or a new one."""
        request = _pickled("answer", answers)
        helper = cls._take_idle() or cls()
        try:
            _write(helper._writing, request)
        except BaseException as error:
            helper.leave()
            if isinstance(error, BrokenPipeError):
                raise CtxrepoError(_ENDED) from None
            raise
        return helper

    @classmethod
    def _take_idle(cls) -> _Helper | None:
        while cls._idle:
            with suppress(IndexError):  # another thread has taken the last one
                helper = cls._idle.pop()
                if helper._parent != os.getpid():  # we are a fork that inherited the list
                    continue
                if not helper.has_ended():
                    return helper
                helper.leave()
        return None

    def rest(self) -> bool:
        """Wait for whoever asks next, if all is said that this caller asked for."""
        try:
            is_finished = self.receive(_GRACE)[0] == "end"
        except (TimeoutError, CtxrepoError):
            return False
        if is_finished:
            self._idle.append(self)
        return is_finished

    def leave(self) -> None:
        os.close(self._writing)
        super().leave()


def _be_fork(
    answers: Callable[[], Iterable[Any]],
    reading: int,
    writing: int,
    prepare: Callable[[int], int],
    mask: Iterable[int],
) -> NoReturn:
    try:
        os.close(reading)
        gc.disable()  # what our parent has open isn't closed by us
        writing = prepare(writing)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _run(answers, writing)
    finally:
        os._exit(0)  # also when who wanted the answers is gone


def _detach(writing: int) -> int:
    """Hold no lock and no stream of our parent's, for we may never end."""
    signal.signal(signal.SIGTERM, _stop)
    os.setsid()
    writing = fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, 3)
    _silence()
    os.closerange(3, writing)
    os.closerange(writing + 1, _HANDLES)
    return writing


def _run(answers: Callable[[], Iterable[Any]], writing: int) -> None:
    try:
        for answer in answers():
            _write(writing, _pickled("answer", answer))
    except BrokenPipeError:  # nobody listens any more
        pass
    except Exception as error:
        _write(writing, _pickled("error", error))


def _write(writing: int, data: bytes) -> None:
    unsent = memoryview(_LENGTH.pack(len(data)) + data)
    while unsent:
        unsent = unsent[os.write(writing, unsent) :]


class _Pickler(pickle.Pickler):
    """Modules go by their names: the parts of an agent are modules."""

    dispatch_table = copyreg.dispatch_table | {ModuleType: lambda module: (import_module, (module.__name__,))}


def _pickled(kind: Kind, value: Any) -> bytes:
    data = io.BytesIO()
    try:
        _Pickler(data, pickle.HIGHEST_PROTOCOL).dump((kind, value))
        if kind == "error":
            pickle.loads(data.getvalue())  # an exception may have arguments that it can't be made of again
    except Exception:
        if kind != "error":
            raise
        return pickle.dumps((kind, CtxrepoError(f"{type(value).__name__}: {value}")))
    return data.getvalue()


def _pipe() -> tuple[int, int]:
    """A pipe whose handles aren't those of standard streams, should these be closed."""
    ends = os.pipe()
    handles = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    for end in ends:
        os.close(end)
    return handles[0], handles[1]


def _silence() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)


def _stop(*_: object) -> NoReturn:
    raise SystemExit


_MOST_FORKS = 4
_NICE = 10
"""The nice value of forks: the process that uses their results comes first."""

_PIPE_BYTES = 1024 * 1024


def work_ahead(work: Callable[[int], bytes], count: int) -> Generator[bytes]:
    """`work(0)` to `work(count - 1)`, in this order, done ahead by forks on all cores, which see our
    memory and must only read. The work of one that fails is done here, so that errors are raised here; all
    of it where this process may not fork."""
    processes = min(_MOST_FORKS, count, os.cpu_count() or 1)
    if processes < 2 or not has_one_thread():
        yield from map(work, range(count))
        return
    share = (range(first, count, processes) for first in range(processes))
    forks = [forked(partial(map, work, numbers), _step_back) for numbers in share]
    try:
        for number in range(count):
            try:
                kind, data = forks[number % processes].receive()
            except CtxrepoError:
                kind = "error"
            yield data if kind == "answer" else work(number)
    finally:
        for fork in forks:
            fork.leave()


def _step_back(writing: int) -> int:
    """Let our parent go first, and go on while it doesn't read yet."""
    os.nice(_NICE)
    if hasattr(fcntl, "F_SETPIPE_SZ"):
        fcntl.fcntl(writing, fcntl.F_SETPIPE_SZ, _PIPE_BYTES)
    return writing
