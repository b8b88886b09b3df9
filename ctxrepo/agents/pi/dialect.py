"""How pi talks to hooks: through an extension of ours (hooks/pi/ctxrepo.ts), which hands on pi's events under
pi's names, with JSON of its own making."""

import _sqlite3
import os

from ctxrepo.hooks.dialect import BEFORE, Dialect, Event, HookAnswer, TouchedFile, changed_lines
from ctxrepo.hooks.known.silence import is_switched_off
from ctxrepo.hooks.known.world import NO_LIMIT, OwnSettings, World, tape_of, world_of
from ctxrepo.hooks.own_files import bytes_of, start_of

_READ = """
        select
            case json_type(:json, '$.input.offset') when 'integer' then json_extract(:json, '$.input.offset')
            else 1 end,
            json_extract(:json, '$.input.limit')
        where json_type(:json, '$.input.limit') = 'integer'"""

# As bytes, because JSON can spell half a surrogate pair, which isn't text.
_PATCH = """
        select cast(json_extract(:json, '$.patch') as blob) where json_type(:json, '$.patch') = 'text'"""

_REPLY = """
        select json_patch('{}', json_object(
            'context', ?, 'system', ?, 'turn', ?, 'refusal', ?, 'tape', json(?)))"""
"""A member that is null is left out."""

_TAPE = "select json_object('tools', json(?), 'prefix', ?)"


class _Pi(Dialect):
    def touched(self, db: _sqlite3.Connection, event: Event, json: str) -> list[TouchedFile]:
        """The one file of a call, with the lines that it read or changed."""
        if not event.path:
            return []
        patch = db.execute(_PATCH, {"json": json}).fetchone()
        read = db.execute(_READ, {"json": json}).fetchone() if event.tool == "read" else None
        ranges = changed_lines(patch[0].decode("utf-8", "replace")) if patch else "[]"
        if read:
            first, count = read
            ranges = f"[[{first}, {first + count - 1}]]" if first > 0 and count > 0 else "[]"
        return [TouchedFile(_as_pi_reads(event.path), ranges, event.wrote)]

    def output(self, db: _sqlite3.Connection, world: World, event: Event, answer: HookAnswer) -> str:
        """One object, which can't be taken for whole when it isn't. At a start even an empty one: without it
        the extension takes the hook to have failed, and keeps the system prompt."""
        parts = [part or None for part in (answer.lasting, answer.system, answer.turn, answer.refusal)]
        is_start = self.moment(event.name) == "start"
        if not is_start and not any(parts):
            return ""
        tape = _tape(db, world, event) if is_start and not event.silence_reason else None
        return str(db.execute(_REPLY, (*parts, tape)).fetchone()[0]) + "\n"

    def own_settings(self, db: _sqlite3.Connection, environment: dict[str, str]) -> OwnSettings:
        """What pi's settings for all projects say, as pi-memory-md reads them; a file that is missing or
        can't be read says nothing."""
        file = settings_file(environment)
        data = bytes_of(file, MAX_BYTES, follow=True) if file else None
        if not data or b"\0" in data:
            return OwnSettings()
        if is_switched_off(db, data, ENABLED):
            return OwnSettings(silence=f"{file} says that pi-memory-md isn't enabled")
        try:
            row = db.execute(_SAID, {"json": data.decode("utf-8")}).fetchone()
        except (UnicodeDecodeError, _sqlite3.Error):
            return OwnSettings()
        delivery, has_no_fetch = row or ("", 0)
        place = "" if not delivery else "message" if delivery == MESSAGE else "system"
        return OwnSettings(place=place, fetches=not has_no_fetch)

    def origin(self, transcript: str) -> str:
        """The session that the first line of the transcript names as its parent."""
        head = start_of(transcript, _HEAD_BYTES, follow=True).decode("utf-8", "replace").partition("\n")[0]
        if not head or "\0" in head:
            return ""
        db = _sqlite3.connect(":memory:")
        try:
            row = db.execute(_PARENT, {"head": head}).fetchone()
            return session_of(row[0]) if row and isinstance(row[0], str) else ""
        except _sqlite3.Error:
            return ""
        finally:
            db.close()


