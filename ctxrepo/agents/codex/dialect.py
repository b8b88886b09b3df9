"""How Codex talks to hooks: its events, where things stand in their JSON, and how it is answered."""

import _sqlite3

from ctxrepo.hooks.dialect import BEFORE, PATCH_HEADS, USUAL_FIELDS, Event, HookOutputDialect, TouchedFile
from ctxrepo.hooks.own_files import start_of

_PATCH = "apply_patch"

_ADDED = PATCH_HEADS[1]

_SHELL = "bash"

_FAILURES = (
    *("error", "fatal", "failed", "panic", "traceback (most recent call last)", "npm err!", "make: ***"),
)
_ENDS_OF_FAILURES = (": command not found", ": no such file or directory", ": permission denied")
"""How a line in lower case begins or ends that tells of a failure."""

_LAST_LINES = 20
"""As many lines at the end of an output are looked at."""


_HEAD_BYTES = 4096
_MARK = '"forked_from_id":"'


class _Codex(HookOutputDialect):
    def touched(self, _db: _sqlite3.Connection, event: Event, _json: str) -> list[TouchedFile]:
        """The files that a patch names; what a shell reads or writes isn't told."""
        return files_of(event.command) if event.tool == _PATCH else []

    def failure(self, _db: _sqlite3.Connection, event: Event, _json: str) -> str:
        """What a command said that reads like a failure: Codex doesn't tell a hook how one ended."""
        output = event.error if event.tool.lower() == _SHELL else ""
        last = [line.strip().lower() for line in output.split("\n")[-_LAST_LINES:]]
        fails = [line for line in last if line.startswith(_FAILURES) or line.endswith(_ENDS_OF_FAILURES)]
        return output if fails else ""

    def origin(self, transcript: str) -> str:
        """The session that the transcript says that it goes on with."""
        head = start_of(transcript, _HEAD_BYTES).decode("utf-8", "replace").partition("\n")[0]
        return head.partition(_MARK)[2].partition('"')[0]


def files_of(patch: str) -> list[TouchedFile]:
    """The files that a patch changes, with the whole text of those that it adds."""
    files: dict[str, TouchedFile] = {}
    added: list[str] | None = None
    name = ""
    for line in [*patch.split("\n"), ""]:
        head = [start for start in PATCH_HEADS if line.startswith(start)]
        if added is not None and line.startswith("+"):
            added.append(line[1:] + "\n")
            continue
        if added is not None:
            files[name].wrote = "".join(added)
            added = None
        if head:
            name = line[len(head[0]) :].strip()
            if name:
                files.setdefault(name, TouchedFile(name))
                added = [] if head[0] == _ADDED else None
    return [*files.values()]


DIALECT = _Codex(
    name="codex",
    moments={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": BEFORE,
        "PostToolUse": "tool",
        "SubagentStart": "sub",
        "Stop": "stop",
        "PreCompact": "compact",
        "SessionEnd": "end",
    },
    fields={
        **USUAL_FIELDS,
        "edit": ("$.tool_input.command",),
        "error": ("$.tool_response",),
        "sub": ("$.agent_id",),
    },
    readers=frozenset(),
    shells=frozenset((_SHELL,)),
    most_bytes=9500,
    shows_receipt=True,
)
