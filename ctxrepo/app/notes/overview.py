"""Operations that look at the memory as a whole: what is in which note, and how much of it matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from ctxrepo.app.notes.browsing import ScopeRequest
from ctxrepo.app.result import Result
from ctxrepo.domain.formats.described import Between
from ctxrepo.domain.formats.moment import counted
from ctxrepo.domain.project.target import ScopeName
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.domain.score.residency import Residency
    from ctxrepo.services.score.topics import Topic


@dataclass(frozen=True)
class PagesRequest:
    """Notes as pages of a working set of so many tokens."""

    scope: ScopeName = ""
    budget: Annotated[int, Between(0)] = 4096
    """The tokens of the working set."""


def list_topics(desk: Desk, request: ScopeRequest) -> Result[Sequence[Topic]]:
    """List the notes in view with how much is in each and how much of it matters now."""
    from ctxrepo.hooks.own_files import today
    from ctxrepo.services.score.topics import topics
    from ctxrepo.services.score.update_scores import update_scores

    desk.commit_pending()
    update_scores(desk.memory, today())
    listed = topics(desk.memory, request.scope, desk.project, today())
    cold = [topic.path for topic in listed if topic.is_cold]
    if cold:
        what = cold[0] if len(cold) == 1 else f"{len(cold)} notes"
        desk.notice(f"{what} went cold; nothing is archived by itself, `ctxrepo archive PATH` does it")
    return Result(listed, "topics")


def list_pages(desk: Desk, request: PagesRequest) -> Result[Residency]:
    """Show the notes in view as pages, and how much of each is resident within a budget."""
    from ctxrepo.hooks.own_files import today
    from ctxrepo.services.score.pages import pages
    from ctxrepo.services.score.update_scores import update_scores

    desk.commit_pending()
    update_scores(desk.memory, today())
    residency = pages(desk.memory, request.scope, desk.project, request.budget)
    dropped = [page.path for page in residency.dropped]
    if dropped:
        desk.notice(
            f"{request.budget} tokens are too few, which leaves out {counted(len(dropped), 'page')}; "
            "`ctxrepo archive` what is past, or split long notes"
        )
    data = [
        {
            **{name: getattr(page, name) for name in ("id", "path", "kind", "title", "hash", "updated")},
            "scope": page.path.partition("/")[0],
            "last_confirmed": page.confirmed or None,
            "pinned": page.is_pinned,
            "min_fidelity": page.least,
            "fidelity": fidelity,
            "tokens": page.tokens(fidelity),
            "tokens_full": page.tokens("full"),
        }
        for page, fidelity in residency.pages
    ]
    tokens = {"budget": residency.budget, "used": residency.used}
    return Result(residency, {**tokens, "dropped": dropped, "pages": data})
