"""Operations that look at the memory as a whole: what is in which note, and how much of it matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.app.notes.browsing import ScopeRequest
from ctxrepo.app.result import Result

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.score.topics import Topic


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
