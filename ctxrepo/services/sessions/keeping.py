"""What is kept of sessions: what is to be copied of a transcript, and messages as they are kept (ADR 96)."""

import json
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from ctxrepo.agents.recorded import Message, ToolUse
from ctxrepo.domain.formats.moment import seconds_of
from ctxrepo.domain.secrets import without_secrets
from ctxrepo.errors import KeptUnusable, in_words
from ctxrepo.lazy import dataclass
from ctxrepo.services.sessions.message_words import PlacedMessage, new_messages, said, words_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.kept_sessions import (
    KeptSession,
    KeptSessions,
    KeptText,
    TranscriptCopy,
)
from ctxrepo.storage.sessions.session_index import GONE, IndexedSession, SessionIndex
from ctxrepo.storage.sessions.transcript_files import Position, Rewritten, TranscriptFile, TranscriptPiece

_MONTH = 30.44 * 24 * 3600
"""Seconds in a month."""

_FULL = 0.9
"""Of the room: once so much is taken, sessions that are older than all that are kept aren't begun with."""

_NANOSECONDS = 1_000_000_000

EARLIER = 1 << 40
"""How far below 0 messages stand in the index that a transcript has no more."""


@dataclass(frozen=True)
class Keeper:
    """Whether and how much sessions are kept in `file` (None: nothing may be asked of it); those whose last
    message is from before `since`, in Unix seconds, are not."""

    file: Path | None = None
    mode: Literal["off", "texts", "whole"] = "off"
    most: int = 0
    since: int = 0
    problem: str = ""
    """Why nothing is kept that was to be."""

    def without(self, error: KeptUnusable) -> "Keeper":
        """The same once what is kept turned out to be of no use: nothing more is asked of it."""
        return Keeper(problem=in_words(error))

    @classmethod
    def of(cls, memory: Memory) -> "Keeper":
        """What the settings say."""
        wanted = memory.settings.sessions
        since = int(time.time() - wanted.keep_months * _MONTH) if wanted.keep_months else 0
        return cls(kept_file(memory.state.root), wanted.keep, wanted.keep_bytes, since)

    @contextmanager
    def opened(self) -> Iterator["Keeping"]:
        """What is kept, and can be added to unless the mode is `off`; KeptUnusable where it can't be used."""
        with KeptSessions.opened(self.file, writes=self.mode != "off") as store:
            yield Keeping(self, store)


class KeptReader:
    """Reads messages from what is kept in `file`; nothing where that can't be read. To be closed."""

    def __init__(self, file: Path) -> None:
        self._opened = ExitStack()
        self._store: KeptSessions | None = None
        with suppress(KeptUnusable):
            self._store = self._opened.enter_context(KeptSessions.opened(file))

    def messages(self, keys: Collection[int]) -> dict[int, Message]:
        """These messages by key, as far as they are kept."""
        texts = {}
        with suppress(KeptUnusable):
            texts = self._store.texts(keys) if self._store and keys else {}
        return {key: message for key, text in texts.items() if (message := decoded(text))}

    def conversation(self, agent: str, session: str) -> list[Message]:
        """All that is kept of a session, in its order."""
        keys = dict[int, str]()
        with suppress(KeptUnusable):
            keys = self._store.keys_of(agent, session) if self._store else {}
        messages = self.messages(keys)
        return [messages[key] for key in keys if key in messages]

    def close(self) -> None:
        self._opened.close()


