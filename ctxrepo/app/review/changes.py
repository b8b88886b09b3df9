"""Operations that say what changed in the memory: since a moment, by a session, between two commits; and what
is in review, as the text of a pull request."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result, reads
from ctxrepo.app.review.past import who
from ctxrepo.domain.formats.moment import counted, day, second, since, wall_time
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import is_conflict_copy, is_note, shown
from ctxrepo.domain.project.target import NoteOrEntry
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.tape.anchors import Anchor
    from ctxrepo.services.history.changes import CommitSpan, MemoryChanges
    from ctxrepo.services.history.commits import CommitSummary
    from ctxrepo.services.history.net_changes import ChangedFile, NetChange
    from ctxrepo.services.review.pull_request import PullRequest


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
        session, memory_changes = session_changes(memory, _session(desk, request.session), about)
        since = f"in the session {session}"
        ends: dict[str, str | None] = {"session": session}
        if memory_changes.others:
            others = ", ".join(other[:8] for other in memory_changes.others)
            desk.notice(f"some of its commits hold what other sessions wrote, too: {others}")
    else:
        span, since = _span(desk, request)
        memory_changes = changes(memory, span, about)
        ends = {"from": span.start, "to": None if span.is_now else span.end}
        if span.is_cut:
            desk.notice("the history on this machine begins later, so this is from its first commit on")
    files = _masked(memory_changes.files)
    patch = list(_patch(memory_changes)) if request.patch else []
    by: dict[CommitSummary | None, dict[str, Any] | None] = {None: None}
    for deed in {change.deed for file in files for change in file.changes if change.deed}:
        when, writers = second(deed.when), plain_data(deed.writers)
        by[deed] = {"commit": deed.commit, "when": when, "who": who(deed), **writers}
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
    from ctxrepo.domain.secrets import without_secrets

    clean = iter(without_secrets([text for f in files for c in f.changes for text in (c.before, c.after)]))
    return [
        replace(file, changes=[replace(c, before=next(clean), after=next(clean)) for c in file.changes])
        for file in files
    ]


def _patch(changes: MemoryChanges) -> Iterator[str]:
    """A unified diff of the files that are text, their secrets masked in both versions."""
    from difflib import unified_diff  # most ask for no patch

    from ctxrepo.domain.note.note import decode
    from ctxrepo.domain.secrets import mask

    for former, path, before, after in changes.contents:
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


def in_review(desk: Desk, _: None) -> Result[Sequence[CommitSummary]]:
    """List the commits that wait for people."""
    from ctxrepo.services.review.pull_request import deeds_in_review

    return Result(deeds_in_review(desk.memory), "history")


@dataclass(frozen=True)
class ReviewText:
    """What is in review on a branch, as the title and the text of its pull request."""

    branch: str
    title: str
    markdown: str


def pull_request(desk: Desk, _: None) -> Result[ReviewText]:
    """Say note by note what waits for people, for a forge."""
    from ctxrepo.services.review.pull_request import pull_request

    what = pull_request(desk.memory)
    files = _masked(what.files)
    scopes = [*dict.fromkeys([*(f.path.partition("/")[0] for f in files), *(s for s, _ in what.handoffs)])]
    more = [f"+{len(scopes) - _SCOPES}"] if len(scopes) > _SCOPES else []
    handoffs = counted(len(what.handoffs), "handoff") if what.handoffs else ""
    counts = ", ".join(filter(None, (_counts(files), handoffs))) or "no fact changed"
    title = f"memory({', '.join([*scopes[:_SCOPES], *more]) or '*'}): {counts}"
    return Result(ReviewText(what.branch, title, "\n".join(_body(counts, files, what))))


_SCOPES = 3
_MAX_ENTRY = 300
_MOST_OF_NOTE = 30
"""Entries of a note that are shown."""
_HANDOFFS = 5
_WRITERS = 5
_MAX_TEXT = 60_000
"""Characters; GitHub takes 65,536."""

_WORDS = {"+": "added", "~": "changed", ">": "moved", "-": "removed"}

_WHAT_NOW = (
    "Each fact stands once, as it is at the end. Once merged, sessions of everybody who shares this memory "
    "are given it. To keep one out or to reword it, delete or edit its line in a commit to this branch."
)
_WITHOUT_FACTS = {
    "new": "no fact in it",
    "removed": "none of its facts is gone",
    "renamed": "its facts are as they were",
    "changed": "frontmatter, headings or blank lines",
}


def _body(counts: str, files: Sequence[ChangedFile], what: PullRequest) -> Iterator[str]:
    """What it comes to and who wrote it, then a heading for each note, as far as a forge takes it."""
    where = f"{counted(len(files), 'note')} by {counted(what.commits, 'commit')}"
    writers = Counter(_writer(c.deed) for file in files for c in file.changes if c.deed)
    by = [f"{code(name)} ({count})" for name, count in writers.most_common(_WRITERS)]
    by += [f"{len(writers) - _WRITERS} others"] if len(writers) > _WRITERS else []
    opening = [f"**{counts}**, in {where}.", "", _WHAT_NOW]
    opening += ["", f"Written by {', '.join(by)}."] if by else []
    opening += _handoffs(what.handoffs)
    yield from opening
    room = _MAX_TEXT - sum(map(len, opening))
    for number, file in enumerate(files):
        lines = [*_note(file)]
        room -= sum(len(line) + 1 for line in lines)
        if room < 0:
            rest = files[number:]
            more = f"{counted(len(rest), 'more note')} ({_counts(rest) or 'frontmatter'})"
            yield from ("", f"… and {more}, in the difference itself.")
            return
        yield from lines


def _handoffs(handoffs: Sequence[tuple[str, Anchor]]) -> Iterator[str]:
    from ctxrepo.domain.secrets import mask
    from ctxrepo.services.reading.tape_files import handoff_text

    if handoffs:
        yield from ("", "### Handoffs", "", "A session that starts in the project is given the newest.", "")
    for scope, anchor in handoffs[-_HANDOFFS:]:
        who_left = " on ".join(filter(None, (anchor.agent, anchor.host)))
        words = (scope, f"{who_left}, {anchor.timestamp[:10]}", " ".join(mask(handoff_text(anchor)).split()))
        yield f"- {': '.join(map(code, words))}"
    if more := len(handoffs[:-_HANDOFFS]):
        yield f"- … and {counted(more, 'earlier one')}"


def _counts(files: Sequence[ChangedFile]) -> str:
    """`3 added, 1 changed`"""
    counts = Counter(change.mark for file in files for change in file.changes)
    return ", ".join(f"{counts[sign]} {word}" for sign, word in _WORDS.items() if counts[sign])


def _note(file: ChangedFile) -> Iterator[str]:
    former = f"renamed from {code(file.former)}" if file.former else ""
    kind = {"new": "new", "removed": "removed", "renamed": former}.get(file.kind, "")
    yield from ("", f"### {code(file.path)}{f' ({kind})' if kind else ''}")
    for by, changes in groupby(file.changes[:_MOST_OF_NOTE], lambda change: _by_whom(change.deed)):
        yield from ("", by, "")
        for change in changes:
            yield from _change(change)
    if rest := file.changes[_MOST_OF_NOTE:]:
        yield f"- … and {len(rest)} more in this note: {_counts([replace(file, changes=rest)])}"
    if not file.changes:
        is_aside = is_conflict_copy(file.path)
        yield from ("", f"- {'a version that a merge set aside' if is_aside else _WITHOUT_FACTS[file.kind]}")


def _by_whom(deed: CommitSummary | None) -> str:
    return f"{code(_writer(deed))}, {day(deed.when)}" if deed else "by somebody"


def _writer(deed: CommitSummary) -> str:
    """Who it was; where no agent is named also git's author: reviewers don't know whose machine it is."""
    is_person = deed.writers.hosts and not deed.writers.agents
    return f"{deed.author} on {who(deed)}" if is_person else who(deed)


def _change(change: NetChange) -> Iterator[str]:
    sign = change.mark
    place = f" from {code(change.former)}" if change.former else ""
    yield f"- {_WORDS[sign]}{place}: {code(change.after or change.before)}"
    if change.after and change.before and change.before != change.after:
        yield f"  - was: {code(change.before)}"


def code(text: str) -> str:
    """As code, in which a forge sees no name to call and no issue to close."""
    text = shown(text, _MAX_ENTRY)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{gap}{text}{gap}{fence}"
