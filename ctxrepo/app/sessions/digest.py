"""A stretch of past work, gathered for an agent to digest."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from ctxrepo.app.result import Result
from ctxrepo.app.sessions.anchor_fields import message_fields, shown_fields
from ctxrepo.app.sessions.tape import OnTape, TapeRequest, notice_missing, on_tape, view_tape

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk
    from ctxrepo.services.digest.digest import Digest
    from ctxrepo.services.digest.stretch import DigestRequest


def digest(desk: Desk, request: TapeRequest[DigestRequest]) -> Result[OnTape[Digest]]:
    """Gather what was asked, answered and left in a stretch of work, and what memory says of it already."""
    from ctxrepo.services.digest.digest import digest
    from ctxrepo.services.reading.find import search_order

    desk.commit_pending()
    view = view_tape(desk, request)
    found = digest(view, request.wanted, search_order(desk.memory, desk.project), desk.now.astimezone())
    notice_missing(desk, view)
    folder = view.place.folder
    data = {
        "stretch": found.why,
        "anchors": [shown_fields(one, folder, with_context=False) for one in found.anchors],
        "turns": [
            {
                "asked": message_fields(one.asked),
                "answered": message_fields(one.answered) if one.answered else None,
            }
            for one in found.turns
        ],
        "left": found.left,
        "known": [asdict(entry) for entry in found.known],
    }
    return Result(on_tape(view, found), data)
