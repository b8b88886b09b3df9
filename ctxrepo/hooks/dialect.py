"""How agents talk to hooks: what every dialect offers, and the JSON that comes in."""

import _sqlite3
import os

from ctxrepo.hooks.known.world import OwnSettings, World

FIELDS = (
    "session", "cwd", "source", "origin", "prompt", "transcript",
    "tool", "path", "wrote", "edit", "command", "error", "sub", "own",
)  # fmt: skip
"""What hooks want to know of an event."""

USUAL_FIELDS = {
    "session": ("$.session_id",),
    "cwd": ("$.cwd",),
    "source": ("$.source",),
    "prompt": ("$.prompt",),
    "transcript": ("$.transcript_path",),
    "tool": ("$.tool_name",),
    "command": ("$.tool_input.command",),
}
"""Where Claude Code and those that took over its hooks have what all of them tell."""

_HOOK_OUTPUT = """
        select json_object('hookSpecificOutput', json((
            select json_object('hookEventName', ?, 'additionalContext', ?))))"""

PATCH_HEADS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
"""How lines of a patch begin that name a file, for agents that edit with `apply_patch`."""

_REFUSED = """
        select json_object('hookSpecificOutput', json_object(
            'hookEventName', ?, 'permissionDecision', 'deny', 'permissionDecisionReason', ?))"""
_HELD = "select json_object('decision', 'block', 'reason', ?)"

BEFORE = "before"
"""The moment before a tool is used."""

TICKET = "ctxrepo-ticket:"
"""What stands before a ticket (hooks/tickets.py) in what a command printed."""

AT_START, WITH_PROMPT, BESIDE_PROMPT = "start", "with prompt", "beside prompt"
"""When a session is given its packet: at its start; with its first prompt, because the agent loses what it is
told at the start; or at a start that the agent runs at the same time as the first prompt's hook, which
therefore waits for it."""


class Event:
    """An event of a session; a field that the agent did not tell is ''."""

    def __init__(self, agent: str, name: str, texts: dict[str, str]) -> None:
        self.agent = agent
        """The name of the agent's folder."""
        self.name = name
        """The event as the agent writes it."""
        self.session = texts.get("session", "")
        self.cwd = texts.get("cwd", "")
        self.source = texts.get("source", "")
        """What began the session: startup, resume, clear, compact, fork."""
        self.origin = texts.get("origin", "")
        """The id of the session that this one was forked from, where the agent or its dialect can tell."""
        self.prompt = texts.get("prompt", "")
        self.transcript = texts.get("transcript", "")
        self.tool = texts.get("tool", "")
        self.path = texts.get("path", "")
        """The file that the tool was used on."""
        self.wrote = texts.get("wrote", "")
        """The whole text of that file as the tool wrote it."""
        self.edit = texts.get("edit", "")
        """The text that the tool put into that file, where it wrote only a part of it."""
        self.command = texts.get("command", "")
        """The command line that the tool ran in a shell."""
        self.error = texts.get("error", "")
        """What the tool said when it failed; '' where it did not fail."""
        self.sub = texts.get("sub", "")
        """The id of the subagent that the event is about."""
        self.own = texts.get("own", "")
        """How many characters the agent's own system prompt has, where the agent tells it."""
        self.silence_reason = ""
        """Why the session is given nothing; '' where it is given memory."""


class TouchedFile:
    """A file that a tool call read or wrote."""

    def __init__(self, path: str, ranges: str = "[]", wrote: str = "") -> None:
        self.path = path
        """As the agent names it, which may be relative to the session's folder."""
        self.ranges = ranges
        """JSON: the lines `[[first, last], ...]` that matter; `[]` stands for all of them."""
        self.wrote = wrote
        """The whole text that the file has now, '' where the agent doesn't tell it."""


class HookAnswer:
    """What a hook has for the model, by where it is to stand, and for the user."""

    def __init__(
        self, lasting: str = "", system: str = "", turn: str = "", receipt: str = "", refusal: str = ""
    ) -> None:
        self.lasting = lasting
        """What the conversation keeps."""
        self.system = system
        """The packet, for an agent that puts it into its system prompt."""
        self.turn = turn
        """What only the requests of this turn show, for an agent that can do so."""
        self.receipt = receipt
        """A line that the agent shows its user, and not the model."""
        self.refusal = refusal
        """Why the tool isn't to be used, or the turn not to end yet; '' where nothing is against it."""

    def text(self) -> str:
        """All of it, for an agent that has one place for it."""
        return self.system + self.lasting + self.turn


