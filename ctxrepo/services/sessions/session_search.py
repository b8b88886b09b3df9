"""What was said in agents' sessions is found by its words, and shown with what stands around it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice
from time import time

from ctxrepo.domain.formats.moment import second_at
from ctxrepo.domain.note.note import decode
from ctxrepo.domain.project.layout import TAPES, tape_folder, visible
from ctxrepo.domain.question.excerpts import excerpt
from ctxrepo.domain.question.question_terms import first_hit, question_terms
from ctxrepo.domain.secrets import mask_part
from ctxrepo.domain.tape.anchors import Anchor, anchors_of, in_order
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import NotFound, UsageError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.conversations import masked, shown
from ctxrepo.services.sessions.found_messages import NEIGHBOUR_CHARS, MessageQuery
from ctxrepo.services.sessions.found_windows import find_windows
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import Projects, resume_command, why_no_command
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.local_tape import LocalTape
from ctxrepo.storage.sessions.session_index import IndexedSession

_LOOKED_BACK, _LOOKED_AHEAD = 128 * 1024, 4096
"""Characters before and from a hit that are looked at for secrets, before they are cut to what is shown: a
private key is known by its first line, thousands of characters before its last."""

_SHOWN, _NEIGHBOUR_SHOWN = 500, 320
"""Characters that are shown of a match, and of a message beside it, at most."""


@dataclass(frozen=True)
class SessionQuery:
    """What is looked for. `text`: a question, or words, each in any of its forms; `"…"` must be there.
    `project` is a folder of the memory, an id, or a checkout's name; `file` a path or its end; `since` unix
    seconds. `context` counts messages to show on either side, None: what a window has. `limit` counts
    sessions. The session `here`, which asks and has it, comes last."""

    text: str
    agent: str = ""
    project: str = ""
    since: int = 0
    is_by_user: bool = False
    file: str = ""
    context: int | None = None
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
    missing: Sequence[str] = ()
    """Words of the question that stand neither there nor near it."""


@dataclass(frozen=True)
class SessionsFound:
    """The hits, whether all that was said could be searched, and which words stand nowhere in it."""

    hits: Sequence[SessionHit]
    is_complete: bool = True
    unknown: Sequence[str] = ()

    @property
    def has_all_words(self) -> bool:
        """Whether a hit has all that was asked for."""
        return any(not hit.missing for hit in self.hits)


def search_sessions(memory: Memory, query: SessionQuery) -> SessionsFound:
    """At most `limit` hits, one of a session: those with all words first, then those with some, the best
    first, and of equal ones the newest; NotFound for none. Bring the index up to date before."""
    if not (query.text.strip() or query.file or query.is_by_user):
        raise UsageError("there is nothing to search for", "Give a word, or --file, or --user.")
    projects = Projects(memory)
    asked = MessageQuery(
        text=query.text,
        wants_session=lambda one: query.wants(projects, one.agent, one.cwd),
        types=("user",) if query.is_by_user else (),
        file=query.file,
        since=query.since,
        here=query.here,
        limit=query.limit,
    )
    answer = find_windows(memory, asked, query.context)
    if not answer.windows:
        hint = "Without the quotes, any of its words is searched for." if '"' in query.text else ""
        raise NotFound(f"nothing found for {query.text or query.file!r} in agents' sessions", hint)
    anchors = anchors_of_sessions(memory, frozenset(one.found.session.id for one in answer.windows))
    profiles, terms = Profiles(memory), [term.text for term in question_terms(query.text)]
    # Secrets are looked for in all neighbours at once: most are short, and each search has a cost.
    neighbours = [other for one in answer.windows for other in (*one.found.before, *one.found.after)]
    sides = iter(shown(neighbours, NEIGHBOUR_CHARS, NEIGHBOUR_CHARS))
    hits = []
    for found, missing in answer.windows:
        before, after = (
            [_neighbour(other, terms) for other in islice(sides, len(side))]
            for side in (found.before, found.after)
        )
        session, when = found.session, second_at(found.at)
        text = snippet(found.text, terms)
        message = replace(found.message, session=session.id, when=when, text=text, details=())
        hit = hit_of(session, message, projects, profiles)
        anchor = last_before(anchors[session.id], found.at)
        hits.append(replace(hit, anchor=anchor, before=before, after=after, missing=missing))
    return SessionsFound(hits, unknown=answer.unknown)


def _neighbour(message: SessionMessage, terms: Sequence[str]) -> SessionMessage:
    return replace(message, text=excerpt(message.text, terms, _NEIGHBOUR_SHOWN))


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
    """What stands around the terms, on one line, without secrets and what acts on terminals."""
    at = first_hit(text, terms)
    first, last = max(0, at - _LOOKED_BACK), at + _LOOKED_AHEAD
    clean = mask_part(text[first:last])
    head, tail = "…" if first else "", "…" if last < len(text) else ""
    return f"{head}{visible(excerpt(clean, terms, _SHOWN))}{tail}"


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
