"""A session drawn as a tree, with the anchors that were left in it."""

from __future__ import annotations

from dataclasses import replace

from ctxrepo.domain.tape.tree import TreeLine, tree_of
from ctxrepo.errors import NotFound
from ctxrepo.services.sessions.points import masked
from ctxrepo.services.tape.look import CHARS
from ctxrepo.services.tape.view import TapeView
from ctxrepo.services.transcripts.conversations import shown


def draw(view: TapeView) -> list[TreeLine]:
    """The messages of the session that is meant, cut as they are shown. NotFound where no transcript of it is
    on this machine."""
    if not view.session:
        raise NotFound("no agent's session of this project is known here", "--session names one.")
    said = view.said()
    if not said.messages:
        raise NotFound(
            f"nothing that was said in the session {view.session} can be read on this machine",
            "`ctxrepo tape list` shows its anchors.",
        )
    lines = tree_of(said, view.own.anchors)
    messages = shown((line.message for line in lines), CHARS)
    return [
        replace(line, message=message, anchors=tuple(masked(anchor) for anchor in line.anchors))
        for line, message in zip(lines, messages, strict=True)
    ]