def _tape(db: _sqlite3.Connection, world: World, event: Event) -> str | None:
    """What the extension is told of the session's tape, in JSON; None where nothing is kept of it."""
    from ctxrepo.hooks.known.locate import top_of

    # A start waits for the worker where config.toml is newer than what is compiled.
    tape = tape_of(world_of(db, world.state) or world, DIALECT.name)
    cwd = event.cwd or os.getcwd()
    if tape.leaves_alone(cwd, bool(top_of(os.path.realpath(cwd)))):
        return None
    return str(db.execute(_TAPE, ("true" if tape.has_tools else "false", tape.label_prefix)).fetchone()[0])


def _as_pi_reads(path: str) -> str:
    """The path as pi itself takes it: models write `@` before one, and `~` for the home."""
    path = path[1:] if path.startswith("@") else path
    home = os.environ.get("HOME", "")
    return f"{home}{path[1:]}" if home and (path == "~" or path.startswith("~/")) else path


DIALECT = _Pi(
    name="pi",
    moments={
        "session_start": "start",
        "session_tree": "start",
        "session_compact": "start",
        "before_agent_start": "prompt",
        "tool_call": BEFORE,
        "tool_result": "tool",
        "session_before_compact": "compact",
        "agent_settled": "stop",
        "session_shutdown": "end",
    },
    fields={
        "session": ("$.session",),
        "cwd": ("$.cwd",),
        "source": ("$.source",),
        "prompt": ("$.prompt",),
        "transcript": ("$.file",),
        "tool": ("$.tool",),
        "path": ("$.input.path",),
        "wrote": ("$.input.content",),
        "edit": ("$.input.edits[0].newText",),
        "command": ("$.input.command",),
        "error": ("$.error",),
        "own": ("$.own",),
    },
    readers=frozenset(("read", "grep", "find", "ls")),
    shells=frozenset(("bash", "powershell")),
    most_bytes=NO_LIMIT,
    own_modes=frozenset(("system", "turn")),
)


MAX_BYTES = 1024 * 1024

PROJECT_FILE = ".pi/settings.json"
"""Where pi keeps the settings of a project, below its folder; that is not searched upwards."""

ENABLED = '$."pi-memory-md".enabled'
"""Where in pi's settings it is said that memory is off, for a project or for all."""

MESSAGE = "message-append"
"""The value of `delivery` that stands for a message; any other one stands for the system prompt."""

_SAID = """
    select
        case 'text'
            when json_type(section, '$.delivery') then json_extract(section, '$.delivery')
            when json_type(section, '$.injection') then json_extract(section, '$.injection')
            else ''
        end,
        case
            when json_type(section, '$.hooks.onSessionStart') is not null
                then json_type(section, '$.hooks.onSessionStart') = 'false'
            when json_type(section, '$.hooks.sessionStart') = 'array' then not exists (
                select 1 from json_each(section, '$.hooks.sessionStart') where trim(value) = 'pull')
            when ifnull(json_type(section, '$.hooks'), 'null') <> 'null' then 0
            else ifnull(json_type(section, '$.autoSync.onSessionStart') = 'false', 0)
        end
    from (select json_extract(:json, '$."pi-memory-md"') as section)
    where json_valid(section) and json_type(section) = 'object'"""
"""The way of delivery, and whether a session's start shall do without a fetch."""


def settings_file(environment: dict[str, str]) -> str:
    """Where pi keeps them: in PI_CODING_AGENT_DIR, else in ~/.pi/agent; '' without a home."""
    home, path = environment.get("HOME", ""), environment.get("PI_CODING_AGENT_DIR", "")
    if path == "~" or path.startswith("~/"):
        path = f"{home}{path[1:]}" if home else ""
    folder = path or (f"{home}/.pi/agent" if home else "")
    return f"{folder}/settings.json" if folder.startswith("/") else ""


_HEAD_BYTES = 64 * 1024

_PARENT = "select json_extract(:head, '$.parentSession') where json_valid(:head)"


def session_of(file: str) -> str:
    """The id of the session in this file, which is called `<time>_<id>.jsonl`."""
    return file.replace("\\", "/").rpartition("/")[2].partition("_")[2].removesuffix(".jsonl")
