"""The operation that says what changed in the memory: since a moment, by a session, between two commits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result, reads
from ctxrepo.app.review.past import who
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.target import NoteOrEntry
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.history.changes import CommitSpan, MemoryChanges
    from ctxrepo.services.history.commits import CommitSummary
    from ctxrepo.services.history.net_changes import ChangedFile


@dataclass(frozen=True)
class DiffRequest:
    """What changed of a note, an entry or all: since the same time yesterday, unless it is said of what."""

    target: NoteOrEntry | None = None
    since: str = ""
    """From this moment until now: yesterday, 2d, monday, 2026-11-20."""
    session: str = ""
    """What this session left, by the beginning of its id; `this` is the one that asks."""
    start: str = ""
    """From this commit or moment."""
    end: str = ""
    """Up to this commit or moment; by default until now."""
    patch: bool = False
    """As a unified diff of the files."""


@dataclass(frozen=True)
class WhatChanged:
    """The changed files, secrets masked, and of what: `since` in words, `session` where one is meant. `patch`
    has the lines of a unified diff if it was asked for."""

    files: Sequence[ChangedFile]
    since: str
    patch: Sequence[str] = ()
    is_patch: bool = False


@reads
def diff(desk: Desk, request: DiffRequest) -> Result[WhatChanged]:
    """Say what changed, entry by entry."""
    from ctxrepo.services.history.changes import changes, session_changes, wanted

    _require_one_way(request)
    memory = desk.memory
    about = wanted(memory, request.target, desk.project)
    if request.session:
        session, found = session_changes(memory, _session(desk, request.session), about)
        since = f"in the session {session}"
        ends: dict[str, str | None] = {"session": session}
        if found.others:
            others = ", ".join(other[:8] for other in found.others)
            desk.notice(f"some of its commits hold what other sessions wrote, too: {others}")
    else:
        span, since = _span(desk, request)
        found = changes(memory, span, about)
        ends = {"from": span.start, "to": None if span.is_now else span.end}
        if span.is_cut:
            desk.notice("the history on this machine begins later, so this is from its first commit on")
    files = _masked(found.files)
    patch = list(_patch(found)) if request.patch else []
    by: dict[CommitSummary | None, dict[str, Any] | None] = {None: None}
    for deed in {change.deed for file in files for change in file.changes if change.deed}:
        by[deed] = _by(deed)
    data = {**ends, "since": since, "notes": [_fields(file, by) for file in files]}
    if request.patch:
        data["patch"] = "\n".join(patch)
    return Result(WhatChanged(files, since, patch, request.patch), data)


def _require_one_way(request: DiffRequest) -> None:
    ways = [bool(request.since), bool(request.session), bool(request.start or request.end)]
    if sum(ways) > 1:
        raise UsageError(
            "--since, --session and --from with --to are three ways to say of what", "Give one of them."
        )


def _session(desk: Desk, name: str) -> str:
    if name != "this":
        return name
    if not desk.session[1]:
        raise UsageError("--session this runs in no session", "Name one by the beginning of its id.")
    return desk.session[1]


def _span(desk: Desk, request: DiffRequest) -> tuple[CommitSpan, str]:
    """The two ends, and what they are in words."""
    from ctxrepo.domain.formats.moment import wall_time
    from ctxrepo.services.history.changes import CommitSpan, commit_at

    memory, begin = desk.memory, request.start or request.since
    if begin:
        start, is_cut, words = _end(desk, begin)
    else:
        moment = desk.now - timedelta(days=1)
        (start, is_cut), words = commit_at(memory, moment), wall_time(moment)
    if request.end:
        end, _, until = _end(desk, request.end)
        return CommitSpan(start, end, is_cut=is_cut), f"from {words} to {until}"
    return CommitSpan(start, memory.head, is_now=True, is_cut=is_cut), f"since {words}"


def _end(desk: Desk, text: str) -> tuple[str | None, bool, str]:
    """(commit, whether older ones are missing here, words for it) of a moment or the beginning of an id."""
    from ctxrepo.domain.formats.moment import since, wall_time
    from ctxrepo.services.history.changes import commit_at
    from ctxrepo.services.history.commits import commit_named

    try:
        moment = since(text, desk.now.astimezone(), datetime.astimezone)
    except UsageError as error:
        if not all(char in "0123456789abcdefABCDEF" for char in text) or len(text) < 4:
            raise UsageError(f"{text!r} is no date and no commit", error.hint) from None
        commit = commit_named(desk.memory, text)
        return commit, False, commit[:10]
    return *commit_at(desk.memory, moment), wall_time(moment)


def _masked(files: Sequence[ChangedFile]) -> list[ChangedFile]:
    """The files without secrets, which are looked for in all texts at once."""
    from ctxrepo.services.sessions.conversations import without_secrets

    clean = iter(without_secrets([text for f in files for c in f.changes for text in (c.before, c.after)]))
    return [
        replace(file, changes=[replace(c, before=next(clean), after=next(clean)) for c in file.changes])
        for file in files
    ]


def _patch(found: MemoryChanges) -> Iterator[str]:
    """A unified diff of the files that are text, their secrets masked in both versions."""
    from difflib import unified_diff  # most ask for no patch

    from ctxrepo.domain.note.note import decode
    from ctxrepo.domain.project.layout import is_note
    from ctxrepo.domain.secrets import mask

    for former, path, before, after in found.contents:
        names = (
            "/dev/null" if before is None else f"a/{former}",
            "/dev/null" if after is None else f"b/{path}",
        )
        if not is_note(path) and any(b"\0" in (data or b"") for data in (before, after)):
            yield f"Binary files {names[0]} and {names[1]} differ"
            continue
        old, new = (mask(decode(data or b"")).splitlines() for data in (before, after))
        if former != path:
            yield from (f"rename from {former}", f"rename to {path}")
        yield from unified_diff(old, new, *names, lineterm="")


def _fields(file: ChangedFile, by: Mapping[CommitSummary | None, dict[str, Any] | None]) -> dict[str, Any]:
    return {
        "path": file.path,
        "kind": file.kind,
        "former": file.former or None,
        "bytes": list(file.sizes),
        "committed": not file.is_waiting,
        "entries": [
            {
                "change": change.mark,
                "before": change.before or None,
                "after": change.after or None,
                "former": change.former or None,
                "by": by[change.deed],
            }
            for change in file.changes
        ],
    }


def _by(deed: CommitSummary) -> dict[str, Any]:
    return {"commit": deed.commit, "when": second(deed.when), "who": who(deed), **plain_data(deed.writers)}
