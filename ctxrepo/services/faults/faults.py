"""What sessions are told is wrong with the memory, since when, and what helps; what hooks, worker and remote
did last."""

import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.note.frontmatter import PROGRAM
from ctxrepo.domain.project.layout import CONFLICTS, INBOX, is_note, shown
from ctxrepo.domain.records.proposal import inbox_lines, is_inbox
from ctxrepo.errors import UNLOCK, CtxrepoError, GitFailed
from ctxrepo.hooks.own_files import age
from ctxrepo.lazy import dataclass, lazy_pattern
from ctxrepo.services.faults.bounds import require_ready
from ctxrepo.services.faults.finding import other_remote
from ctxrepo.storage.cache.cache import all_faults, each_once, put_faults, remark_of
from ctxrepo.storage.cache.entries import flawed_notes
from ctxrepo.storage.cache.layout import Fault, FaultKind
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import FaultLog, FaultRecord, latest
from ctxrepo.storage.state.spool import Spool

_FULL = "Beyond that none are taken: see with `ctxrepo sync` what keeps the commit from being made."

_QUICK: set[FaultKind] = {"settings", "clone", "bounds"}
"""The kinds that are looked for whenever somebody asks: a person may just have edited the settings."""

_SELF_EXPLAINING: set[FaultKind] = {
    "clone", "bounds", "held", "hidden", "conflict", "deletion", "proposal",
}  # fmt: skip
"""The kinds whose text ends with what to do."""


@dataclass(frozen=True)
class StandingFault:
    """A fault that holds, `since` when in ISO form, '' where nobody knows, and what helps."""

    kind: FaultKind
    fault: str
    since: str
    remedy: str


def store_faults(memory: Memory, faults: Sequence[Fault]) -> None:
    """Store these faults in the cache: from now on sessions are told them, each session each of them once."""
    if memory.cache.ask(all_faults) != each_once(faults):  # seldom: who writes waits for others
        memory.cache.change(put_faults, faults)
        FaultLog(memory.state.faults).note((fault.text for fault in faults), time.time())


def of_settings(memory: Memory) -> list[str]:
    """A line about config.toml if it can't be read."""
    so = "until that is mended its earlier settings hold, and nothing is exchanged with the remote"
    return [f"{memory.config_error.message}; {so}"] if memory.config_error else []


def of_clone(memory: Memory) -> list[str]:
    """A line about the clone if it isn't ready: an unfinished merge, another branch, a format of git."""
    try:
        require_ready(memory)
    except CtxrepoError as error:
        until_then = "Until then what is written is kept and found here, but not sent."
        return [" ".join(filter(None, (f"{error.message}.", error.hint, until_then)))]
    return []


def of_obstacles(memory: Memory) -> dict[str, str]:
    """Each obstacle that hides files of the memory on this machine -> a line about it."""
    way = "Move it away or make it readable, and the next sync brings back what it hides."
    lines = {}
    for obstacle in memory.checkout.hidden.obstacles():
        hides = f"It hides {counted(len(obstacle.files), 'file')} of the memory here; nothing is deleted."
        lines[obstacle.place] = f"{shown(obstacle.place)} {obstacle.reason}. {hides} {way}"
    return lines


def of_conflicts(memory: Memory) -> list[str]:
    """A line about the versions that are kept aside."""
    count = len(memory.objects.below(memory.head_tree, CONFLICTS))
    what = counted(count, "version is", "versions are")
    why = "because two machines changed the same thing"
    return [f"{what} kept aside, {why}: `ctxrepo conflicts`"] if count else []


def of_proposals(memory: Memory) -> list[str]:
    """A line about the proposals that wait, which is no fault: a session may be about one of them."""
    objects = memory.objects
    files = objects.below(memory.head_tree, INBOX)
    texts = {path: objects.data_or_empty(key) for path, key in files.items() if ":" not in key}
    waiting = [line for path, data in texts.items() if is_inbox(path) for line in inbox_lines(path, data)]
    waits = counted(len(waiting), "proposal waits", "proposals wait")
    has_edits = any(line.proposal and line.proposal.verb != "remember" for line in waiting)
    back = "; what an agent edited itself is not in its file until then" if has_edits else ""
    return [f"{waits} for a person's yes: `ctxrepo inbox`{back}"] if waiting else []


def of_remote(memory: Memory) -> list[str]:
    """A line about a remote of the clone's own that isn't the one of the memory."""
    with suppress(GitFailed):  # of which `doctor` tells
        return [f"{other.problem}. {other.remedy}"] if (other := other_remote(memory)) else []
    return []


