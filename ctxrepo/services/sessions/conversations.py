"""What was said in sessions on this machine, read within bounds from agents' transcripts and from what is
kept of them."""

import re
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ctxrepo.agents.known import AGENTS, parts_of, transcripts_of
from ctxrepo.agents.recorded import Message
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.secrets import mask, without_secrets
from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.domain.tape.session_messages import Conversation, SessionMessage
from ctxrepo.errors import NoAnswer
from ctxrepo.services.sessions.keeping import KeptReader
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.storage.disk.recent import Ends, ends_of, ends_of_rows, newest
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.transcript_lines import is_database, opened_file

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts


def transcript_of(agent: str, session: str, user_home: Path, env: Mapping[str, str]) -> str:
    """The path of an agent's transcript of a session, '' where that isn't known."""
    transcripts = transcripts_of(agent)
    return _transcript_in(transcripts.folder(user_home, env), agent, session) if transcripts else ""


def _transcript_in(folder: Path, agent: str, session: str) -> str:
    """The same in one of the agent's transcript folders."""
    transcripts = transcripts_of(agent)
    if transcripts is None or not re.fullmatch(r"[\w-]{1,100}", session, re.ASCII):
        return ""
    return next((str(path) for path in newest(folder, transcripts.OF_SESSION.format(session=session), 1)), "")


def ends_of_session(
    transcripts: "Transcripts", path: Path, session: str, most: int, first: int | None = None
) -> Ends:
    """The lines within the `first` bytes of a transcript (None: `most`) and the last `most`, which may be
    all; none where it can't be read."""
    if transcripts.QUERY and is_database(path):
        return ends_of_rows(path, transcripts.QUERY, session, most)
    opened = partial(opened_file, parts=parts_of(transcripts))
    return ends_of(path, most, most if first is None else first, most, opened)


def last_messages(memory: Memory, agent: str, session: str, transcript: str, most: int) -> list[Message]:
    """The messages in the last `most` bytes of a session's transcript, oldest first; [] where it can't be
    read. NoAnswer where its folder hangs."""
    transcripts = transcripts_of(agent)
    if transcripts is None or not transcript:
        return []
    path = Path(transcript)
    read = partial(ends_of_session, transcripts, path, session, most, first=0)
    return [*transcripts.messages(memory.outside.ask(path.parent, read).tail)]


MOST_MESSAGES = 5000
"""Messages of one session that are read, the newest."""

MOST_BYTES = 64 * 1024 * 1024
"""Bytes at the end of a transcript that are read, and of all transcripts of a request together."""

_END = 1024 * 1024
"""Bytes at the end of a transcript in which its last message is looked for."""

_MASKED = 4
"""How many times as many characters as are shown are masked: a secret may be cut in two."""


def read_conversation(
    memory: Memory, agent: str, session: str, most: int = MOST_BYTES
) -> Conversation | None:
    """What was said in a session, by at most so many bytes of its transcript; None where no profile has one
    and nothing of it is kept. If the agent is '', all agents are tried. NoAnswer where a folder doesn't
    answer."""
    profiles, empty = Profiles(memory), None
    for name in [agent] if agent else AGENTS:
        paths = (_transcript_in(folder, name, session) for folder in profiles.folders(name))
        conversations = (_read(memory, name, session, path, most) for path in paths if path)
        conversation = _with_kept(memory, name, session, next(filter(None, conversations), None))
        if conversation and conversation.messages:
            return conversation
        empty = empty or conversation
    return empty if agent else None


def _with_kept(
    memory: Memory, agent: str, session: str, conversation: Conversation | None
) -> Conversation | None:
    """What was said in a session: by its transcript, if there is one, and before that what is only kept."""
    with closing(KeptReader(kept_file(memory.state.root))) as reader:
        copies = [message_of(agent, message) for message in reader.conversation(agent, session)]
    has_transcript = conversation is not None
    conversation = conversation or Conversation(agent, session)
    ids = {message.id for message in conversation.messages}
    moments = {(message.who, message.when) for message in conversation.messages}

    def is_in_transcript(message: SessionMessage) -> bool:
        # A kept message with neither id nor moment can't be compared, so the transcript counts as having it.
        is_known = message.id in ids or (message.who, message.when) in moments
        return is_known or (has_transcript and not message.id and not message.when)

    deleted = [message for message in copies if not is_in_transcript(message)]
    if not (deleted or has_transcript):
        return None
    messages = (*deleted, *conversation.messages)[-MOST_MESSAGES:]
    is_whole = conversation.is_whole and len(messages) == len(deleted) + len(conversation.messages)
    size = conversation.size + sum(len(message.text) for message in deleted)
    return replace(conversation, messages=messages, is_whole=is_whole, size=size)


def last_entry(memory: Memory, agent: str, session: str, transcript: str, by: datetime | None = None) -> str:
    """The id of the last message in a session's transcript (until `by`, if that is given), '' where there is
    none or it has no id."""
    try:
        conversation = _read(memory, agent, session, transcript, _END) if transcript else None
    except NoAnswer:
        return ""
    for message in reversed(conversation.messages if conversation else ()):
        at = seconds_of(message.when)
        if by is None or at is None or at <= by.timestamp():
            return message.id
    return ""


def mask_and_cut(
    messages: Iterable[SessionMessage], chars: int, masked_chars: int = 0
) -> list[SessionMessage]:
    """The messages with secrets masked, and with their texts cut to so many characters (0: not cut). Secrets
    are looked for in the first `masked_chars` of each text, 0: in four times as many as are shown."""
    messages = list(messages)
    most = (masked_chars or _MASKED * chars) if chars else None
    texts = without_secrets([message.text[:most] for message in messages])
    return [
        replace(message, text=_cut(text, chars), details=())
        for message, text in zip(messages, texts, strict=True)
    ]


def mask_anchor(anchor: Anchor) -> Anchor:
    """The anchor with secrets masked: one of another program may have some."""
    meta = {key: mask(value) if isinstance(value, str) else value for key, value in anchor.meta.items()}
    if anchor.keywords:
        meta["keywords"] = [mask(word) for word in anchor.keywords]
    return replace(anchor, name=mask(anchor.name), meta=meta)


def _cut(text: str, chars: int) -> str:
    return text if not chars or len(text) <= chars else f"{text[: chars - 1].rstrip()}…"


def _read(memory: Memory, agent: str, session: str, transcript: str, most: int) -> Conversation | None:
    transcripts = transcripts_of(agent)
    if transcripts is None:
        return None
    path = Path(transcript)
    read = partial(ends_of_session, transcripts, path, session, most, first=0)
    _, lines, is_whole = memory.outside.ask(path.parent, read)
    messages = tuple(message_of(agent, message) for message in transcripts.messages(lines))
    is_whole = is_whole and len(messages) <= MOST_MESSAGES
    return Conversation(agent, session, messages[-MOST_MESSAGES:], is_whole, sum(map(len, lines)))


def message_of(agent: str, message: Message) -> SessionMessage:
    """A message of this agent's transcript as a message of a session."""
    return SessionMessage(
        id=message.id,
        parent=message.parent,
        session=message.session,
        agent=agent,
        who=message.who,
        when=message.at,
        text=message.text,
        tools=tuple(tool.name for tool in message.tools),
        details=tuple(part for tool in message.tools for part in (*tool.paths, tool.command) if part),
    )
