"""The worker's door: `python -m ctxrepo _work --state DIR`, started by hooks and by commands that write."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.errors import CtxrepoError
from ctxrepo.hot.logs import LOG_BYTES, append_rolling
from ctxrepo.services.fetch import fetch_early
from ctxrepo.storage.compiled import read_repositories, read_settings
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.places import Places, RepositoryPlaces


def main(argv: list[str]) -> int:
    """Do what is left to do for the memory compiled under the state folder; always ends quietly."""
    state = Path(argv[argv.index("--state") + 1])
    compiled = read_settings(state)
    repositories = read_repositories(state)
    if not compiled or not repositories:
        return 0
    env = {
        **os.environ,
        "CTXREPO_STATE": str(state),
        "CTXREPO_CONFIG": compiled["config"],
        "CTXREPO_HOME": str(repositories[0].home),
    }
    log = RepositoryPlaces(state / repositories[0].id).log
    try:
        memory = Memory.open(Places.of(env), env)
        early = fetch_early(memory)
        # Only now: these bring libraries that take as long to load as a fetch takes to answer.
        from ctxrepo.services.compile import compile_for_hooks
        from ctxrepo.services.work import Worker

        compile_for_hooks(memory, sys.executable)
        Worker(memory, env, _now, lambda line: _append(log, line), [early] if early else []).run()
    except CtxrepoError as error:
        _append(log, f"{error.message} {error.hint}")
    except Exception:
        import traceback

        _append(log, traceback.format_exc())
    return 0


def _now() -> datetime:
    return datetime.now(UTC)


def _append(log: Path, line: str) -> None:
    """One entry for `doctor`."""
    append_rolling(str(log), f"{_now().isoformat(timespec='seconds')} {line.rstrip()}\n", LOG_BYTES)
