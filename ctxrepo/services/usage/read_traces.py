"""What prompts of the last days were given and why, or why there was silence."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.hooks.own_files import lines_of
from ctxrepo.hooks.session.traces import MAX_BYTES
from ctxrepo.lazy import dataclass
from ctxrepo.storage.cache.entries import entry_by_id
from ctxrepo.storage.memory import Memory

LAST = 5


@dataclass(frozen=True)
class TracedEntry:
    """An entry that was given, or left out for `why`; `text` is today's, '' for one that was edited since."""

    id: str
    at: str
    score: float
    why: str = ""
    text: str = ""


@dataclass(frozen=True)
class Trace:
    """A prompt's beginning or an `edited` file; `by` is the command that asked, '' for a hook. `by_words`
    says why words alone ranked where meaning was to."""

    id: str
    at: str
    agent: str
    session: str
    by: str
    prompt: str
    edited: str
    by_words: str
    silence: str
    given: tuple[TracedEntry, ...]
    left_out: tuple[TracedEntry, ...]


def traces(memory: Memory, name: str = "", session: str = "", last: int | None = None) -> list[Trace]:
    """The last traces, oldest first: the one that `name` begins, a session's, or all. NotFound for none."""
    lines = lines_of(str(memory.state.traces), MAX_BYTES)
    found = [fields for line in lines if (fields := record(line)) and text_of(fields, "id")]
    if name:
        found = [_only(found, name)]
    elif session:
        found = [fields for fields in found if text_of(fields, "session").startswith(session)]
        if not found:
            raise NotFound(
                f"no trace is of a session {session!r}", "`ctxrepo trace --last 50` shows which are."
            )
    return [_trace(memory, fields) for fields in (found[-last:] if last else found)]


def _only(found: Sequence[dict[str, Any]], name: str) -> dict[str, Any]:
    those = [fields for fields in found if fields["id"].startswith(name)]
    if not those:
        raise NotFound(f"there is no trace {name!r}", "Only the newest are kept; `ctxrepo trace` shows them.")
    if len(those) > 1:
        raise UsageError(
            f"{len(those)} traces begin with {name!r}", f"They are {', '.join(t['id'] for t in those)}."
        )
    return those[0]


def _trace(memory: Memory, fields: Mapping[str, Any]) -> Trace:
    moment = fields.get("at")
    return Trace(
        id=fields["id"],
        at=stamp(datetime.fromtimestamp(moment, UTC)) if isinstance(moment, int | float) else "",
        agent=text_of(fields, "agent"),
        session=text_of(fields, "session"),
        by=text_of(fields, "by"),
        prompt=text_of(fields, "prompt"),
        edited=text_of(fields, "edited"),
        by_words=text_of(fields, "by_words"),
        silence=text_of(fields, "silence"),
        given=_weighed(memory, fields.get("given")),
        left_out=_weighed(memory, fields.get("left_out")),
    )


def _weighed(memory: Memory, rows: object) -> tuple[TracedEntry, ...]:
    found = []
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [str(name), str(at), int() | float() as score, *more]:
                entry = memory.cache.ask(entry_by_id, name)
                why = str(more[0]) if more else ""
                found.append(TracedEntry(f"^{name}", at, score, why, entry.entry.text if entry else ""))
    return tuple(found)
