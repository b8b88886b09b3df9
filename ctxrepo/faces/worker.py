"""The worker's door: `python -m ctxrepo _work --state DIR`, started by hooks and by commands that write."""

import fcntl
import os
import signal
import sys
import time
from typing import TYPE_CHECKING

from ctxrepo.hooks.known.world import World, compiled_world, stamp_of
from ctxrepo.hooks.own_files import LOG_BYTES, append_rolling, make_place_private, open_own
from ctxrepo.hooks.wakeup import LOCK, start_helper, take, wake

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from ctxrepo.services.worker.work import Worker

_IGNORE_SIGTERM = 5.0
"""Seconds after the start in which SIGTERM is ignored: an agent that ends sends it to its descendants, and
the worker was one until it became a daemon."""


def main(argv: list[str]) -> int:
    """Do what is left to do for the memory compiled under the state folder; always ends quietly.

    Ends at once, before any slow import, if another worker is running."""
    state = argv[argv.index("--state") + 1]
    if make_place_private(state) != "":
        return 0
    world = compiled_world(state)
    # Without hooks.db the starter has locked the state root, not the repository: take the right lock here.
    inherited = int(argv[argv.index("--lock") + 1]) if world and "--lock" in argv else 0
    world = world or _mended(state)
    if world is None:
        return 0
    ignored_until = time.monotonic() + _IGNORE_SIGTERM

    def end(*_: object) -> None:
        if time.monotonic() > ignored_until:
            sys.exit(0)  # which also ends git and what it started

    signal.signal(signal.SIGTERM, end)
    try:
        lock = inherited or take(f"{world.repo.state}/{LOCK}")
        if lock < 0:
            return 0
        os.set_inheritable(lock, False)
    except OSError:  # nothing can be written here, a log neither
        return 0
    before = _queued(world)
    if not _work(world, lock) and _queued(world) != before:
        # Whoever queued that found the lock held, and started no worker.
        fcntl.flock(lock, fcntl.LOCK_UN)
        wake(world)
    return 0


def _work(world: World, lock: int) -> bool:
    """Open the memory and work; False when it could not be opened. The `lock` is let go of by the worker."""
    log, began = f"{world.repo.state}/work.log", time.time()
    worker, errors = None, list[str]()

    def log_line(line: str) -> None:
        errors.append(line)
        _append(log, line)

    try:
        worker = _worker(world, lock, log_line)
        worker.run()
        now = compiled_world(world.state)  # it may have been compiled again meanwhile
        if now and now.is_semantic:  # the helper computes vectors for what was committed
            start_helper(now.interpreter, now.state, now.repo.state)
        worker.maintain()
        from ctxrepo.services.worker.maintain import index_sessions

        # Last of all, and after everybody else: a first index of what agents recorded takes minutes.
        index_sessions(worker.memory, worker.events, worker.log)
    except Exception as error:
        from ctxrepo.errors import in_words

        log_line(in_words(error))
    if not errors:
        _touch_well(f"{world.repo.state}/well", began)
    return worker is not None


def _touch_well(path: str, began: float) -> None:
    """Touch `well` with this run's start: it met no error, so older lines of the log are settled."""
    try:
        os.close(open_own(path, os.O_WRONLY | os.O_CREAT))
        os.utime(path, (began, began))
    except OSError:  # then what is in the log stands for longer than it need
        pass


def _worker(world: World, lock: int, log_line: "Callable[[str], None]") -> "Worker":
    from contextlib import closing
    from dataclasses import replace
    from pathlib import Path

    from ctxrepo.errors import NotInitialised
    from ctxrepo.services.sync.fetch import fetch_early
    from ctxrepo.storage.cache.cache import Cache, put_faults
    from ctxrepo.storage.cache.layout import Fault
    from ctxrepo.storage.memory import Memory
    from ctxrepo.storage.processes.lock import TryLock
    from ctxrepo.storage.user.places import Places

    env = {
        **os.environ,
        "CTXREPO_STATE": world.state,
        "CTXREPO_CONFIG": world.config_file,
        "CTXREPO_HOME": world.repo.home,
    }
    try:
        memory = replace(Memory.open(Places.of(env), env, or_last_settings=True), is_background=True)
    except NotInitialised as error:
        with closing(Cache.open(Path(world.repo.state, "cache.db"))) as cache:
            # Sessions go on with what it holds.
            cache.change(put_faults, [Fault("clone", f"{error.message}. {error.hint}")])
        raise
    remote_lock = TryLock(memory.state.lock("post"))
    early = fetch_early(memory, remote_lock)
    # Only now: these bring libraries that take as long to load as a fetch takes to answer.
    from ctxrepo.services.faults.faults import tell_at_once
    from ctxrepo.services.repository.published import publish_settings
    from ctxrepo.services.repository.set_up_git import set_up_git
    from ctxrepo.services.worker.remote_queue import RemoteQueue
    from ctxrepo.services.worker.work import Worker

    publish_settings(memory, sys.executable)
    set_up_git(memory, sys.executable)
    tell_at_once(memory)
    remote_queue = RemoteQueue(memory, _now, log_line, remote_lock, [early] if early else [])
    work_lock = TryLock(memory.state.lock("work"), lock)
    return Worker(memory, env, _now, log_line, lambda: wake(world), work_lock, remote_queue)


def _mended(state: str) -> World | None:
    """What is compiled, after a hooks.db that can't be read was created again. None if nothing says whose
    state folder this is."""
    from ctxrepo.services.repository.published import publish_settings
    from ctxrepo.storage.memory import Memory
    from ctxrepo.storage.user.places import Places

    if not os.path.exists(f"{state}/hooks.db"):  # before `init`
        return None
    try:
        places = Places.of(os.environ)
        if str(places.state) != state:
            return None
        publish_settings(Memory.open(places, os.environ, or_last_settings=True), sys.executable)
    except Exception as error:
        from ctxrepo.errors import in_words

        _append(f"{state}/hook-errors.log", in_words(error))
        return None
    return compiled_world(state)


def _queued(world: World) -> list[str]:
    return [stamp_of(f"{world.repo.state}/{name}") for name in ("spool.jsonl", "journal")]


def _now() -> "datetime":
    from datetime import UTC, datetime

    return datetime.now(UTC)


def _append(log: str, line: str) -> None:
    """One entry for `doctor`."""
    append_rolling(log, f"{_now().isoformat(timespec='milliseconds')} {line.rstrip()}\n", LOG_BYTES)
