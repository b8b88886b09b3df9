"""How Antigravity CLI talks to hooks: its events, where things stand in their JSON, and how it is answered.

After the hooks.md that it brings along; no session of it was seen by us. It calls no hook when a session or a
prompt begins, but one before each request to the model. That can add messages which this request alone shows.
The prompt stands in the transcript. What follows a tool or the end of a turn can say nothing to the model."""

import _sqlite3

from ctxrepo.hooks.dialect import WITH_PROMPT, Dialect
from ctxrepo.hooks.own_files import end_of

_MOST_BYTES = 1024 * 1024
"""As much of the end of a transcript is read; a prompt that lies farther back was read before."""

_STEP = """
        select json_extract(:line, '$.step_index'), json_extract(:line, '$.content')
        where json_valid(:line) and json_extract(:line, '$.type') = 'USER_INPUT'
            and json_extract(:line, '$.source') = 'USER_EXPLICIT'
            and json_type(:line, '$.step_index') = 'integer' and json_type(:line, '$.content') = 'text'"""

_REQUEST, _REQUEST_END = "<USER_REQUEST>", "</USER_REQUEST>"


class _Antigravity(Dialect):
    def words(self, prompt: str) -> str:
        """What the user typed, without what Antigravity says around it."""
        return typed_words(prompt)

    def last_prompt(self, db: _sqlite3.Connection, transcript: str) -> tuple[str, str]:
        """The number of the last step in the transcript that a person took, and what it says."""
        db.text_factory = bytes  # because JSON can spell half a surrogate pair, which isn't text
        try:
            for line in reversed(end_of(transcript, _MOST_BYTES).split(b"\n")):
                if b"USER_INPUT" in line and b"\0" not in line:
                    step = db.execute(_STEP, {"line": line.decode("utf-8", "replace")}).fetchone()
                    if step is not None:
                        return str(step[0]), step[1].decode("utf-8", "replace")
        finally:
            db.text_factory = str
        return "", ""

    def reply(self, db: _sqlite3.Connection, _event: str, text: str) -> str:
        """One line of JSON."""
        query = "select json_object('injectSteps', json_array(json_object('ephemeralMessage', ?)))"
        return str(db.execute(query, (text,)).fetchone()[0]) + "\n"


def typed_words(content: str) -> str:
    """What a person typed, of a step of theirs in a transcript: all of it, where it isn't in tags."""
    _, tag, rest = content.partition(_REQUEST)
    return rest.rpartition(_REQUEST_END)[0].strip() if tag and _REQUEST_END in rest else content.strip()


DIALECT = _Antigravity(
    name="antigravity",
    moments={"PreInvocation": "prompt", "PostToolUse": "tool", "Stop": "stop"},
    fields={
        "session": ("$.conversationId",),
        "cwd": ("$.workspacePaths[0]",),
        "transcript": ("$.transcriptPath",),
        "tool": ("$.toolCall.name",),
        "path": ("$.toolCall.args.TargetFile", "$.toolCall.args.AbsolutePath"),
        "command": ("$.toolCall.args.CommandLine",),
        "error": ("$.error",),
    },
    readers=frozenset(("view_file", "list_dir", "grep_search")),
    shells=frozenset(("run_command",)),
    most_bytes=9500,
    packet_at=WITH_PROMPT,
    unheard=frozenset(("PostToolUse", "Stop")),
    repeats=True,
    nothing="{}\n",
)
