"""Prepares, for a session that begins soon after another one of its project ended, what was said there.

Nothing is given here: the hook of a prompt chooses what bears on the prompt (hooks/moments/bridge_block.py).
"""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from ctxrepo.agents.recorded import Message
from ctxrepo.domain.formats.jsonl import text_of
from ctxrepo.domain.project.layout import anchors_file
from ctxrepo.domain.secrets import mask, mask_part
from ctxrepo.domain.tape.anchors import Anchor
from ctxrepo.domain.tape.handoff_parts import one_line
from ctxrepo.domain.words.prompt_terms import words
from ctxrepo.errors import NoAnswer
from ctxrepo.hooks.moments.bridge_block import ANCHOR, MAX_BYTES, MESSAGE, SESSION
from ctxrepo.hooks.own_files import age_of
from ctxrepo.hooks.session.ledger import BRIDGES
from ctxrepo.hooks.session.ledger_words import ENDED, GOES_ON
from ctxrepo.hooks.session.session import Session
from ctxrepo.services.locate.identify import Project
from ctxrepo.services.locate.look import find_location
from ctxrepo.services.reading.tape_files import handoffs_left
from ctxrepo.services.sessions.conversations import last_messages, transcript_of
from ctxrepo.services.sessions.session_settings import leaves_alone, tape_settings
from ctxrepo.storage.disk.private import make_folder, put_whole
from ctxrepo.storage.disk.recent import written
from ctxrepo.storage.memory import Memory
from ctxrepo.storage.state.ledgers import Ledger, ledgers
from ctxrepo.storage.state.spool import SpoolEvent

MOST_MESSAGES = 200
"""So many of the newest messages of the session before are prepared."""

MESSAGE_CHARACTERS = 300
"""Characters of each that are shown."""

_KEPT_SECONDS = 86_400
"""How long a file is kept that no prompt came for."""

_READ = 1024 * 1024
"""Bytes of the end of a transcript that are read."""

_SEARCHED = 4000
"""Characters of a message by whose words it can match a prompt."""

_WITHOUT_BRIDGE = ("clear", "compact")
"""Ways to begin a session that goes on with its own work, or that is to know nothing of it."""

_WHO = {"user": "User", "agent": "Assistant"}


def note_ends(memory: Memory, events: Sequence[SpoolEvent]) -> None:
    """Note in their ledgers which sessions have ended, and which of those go on."""
    for event in events:
        if event.event not in ("start", "end") or not event.session:
            continue
        session = Session(str(memory.places.state), memory.state.id, event.agent, event.session)
        if not os.path.exists(session.path):
            continue
        if event.event == "end":
            session.note(ENDED, event.at or time.time(), event.transcript)
        elif session.record.ended:
            session.note(GOES_ON)
        session.save()


def prepare_bridges(
    memory: Memory, events: Sequence[SpoolEvent], env: Mapping[str, str], now: datetime
) -> None:
    """Prepare for each session that has begun what was said in the one that it follows, if any."""
    begun = [e for e in events if e.event == "start" and e.session and e.source not in _WITHOUT_BRIDGE]
    if not begun:
        return
    _remove_old(memory)
    for event in (replace(event, at=event.at or now.timestamp()) for event in begun):
        tape = tape_settings(memory, event.agent)
        if not tape.bridge_seconds:
            continue
        session = Session(str(memory.places.state), memory.state.id, event.agent, event.session)
        since = event.at - tape.bridge_seconds
        lately = ledgers(memory.places.sessions, memory.state.id, since)
        # Neither the session itself, nor one whose user wants no memory in it.
        others = [o for o in lately if not (o.is_off or o.parent) and str(o.path) != session.path]
        ended = sorted((o for o in others if since <= o.ended <= event.at), key=lambda o: -o.ended)
        project = _project_at(memory, event.cwd) if ended else None
        if leaves_alone(tape, event.cwd, project):
            continue
        bridges = (_bridge(memory, event, project, other, env, tape.bridge_seconds) for other in ended)
        if lines := next(filter(None, bridges), []):
            file = Path(session.bridge_file)
            make_folder(file.parent)
            # It appears whole or not at all.
            put_whole(file, "\n".join(_within_bytes([json.dumps(line) for line in lines])))


