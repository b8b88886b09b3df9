"""What hosts let a person attach to a conversation: the memory as a session is given it, and each note."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from ctxrepo.app.sessions.past_search import quoted
from ctxrepo.domain.project.layout import shown, visible
from ctxrepo.domain.secrets import mask
from ctxrepo.domain.text import FRAME
from ctxrepo.errors import NotFound
from ctxrepo.lazy import dataclass

if TYPE_CHECKING:
    from ctxrepo.app.desk import Desk

INDEX_URI = "ctxrepo://index"
NOTE_URI = "ctxrepo://note/"


@dataclass(frozen=True)
class ResourceRequest:
    """A resource by its URI."""

    uri: str


def read_resource(desk: Desk, request: ResourceRequest) -> str:
    """The text of a resource, framed as a quotation; NotFound for a URI that names none."""
    if request.uri == INDEX_URI:
        from ctxrepo.app.sessions.delivered import ContextRequest, context

        return desk.perform(context, ContextRequest()).value.text
    if not request.uri.startswith(NOTE_URI):
        raise NotFound(
            f"there is no resource {shown(request.uri)}", f"There are {INDEX_URI} and {NOTE_URI}PATH."
        )
    from ctxrepo.app.notes import browsing
    from ctxrepo.app.notes.targets import TargetRequest
    from ctxrepo.domain.project.target import parse_target

    target = parse_target(unquote(request.uri.removeprefix(NOTE_URI)))
    reading = desk.perform(browsing.read, TargetRequest(target)).value
    return quoted(desk, mask(visible(reading.text.rstrip("\n"))), FRAME)
