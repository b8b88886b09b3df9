"""What was said in sessions on this machine, read within bounds from the agents' own transcripts, and what
these have no more from what is kept."""

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
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.keeping import KeptReader
from ctxrepo.services.sessions.profiles import Profiles
from ctxrepo.storage.disk.recent import Ends, ends_of, ends_of_rows, newest
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.transcript_lines import is_database, opened_file

if TYPE_CHECKING:
    from ctxrepo.agents.protocol import Transcripts


def transcript_of(agent: str, session: str, user_home: Path, env: Mapping[str, str]) -> str:
    """Where an agent keeps its own record of a session, '' where that isn't known."""
    transcripts = transcripts_of(agent)
    return _transcript_in(transcripts.folder(user_home, env), agent, session) if transcripts else ""


def _transcript_in(folder: Path, agent: str, session: str) -> str:
    """The same in one of the agent's folders of transcripts."""
    transcripts = transcripts_of(agent)
    if transcripts is None or not re.fullmatch(r"[\w-]{1,100}", session, re.ASCII):
        return ""
    return next((str(path) for path in newest(folder, transcripts.OF_SESSION.format(session=session), 1)), "")


def ends_of_session(
    transcripts: "Transcripts", path: Path, session: str, most: int, first: int | None = None
) -> Ends:
    """The lines within the `first` bytes (None: as many as the last) and the last `most`, which may be all;
    none where it can't be read."""
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
"""Messages of one session that are looked at, the newest."""

MOST_BYTES = 64 * 1024 * 1024
"""Bytes of a transcript that are read, the last; of many together no more than that either."""

_END = 1024 * 1024
"""Bytes of a transcript in which its last message is looked for."""

_MASKED = 4
"""How many times the characters that are shown are looked through for secrets: one may be cut in two."""


@dataclass(frozen=True)
class TranscriptPart:
    """A conversation, and how many characters were read for it."""

    conversation: Conversation
    size: int


def read_conversation(
    memory: Memory, agent: str, session: str, most: int = MOST_BYTES
) -> TranscriptPart | None:
    """What was said in a session; None without a transcript in any profile here, and where nothing of it is
    kept. An unknown agent ('') is any that has one."""
    profiles, empty = Profiles(memory), None
    for name in [agent] if agent else AGENTS:
        paths = (_transcript_in(folder, name, session) for folder in profiles.folders(name))
        parts = (_read(memory, name, session, path, most) for path in paths if path)
        part = _with_kept(memory, name, session, next(filter(None, parts), None))
        if part and part.conversation.messages:
            return part
        empty = empty or part
    return empty if agent else None


def _with_kept(
    memory: Memory, agent: str, session: str, part: TranscriptPart | None
) -> TranscriptPart | None:
    """What was said in a session by its transcript, if there is one, and before it what only is kept."""
    with closing(KeptReader(kept_file(memory.state.root))) as reader:
        kept = [message_of(agent, message) for message in reader.conversation(agent, session)]
    there = part.conversation if part else Conversation(agent, session)
    ids = {message.id for message in there.messages}
    moments = {(message.who, message.when) for message in there.messages}

    def is_there(message: SessionMessage) -> bool:
        # What has neither id nor moment can't be told from what the transcript says of it.
        is_known = message.id in ids or (message.who, message.when) in moments
        return is_known or (part is not None and not message.id and not message.when)

    other = [message for message in kept if not is_there(message)]
    if not other:
        return part
    messages = (*other, *there.messages)[-MOST_MESSAGES:]
    is_whole = there.is_whole and len(messages) == len(other) + len(there.messages)
    size = (part.size if part else 0) + sum(len(message.text) for message in other)
    return TranscriptPart(replace(there, messages=messages, is_whole=is_whole), size)


def last_entry(memory: Memory, agent: str, session: str, transcript: str, by: datetime | None = None) -> str:
    """The id of the last message, until `by`, in a session's transcript; '' where none has one."""
    try:
        part = _read(memory, agent, session, transcript, _END) if transcript else None
    except NoAnswer:
        return ""
    for message in reversed(part.conversation.messages if part else ()):
        at = seconds_of(message.when)
        if by is None or at is None or at <= by.timestamp():
            return message.id
    return ""


def shown(messages: Iterable[SessionMessage], chars: int, looked_at: int = 0) -> list[SessionMessage]:
    """Messages without secrets, their texts cut to so many characters (0: all); `looked_at` is how many are
    looked through for secrets, 0 for four times those shown."""
    messages = list(messages)
    most = (looked_at or _MASKED * chars) if chars else None
    texts = without_secrets([message.text[:most] for message in messages])
    return [
        replace(message, text=_cut(text, chars), details=())
        for message, text in zip(messages, texts, strict=True)
    ]


def masked(anchor: Anchor) -> Anchor:
    """An anchor without secrets: another program's may hold some."""
    meta = {key: mask(value) if isinstance(value, str) else value for key, value in anchor.meta.items()}
    if anchor.keywords:
        meta["keywords"] = [mask(word) for word in anchor.keywords]
    return replace(anchor, name=mask(anchor.name), meta=meta)


def _cut(text: str, chars: int) -> str:
    return text if not chars or len(text) <= chars else f"{text[: chars - 1].rstrip()}…"


def _read(memory: Memory, agent: str, session: str, transcript: str, most: int) -> TranscriptPart | None:
    transcripts = transcripts_of(agent)
    if transcripts is None:
        return None
    path = Path(transcript)
    read = partial(ends_of_session, transcripts, path, session, most, first=0)
    _, lines, is_whole = memory.outside.ask(path.parent, read)
    messages = tuple(message_of(agent, message) for message in transcripts.messages(lines))
    is_whole = is_whole and len(messages) <= MOST_MESSAGES
    conversation = Conversation(agent, session, messages[-MOST_MESSAGES:], is_whole)
    return TranscriptPart(conversation, sum(map(len, lines)))


def message_of(agent: str, message: Message) -> SessionMessage:
    """A message of this agent's transcript as a tape has it."""
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
