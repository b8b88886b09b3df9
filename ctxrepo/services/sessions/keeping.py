"""What is kept of sessions: which transcripts are copied, and the form of messages that are kept (ADR 96)."""

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
from ctxrepo.services.sessions.message_words import PlacedMessage, new_messages, spoken_text, words_of
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.sessions.kept_file import kept_file
from ctxrepo.storage.sessions.kept_sessions import KeptSession, KeptSessions, KeptText, TranscriptCopy
from ctxrepo.storage.sessions.session_index import GONE, IndexedSession, SessionIndex
from ctxrepo.storage.sessions.transcript_files import Position, Rewrite, TranscriptFile, TranscriptPiece

_MONTH = 30.44 * 24 * 3600
"""Seconds in a month."""

_FULL = 0.9
"""Share of the room: once it is taken, sessions older than all kept ones aren't copied any more."""

_NANOSECONDS = 1_000_000_000

EARLIER = 1 << 40
"""How far below 0 the index places messages that a transcript no longer has."""


@dataclass(frozen=True)
class KeepRules:
    """Whether sessions are kept in `file` (None: it isn't even read), up to `most` bytes. Sessions whose last
    message is from before `since`, in Unix seconds, are not."""

    file: Path | None = None
    mode: Literal["off", "texts", "whole"] = "off"
    most: int = 0
    since: int = 0
    problem: str = ""
    """Why nothing is kept that was to be."""

    @classmethod
    def of(cls, memory: Memory) -> "KeepRules":
        """What the settings say."""
        settings = memory.settings.sessions
        since = int(time.time() - settings.keep_months * _MONTH) if settings.keep_months else 0
        return cls(kept_file(memory.state.root), settings.keep, settings.keep_bytes, since)

    @classmethod
    def after(cls, error: KeptUnusable) -> "KeepRules":
        """Rules by which the store is no longer used."""
        return cls(problem=in_words(error))

    @contextmanager
    def opened(self) -> Iterator["SessionKeeper"]:
        """The store, to be written to unless the mode is `off`. KeptUnusable where it can't be used."""
        with KeptSessions.opened(self.file, writes=self.mode != "off") as store:
            yield SessionKeeper(self, store)


class KeptReader:
    """Reads messages from the store in `file`, until it is closed. A store that can't be read has none."""

    def __init__(self, file: Path) -> None:
        self._opened = ExitStack()
        self._store: KeptSessions | None = None
        with suppress(KeptUnusable):
            self._store = self._opened.enter_context(KeptSessions.opened(file))

    def messages(self, keys: Collection[int]) -> dict[int, Message]:
        """key -> message, of those of these messages that are kept."""
        if self._store and keys:
            with suppress(KeptUnusable):
                texts = self._store.texts(keys)
                return {key: message for key, text in texts.items() if (message := decoded(text))}
        return {}

    def conversation(self, agent: str, session: str) -> list[Message]:
        """All that is kept of a session, in its order."""
        if self._store:
            with suppress(KeptUnusable):
                keys = self._store.keys_of(agent, session)
                messages = self.messages(keys)
                return [messages[key] for key in keys if key in messages]
        return []

    def close(self) -> None:
        self._opened.close()