def _bridge(
    memory: Memory,
    begun: SpoolEvent,
    project: Project | None,
    other: Ledger,
    env: Mapping[str, str],
    most_seconds: int,
) -> list[dict[str, str]]:
    """The lines that are prepared of an ended session: [] where it is of another project, nothing is kept of
    it, or its last message is older than `most_seconds`."""
    former = _project_at(memory, other.cwd) if other.cwd != begun.cwd else project
    is_same = other.cwd == begun.cwd or (project and former and project.id == former.id)
    if not is_same or not other.cwd or leaves_alone(tape_settings(memory, other.agent), other.cwd, project):
        return []
    file = other.transcript or transcript_of(other.agent, other.session, memory.places.user_home, env)
    messages = _messages(memory, other.agent, other.session, file)
    if not messages or begun.at - _last_moment(messages, file) > most_seconds:
        return []
    known: set[str] = set()
    if begun.source in ("resume", "fork"):  # its conversation may hold them already
        known = {m.text for m in _messages(memory, begun.agent, begun.session, begun.transcript)}
        if not known:  # an agent may write the copy of a conversation only after the session has begun
            return []
    new = [message for message in messages if message.text not in known]
    folder = project.folder if project else memory.global_folder
    now = datetime.fromtimestamp(begun.at).astimezone()
    anchors = handoffs_left(memory, folder, other.session, now, anchors_file(folder))
    head = {"kind": SESSION, "name": f"{other.agent} {other.session[:8]}"}
    return [head, *map(_anchor_line, anchors), *map(_message_line, new[-MOST_MESSAGES:])]


def _messages(memory: Memory, agent: str, session: str, file: str) -> list[Message]:
    """The last messages of user and agent in a session, without empty ones, oldest first."""
    with suppress(NoAnswer):
        messages = last_messages(memory, agent, session, file, _READ)
        return [message for message in messages if message.text.strip()]
    return []


def _last_moment(messages: Sequence[Message], file: str) -> float:
    """When the last message was said, in Unix seconds; else when the file was last written."""
    with suppress(ValueError):
        return max(_moment(message.at).timestamp() for message in messages if message.at)
    return written(Path(file))


def _moment(at: str) -> datetime:
    """The moment in local time; ValueError for a text that names none."""
    return datetime.fromisoformat(at).astimezone()


def _message_line(message: Message) -> dict[str, str]:
    clock = ""
    with suppress(ValueError):
        clock = f"[{_moment(message.at):%H:%M}] "
    text = mask_part(message.text[:_SEARCHED])
    line = f"{clock}{_WHO[message.who]}: {one_line(text, MESSAGE_CHARACTERS)}"
    return {"kind": MESSAGE, "text": line, "words": " ".join(words(text))}


def _anchor_line(anchor: Anchor) -> dict[str, str]:
    texts = [mask(text) for text in (anchor.name, anchor.summary, text_of(anchor.meta, "purpose"))]
    name, summary, purpose = (one_line(text, MESSAGE_CHARACTERS) for text in texts)
    terms = " ".join(words("\n".join(texts)))
    return {"kind": ANCHOR, "name": name, "summary": summary, "purpose": purpose, "words": terms}


def _project_at(memory: Memory, cwd: str) -> Project | None:
    """The project of a folder; None where there is none, nobody can tell, or it isn't trusted."""
    with suppress(NoAnswer):
        here = find_location(memory, Path(cwd)) if cwd else None
        return here.project if here and not here.is_withheld else None
    return None


def _within_bytes(lines: list[str]) -> Iterator[str]:
    """The first line, and as many of the last ones as there is room for."""
    room = MAX_BYTES - len(lines[0])
    first = len(lines)
    while first > 1 and room > len(lines[first - 1]):
        first -= 1
        room -= len(lines[first]) + 1
    yield from (lines[0], *lines[first:])


def _remove_old(memory: Memory) -> None:
    with suppress(OSError), os.scandir(memory.state.root / BRIDGES) as entries:
        for entry in entries:
            if age_of(entry.path) > _KEPT_SECONDS:
                with suppress(OSError):
                    os.unlink(entry.path)