class Dialect:
    """How one agent talks to hooks. An agent's `dialect.py` derives from it and makes one, its `DIALECT`."""

    def __init__(
        self,
        name: str,
        moments: dict[str, str],
        fields: dict[str, tuple[str, ...]],
        readers: frozenset[str],
        most_bytes: int,
        shells: frozenset[str] = frozenset(),
        packet_at: str = AT_START,
        hook_mark: str = "",
        unheard: frozenset[str] = frozenset(),
        keeps_start: bool = True,
        starts_after_compaction: bool = True,
        own_modes: frozenset[str] = frozenset(),
        shows_receipt: bool = False,
        repeats: bool = False,
        nothing: str = "",
    ) -> None:
        self.name = name
        """The name of the agent's folder."""
        self.events = {event.lower(): (event, moment) for event, moment in moments.items()}
        """Each event, in lower case: (as the agent writes it, the moment that it is for us). The moments are
        start, prompt, before (a tool), tool, sub, stop, compact and end."""
        self.fields = {field: fields.get(field, ()) for field in FIELDS}
        """Where each of our fields may stand in an event's JSON; the first path that has a text counts."""
        self.readers = readers
        """The tools, in lower case, that only read the files they name."""
        self.most_bytes = most_bytes
        """The most bytes of a block that the agent takes whole; it cuts the end off a larger one."""
        self.shells = shells
        """The tools, in lower case, that run a command line, which may write to any file."""
        self.packet_at = packet_at
        """When a session is given its packet: AT_START, WITH_PROMPT or BESIDE_PROMPT."""
        self.hook_mark = hook_mark
        """The variable that it sets for hooks alone, where it also runs those of other agents; else ''."""
        self.unheard = unheard
        """The events, as the agent writes them, whose answer it throws away: nothing is given with them."""
        self.keeps_start = keeps_start
        """Whether a resumed session holds what its start gave; else its start gives the same bytes again."""
        self.starts_after_compaction = starts_after_compaction
        """Whether it calls the start's hook after a compaction; else the packet comes with what is next."""
        self.own_modes = own_modes
        """The modes of delivery, of `system` and `turn`, that the agent carries out by itself."""
        self.shows_receipt = shows_receipt
        """Whether it shows its user the `systemMessage` of a hook that answers a start."""
        self.repeats = repeats
        """Whether it calls the prompt's hook before each request to the model, and only this shows what the
        hook gave: then the same is given again until the next prompt."""
        self.nothing = nothing
        """What to print where there is nothing to say."""

    def event_names(self, enforces: bool = False) -> list[str]:
        """The events that get a hook, as the agent writes them, in the order of a session; the one before a
        tool only where rules are enforced."""
        return [event for event, moment in self.events.values() if enforces or moment != BEFORE]

    def moment(self, event: str) -> str:
        """The moment that an event which the dialect knows is for us."""
        _, moment = self.events[event.lower()]
        return moment

    def words(self, prompt: str) -> str:
        """The user's own words in a prompt as the agent hands it to a hook. The default is all of it."""
        return prompt

    def only_reads(self, tool: str) -> bool:
        """Whether this tool only reads the files that it names."""
        return tool.lower() in self.readers

    def touched(self, _db: _sqlite3.Connection, event: Event, _json: str) -> list[TouchedFile]:
        """The files that the tool call of this event read or wrote; the database reads the event's JSON.
        The default is the event's one file, as a whole."""
        return [TouchedFile(event.path, wrote=event.wrote)] if event.path else []

    def failure(self, _db: _sqlite3.Connection, event: Event, _json: str) -> str:
        """What the tool said when it failed; '' where it did its work. The default is the event's error."""
        return event.error

    def reply(self, _db: _sqlite3.Connection, _event: str, text: str) -> str:
        """What to print so that the agent adds `text` to its context; '' prints nothing. The event is named
        as the agent writes it. The default is `text` itself."""
        return text

    def refuse(self, _db: _sqlite3.Connection, _event: str, _why: str) -> str:
        """What to print so that the agent doesn't use the tool, or goes on with its turn. The default is '':
        it can't be told."""
        return ""

    def output(self, db: _sqlite3.Connection, _world: World, event: Event, answer: HookAnswer) -> str:
        """What to print for this answer, '' for nothing. The default replies with all of its text."""
        if answer.refusal:
            return self.refuse(db, event.name, answer.refusal)
        text = answer.text()
        return self.reply(db, event.name, text) if text else ""

    def last_prompt(self, _db: _sqlite3.Connection, _transcript: str) -> tuple[str, str]:
        """(what names it, its text) of the last prompt in this transcript, '' for both where none is read. It
        is asked of an agent that `repeats`; the default reads none."""
        return "", ""

    def own_settings(self, _db: _sqlite3.Connection, _environment: dict[str, str]) -> OwnSettings:
        """What the agent's own settings say of memory in its sessions. The default has no such settings."""
        return OwnSettings()

    def own_folder(self, _db: _sqlite3.Connection, _folder: str) -> str:
        """The folder of notes that the agent loads by itself in sessions in this folder; '' for none."""
        return ""

    def compaction(self, _transcript: str) -> str:
        """What names the last compaction of the session with this transcript; '' where there was none, or
        where hooks are told of one by an event. It is asked where the packet comes with a prompt."""
        return ""

    def origin(self, _transcript: str) -> str:
        """The id of the session from which the one with this transcript was forked; '' where it can't be
        told. A dialect may look at the agent's files and processes for it."""
        return ""


