"""What was said in the session before and bears on a prompt: the bridge to it, given once.

The worker leaves what there is in a file of JSON lines (services/delivery/bridge.py): first which session it
was, then its anchors and messages, each with the words that it is found by."""

import _sqlite3
import os

from ctxrepo.domain.text import escape_field, seal_shortly, size
from ctxrepo.domain.words.bm25 import ranked
from ctxrepo.domain.words.prompt_terms import is_left_alone, words
from ctxrepo.hooks.dialect import Event
from ctxrepo.hooks.known.world import World, gives
from ctxrepo.hooks.own_files import bytes_of
from ctxrepo.hooks.session.ledger_words import BRIDGE
from ctxrepo.hooks.session.session import Session

MAX_BYTES = 1024 * 1024
"""The most bytes of the worker's file."""

MOST_CHARACTERS = 3000
"""The most characters of the block, its frame included."""

LEAST_SCORE = 0.5
MOST_ANCHORS, MOST_MESSAGES = 3, 5

SESSION, ANCHOR, MESSAGE = "session", "anchor", "message"
"""What a line of the file tells of."""

_LINES = """
        select json_extract(value, '$.kind'), json_extract(value, '$.name'), json_extract(value, '$.summary'),
            json_extract(value, '$.purpose'), json_extract(value, '$.text'), json_extract(value, '$.words')
        from json_each(?)"""

_QUOTE = '"'

_MOST_WORDS = 48
"""Words of the prompt that are looked for."""


class BridgeLine:
    """A line of the worker's file: `name` names the session or the anchor, a message has its `text`."""

    def __init__(self, kind: str, name: str, summary: str, purpose: str, text: str, words: str) -> None:
        self.kind = kind
        self.name = name
        self.summary = summary
        self.purpose = purpose
        self.text = text
        self.words = words
        """What it is found by, with blanks between."""

    def block(self) -> str:
        """What the session is told of it."""
        if self.kind == MESSAGE:
            return f"  {escape_field(self.text)}\n"
        fields = {"name": self.name, "summary": self.summary, "purpose": self.purpose}
        parts = [f' {key}="{escape_field(value, _QUOTE)}"' for key, value in fields.items() if value]
        return f"  <anchor{''.join(parts)} />\n"


def bridge_block(db: _sqlite3.Connection, world: World, event: Event, session: Session, room: int) -> str:
    """The block, of at most `room` bytes, or ''. A prompt that asks for nothing leaves it for the next one;
    after any other the file is gone, whether or not anything in it fits."""
    if is_left_alone(event.prompt):
        return ""
    data = bytes_of(session.bridge_file, MAX_BYTES) or b""
    try:
        os.unlink(session.bridge_file)
    except OSError:  # another hook of the session has it
        return ""
    session.note(BRIDGE, "-")
    if not gives(world, "bridge"):
        return ""
    lines = _read(db, data)
    names = [escape_field(line.name, "·") for line in lines if line.kind == SESSION]
    title = " · ".join(["## The session before this one", *names]) + "\n"
    near = _nearest(words(event.prompt)[:_MOST_WORDS], lines)
    sections = {
        "tape_anchors": [line.block() for line in near if line.kind == ANCHOR][:MOST_ANCHORS],
        "relevant_context": [line.block() for line in near if line.kind == MESSAGE][:MOST_MESSAGES],
    }
    return _fitting(title, sections, world.secret, room)


def _read(db: _sqlite3.Connection, data: bytes) -> list[BridgeLine]:
    """The lines of the file; none where it is torn."""
    text = data.decode("utf-8", "replace").strip("\n").replace("\n", ",")
    try:
        rows = db.execute(_LINES, (f"[{text}]",)).fetchall()
    except _sqlite3.Error:
        return []
    return [BridgeLine(*[str(value or "") for value in row]) for row in rows]


def _nearest(query: list[str], lines: list[BridgeLine]) -> list[BridgeLine]:
    """The anchors and messages near enough to the prompt, the nearest first. They are one collection,
    for what a word counts depends on how many texts have it, and there may be one anchor only."""
    texts = [line for line in lines if line.kind in (ANCHOR, MESSAGE)]
    ranking = ranked(query, [line.words.split() for line in texts], LEAST_SCORE)
    return [texts[number] for _, number in ranking]


def _fitting(title: str, sections: dict[str, list[str]], secret: str, room: int) -> str:
    """The block of as many lines of each section as there is room for; '' where no line is."""
    block = body = ""
    for tag, lines in sections.items():
        content = ""
        for line in lines:
            longer = f"{body}{_element(tag, content + line)}"
            sealed = seal_shortly(title + _element("session_bridge", longer), secret)
            if len(sealed) > MOST_CHARACTERS or size(sealed) > room:
                break
            block, content = sealed, content + line
        if content:
            body += _element(tag, content)
    return block


def _element(tag: str, content: str) -> str:
    return f"<{tag}>\n{content}</{tag}>\n"
