"""What happened to the memory, a note or an entry, and what waits for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ctxrepo.app.result import Result
from ctxrepo.domain.formats.moment import second
from ctxrepo.domain.project.target import Target
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.history.history import CommitSummary, Old


@dataclass(frozen=True)
class HistoryRequest:
    """The history of a note or entry, also one that is gone; of the whole memory without a target."""

    target: Target | None = None
    limit: int = 20


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


def history(desk: Desk, request: HistoryRequest) -> Result[PastCommits]:
    """Say what happened, the newest first."""
    from ctxrepo.services.history.history import history

    desk.commit_pending()
    found = history(desk.memory, request.target, desk.project, request.limit + 1)
    shown = found[: request.limit]
    return Result(PastCommits(shown, len(found) > request.limit), {"history": _fields(shown)})


def version(desk: Desk, request: VersionRequest) -> Result[Old]:
    """Bring out an earlier version, to the byte."""
    from ctxrepo.domain.note.note import decode_exactly
    from ctxrepo.services.history.history import version

    old = version(desk.memory, request.target, desk.project, request.commit)
    return Result(old, {"commit": old.commit, "path": old.path, "text": decode_exactly(old.data)})


def in_review(desk: Desk, _: None) -> Result[Sequence[CommitSummary]]:
    """List the commits that wait for people."""
    from ctxrepo.services.review.pull_request import deeds_in_review

    found = deeds_in_review(desk.memory)
    return Result(found, {"history": _fields(found)})


def pull_request(desk: Desk, _: None) -> Result[str]:
    """Say session by session what they come to, as the text of a pull request."""
    from ctxrepo.app.review.pull_request import markdown
    from ctxrepo.services.review.pull_request import pull_request

    text = markdown(pull_request(desk.memory))
    return Result(text, {"markdown": text})


def _fields(found: Sequence[CommitSummary]) -> list[dict[str, Any]]:
    return [{**asdict(one), "when": second(one.when)} for one in found]
