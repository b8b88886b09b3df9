"""How Codex talks to hooks: its events, where things stand in their JSON, and how it is answered."""

import _sqlite3

from ctxrepo.hooks.dialect import Dialect, Event, TouchedFile

_PATCH = "apply_patch"

_HEADS = ("*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: ")
"""How lines of a patch begin that name a file."""

_ADDED = _HEADS[1]

_REPLY = """
        select json_object('hookSpecificOutput', json((
            select json_object('hookEventName', ?, 'additionalContext', ?))))"""


class _Codex(Dialect):
    def touched(self, _db: _sqlite3.Connection, event: Event, _json: str) -> list[TouchedFile]:
        """The files that a patch names; what a shell reads or writes isn't told."""
        return files_of(event.command) if event.tool == _PATCH else []

    def reply(self, db: _sqlite3.Connection, event: str, text: str) -> str:
        """One line of JSON."""
        return str(db.execute(_REPLY, (event, text)).fetchone()[0]) + "\n"


def files_of(patch: str) -> list[TouchedFile]:
    """The files that a patch changes, with the whole text of those that it adds."""
    found: dict[str, TouchedFile] = {}
    added: list[str] | None = None
    name = ""
    for line in patch.split("\n"):
        head = [start for start in _HEADS if line.startswith(start)]
        if not head and added is not None and line.startswith("+"):
            added.append(line[1:] + "\n")
            continue
        if added is not None and not line.startswith("+"):
            found[name].wrote = "".join(added)
            added = None
        if head:
            name = line[len(head[0]) :].strip()
            if name:
                found.setdefault(name, TouchedFile(name))
                added = [] if head[0] == _ADDED else None
    if added is not None:
        found[name].wrote = "".join(added)
    return [*found.values()]


DIALECT = _Codex(
    name="codex",
    moments={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PostToolUse": "tool",
        "SubagentStart": "sub",
        "Stop": "stop",
        "PreCompact": "compact",
        "SessionEnd": "end",
    },
    fields={
        "session": ("$.session_id",),
        "cwd": ("$.cwd",),
        "source": ("$.source",),
        "prompt": ("$.prompt",),
        "transcript": ("$.transcript_path",),
        "tool": ("$.tool_name",),
        "command": ("$.tool_input.command",),
        "edit": ("$.tool_input.command",),
        "sub": ("$.agent_id",),
    },
    readers=frozenset(),
    shells=frozenset(("bash",)),
    most_bytes=9500,
)
