"""A session leaves an anchor for those to come."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import uuid4

from ctxrepo.domain.formats.jsonl import with_room
from ctxrepo.domain.formats.moment import month, stamp
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.project.layout import tapes_of
from ctxrepo.domain.tape.anchor import Anchor, to_line
from ctxrepo.domain.tape.handoff import Handoff, meta_of
from ctxrepo.errors import UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.project import Project
from ctxrepo.services.reading.anchors import BY_ITSELF
from ctxrepo.services.reading.find import scope_named
from ctxrepo.services.saving.write import drafting
from ctxrepo.services.tape.pitape import share
from ctxrepo.storage.memory import Memory

MAX_NAME = 200


@dataclass(frozen=True)
class AnchorResult:
    """`existing` says that the anchor was there already, and none was added."""

    anchor: Anchor
    path: str
    existing: bool = False


@dataclass(frozen=True)
class AnchorRequest:
    """An anchor's name and what it says. `scope` is whose tape it stands on, '' the project's; `trigger` says
    what it was left for, and `handoff` tells whoever goes on."""

    name: str
    summary: str = ""
    purpose: str = ""
    keywords: Sequence[str] = ()
    scope: str = ""
    trigger: str = "direct"
    handoff: Handoff | None = None


def anchor(
    memory: Memory, request: AnchorRequest, project: Project | None, origin: Origin, now: datetime
) -> AnchorResult:
    """Leave a handoff anchor on the tape of a scope, by default the project's; acknowledged as any write."""
    name = request.name
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(
            f"an anchor's name is one line of 1 to {MAX_NAME} characters", "For example task/begin."
        )
    place = scope_named(memory, request.scope, project)
    meta = {
        "trigger": request.trigger,
        "keywords": list(request.keywords),
        "summary": request.summary,
        "purpose": request.purpose,
    }
    meta |= meta_of(request.handoff) if request.handoff else {}
    anchor_id = str(uuid4())
    made = Anchor(
        id=anchor_id,
        timestamp=stamp(now),
        name=name.strip(),
        type="handoff",
        session_id=origin.session or "cli",
        session_entry_id=anchor_id,
        meta={k: v for k, v in meta.items() if v},
        host=memory.host,
    )
    verb = BY_ITSELF if request.trigger == BY_ITSELF else "anchor"
    with drafting(memory, verb, origin, now) as draft:
        draft.saying = f"anchor {made.name}"
        path = with_room(f"{tapes_of(place.folder)}/{memory.host}-{month(now)}", draft.there)
        draft.append_line(path, to_line(made))
        share(draft, place.folder)
        draft.register(place.project)
    return AnchorResult(made, path)
