"""What was said in agents' sessions is found by its words, and shown with what stands around it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import time

from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder, visible
from ctxrepo.domain.secrets import mask_part
from ctxrepo.domain.tape.anchors import Anchor, anchors_of, in_order
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.conversations import masked, shown
from ctxrepo.services.sessions.found_messages import (
    NEIGHBOUR_CHARS,
    MessageQuery,
    find_messages,
    first_hit,
    terms_of,
)
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import Projects, resume_command, why_no_command
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.sessions.session_index import IndexedSession

BEFORE, AFTER = 80, 120
"""Characters that are shown before and from the first hit."""

_LOOKED_BACK, _LOOKED_AHEAD = 128 * 1024, 4096
"""Characters before and from a hit that are looked at for secrets, before they are cut to what is shown: a
private key is known by its first line, thousands of characters before its last."""

_NEIGHBOUR_SHOWN = 200
"""Characters that are shown of a message beside a hit."""


@dataclass(frozen=True)
class SessionQuery:
    """What is looked for. `text`: words, each in any of its forms, and `"…"` together. `project` is a folder
    of the memory, an id, or a checkout's name; `file` a path or its end; `since` unix seconds. `context`
    counts messages to show on either side. What was said in the session `here`, which asks and has it, comes
    last."""

    text: str
    agent: str = ""
    project: str = ""
    since: int = 0
    is_by_user: bool = False
    file: str = ""
    context: int = 1
    limit: int = 10
    here: str = ""

    def wants(self, projects: Projects, agent: str, cwd: str) -> bool:
        """Whether a session of this agent in this folder is one of those that are searched."""
        return self.agent in ("", agent) and projects.is_called(cwd, self.project)


@dataclass(frozen=True)
class SessionHit:
    """A message that was found, and those around it, masked and cut. `resume` is the command that goes on
    with its session, `no_resume` why there is none, `anchor` what was left before it."""

    agent: str
    session: str
    project: str
    cwd: str
    path: str
    resume: str
    said: SessionMessage
    anchor: Anchor | None = None
    before: Sequence[SessionMessage] = ()
    after: Sequence[SessionMessage] = ()
    no_resume: str = ""


@dataclass(frozen=True)
class SessionsFound:
    """The hits, and whether all that was said could be searched."""

    hits: Sequence[SessionHit]
    is_complete: bool


def search_sessions(memory: Memory, query: SessionQuery) -> list[SessionHit]:
    """At most `limit` hits, the best first, and of equal ones the newest; NotFound for none. Bring the index
    up to date before."""
    if not (terms_of(query.text) or query.file or query.is_by_user):
        raise UsageError("there is nothing to search for", "Give a word, or --file, or --user.")
    projects = Projects(memory)
    messages = find_messages(
        memory,
        MessageQuery(
            text=query.text,
            wants_session=lambda one: query.wants(projects, one.agent, one.cwd),
            types=("user",) if query.is_by_user else (),
            file=query.file,
            since=query.since,
            here=query.here,
            context=query.context,
            limit=query.limit,
        ),
    )
    if not messages:
        raise NotFound(f"nothing found for {query.text or query.file!r} in agents' sessions")
    anchors = anchors_of_sessions(memory, frozenset(found.session.id for found in messages))
    terms, profiles = terms_of(query.text), Profiles(memory)
    # Secrets are looked for in all neighbours at once: most are short, and each search has a cost.
    neighbours = [other for found in messages for other in (*found.before, *found.after)]
    sides = iter(shown(neighbours, _NEIGHBOUR_SHOWN, NEIGHBOUR_CHARS))
    hits = []
    for found in messages:
        before, after = ([*islice(sides, len(side))] for side in (found.before, found.after))
        session, when = found.session, second_at(found.at)
        text = snippet(found.text, terms)
        message = replace(found.message, session=session.id, when=when, text=text, details=())
        hit = hit_of(session, message, projects, profiles)
        anchor = last_before(anchors[session.id], found.at)
        hits.append(replace(hit, anchor=anchor, before=before, after=after))
    return hits


def hit_of(
    session: IndexedSession, said: SessionMessage, projects: Projects, profiles: Profiles
) -> SessionHit:
    """A message of a session, with what is told of that session."""
    profile = profiles.assignment(session.agent, session.path)
    return SessionHit(
        session.agent,
        session.id,
        next(iter(projects.names_of(session.cwd)), ""),
        session.cwd,
        session.path,
        resume_command(session, profile),
        said,
        no_resume=why_no_command(session),
    )


def snippet(text: str, terms: Sequence[str]) -> str:
    """What stands around the first of the terms, on one line, without secrets and what acts on terminals."""
    at = first_hit(text, terms)
    first, last = max(0, at - _LOOKED_BACK), at + _LOOKED_AHEAD
    clean = " ".join(mask_part(text[first:last]).split())
    hit = first_hit(clean, terms)
    begin, end = max(0, hit - BEFORE), hit + AFTER
    head = "…" if first or begin else ""
    tail = "…" if last < len(text) or end < len(clean) else ""
    return f"{head}{visible(clean[begin:end])}{tail}"


def anchors_of_sessions(memory: Memory, sessions: frozenset[str]) -> Mapping[str, Sequence[Anchor]]:
    """session -> its anchors, oldest first, each with the folder of its scope as its project."""
    names = [session.encode() for session in sessions]
    tapes = ((path, memory.worktree.read(path) or b"") for path in memory.worktree.scan(TAPES).files)
    of_files = (
        replace(anchor, project=tape_folder(path))
        for path, data in tapes
        if any(name in data for name in names)
        for anchor in anchors_of(decode(data))
    )
    anchors: dict[str, list[Anchor]] = {session: [] for session in sessions}
    for anchor in (*of_files, *LocalTape(memory.state).all_anchors()):
        if anchor.session_id in sessions:
            anchors[anchor.session_id].append(anchor)
    return {session: in_order(own, time()) for session, own in anchors.items()}


def last_before(anchors: Sequence[Anchor], at: int) -> Anchor | None:
    """The last anchor by the second `at`, without secrets; one left on purpose comes before one of a start or
    end."""
    earlier = [anchor for anchor in anchors if int(anchor.moment) <= at]
    handoffs = [anchor for anchor in earlier if anchor.type == "handoff"]
    last = (handoffs or earlier)[-1:]
    return masked(last[0]) if last else None
