"""The tape: anchors that synced sessions leave for those to come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import uuid4

from ctxrepo.domain.anchor import Anchor, anchors_of, to_line, to_pi_line
from ctxrepo.domain.jsonl import text_of
from ctxrepo.domain.moment import month, stamp
from ctxrepo.domain.note import decode
from ctxrepo.domain.origin import Origin
from ctxrepo.errors import UsageError
from ctxrepo.services.find import scope_named
from ctxrepo.services.project import Project
from ctxrepo.services.write import drafting
from ctxrepo.storage.memory import Memory

MAX_NAME = 200

_LEGACY = "__anchors.jsonl"


@dataclass(frozen=True)
class Anchored:
    anchor: Anchor
    path: str


def anchor(
    memory: Memory,
    name: str,
    project: Project | None,
    origin: Origin,
    now: datetime,
    *,
    summary: str = "",
    purpose: str = "",
    keywords: Sequence[str] = (),
    trigger: str = "direct",
) -> Anchored:
    """Leave a handoff anchor on the tape of the project, of global outside one; acknowledged as any write."""
    if not name.strip() or len(name) > MAX_NAME or not name.isprintable():
        raise UsageError(
            f"an anchor's name is one line of 1 to {MAX_NAME} characters", "For example task/begin."
        )
    scope = scope_named(memory, "", project)
    meta = {"trigger": trigger, "keywords": list(keywords), "summary": summary, "purpose": purpose}
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
    path = f"TAPE/{scope.folder}/{memory.host}-{month(now)}.jsonl"
    with drafting(memory, "anchor", origin, now) as draft:
        draft.saying = f"anchor {made.name}"
        draft.append_line(path, to_line(made))
        legacy = f"TAPE/{scope.folder}{_LEGACY}"
        if draft.text(legacy) is not None:  # pi-memory-md reads this file and no other
            draft.append_line(legacy, to_pi_line(made))
        draft.register(scope.project)
    return Anchored(made, path)


def newest_handoff(memory: Memory, tree: str | None, folder: str) -> Anchor | None:
    """The last handoff left for a scope; one that says something comes before a bare one."""
    objects = memory.objects
    tapes = [key for path, key in objects.below(tree, "TAPE").items() if tape_folder(path) == folder]
    found = [a for key in tapes for a in anchors_of(decode(objects.data(key))) if a.type == "handoff"]
    return max(found, key=lambda a: (bool(a.summary), a.timestamp, a.id), default=None)


def tape_folder(path: str) -> str:
    """The scope folder whose tape the file at `path` is, '' when it is no tape."""
    top, _, rest = path.partition("/")
    if top != "TAPE" or not rest.endswith(".jsonl"):
        return ""
    return rest.partition("/")[0] if "/" in rest else rest.removesuffix(_LEGACY)


def handoff_text(anchor: Anchor) -> str:
    """What the next session is told of a handoff: its summary and purpose."""
    said = [anchor.summary, f"purpose: {text_of(anchor.meta, 'purpose')}"]
    return "\n".join(line for line in said if line and line != "purpose: ") or anchor.name
