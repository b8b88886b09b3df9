"""Views of what happened: history, and the versions that a merge set aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ctxrepo.app.views.view import Diff, TextLine, View, ViewSection, one_section
from ctxrepo.domain.formats.moment import ago, wall_time

if TYPE_CHECKING:
    from ctxrepo.app.review.decisions import ShownConflict
    from ctxrepo.app.review.past import PastCommits
    from ctxrepo.services.history.commits import CommitSummary
    from ctxrepo.services.history.conflict_copies import Conflict


def history_view(past: PastCommits, limit: int) -> View:
    """The commits of the memory, of a note or of an entry, the newest first."""
    path = past.commits[0].path if past.commits else ""
    lines = [line for commit in past.commits for line in _commit(commit, path)]
    hints = [f"there are more: `--limit {10 * limit}`"] if past.is_more else []
    return one_section("History", [TextLine(path), *lines] if path else lines, *hints)


def review_view(commits: Sequence[CommitSummary]) -> View:
    """The commits that wait for review."""
    return one_section("In review", [line for commit in commits for line in _commit(commit, "")])


def conflicts_view(conflicts: Sequence[Conflict], now: datetime) -> View:
    """A line for each version that was set aside."""
    lines = [TextLine(_conflict(conflict, now)) for conflict in conflicts]
    readable = next((conflict.id for conflict in conflicts if conflict.copy), "")
    hints = [f"look at one with `ctxrepo conflicts show {readable}`"] if readable else []
    return one_section("Conflicts", lines or [TextLine("nothing is set aside")], *hints)


def conflict_view(shown: ShownConflict, now: datetime) -> View:
    """Both versions, what they come from, and how they differ."""
    conflict, copy = shown.conflict, shown.copy
    what = "a part" if copy.kept else "the whole file"
    sections = [ViewSection((TextLine(f"{conflict.id}  {copy.path}: {what}, {_age(conflict.since, now)}"),))]
    if copy.base:
        sections.append(_text("was", copy.base))
    if copy.kept:
        sections += [_text("kept", copy.kept), _text("other", copy.other)]
    sections.append(ViewSection((Diff(tuple(shown.diff)),), "from kept to other"))
    hint = f"`ctxrepo conflicts resolve {conflict.id} --keep kept`, or other, or both"
    return View("Conflict", tuple(sections), (hint,))


def _commit(commit: CommitSummary, path: str) -> Iterator[TextLine]:
    """A line for the commit; of the note or entry that was asked for, one for each change of it."""
    from ctxrepo.app.review.past import who

    start = f"{wall_time(commit.when)}  {commit.commit[:10]}"
    if not commit.path:
        more = [f"… {commit.more} more"] if commit.more else []
        what = " ".join([*commit.lines, *more])
        yield TextLine("  ".join(filter(None, (start, commit.subject, what, f"({who(commit)})"))))
        return
    yield TextLine(f"{start}  {who(commit)}{'' if commit.path == path else f'  {commit.path}'}")
    yield from (TextLine(line, 2) for line in commit.lines)
    if commit.more:
        yield TextLine(f"… {commit.more} more", 2)


def _conflict(conflict: Conflict, now: datetime) -> str:
    if conflict.copy is None:
        return f"unreadable  {conflict.file}: keeps no version, look at it in an editor"
    return f"{conflict.id}  {conflict.copy.path}  {_age(conflict.since, now)}  {conflict.words}"


def _age(since: datetime | None, now: datetime) -> str:
    return "not committed" if since is None else ago(since, now)


def _text(heading: str, text: str) -> ViewSection:
    return ViewSection(tuple(TextLine(line, 1) for line in text.split("\n")), heading)
