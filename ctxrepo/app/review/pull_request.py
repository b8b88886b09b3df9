"""The text of a pull request: what is in review, as Markdown that calls nobody and closes nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ctxrepo.app.review.deeds import who
from ctxrepo.domain.formats.moment import counted, day
from ctxrepo.domain.project.layout import shown

if TYPE_CHECKING:
    from ctxrepo.services.review.pull_request import EntryChange, PullRequest, SessionChanges

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
        return text
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
