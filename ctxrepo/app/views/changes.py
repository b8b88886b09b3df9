"""The view of what changed in the memory."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING

from ctxrepo.app.review.changes import mark
from ctxrepo.app.review.past import who
from ctxrepo.app.views.view import Diff, TextLine, View, ViewSection, one_section
from ctxrepo.domain.formats.moment import wall_time
from ctxrepo.domain.project.layout import is_conflict_copy, is_note

if TYPE_CHECKING:
    from ctxrepo.app.review.changes import WhatChanged
    from ctxrepo.services.history.commits import CommitSummary
    from ctxrepo.services.history.net_changes import ChangedFile, NetChange


def diff_view(what: WhatChanged) -> View:
    """A section for each note, in it its changes under who made them; or a unified diff."""
    if not what.files:
        return one_section("Changes", [TextLine(f"nothing changed {what.since}")])
    if what.is_patch:
        return one_section("Changes", [Diff(tuple(what.patch))])
    return View("Changes", tuple(ViewSection(tuple(_lines(file))) for file in what.files))


def _lines(file: ChangedFile) -> Iterator[TextLine]:
    kind = {"new": " (new)", "removed": " (removed)", "renamed": f" (renamed from {file.former})"}
    yield TextLine(f"{file.path}{kind.get(file.kind, '')}")
    for words, changes in groupby(file.changes, lambda change: _who(change.deed, file)):
        yield TextLine(words, 1)
        for change in changes:
            yield from _change(change)
    if not file.changes:
        yield TextLine(_who(file.deed, file), 1)
        yield TextLine(f"* {_other(file)}", 2)


def _who(deed: CommitSummary | None, file: ChangedFile) -> str:
    if deed:
        return f"{who(deed)}, {wall_time(deed.when)}, commit {deed.commit[:10]}"
    return "in no commit yet" if file.is_waiting else "it isn't known by whom"


def _change(change: NetChange) -> Iterator[TextLine]:
    sign = mark(change)
    if sign == ">":
        edited = f", then: {change.before}" if change.before != change.after else ""
        yield TextLine(f"* moved from {change.former}{edited}", 2)
        yield TextLine(f"+ {change.after}", 2)
    elif sign == "~":
        yield TextLine(f"~ {change.before}", 2)
        yield TextLine(f"→ {change.after}", 2)
    else:
        yield TextLine(f"{sign} {change.after or change.before}", 2)


def _other(file: ChangedFile) -> str:
    if is_conflict_copy(file.path):
        gone = "was resolved" if file.kind == "removed" else "a merge set aside: `ctxrepo conflicts` shows it"
        return f"a version that {gone}"
    if is_note(file.path):
        empty = {
            "renamed": "its entries are as they were",
            "new": "without entries",
            "removed": "had no entries",
        }
        return empty.get(file.kind, "what is no entry: its frontmatter, headings or blank lines")
    before, after = ("nothing" if size is None else f"{size:,} bytes" for size in file.sizes)
    return f"no note: {before} before, {after} now"