class SessionKeeper:
    """The open store of kept sessions, filled by the `rules`."""

    def __init__(self, rules: KeepRules, store: KeptSessions) -> None:
        self.rules = rules
        self.store = store
        self._oldest = store.oldest_moment(int(_FULL * rules.most)) if rules.mode != "off" else 0

    @property
    def keeps_lines(self) -> bool:
        """Whether all lines are kept. To mask their secrets takes a second for two million bytes."""
        return self.rules.mode == "whole"

    @cached_property
    def _sessions(self) -> Mapping[str, KeptSession]:
        """All transcripts of which something was copied when this was first used."""
        return self.store.sessions()

    @cached_property
    def _forgotten(self) -> Collection[tuple[str, str]]:
        return self.store.forgotten()

    def has(self, name: str) -> bool:
        """Whether messages of the transcript of this name are kept."""
        return name in self._sessions and not self._sessions[name].is_empty

    def trim(self, names: Collection[str], agents: Collection[str]) -> None:
        """Remove what is too much or too old by now, and the records of transcripts of these `agents` that
        are gone and of which nothing is left. `names` are those of the transcripts that are still there."""
        if self.rules.mode == "off":
            return
        self.store.store((), self.rules.most, self.rules.since)
        empty = [
            session
            for session in self.store.sessions().values()
            if session.is_empty and session.name not in names and session.agent in agents
        ]
        if empty:
            self.store.forget(empty, ())

    def progress(self, file: TranscriptFile, id_: str) -> KeptSession | None:
        """How far a session's transcript was copied; None where it isn't to be kept."""
        kept_session, age = self._sessions.get(file.name), file.mtime // _NANOSECONDS
        if self.rules.mode == "off" or age < self.rules.since:
            return None
        if (file.agent, id_) in self._forgotten or (kept_session is None and age < self._oldest):
            return None
        return kept_session or KeptSession(file.name, file.agent, id_, file.path)

    def lacks(self, file: TranscriptFile, indexed: IndexedSession) -> bool:
        """Whether the index has something of a transcript that is to be kept and isn't yet."""
        progress = self.progress(file, indexed.id)
        if progress is None or indexed.position == Position():  # it can't be read
            return False
        return progress.state != indexed.state or self.end_of(progress) < indexed.position.place

    def end_of(self, progress: KeptSession) -> int:
        """The place up to which all that is to be kept of a transcript was copied; -1 for none."""
        return min(progress.next_message, progress.next_line) if self.keeps_lines else progress.next_message

    def copy(
        self,
        progress: KeptSession,
        session: IndexedSession,
        piece: TranscriptPiece,
        messages: Sequence[PlacedMessage],
        rewrite: Rewrite,
    ) -> TranscriptCopy:
        """What is to be kept of a piece of a transcript. `progress` says how far it was copied, with its
        position at the end of the piece; `session` where the next piece begins."""
        until = session.position.place
        moments = [int(seconds_of(placed.message.at) or 0) for placed in messages]
        after = replace(
            progress,
            id=session.id,
            cwd=session.cwd,
            mtime=max(progress.mtime, session.mtime),
            state=session.state,
            last_at=max([progress.last_at, *moments]) or session.mtime // _NANOSECONDS,
            next_message=max(progress.next_message, until),
            next_line=max(progress.next_line, until) if self.keeps_lines else progress.next_line,
        )
        texts = [
            KeptText(placed.key, placed.place, placed.name, encoded(placed.message))
            for placed in messages
            if placed.place >= progress.floor and words_of(placed.message).strip()
        ]
        lines = None
        if self.keeps_lines:
            pairs = zip(piece.places, piece.lines, strict=True)
            rest = [(place, line) for place, line in pairs if place >= progress.floor]
            clean = without_secrets([line for _, line in rest])
            lines = [(place, line) for (place, _), line in zip(rest, clean, strict=True)]
        outgrown = self._outgrown(progress.name, messages) if rewrite else ()
        return TranscriptCopy(after, piece.since, until, piece.is_last, texts, lines, rewrite, outgrown)

    def _outgrown(self, name: str, messages: Sequence[PlacedMessage]) -> list[int]:
        """The keys of kept messages of which these are longer versions: some agents write a whole file anew
        for each part of a message."""
        by_id = {placed.message.id: placed for placed in messages if placed.message.id}
        texts = self.store.texts(self.store.places(name))
        pairs = ((key, message) for key, text in texts.items() if (message := decoded(text)))
        return [
            key
            for key, old in pairs
            if (new := by_id.get(old.id)) and key != new.key and new.message.text.startswith(old.text)
        ]

    def store_copies(self, copies: Collection[TranscriptCopy]) -> None:
        """Keep these copies; the oldest sessions are removed where there is no room. When this returns, all
        is on the disk."""
        if copies:
            self.store.store(copies, self.rules.most, self.rules.since)

    def restore(self, index: SessionIndex, session: IndexedSession) -> None:
        """Add to the index those kept messages of a session that none of its transcripts has any more, inside
        the caller's transaction."""
        missing = index.missing(self.store.keys_of(session.agent, session.id))
        if missing:
            messages = _kept_messages(self.store, session, missing)
            index.store(session, 2 * EARLIER, new_messages(messages, session, session.mtime))

    def unindexed(
        self, index: Mapping[str, IndexedSession], names: Collection[str], agents: Collection[str]
    ) -> list[TranscriptFile]:
        """The kept transcripts of these `agents` that are gone and not in the index, the newest first.
        `names` are those of the transcripts that are still there."""
        sessions = self._sessions.values()
        here = {(session.agent, session.id) for session in sessions if session.name in names}
        return [
            gone_transcript(session)
            for session in sorted(sessions, key=lambda session: -session.mtime)
            if not session.is_empty
            and session.agent in agents
            and session.name not in names
            and session.name not in index
            and (session.agent, session.id) not in here
        ]


def gone_transcript(copy: KeptSession) -> TranscriptFile:
    """The transcript of a kept session, as it was before its agent deleted it."""
    return TranscriptFile(copy.name, copy.agent, copy.path, GONE, copy.mtime, 0, copy.cwd, copy.id)


def masked_messages(messages: Sequence[PlacedMessage]) -> list[PlacedMessage]:
    """The messages with secrets masked in their texts and in what tools were given."""
    texts = []
    for placed in messages:
        texts.append(spoken_text(placed.message))
        texts += [part for tool in placed.message.tools for part in (tool.command, *tool.paths)]
    clean = iter(without_secrets(texts))
    masked = []
    for placed in messages:
        text = next(clean)
        tools = [
            replace(tool, command=next(clean), paths=tuple(next(clean) for _ in tool.paths))
            for tool in placed.message.tools
        ]
        masked.append(placed._replace(message=replace(placed.message, text=text, tools=tuple(tools))))
    return masked


def _kept_messages(
    store: KeptSessions, session: IndexedSession, keys: Collection[int]
) -> Iterator[PlacedMessage]:
    """Those of these messages of a session that can be read, in their order. A message that its transcript
    had when it was last read has its place in it; others have places before all of these."""
    ids, texts = store.keys_of(session.agent, session.id), store.texts(keys)
    places = store.places(session.name)
    others = [key for key in ids if key not in places]
    places |= {key: number - EARLIER - len(others) for number, key in enumerate(others)}
    for key, id_ in ids.items():
        if key in texts and (message := decoded(texts[key])):
            yield PlacedMessage(key, places[key], id_, message)


def encoded(message: Message) -> str:
    """A message on one line."""
    tools = [[tool.name, list(tool.paths), tool.command] for tool in message.tools]
    values = (message.who, message.text, message.id, message.parent, message.session, message.at, tools)
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def decoded(line: str) -> Message | None:
    """The message that `encoded` wrote; None where it can't be read."""
    try:
        who, text, id_, parent, session, at, tools = json.loads(line)
        uses = tuple(ToolUse(name, tuple(paths), command) for name, paths, command in tools)
    except (ValueError, TypeError):
        return None
    return Message(who, text, id_, parent, session, at, uses)
