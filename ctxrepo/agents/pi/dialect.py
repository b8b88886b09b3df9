"""How pi talks to hooks: through an extension of ours (hooks/pi/ctxrepo.ts), which hands on pi's events under
pi's names, with JSON of its own making."""

import _sqlite3
import os

from ctxrepo.hooks.dialect import Dialect, Event, HookAnswer, OwnSettings, TouchedFile
from ctxrepo.hooks.known.world import NO_LIMIT, World, world_of

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
        select json_patch('{}', json_object('context', ?, 'system', ?, 'turn', ?, 'tape', json(?)))"""
"""A member that is null is left out."""

_TAPE = "select json_object('tools', json(?), 'prefix', ?)"

_MOST_HUNKS = 100


class _Pi(Dialect):
    def touched(self, db: _sqlite3.Connection, event: Event, json: str) -> list[TouchedFile]:
        """The one file of a call, with the lines that it read or changed."""
        if not event.path:
            return []
        patch = db.execute(_PATCH, {"json": json}).fetchone()
        read = db.execute(_READ, {"json": json}).fetchone() if event.tool == "read" else None
        ranges = changed_lines(patch[0].decode("utf-8", "replace")) if patch else ""
        if read:
            first, count = read
            ranges = f"[{first},{first + count - 1}]" if first > 0 and count > 0 else ""
        return [TouchedFile(_as_pi_reads(event.path), f"[{ranges}]", event.wrote)]

    def output(self, db: _sqlite3.Connection, world: World, event: Event, answer: HookAnswer) -> str:
        """One object, which the extension can't take for whole when it isn't.

        At a start it is printed even if it is empty: without it the extension takes the hook to have failed,
        and keeps what stands in the system prompt.
        """
        parts = [part or None for part in (answer.kept, answer.system, answer.turn)]
        is_start = self.events[event.name.lower()][1] == "start"
        if not is_start and not any(parts):
            return ""
        tape = _tape(db, world, event) if is_start and not event.silence_reason else None
        return str(db.execute(_REPLY, (*parts, tape)).fetchone()[0]) + "\n"

    def own_settings(self, db: _sqlite3.Connection, environment: dict[str, str]) -> OwnSettings:
        """What pi's settings for all projects say, as pi-memory-md reads them."""
        from ctxrepo.agents.pi.own_settings import own_settings

        return own_settings(db, environment)

    def origin(self, transcript: str) -> str:
        """The session that the first line of the transcript names as its parent."""
        from ctxrepo.agents.pi.fork import origin

        return origin(transcript)


def _tape(db: _sqlite3.Connection, world: World, event: Event) -> str | None:
    """What the extension is told of the session's tape, in JSON; None where nothing is kept of it."""
    from ctxrepo.hooks.known.locate import top_of
    from ctxrepo.hooks.known.world import tape_of

    # A start waits for the worker where config.toml is newer than what is compiled.
    tape = tape_of(world_of(db, world.state) or world, DIALECT.name)
    cwd = event.cwd or os.getcwd()
    if tape.leaves_alone(cwd, bool(top_of(os.path.realpath(cwd)))):
        return None
    return str(db.execute(_TAPE, ("true" if tape.has_tools else "false", tape.label_prefix)).fetchone()[0])


def changed_lines(patch: str) -> str:
    """The lines that a unified diff changes in the new file, as `[first,last],[first,last]`, without the
    context around them; a deletion has its place."""
    found: list[str] = []
    line = first = last = 0
    for text in [*patch.split("\n"), "@@ "]:
        if text.startswith("@@ "):
            found += [f"[{first},{last}]"] if first else []
            line, first = _start_of(text), 0
            if len(found) == _MOST_HUNKS:
                break
        elif line and text[:1] in ("+", "-"):
            first, last = first or line, line
            line += text[:1] == "+"
        elif line and text[:1] == " ":
            line += 1
    return ",".join(found)


def _start_of(head: str) -> int:
    """Where a hunk begins in the new file, from its head `@@ -1,5 +1,5 @@`; 0 where that isn't said."""
    number = head.partition(" +")[2].partition(" ")[0].partition(",")[0]
    return max(int(number), 1) if number.isascii() and number.isdigit() and len(number) < 10 else 0


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
    },
    readers=frozenset(("read", "grep", "find", "ls")),
    shells=frozenset(("bash", "powershell")),
    most_bytes=NO_LIMIT,
    own_modes=frozenset(("system", "turn")),
)
