"""How Cursor talks to hooks: its events, where things stand in their JSON, and how it is answered.

After https://cursor.com/docs/hooks; no session of Cursor was seen by us. The page says nothing of
`additional_context` beside a prompt and at a tool that failed. The clients of 2026 take it (3.9 and 3.20 of
the editor), and older ones pass over it."""

import _sqlite3

from ctxrepo.hooks.dialect import BESIDE_PROMPT, Dialect, Event

_REPLIES = {
    "sessionStart": "select json_object('additional_context', ?)",
    "beforeSubmitPrompt": "select json_object('continue', json('true'), 'additional_context', ?)",
    "postToolUse": "select json_object('additional_context', ?)",
    "postToolUseFailure": "select json_object('additional_context', ?)",
}
"""The answers by event; Cursor takes context at no other."""

# A tool's output is JSON in a string, and that of a command has its exit code.
_OUTCOME = """
        select case when json_valid(output) then json_extract(output, '$.exitCode') end,
            case when json_valid(output) then json_extract(output, '$.output') end
        from (select json_extract(:json, '$.tool_output') as output)"""


class _Cursor(Dialect):
    def failure(self, db: _sqlite3.Connection, event: Event, json: str) -> str:
        """What a command said that ended with another code than 0."""
        if event.tool.lower() not in self.shells:
            return event.error
        db.text_factory = bytes  # because JSON can spell half a surrogate pair, which isn't text
        try:
            code, text = db.execute(_OUTCOME, {"json": json}).fetchone()
        finally:
            db.text_factory = str
        if not isinstance(code, int) or code == 0:
            return event.error
        return text.decode("utf-8", "replace") if isinstance(text, bytes) and text else f"exit code {code}"

    def reply(self, db: _sqlite3.Connection, event: str, text: str) -> str:
        """One line of JSON."""
        query = _REPLIES.get(event)
        return str(db.execute(query, (text,)).fetchone()[0]) + "\n" if query else ""


DIALECT = _Cursor(
    name="cursor",
    moments={
        "sessionStart": "start",
        "beforeSubmitPrompt": "prompt",
        "postToolUse": "tool",
        "postToolUseFailure": "tool",
        "afterFileEdit": "tool",
        "preCompact": "compact",
        "stop": "stop",
        "sessionEnd": "end",
    },
    fields={
        "session": ("$.conversation_id", "$.session_id"),
        "cwd": ("$.cwd", "$.workspace_roots[0]"),
        "prompt": ("$.prompt",),
        "transcript": ("$.transcript_path",),
        "tool": ("$.tool_name", "$.hook_event_name"),  # an edit is told without the tool's name
        "path": (
            "$.file_path",
            "$.tool_input.file_path",
            "$.tool_input.path",
            "$.tool_input.target_file",
            "$.tool_input.target_notebook",
        ),
        "edit": ("$.edits[0].new_string", "$.tool_input.new_string"),
        "command": ("$.tool_input.command",),
        "error": ("$.error_message",),
    },
    readers=frozenset(("read", "readfile", "grep", "glob", "ls", "semanticsearch", "readlints")),
    most_bytes=9500,
    shells=frozenset(("shell",)),
    # The start's hook isn't waited for before the first prompt is sent.
    packet_at=BESIDE_PROMPT,
    # It also runs the hooks of Claude Code's settings. Its terminals and its agent's shells don't have this.
    hook_mark="CURSOR_VERSION",
    unheard=frozenset(("afterFileEdit",)),
)