def of_notes(memory: Memory) -> list[str]:
    """A line about the notes with something wrong, a program first."""
    flawed = sorted(memory.cache.ask(flawed_notes), key=lambda flaw: PROGRAM not in flaw[1])
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
    way = "The disk may be failing. What else was written is safe; move the file away."
    lines += [f"{file} can't be read as saves, and nothing is done with it. {way}" for file in unreadable]
    if trouble := memory.sign_attempts.trouble():
        lines.append(f"{trouble}. {UNLOCK}")
    if own := [path for path in memory.cache.ask(remark_of, "ignored") if not is_note(path)]:
        way = "Until git is told otherwise, no session and no other machine hears of what is there."
        lines.append(f"git ignores {counted(len(own), 'file')} of ctxrepo's, such as {own[0]}. {way}")
    if spool.is_blocked():
        way = "Move it away; until then each event of a hook is a file of its own."
        lines.append(f"{spool.places.spool} isn't a file that ctxrepo can use. {way}")
    return lines


def current_faults(memory: Memory) -> list[Fault]:
    """All faults that hold now: of the kinds that are quickly found anew, and of the others as last found."""
    return [
        *(Fault("settings", line) for line in of_settings(memory)),
        *(Fault("clone", line) for line in of_clone(memory)),
        *(Fault("bounds", line) for line in of_bounds(memory)),
        *(fault for fault in memory.cache.ask(all_faults) if fault.kind not in _QUICK),
    ]


def tell_at_once(memory: Memory) -> None:
    """Bring what sessions are told up to date, without reading any note."""
    store_faults(memory, current_faults(memory))


def standing(memory: Memory) -> list[StandingFault]:
    """The faults that sessions are told now, or after the worker's next run."""
    since = {record.fault: record.since for record in history(memory) if not record.until}
    return [
        StandingFault(kind, text, since.get(text, ""), _remedy(memory, kind))
        for kind, text in current_faults(memory)
    ]


def history(memory: Memory) -> Sequence[FaultRecord]:
    """The faults lately logged on this machine, including those that are over."""
    return FaultLog(memory.state.faults).read()


def _remedy(memory: Memory, kind: FaultKind) -> str:
    if kind == "settings":
        return f"Mend {memory.places.config_file}; {memory.places.config_before} is how it was before."
    if kind in _SELF_EXPLAINING:
        return "The line says how."
    if kind == "remote":
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
    return _since(memory.state.log, written(memory.state.well))


def of_hooks(memory: Memory) -> Trouble | None:
    """The last error of a hook, unless a session that began later was served."""
    session = latest(memory.places.sessions, memory.state.id)
    return _since(hooks_log(memory), session.began if session else 0.0)


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


def _since(log: Path, settled: float) -> Trouble | None:
    """The last entry of a log: a line that begins with its moment, and those of a traceback below it. None if
    it was settled by a later moment; but by none of the future, which would keep all from being told."""
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
    at = None
    with suppress(ValueError):
        at = datetime.fromisoformat(entry[1])
    if at and at.timestamp() < settled and age(settled) < float("inf"):
        return None
    return Trouble(at, words.strip()[:_LONGEST], log)


@dataclass(frozen=True)
class LastSession:
    """The session that a hook answered last; `project` is its project's folder ('' for none), `given` counts
    entries."""

    agent: str
    session: str
    project: str
    cwd: str
    at: datetime
    given: int
    is_off: bool


@dataclass(frozen=True)
class LastExchange:
    """The last exchange with the remote: when it ended, and how. `fetched` is the last one that went well."""

    at: datetime | None = None
    outcome: str = ""
    reason: str = ""
    fetched: datetime | None = None


def last_served(memory: Memory) -> LastSession | None:
    """The session that a hook answered last; None before the first one."""
    if (ledger := latest(memory.places.sessions, memory.state.id)) is None:
        return None
    project = "" if ledger.project == "?" else ledger.project
    at = _moment(ledger.touched)
    return LastSession(ledger.agent, ledger.session, project, ledger.cwd, at, ledger.given, ledger.is_off)


def last_exchange(memory: Memory) -> LastExchange:
    """What is known of the last exchange; nothing is asked."""
    last = memory.exchanges.last
    at, answer = last or (0.0, None)
    ended = _moment(at) if last else None
    fetched = written(memory.state.fetched)
    well = _moment(fetched) if fetched else ended if answer and answer.ok else None
    return LastExchange(ended, answer.outcome if answer else "", answer.reason if answer else "", well)


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
