"""Anchors and messages of a tape as programs are told them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ctxrepo.domain.tape.anchor import Anchor
    from ctxrepo.domain.tape.conversation import SessionMessage
    from ctxrepo.services.tape.look import AnchorShown


def anchor_fields(anchor: Anchor, folder: str) -> dict[str, Any]:
    """An anchor on the tape of the scope with this folder."""
    return {
        "id": anchor.id,
        "name": anchor.name,
        "type": anchor.type,
        "when": anchor.timestamp,
        "agent": anchor.agent,
        "session": anchor.session_id,
        "entry": anchor.entry,
        "host": anchor.host,
        "project": folder,
        "trigger": anchor.trigger,
        "keywords": list(anchor.keywords),
        "summary": anchor.summary,
        "purpose": anchor.purpose,
    }


def shown_fields(one: AnchorShown, folder: str, *, with_context: bool) -> dict[str, Any]:
    """The same with what was said before and after it, where that was asked for."""
    fields = anchor_fields(one.anchor, folder)
    if not with_context:
        return fields
    sides = {"before": one.before, "after": one.after}
    return fields | {name: [*map(message_fields, side)] for name, side in sides.items()}


def message_fields(message: SessionMessage) -> dict[str, Any]:
    return {
        "id": message.id,
        "session": message.session,
        "agent": message.agent,
        "who": message.who,
        "when": message.when,
        "text": message.text,
        "tools": list(message.tools),
    }
