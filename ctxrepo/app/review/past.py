"""Operations about what happened to the memory, a note or an entry, and what waits for people to review."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.result import Result, reads
from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.formats.moment import counted, day
from ctxrepo.domain.formats.plain_data import plain_data
from ctxrepo.domain.project.layout import shown
from ctxrepo.domain.project.target import NoteOrEntry, Target
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.history.commits import CommitSummary, Old
    from ctxrepo.services.review.pull_request import EntryChange, PullRequest, SessionChanges


@dataclass(frozen=True)
class HistoryRequest:
    """The history of a note or entry, also one that is gone; of the whole memory without a target."""

    target: NoteOrEntry | None = None
    """[SCOPE:]PATH of a note; ^ID or PATH#L9 of an entry; deleted ones too."""
    limit: Annotated[int, Between(1, 100_000)] = 20
    """Show at most N commits."""


@dataclass(frozen=True)
class VersionRequest:
    """A note or entry as it was in a commit."""

    target: Target
    commit: str


@dataclass(frozen=True)
class PastCommits:
    """The newest commits, and whether there are more."""

    commits: Sequence[CommitSummary]
    is_more: bool


@reads
def history(desk: Desk, request: HistoryRequest) -> Result[PastCommits]:
    """Say what happened, the newest first."""
    from ctxrepo.services.history.commits import history

    commits = history(desk.memory, request.target, desk.project, request.limit + 1)
    newest = commits[: request.limit]
    return Result(PastCommits(newest, len(commits) > request.limit), {"history": plain_data(newest)})


def version(desk: Desk, request: VersionRequest) -> Result[Old]:
    """Bring out an earlier version, to the byte."""
    from ctxrepo.domain.note.note import decode_exactly
    from ctxrepo.services.history.commits import version

    old = version(desk.memory, request.target, desk.project, request.commit)
    return Result(old, {"commit": old.commit, "path": old.path, "text": decode_exactly(old.data)})


def in_review(desk: Desk, _: None) -> Result[Sequence[CommitSummary]]:
    """List the commits that wait for people."""
    from ctxrepo.services.review.pull_request import deeds_in_review

    return Result(deeds_in_review(desk.memory), "history")


def pull_request(desk: Desk, _: None) -> Result[str]:
    """Say session by session what they come to, as the text of a pull request."""
    from ctxrepo.services.review.pull_request import pull_request

    return Result(markdown(pull_request(desk.memory)), "markdown")


_MAX_WHO = 60


def who(deed: CommitSummary) -> str:
    """`claude on laptop-1a2b, session 8f2e1c3d`, or git's author for a commit made by hand."""
    writers = deed.writers
    if not writers.hosts and not writers.agents:
        return f"{shown(deed.author, _MAX_WHO)} by hand"
    agents, hosts = ", ".join(writers.agents), ", ".join(writers.hosts)
    sessions = [session[:8] for session in writers.sessions]
    session = (
        f", {len(sessions)} sessions" if len(sessions) > 1 else "".join(f", session {s}" for s in sessions)
    )
    return shown(" on ".join(who for who in (agents, hosts) if who), _MAX_WHO) + session


_MAX_ENTRY = 300
_MAX_TEXT = 60_000
"""Characters; GitHub takes 65,536."""

_SAID = {"+": "new", "~": "now", "-": "gone"}


def markdown(what: PullRequest) -> str:
    """A heading for each session, below it its notes, and each entry once."""
    entries = sum(len(part.changes) for part in what.parts)
    first = (
        f"{counted(entries, 'change')} of {counted(len(what.parts), 'session')} in "
        f"{counted(what.commits, 'commit')}. Each entry stands once, as it is at the end."
    )
    lines, length, told = [first], len(first), 0
    for part in what.parts:
        for line in _part(part):
            if length + len(line) > _MAX_TEXT:
                return "\n".join(
                    [*lines, "", f"… and {entries - told} more changes, in the difference itself."]
                )
            lines.append(line)
            length += len(line) + 1
            told += line.startswith("- ")
    return "\n".join(lines)


def _part(part: SessionChanges) -> Iterator[str]:
    first, last = day(part.deeds[0].when), day(part.deeds[-1].when)
    days = first if first == last else f"{first} to {last}"
    yield from ("", f"### {code(who(part.deeds[0]))}, {days}")
    path = ""
    for change in part.changes:
        if change.path != path:
            path = change.path
            yield from ("", code(path), "")
        yield f"- {_change(change)}"
    if not part.changes:
        yield from ("", "Nothing of its own is left in notes.")


def _change(change: EntryChange) -> str:
    mark, text = change.line[0], change.line[2:]
    if mark not in _SAID:
        return f"{text} from {code(change.former)}" if change.former else text
    if change.former:
        return f"moved from {code(change.former)}: {code(text)}"
    return f"{_SAID[mark]}: {code(text)}"


def code(text: str) -> str:
    """As code, in which a forge sees no name to call and no issue to close."""
    text = shown(text, _MAX_ENTRY)
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{gap}{text}{gap}{fence}"
