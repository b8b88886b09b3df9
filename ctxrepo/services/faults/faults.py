"""What sessions are told is wrong with the memory, since when, and what helps; what hooks and worker met."""

import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.guard.refusals import LEFT_TO_GIT
from ctxrepo.domain.note.frontmatter import PROGRAM
from ctxrepo.domain.project.layout import CONFLICTS, is_note, shown
from ctxrepo.errors import UNLOCK, CtxrepoError, GitFailed
from ctxrepo.hooks.own_files import age
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.finding import other_remote
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import FaultLog, FaultRecord, latest
from ctxrepo.storage.state.spool import Spool

if TYPE_CHECKING:
    from ctxrepo.storage.worktree.disk import Obstacle


# Faults are stored as text only: `of_others` and `_remedy` recognise a fault by the sentence it ends with.
_GOES_ON = "until that is mended its earlier settings hold, and nothing is exchanged with the remote"

_HIDES = "Move it away or make it readable, and the next sync brings back what it hides."

_FULL = "Beyond that none are taken: see with `ctxrepo sync` what keeps the commit from being made."

_IN_ITS_PLACE = "Move it away; until then each event of a hook is a file of its own."

_ASIDE = "The disk may be failing. What else was written is safe; move the file away."

_UNHEARD = "Until git is told otherwise, no session and no other machine hears of what is there."

_UNTIL_THEN = "Until then what is written is kept and found here, but not sent."

_BACK = " back"
"""So ends what is said of deletions, whether they are held back or can be undone."""

_CHECKED_EACH_TIME = (_GOES_ON, _UNTIL_THEN, UNLOCK, _FULL, _IN_ITS_PLACE, _ASIDE, _UNHEARD)


@dataclass(frozen=True)
class Fault:
    """One fault that stands: its words, since when in ISO form ('' where nobody knows), and what helps."""

    fault: str
    since: str
    remedy: str


def store_faults(memory: Memory, lines: Iterable[str]) -> None:
    """Store these lines in the cache: from now on sessions are told them, each session each line once."""
    faults = list(lines)
    if memory.cache.set_faults(faults):
        FaultLog(memory.state.faults).note(faults, time.time())


def of_settings(memory: Memory) -> list[str]:
    """A line about config.toml if it can't be read."""
    return [f"{memory.config_error.message}; {_GOES_ON}"] if memory.config_error else []


def of_clone(memory: Memory) -> list[str]:
    """A line about the clone if it isn't ready: an unfinished merge, another branch, a format of git."""
    try:
        require_ready(memory)
    except CtxrepoError as error:
        return [" ".join(filter(None, (f"{error.message}.", error.hint, _UNTIL_THEN)))]
    return []


def of_obstacles(memory: Memory) -> dict[str, str]:
    """Each obstacle that hides files of the memory on this machine -> a line about it."""
    return {obstacle.place: _hiding(obstacle) for obstacle in memory.checkout.hidden.obstacles()}


def _hiding(obstacle: "Obstacle") -> str:
    files = "1 file" if len(obstacle.files) == 1 else f"{len(obstacle.files)} files"
    hides = f"It hides {files} of the memory here; nothing is deleted. {_HIDES}"
    return f"{shown(obstacle.place)} {obstacle.reason}. {hides}"


ASIDE = "kept aside, because two machines changed the same thing: `ctxrepo conflicts`"


def of_conflicts(memory: Memory) -> list[str]:
    """A line about the versions that are kept aside."""
    count = len(memory.objects.below(memory.head_tree, CONFLICTS))
    what = counted(count, "version is", "versions are")
    return [f"{what} {ASIDE}"] if count else []


def of_remote(memory: Memory) -> list[str]:
    """A line about a remote of the clone's own that isn't the one of the memory."""
    with suppress(GitFailed):  # of which `doctor` tells
        return [f"{other.problem}. {other.remedy}"] if (other := other_remote(memory)) else []
    return []


def of_notes(memory: Memory) -> list[str]:
    """A line about the notes with something wrong, a program first."""
    flawed = sorted(memory.cache.flawed(), key=lambda found: PROGRAM not in found[1])
    if not flawed:
        return []
    (path, problem), *others = flawed
    more = f"; {counted(len(others), 'other note')} with such a fault" if others else ""
    return [f"{shown(path)}: {problem}{more}. `ctxrepo check` tells more"]


def of_bounds(memory: Memory) -> list[str]:
    """What waits for a commit and is nearly too much, unreadable, unsigned or ignored, or blocks hooks."""
    spool, unreadable = Spool(memory.state), memory.journal.unreadable()
    waits = [*spool.nearly_full(), *(["saves"] if memory.journal.is_nearly_full() else [])]
    lines = [f"{what} wait for a commit, over 80 % of the most that is kept. {_FULL}" for what in waits]
    lines += [f"{file} can't be read as saves, and nothing is done with it. {_ASIDE}" for file in unreadable]
    if trouble := memory.sign_attempts.trouble():
        lines.append(f"{trouble}. {UNLOCK}")
    if own := [path for path in memory.cache.noted("ignored") if not is_note(path)]:
        lines.append(f"git ignores {counted(len(own), 'file')} of ctxrepo's, such as {own[0]}. {_UNHEARD}")
    if spool.is_blocked():
        lines.append(f"{spool.places.spool} isn't a file that ctxrepo can use. {_IN_ITS_PLACE}")
    return lines


def of_others(memory: Memory) -> list[str]:
    """What sessions are told, without the lines about settings, clone and bounds, which are seen at once."""
    return [line for line in memory.cache.faults() if not line.endswith(_CHECKED_EACH_TIME)]


def current_lines(memory: Memory) -> list[str]:
    """All lines about faults that still hold."""
    return [*of_settings(memory), *of_clone(memory), *of_bounds(memory), *of_others(memory)]


def tell_at_once(memory: Memory) -> None:
    """Bring the lines about settings and clone up to date: a person may have edited one or switched the
    other."""
    store_faults(memory, current_lines(memory))


def standing(memory: Memory) -> list[Fault]:
    """The faults that sessions are told now, or after the worker's next run."""
    since = {record.fault: record.since for record in history(memory) if not record.until}
    return [Fault(line, since.get(line, ""), _remedy(memory, line)) for line in current_lines(memory)]


def history(memory: Memory) -> Sequence[FaultRecord]:
    """The faults lately logged on this machine, including those that are over."""
    return FaultLog(memory.state.faults).read()


def _remedy(memory: Memory, line: str) -> str:
    if line.endswith(_GOES_ON):
        return f"Mend {memory.places.config_file}; {memory.places.config_before} is how it was before."
    if line.endswith((*_CHECKED_EACH_TIME, LEFT_TO_GIT, _HIDES, _BACK, ASIDE)):
        return "The line says how."
    if line == memory.remote_trouble():
        return "`ctxrepo sync` tries again."
    return "`ctxrepo check` shows the places."


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
    """What the worker met last, unless a later run met nothing: each run tries again."""
    return _since(memory.state.log, _by_now(written(memory.state.well)))


def of_hooks(memory: Memory) -> Trouble | None:
    """The last error of a hook, unless a session that began later was served."""
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
