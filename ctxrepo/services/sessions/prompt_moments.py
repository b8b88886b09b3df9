"""The moment of a session at which something was written: the prompt and the anchor before it."""

from math import ceil, floor
from typing import NamedTuple

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.project.layout import shown as on_one_line
from ctxrepo.domain.tape.anchors import Anchor, Tape
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.conversations import mask_and_cut, read_conversation
from ctxrepo.services.sessions.found_messages import MessageQuery, find_messages, indexed_sessions
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.services.sessions.session_projects import resume_command, why_no_command
from ctxrepo.services.sessions.session_search import anchors_of_sessions, last_before
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.session_index import IndexedSession, index_file

_PROMPT = 200
"""Characters that are shown of a prompt's first line."""

_READ = 4096
"""Characters of a prompt in which its first line with words is looked for."""

_MASKED = 128 * 1024
"""Characters of a prompt in which secrets are masked: a key is recognised by its first and last line."""

_BYTES = 8 * 1024 * 1024
"""Bytes that are read at the end of a transcript that isn't in the index, or was written to since."""

_NANOSECONDS = 10**9


@dataclass(frozen=True)
class PromptMoment:
    """A moment of a session. `prompt` is the first line of the user's last prompt before it, and `asked` when
    that was said (ISO 8601); without a prompt `unknown` says why. `anchor` is the last one left before it,
    and `anchor_id` its short id. `resume` is the command that resumes the session, '' where there is none."""

    agent: str
    session: str
    prompt: str = ""
    asked: str = ""
    unknown: str = ""
    anchor: Anchor | None = None
    anchor_id: str = ""
    resume: str = ""
    no_resume: str = ""
    """Why there is none, if its agent can resume other sessions."""


class Resumption(NamedTuple):
    """The command that resumes a session, or '' and why there is none, if its agent can resume others."""

    command: str = ""
    obstacle: str = ""


def prompt_moment(memory: Memory, agent: str, session: str, host: str, at: float) -> PromptMoment:
    """What a session was about at the moment `at` (Unix seconds), by its anchors and by its transcript, if
    that is here. `host` is the machine on which it ran, '' if unknown. Secrets are masked."""
    indexed = _indexed_session(memory, agent, session)
    agent = agent or (indexed.agent if indexed else "")
    prompt = _in_index(memory, indexed, at) if indexed and indexed.mtime >= at * _NANOSECONDS else None
    unknown = ""
    if prompt is None:
        try:
            conversation = read_conversation(memory, agent, session, _BYTES)
        except CtxrepoError as error:
            conversation, unknown = None, f"its transcript can't be read: {error.message}"
        if conversation:
            agent = conversation.agent
            prompt = _last_before(conversation.messages, at)
            unknown = "" if prompt else "no prompt before it is in the transcript"
        elif indexed:  # it could be read when it was indexed
            unknown = unknown or "its transcript can't be read on this machine any more"
        elif host and host != memory.host:
            unknown = f"the session ran on {host}, and its transcript is not on this machine"
        else:
            unknown = unknown or "no transcript of it is on this machine"
    anchors = anchors_of_sessions(memory, frozenset({session}))[session]
    anchor = last_before(anchors, floor(at))
    can_resume = bool(agent and (indexed or prompt))
    resume = resumption(memory, agent, session, indexed) if can_resume else Resumption()
    text = mask_and_cut([prompt], _READ, _MASKED)[0].text if prompt else ""
    return PromptMoment(
        agent=agent,
        session=session,
        prompt=next((on_one_line(line.strip(), _PROMPT) for line in text.split("\n") if line.strip()), ""),
        asked=prompt.when if prompt else "",
        unknown=unknown,
        anchor=anchor,
        anchor_id=Tape(tuple(anchors)).short_ids.get(anchor.id, anchor.id) if anchor else "",
        resume=resume.command,
        no_resume=resume.obstacle,
    )


def resumption(memory: Memory, agent: str, session: str, indexed: IndexedSession | None = None) -> Resumption:
    """How a person resumes a session whose transcript is here, in its folder if the index has that. One
    that is in the index needs no `agent`."""
    indexed = indexed or _indexed_session(memory, agent, session)
    known = indexed or IndexedSession("", agent, session, "")
    command = resume_command(known, Profiles(memory).assignment(known.agent, known.path))
    return Resumption(command, why_no_command(known) if indexed else "")


def _indexed_session(memory: Memory, agent: str, session: str) -> IndexedSession | None:
    """The session as the index has it; None where it hasn't, or there is no index."""
    if not index_file(memory.state.root).is_file():
        return None
    sessions = (candidate for candidate in indexed_sessions(memory) if candidate.id == session)
    return next((candidate for candidate in sessions if agent in ("", candidate.agent)), None)


def _in_index(memory: Memory, session: IndexedSession, at: float) -> SessionMessage | None:
    """The user's last prompt up to a moment, of a session that was indexed after it."""

    def is_it(other: IndexedSession) -> bool:
        return (other.agent, other.id) == (session.agent, session.id)

    query = MessageQuery(wants_session=is_it, types=("user",), until=ceil(at), limit=5)
    try:
        prompts = find_messages(memory, query)
    except CtxrepoError:  # another program's folder hangs
        return None
    return next((prompt.message for prompt in prompts if prompt.message.text.strip()), None)


def _last_before(messages: tuple[SessionMessage, ...], at: float) -> SessionMessage | None:
    """The user's last prompt up to a moment. A message without a time counts as said with the one before."""
    prompt, moment = None, 0.0
    for message in messages:
        moment = seconds_of(message.when) or moment
        if moment > at + 1:
            break
        if message.who == "user" and message.text.strip():
            prompt = message
    return prompt
