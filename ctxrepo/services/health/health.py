"""Whether sessions are served: who was served last, and when the remote last answered."""

from datetime import UTC, datetime

from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import latest


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
    one = latest(memory.places.sessions, memory.state.id)
    if one is None:
        return None
    project = "" if one.project == "?" else one.project
    return LastSession(one.agent, one.session, project, one.cwd, _moment(one.touched), one.given, one.is_off)


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
