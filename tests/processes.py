"""Who is at work for a machine, by what Linux says of its processes."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from machines import Machine


def processes_of(machine: Machine) -> dict[int, str]:
    """The command lines, by process id, of all that work for this machine: whoever has its home on the
    command line or in the environment, git and ssh too.

    Who is started by a process that ends while this looks isn't missed: what is new is looked at as well. The
    helpers of the tests' own process are left out: they stay, and have the home of the first command that ran
    in that process and asked one.
    """
    processes = {}
    looked = set[int]()
    while fresh := {int(name) for name in os.listdir("/proc") if name.isdigit()} - looked:
        looked |= fresh
        for number in fresh:
            words, environment = _words_and_environment(number)
            if os.fsencode(machine.home) in words + environment and not _is_helper_of_tests(number, words):
                processes[number] = words.replace(b"\0", b" ").decode("utf-8", "replace")
    return processes


def workers(machine: Machine) -> list[int]:
    """Process ids of workers that commands or hooks of this machine started."""
    return [pid for pid, words in processes_of(machine).items() if f"_work --state {machine.home}/" in words]


def wait_for_workers(machine: Machine, within: float = 60) -> None:
    """Return when no worker of this machine is left, nor a process that has the lock for one and is about to
    become it; fails after so many seconds."""
    end, state = time.monotonic() + within, os.fsencode(machine.home / ".local/state/ctxrepo/")
    while left := workers(machine) or [number for number in _others() if _has_lock(state, number)]:
        assert time.monotonic() < end, f"still at work: {left}"
        time.sleep(0.05)


def wait_for_all_in(folder: Path, within: float = 60) -> None:
    """Return when no other process has a file open below this folder or is told of it by its words or
    environment; fails after so many seconds.

    A worker is told by the lock that it inherits, before it is another program than who started it. Where
    there is no /proc nobody waits.
    """
    end = time.monotonic() + within
    while left := [number for number in _others() if _has_to_do_with(os.fsencode(folder) + b"/", number)]:
        assert time.monotonic() < end, f"still at work in {folder}: {left}"
        time.sleep(0.02)


def _others() -> list[int]:
    names = os.listdir("/proc") if os.path.isdir("/proc") else []
    return [int(name) for name in names if name.isdigit() and int(name) != os.getpid()]


def _open_files(number: int) -> Iterator[bytes]:
    """What a process has open, by its paths; nothing of one that has ended or is another user's."""
    with suppress(OSError), os.scandir(os.fsencode(f"/proc/{number}/fd")) as handles:
        for handle in handles:
            with suppress(OSError):
                yield os.readlink(handle.path)


def _has_lock(state: bytes, number: int) -> bool:
    return any(path.startswith(state) and path.endswith(b"/work.lock") for path in _open_files(number))


def _has_to_do_with(folder: bytes, number: int) -> bool:
    if any(path.startswith(folder) for path in _open_files(number)):
        return True
    words, environment = _words_and_environment(number)
    return folder in words + environment and not _is_helper_of_tests(number, words)


def _words_and_environment(number: int) -> tuple[bytes, bytes]:
    """Nothing for a process that has ended or is another user's.

    While a process becomes another program, Linux knows where its words end before it knows that of its
    environment, and before both neither. It is asked again then, for a process that waits for its turn may
    stay like that.
    """
    process = Path("/proc", str(number))
    with suppress(OSError):
        is_complete = False
        while os.readlink(process / "exe"):
            words, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
            if environment or is_complete:
                return words, environment
            is_complete = _end_of_environment(process) != 0
    return b"", b""


def _is_helper_of_tests(number: int, words: bytes) -> bool:
    """Whether a process is the helper of this one, which is its parent."""
    with suppress(OSError):
        return words.endswith(b"\0_answer\0") and _field(Path("/proc", str(number)), 4) == os.getpid()
    return False


def _end_of_environment(process: Path) -> int:
    """The address where the environment ends, 0 until Linux knows it."""
    return _field(process, 51)


def _field(process: Path, number: int) -> int:
    """A field of `stat` in proc(5), by its number there."""
    _, _, fields = (process / "stat").read_text().rpartition(")")
    return int(fields.split()[number - 3])
