"""A note with a head of its own."""

from datetime import datetime

from ctxrepo.domain.formats.moment import day
from ctxrepo.domain.git.oid import blob_id
from ctxrepo.domain.note import frontmatter
from ctxrepo.domain.note.compose import word
from ctxrepo.domain.note.note import decode_exactly, encode
from ctxrepo.domain.records.save import Origin
from ctxrepo.errors import Refused, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.notes.requests import NewNoteRequest
from ctxrepo.services.reading.find import destination_of, scope_named, spelt
from ctxrepo.services.saving.write import drafting
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.user import assets


@dataclass(frozen=True)
class NewNote:
    """Where the note is, and the blob id of what was written."""

    path: str
    hash: str


MAX_DESCRIPTION = 1000
"""Characters of a line that every session is shown."""


def new(
    memory: Memory, request: NewNoteRequest, project: Project | None, origin: Origin, now: datetime
) -> NewNote:
    """Write a new note; Refused when there is one at its path already."""
    target, description, body = request.target, request.description, request.body
    today = day(now)
    if request.template:
        body = _from_template(request.template, body, today)
        description = description if description.strip() else frontmatter.read(body).description
    if target.entry_id or target.lines:
        raise UsageError("a new note needs a path, and this names an entry", "Write [SCOPE:]PATH.")
    if not description.strip():
        raise UsageError("the description is empty", "One line: what will somebody find in this note?")
    if len(description) > MAX_DESCRIPTION:
        raise UsageError(
            f"the description is longer than {MAX_DESCRIPTION} characters", "One line; the rest is the body."
        )
    target = destination_of(memory, target, project)
    scope = scope_named(memory, target.scope, project)
    path = spelt(memory, f"{scope.folder}/{target.path}")
    words = [word(tag.lstrip("#"), "tag") for tag in request.tags]
    if frontmatter.split(body)[0]:
        text = frontmatter.set_field(body, "description", description)
        text = frontmatter.set_field(text, "tags", words) if words else text
    else:
        fields: dict[str, frontmatter.Value] = {"description": description, "tags": words}
        fields |= {"created": today, "updated": today}
        text = frontmatter.render({k: v for k, v in fields.items() if v}) + ("\n" if body else "") + body
    text = text if text.endswith("\n") else text + "\n"
    with drafting(memory, "new", origin, now) as draft:
        if draft.text(path) is not None:
            raise Refused(f"there is a note {path} already", "Add to it with `ctxrepo remember --note`.")
        draft.saying = description
        draft.put(path, text)
        draft.register(scope.project)
    return NewNote(path, blob_id(encode(text)))


def templates() -> dict[str, str]:
    """The notes that a new one can begin as, by their names."""
    found = assets.files("templates/notes")
    return {path.removesuffix(".md"): decode_exactly(data) for path, data in found.items()}


def _from_template(name: str, body: str, today: str) -> str:
    known = templates()
    if name not in known:
        raise UsageError(f"there is no template {name!r}", f"There are {', '.join(known)}.")
    if frontmatter.split(body)[0]:
        raise UsageError("the text has frontmatter of its own", "Leave --template out, or its frontmatter.")
    head, samples = frontmatter.split(frontmatter.set_field(known[name], "created", today))
    return f"{head}\n{body}" if body else head + samples
