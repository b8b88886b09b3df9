"""What hooks and worker met and nothing has got past since."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from ctxrepo.hooks.files.clock import age
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import latest

_LONGEST = 400
"""Characters of a log's line that are shown."""

_MOMENT = lazy_pattern(r"(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)) (.*)")


@dataclass(frozen=True)
class Trouble:
    """What was met last: when (None where the log doesn't tell), in a line; `log` has all of it."""

    at: datetime | None
    words: str
    log: Path


def of_worker(memory: Memory) -> Trouble | None:
    """What the worker met last, unless a run that began later met nothing: what could not be done is tried by
    each run, so that one has got past it."""
    return _since(memory.state.log, _by_now(written(memory.state.well)))


def of_hooks(memory: Memory) -> Trouble | None:
    """What a hook met last, unless the session that was served last began later."""
    session = latest(memory.places.sessions, memory.state.id)
    return _since(hooks_log(memory), _by_now(session.began) if session else 0.0)


def hooks_log(memory: Memory) -> Path:
    return memory.places.state / "hook-errors.log"


def put_aside(memory: Memory) -> Iterator[Path]:
    """Begin both logs again for a person who has read them; returns where what they held is."""
    for log in (hooks_log(memory), memory.state.log):
        if log.is_file() and log.stat().st_size:
            aside = log.with_name(f"{log.name}.1")
            with suppress(OSError):
                log.replace(aside)
                yield aside


def _by_now(moment: float) -> float:
    """The moment; but none of the future, which would keep all from being told until then."""
    return moment if age(moment) < float("inf") else 0.0


def _since(log: Path, settled: float) -> Trouble | None:
    last = _last(log)
    if last and last.at and last.at.timestamp() < settled:
        return None
    return last


def _last(log: Path) -> Trouble | None:
    """The last entry of a log: a line that begins with its moment, and those of a traceback below it."""
    try:
        lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    except OSError:
        return None
    if not lines:
        return None
    entry = next((match for line in reversed(lines) if (match := _MOMENT.match(line))), None)
    if entry is None:
        return Trouble(None, lines[-1][:_LONGEST], log)
    words = lines[-1] if entry[2].startswith("Traceback") else entry[2]
    with suppress(ValueError):
        return Trouble(datetime.fromisoformat(entry[1]), words.strip()[:_LONGEST], log)
    return Trouble(None, words.strip()[:_LONGEST], log)