class HookOutputDialect(Dialect):
    """The dialect of Claude Code and of those agents that read a hook's answer as it does."""

    def reply(self, db: _sqlite3.Connection, event: str, text: str) -> str:
        """One line of JSON; some of these agents would show any other text to the user."""
        return str(db.execute(_HOOK_OUTPUT, (event, text)).fetchone()[0]) + "\n"

    def refuse(self, db: _sqlite3.Connection, event: str, why: str) -> str:
        """One line of JSON, of another shape for the end of a turn."""
        is_tool = self.moment(event) == BEFORE
        row = db.execute(_REFUSED, (event, why)) if is_tool else db.execute(_HELD, (why,))
        return str(row.fetchone()[0]) + "\n"

    def output(self, db: _sqlite3.Connection, world: World, event: Event, answer: HookAnswer) -> str:
        """The same, with the receipt beside it."""
        reply = super().output(db, world, event, answer)
        if not (reply and answer.receipt):
            return reply
        words = (reply, answer.receipt)
        return str(db.execute("select json_set(?, '$.systemMessage', ?)", words).fetchone()[0]) + "\n"


MAX_BYTES = 8 * 1024 * 1024

# Each mention of :json costs a copy of it, so there is one, and SQLite extracts all fields as one list.
_TEXTS = "select case type when 'text' then value end from json_each(json_extract(:json, PATHS))"


_MOST_HUNKS = 100


def changed_lines(diff: str) -> str:
    """The lines that a unified diff changes in the new file, without those around them, as JSON: `[[first,
    last], …]`, a pair for each hunk; a deletion has the line that is in its place."""
    ranges: list[str] = []
    line = first = last = 0
    for text in (*diff.split("\n"), "@@ "):
        if text.startswith("@@ "):
            ranges += [f"[{first}, {last}]"] if first else []
            if len(ranges) == _MOST_HUNKS:
                break
            number = text.partition(" +")[2].partition(" ")[0].partition(",")[0]
            is_number = number.isascii() and number.isdigit() and len(number) < 10
            line, first = max(int(number), 1) if is_number else 0, 0
        elif line and text[:1] in ("+", "-"):
            first, last = first or line, line
            line += text.startswith("+")
        elif line:
            line += text[:1] == " "
    return f"[{', '.join(ranges)}]"


def read_stdin() -> bytes:
    """Standard input up to 8 MiB; empty when there is more, or when it is a terminal."""
    if os.isatty(0):
        return b""
    parts = []
    room = MAX_BYTES + 1
    while room and (part := os.read(0, min(room, 1 << 20))):
        parts.append(part)
        room -= len(part)
    return b"".join(parts) if room else b""


def object_text(raw: bytes) -> str:
    """`raw` as text when it may be one JSON object, else ''."""
    text = raw.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    return text if text.startswith("{") and "\0" not in text else ""


def extract_fields(
    db: _sqlite3.Connection, json_text: str, fields: dict[str, tuple[str, ...]]
) -> dict[str, str]:
    """For every field the first text found at its paths, '' when there is none; {} when `json_text` isn't
    JSON. There must be two paths at least: for one alone SQLite returns the value, for more a list."""
    pairs = [(name, path) for name, paths in fields.items() for path in paths]
    picks = ", ".join([f"'{path}'" for _, path in pairs])
    # Bytes, because JSON can spell half a surrogate pair, which isn't text.
    db.text_factory = bytes
    try:
        values = db.execute(_TEXTS.replace("PATHS", picks), {"json": json_text}).fetchall()
    except _sqlite3.OperationalError:  # SQLite's way of saying that it is malformed
        return {}
    finally:
        db.text_factory = str
    texts = dict.fromkeys(fields, "")
    for (name, _), (value,) in zip(pairs, values, strict=True):
        if value and not texts[name]:
            texts[name] = value.decode("utf-8", "replace")
    return texts
