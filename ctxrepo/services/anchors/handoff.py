"""An anchor with what whoever goes on needs to know; what isn't said is gathered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from datetime import datetime

from ctxrepo.domain.formats.jsonl import render
from ctxrepo.domain.git.origin import Origin
from ctxrepo.domain.secrets import scan
from ctxrepo.domain.tape.handoff import Handoff, fitted, handoff_of, meta_of
from ctxrepo.lazy import dataclass
from ctxrepo.services.anchors.draft_handoff import Sitting, gather
from ctxrepo.services.anchors.leave import AnchorRequest, AnchorResult, anchor
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.reading.find import scope_named
from ctxrepo.services.reading.tape import newest_here
from ctxrepo.storage.memory import Memory

NAME = "handoff/session"


def prepare(
    memory: Memory, given: Handoff, sitting: Sitting, project: Project | None, now: datetime, scope: str = ""
) -> Handoff:
    """The handoff as it would be left: what is `given`, and what is gathered in place of the rest.

    What comes next can't be gathered: the next step of the newest handoff stays until another one is given,
    with its goal where this session has none of its own.
    """
    place = scope_named(memory, scope, project)
    gathered = gather(memory, place, sitting, now)
    newest = newest_here(memory, place.folder)
    if newest and not given.next:
        before = handoff_of(newest.meta)
        gathered = replace(gathered, goal=gathered.goal or before.goal, next=before.next)
    parts = {f.name: getattr(given, f.name) or getattr(gathered, f.name) for f in fields(given)}
    if parts["asked"] == parts["goal"]:
        parts["asked"] = ""
    return _without_secrets(fitted(Handoff(**parts)), given)


@dataclass(frozen=True)
class HandoverRequest:
    """A handoff, the name of its anchor, and whose tape it stands on ('' the project's). What it is left for:
    a trigger, and the keywords that asked for it. `entry` is the message of the transcript at which it is."""

    handoff: Handoff
    name: str = NAME
    scope: str = ""
    trigger: str = "direct"
    keywords: Sequence[str] = ()
    entry: str = ""


def hand_over(
    memory: Memory, request: HandoverRequest, project: Project | None, origin: Origin, now: datetime
) -> AnchorResult | None:
    """Leave it as an anchor; None, and nothing is left, when it says nothing. When the newest of the scope
    says the same, that one stands."""
    handoff = request.handoff
    if not handoff.says_something:
        return None
    left = AnchorRequest(
        request.name,
        keywords=request.keywords,
        scope=request.scope,
        trigger=request.trigger,
        handoff=handoff,
        entry=request.entry,
    )
    return anchor(memory, left, project, origin, now)


def _without_secrets(handoff: Handoff, given: Handoff) -> Handoff:
    """The handoff without what the guard would refuse of what was gathered: that must not keep the rest from
    being left. What is given is for whoever gives it to mend."""
    for name in ("asked", "goal", "done", "open", "files", "anchors"):
        if not scan(render(meta_of(handoff))):
            break
        if not getattr(given, name):
            handoff = Handoff(**{**vars(handoff), name: getattr(Handoff(), name)})
    return handoff
