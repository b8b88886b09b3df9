"""Looking through the notes: search, tags, links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.domain.project.target import Target
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.notes.tags import Tag, TagChange, TagResult
    from ctxrepo.services.reading.links import Link, NoteLinks
    from ctxrepo.services.reading.search import Hit, SearchQuery


@dataclass(frozen=True)
class SearchRequest:
    """What is looked for, and how many hits are wanted at most."""

    query: SearchQuery
    limit: int = 20


@dataclass(frozen=True)
class ScopeRequest:
    """One scope; with '' the project and global."""

    scope: str = ""


@dataclass(frozen=True)
class LinksRequest:
    """A note."""

    target: Target


def search(desk: Desk, request: SearchRequest) -> Result[Sequence[Hit]]:
    """Search all notes, the archived too."""
    from ctxrepo.services.reading.search import search

    desk.commit_pending()
    hits = search(desk.memory, request.query, desk.project, request.limit + 1)
    if len(hits) > request.limit and request.query.mode == "words":  # by meaning there always is more
        desk.notice(f"there is more than {request.limit}; --limit shows it")
    hits = hits[: request.limit]
    return Result(hits, {"hits": [asdict(hit) for hit in hits]})


def list_tags(desk: Desk, request: ScopeRequest) -> Result[Sequence[Tag]]:
    """List the tags in use."""
    from ctxrepo.services.notes.tags import tags

    desk.commit_pending()
    found = tags(desk.memory, request.scope, desk.project)
    return Result(found, {"tags": [asdict(tag) for tag in found]})


def set_tags(desk: Desk, request: TagChange) -> Result[TagResult]:
    """Give tags to a note, and take others from it."""
    from ctxrepo.services.notes.tags import set_tags

    done = set_tags(desk.memory, request, desk.project, desk.origin, desk.now)
    desk.wake()
    return Result(done, asdict(done))


def list_links(desk: Desk, request: LinksRequest) -> Result[NoteLinks]:
    """Say what a note links to, and what links to it."""
    from ctxrepo.services.reading.links import links

    desk.commit_pending()
    found = links(desk.memory, request.target, desk.project)
    outgoing, incoming = ([asdict(link) for link in each] for each in (found.outgoing, found.incoming))
    return Result(found, {"outgoing": outgoing, "incoming": incoming})


def list_broken_links(desk: Desk, request: ScopeRequest) -> Result[Sequence[Link]]:
    """List the links that lead nowhere."""
    from ctxrepo.services.reading.links import broken_links

    desk.commit_pending()
    broken = broken_links(desk.memory, request.scope, desk.project)
    return Result(broken, {"broken": [asdict(link) for link in broken]})