class Keeping:
    """The open store of kept sessions, and what a `Keeper` wants of it."""

    def __init__(self, keeper: Keeper, store: KeptSessions) -> None:
        self.keeper = keeper
        self.store = store
        self._oldest = store.oldest_of(int(_FULL * keeper.most)) if keeper.mode != "off" else 0

    @property
    def is_thorough(self) -> bool:
        """Whether secrets are looked for in all lines, which takes a second for two million bytes."""
        return self.keeper.mode == "whole"

    @cached_property
    def _known(self) -> Mapping[str, KeptSession]:
        """All transcripts, as they were copied when somebody asked first."""
        return self.store.sessions()

    @cached_property
    def _forgotten(self) -> Collection[tuple[str, str]]:
        return self.store.forgotten()

    def has(self, name: str) -> bool:
        """Whether messages of the transcript of this name are kept."""
        return name in self._known and not self._known[name].is_empty

    def give_up(self, names: Collection[str], agents: Collection[str]) -> None:
        """Take away what is too much or too old by now, and what is known of transcripts of these `agents` of
        which nothing is left; those that are there have these `names`."""
        if self.keeper.mode == "off":
            return
        self.store.store((), self.keeper.most, self.keeper.since)
        sessions = self.store.sessions().values()
        left = [o for o in sessions if o.is_empty and o.name not in names and o.agent in agents]
        if left:
            self.store.forget(left, ())

    def wanted(self, file: TranscriptFile, id_: str) -> KeptSession | None:
        """A transcript as far as it was copied; None where it is not to be kept."""
        own, age = self._known.get(file.name), file.mtime // _NANOSECONDS
        if self.keeper.mode == "off" or age < self.keeper.since:
            return None
        if (file.agent, id_) in self._forgotten or (own is None and age < self._oldest):
            return None
        return own or KeptSession(file.name, file.agent, id_, file.path)

    def lacks(self, file: TranscriptFile, indexed: IndexedSession) -> bool:
        """Whether something is to be kept that was read into the index before."""
        own = self.wanted(file, indexed.id)
        if own is None or indexed.position == Position():  # it can't be read
            return False
        return own.state != indexed.state or self.copied(own) < indexed.position.place

    def copied(self, own: KeptSession) -> int:
        """The place up to which a transcript is copied as it is to be kept; -1 where nothing of it is."""
        return min(own.read, own.raw) if self.is_thorough else own.read

    def copy(
        self,
        own: KeptSession,
        session: IndexedSession,
        piece: TranscriptPiece,
        messages: Sequence[PlacedMessage],
        rewritten: Rewritten,
    ) -> TranscriptCopy:
        """What is to be kept of a piece of a transcript. `own` says what is kept up to its end, `session`
        where the next one begins."""
        until = session.position.place
        moments = [int(seconds_of(one.message.at) or 0) for one in messages]
        now = replace(
            own,
            id=session.id,
            cwd=session.cwd,
            mtime=max(own.mtime, session.mtime),
            state=session.state,
            last=max([own.last, *moments]) or session.mtime // _NANOSECONDS,
            read=max(own.read, until),
            raw=max(own.raw, until) if self.is_thorough else own.raw,
        )
        texts = [
            KeptText(one.key, one.place, one.name, encoded(one.message))
            for one in messages
            if one.place >= own.floor and words_of(one.message).strip()
        ]
        lines = None
        if self.is_thorough:
            kept = [(at, line) for at, line in zip(piece.places, piece.lines, strict=True) if at >= own.floor]
            clean = without_secrets([line for _, line in kept])
            lines = [(at, line) for (at, _), line in zip(kept, clean, strict=True)]
        grown = self._grown(own, messages) if rewritten else ()
        return TranscriptCopy(now, piece.since, until, piece.is_last, texts, lines, rewritten, grown)

    def _grown(self, own: KeptSession, messages: Sequence[PlacedMessage]) -> list[int]:
        """The keys of kept messages of which these are longer versions: some agents write all of a file anew
        while a message goes on."""
        longer = {one.message.id: one for one in messages if one.message.id}
        kept = self.store.texts(self.store.places(own.name))
        pairs = ((key, message) for key, text in kept.items() if (message := decoded(text)))
        return [
            key
            for key, old in pairs
            if (new := longer.get(old.id)) and key != new.key and new.message.text.startswith(old.text)
        ]

    def store_copies(self, copies: Collection[TranscriptCopy]) -> None:
        """Keep these on the disk; the oldest sessions go where that is too much."""
        if copies:
            self.store.store(copies, self.keeper.most, self.keeper.since)

    def restore(self, index: SessionIndex, session: IndexedSession) -> None:
        """Put into the index what is kept of a session and is in none of its transcripts any more; inside the
        caller's transaction."""
        missing = index.missing(self.store.keys_of(session.agent, session.id))
        if missing:
            kept = kept_messages(self.store, session, missing)
            index.store(session, 2 * EARLIER, new_messages(kept, session, session.mtime))

    def gone(
        self, index: Mapping[str, IndexedSession], names: Collection[str], agents: Collection[str]
    ) -> list[TranscriptFile]:
        """The transcripts of these `agents` that are kept, and neither in the index nor among those that are
        there, which have these `names`."""
        sessions = self._known.values()
        here = {(one.agent, one.id) for one in sessions if one.name in names}
        return [
            gone_transcript(one)
            for one in sorted(sessions, key=lambda one: -one.mtime)
            if not one.is_empty
            and one.agent in agents
            and one.name not in names
            and one.name not in index
            and (one.agent, one.id) not in here
        ]


def gone_transcript(kept: KeptSession) -> TranscriptFile:
    """The transcript of a kept session, which isn't there any more."""
    return TranscriptFile(kept.name, kept.agent, kept.path, GONE, kept.mtime, 0, kept.cwd, kept.id)


def masked_messages(messages: Sequence[PlacedMessage]) -> list[PlacedMessage]:
    """Messages without secrets."""
    texts = []
    for _, _, _, message in messages:
        texts.append(said(message))
        texts += [part for tool in message.tools for part in (tool.command, *tool.paths)]
    clean = iter(without_secrets(texts))
    masked = []
    for one in messages:
        text = next(clean)
        tools = [
            replace(tool, command=next(clean), paths=tuple(next(clean) for _ in tool.paths))
            for tool in one.message.tools
        ]
        masked.append(one._replace(message=replace(one.message, text=text, tools=tuple(tools))))
    return masked


def kept_messages(
    store: KeptSessions, session: IndexedSession, keys: Collection[int]
) -> Iterator[PlacedMessage]:
    """These messages of a session for the index, in their order; those that its transcript had when it was
    read last at their place in it, others before all of them."""
    own, names = store.places(session.name), store.keys_of(session.agent, session.id)
    texts = store.texts(keys)
    others = [key for key in names if key not in own]
    places = {key: number - EARLIER - len(others) for number, key in enumerate(others)}
    for key, id_ in names.items():
        if key in texts and (message := decoded(texts[key])):
            yield PlacedMessage(key, own[key][0] if key in own else places[key], id_, message)


def encoded(message: Message) -> str:
    """A message on one line."""
    tools = [[tool.name, list(tool.paths), tool.command] for tool in message.tools]
    values = (message.who, message.text, message.id, message.parent, message.session, message.at, tools)
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def decoded(line: str) -> Message | None:
    """The message that `encoded` wrote; None where it can't be read."""
    try:
        who, text, id_, parent, session, at, tools = json.loads(line)
        used = tuple(ToolUse(name, tuple(paths), command) for name, paths, command in tools)
    except (ValueError, TypeError):
        return None
    return Message(who, text, id_, parent, session, at, used)
