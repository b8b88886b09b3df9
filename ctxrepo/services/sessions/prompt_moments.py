"""At which moment of which session something was written: the prompt and the anchor before it."""

from math import ceil, floor

from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.project.layout import shown as on_one_line
from ctxrepo.domain.tape.anchors import Anchor, Tape
from ctxrepo.domain.tape.session_messages import SessionMessage
from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.conversations import read_conversation, shown
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

_LOOKED_AT = 128 * 1024
"""Characters of a prompt that are looked at for secrets: a key is known by its first line and its last."""

_BYTES = 8 * 1024 * 1024
"""Of a transcript that isn't in the index, or was written to since, so much of the end is read."""

_NANOSECONDS = 10**9


@dataclass(frozen=True)
class PromptMoment:
    """`prompt` is the first line of what the user said last, at the moment `asked`; without it `unknown` says
    why. `anchor` was left last before, and is named by the id `anchor_id`. `resume` is the command that goes
    on with the session, '' where there is none."""

    agent: str
    session: str
    prompt: str = ""
    asked: str = ""
    unknown: str = ""
    anchor: Anchor | None = None
    anchor_id: str = ""
    resume: str = ""
    no_resume: str = ""
    """Why there is none, where its agent could go on with others."""


def prompt_moment(memory: Memory, agent: str, session: str, host: str, at: float) -> PromptMoment:
    """What a session was about at a moment in Unix seconds, by its anchors and by its transcript, if that is
    here. Secrets are masked."""
    indexed = indexed_session(memory, agent, session)
    agent = agent or (indexed.agent if indexed else "")
    prompt = _in_index(memory, indexed, at) if indexed and indexed.mtime >= at * _NANOSECONDS else None
    unknown = ""
    if prompt is None:
        try:
            part = read_conversation(memory, agent, session, _BYTES)
        except CtxrepoError as error:
            part, unknown = None, f"its transcript can't be read: {error.message}"
        if part:
            agent = part.conversation.agent
            prompt = _last_before(part.conversation.messages, at)
            unknown = "" if prompt else "no prompt before it is in the transcript"
        elif indexed:  # read by then, and can't be read now
            unknown = unknown or "its transcript can't be read on this machine any more"
        elif host and host != memory.host:
            unknown = f"the session ran on {host}, and its transcript is not on this machine"
        else:
            unknown = unknown or "no transcript of it is on this machine"
    anchors = anchors_of_sessions(memory, frozenset({session}))[session]
    anchor = last_before(anchors, floor(at))
    resume = resume_of(memory, agent, session, indexed) if agent and (indexed or prompt) else ""
    said = shown([prompt], _READ, _LOOKED_AT)[0].text if prompt else ""
    return PromptMoment(
        agent=agent,
        session=session,
        prompt=next((on_one_line(line.strip(), _PROMPT) for line in said.split("\n") if line.strip()), ""),
        asked=prompt.when if prompt else "",
        unknown=unknown,
        anchor=anchor,
        anchor_id=Tape(tuple(anchors)).short_ids.get(anchor.id, anchor.id) if anchor else "",
        resume=resume,
        no_resume=why_no_command(indexed) if indexed else "",
    )


def resume_of(memory: Memory, agent: str, session: str, indexed: IndexedSession | None = None) -> str:
    """The command that goes on with a session of which there is a transcript here, in its folder if the index
    knows that; '' where its agent has none."""
    known = indexed or indexed_session(memory, agent, session) or IndexedSession("", agent, session, "")
    return resume_command(known, Profiles(memory).assignment(agent, known.path))


def why_no_resume(memory: Memory, agent: str, session: str) -> str:
    """Why a person can't go on with a session, where that is to be said."""
    indexed = indexed_session(memory, agent, session)
    return why_no_command(indexed) if indexed else ""


def indexed_session(memory: Memory, agent: str, session: str) -> IndexedSession | None:
    """The session as the index has it; None where it hasn't, or there is no index."""
    if not index_file(memory.state.root).is_file():
        return None
    found = (one for one in indexed_sessions(memory) if one.id == session)
    return next((one for one in found if agent in ("", one.agent)), None)


def _in_index(memory: Memory, session: IndexedSession, at: float) -> SessionMessage | None:
    """The user's last prompt up to a moment, of a session that was read into the index after it."""

    def wants(one: IndexedSession) -> bool:
        return (one.agent, one.id) == (session.agent, session.id)

    query = MessageQuery(wants_session=wants, types=("user",), until=ceil(at), limit=5)
    try:
        found = find_messages(memory, query)
    except CtxrepoError:  # another program's folder hangs
        return None
    return next((one.message for one in found if one.message.text.strip()), None)


def _last_before(messages: tuple[SessionMessage, ...], at: float) -> SessionMessage | None:
    """The user's last prompt up to a moment; one without a time counts where it stands."""
    prompt, moment = None, 0.0
    for message in messages:
        moment = seconds_of(message.when) or moment
        if moment > at + 1:
            break
        if message.who == "user" and message.text.strip():
            prompt = message
    return prompt
