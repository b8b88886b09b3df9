"""What prompts of the last days were given and why, or why there was silence."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from ctxrepo.domain.formats.jsonl import record, text_of
from ctxrepo.domain.formats.moment import stamp
from ctxrepo.domain.project.target import resolve_id
from ctxrepo.errors import NotFound
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
    """The last traces, oldest first: the one whose id begins with `name`, a session's, or all. NotFound where
    there is none, UsageError where `name` begins several."""
    lines = lines_of(str(memory.state.traces), MAX_BYTES)
    records = [fields for line in lines if (fields := record(line)) and text_of(fields, "id")]
    if name:
        missing = f"there is no trace {name!r}"
        hint = "Only the newest are kept; `ctxrepo trace` shows them."
        name = resolve_id(name, (fields["id"] for fields in records), missing, hint)
        records = [fields for fields in records if fields["id"] == name]
    elif session:
        records = [fields for fields in records if text_of(fields, "session").startswith(session)]
        if not records:
            hint = "`ctxrepo trace --last 50` shows which are."
            raise NotFound(f"no trace is of a session {session!r}", hint)
    return [_trace(memory, fields) for fields in (records[-last:] if last else records)]


def _trace(memory: Memory, fields: Mapping[str, Any]) -> Trace:
    seconds = fields.get("at")
    return Trace(
        at=stamp(datetime.fromtimestamp(seconds, UTC)) if isinstance(seconds, int | float) else "",
        given=_entries(memory, fields.get("given")),
        left_out=_entries(memory, fields.get("left_out")),
        **{name: text_of(fields, name) for name in _TEXTS},
    )


_TEXTS = ("id", "agent", "session", "by", "prompt", "edited", "by_words", "silence")


def _entries(memory: Memory, rows: object) -> tuple[TracedEntry, ...]:
    entries = []
    for row in rows if isinstance(rows, list) else ():
        match row:
            case [str(name), str(at), int() | float() as score, *more]:
                known = memory.cache.ask(entry_by_id, name)
                why = str(more[0]) if more else ""
                entries.append(TracedEntry(f"^{name}", at, score, why, known.entry.text if known else ""))
    return tuple(entries)
