"""How Gemini CLI talks to hooks: its events, where things stand in their JSON, and how it is answered."""

import _sqlite3

from ctxrepo.hooks.dialect import (
    BEFORE,
    USUAL_FIELDS,
    WITH_PROMPT,
    Event,
    HookOutputDialect,
    TouchedFile,
    changed_lines,
    extract_fields,
)
from ctxrepo.hooks.own_files import end_of

_SHELL = "run_shell_command"

_RESPONSE: dict[str, tuple[str, ...]] = {
    "output": ("$.tool_response.llmContent",),
    "diff": ("$.tool_response.returnDisplay.fileDiff",),
}

_LINES_READ = """
        select json_array(json_array(first, last)) from (
            select json_extract(:json, '$.tool_input.start_line') as first,
                json_extract(:json, '$.tool_input.end_line') as last
        ) where typeof(first) = 'integer' and typeof(last) = 'integer' and 0 < first and first <= last"""

_CONTEXT, _CONTEXT_END = "<hook_context>", "</hook_context>"

_FILES = "--- Content from referenced files ---"
"""What stands before the content of the files that a prompt names with an @."""

_BEHIND_EXIT_CODE = ("Signal: ", "Background PIDs: ", "Process Group PGID: ")
"""How lines begin that may follow the one that tells how a command ended."""


_ONCE = "\nThe tool wasn't used yet: call it again if that is right."


class _Gemini(HookOutputDialect):
    def words(self, prompt: str) -> str:
        """The prompt without what a start's hook put before it, and without the content of files."""
        return without_context(prompt).partition(_FILES)[0].rstrip()

    def touched(self, db: _sqlite3.Connection, event: Event, json: str) -> list[TouchedFile]:
        """The one file of a call, with the lines that it read or changed."""
        if not event.path:
            return []
        if self.only_reads(event.tool):
            lines = db.execute(_LINES_READ, {"json": json}).fetchone()
            return [TouchedFile(event.path, lines[0] if lines else "[]")]
        diff = extract_fields(db, json, _RESPONSE).get("diff", "")
        return [TouchedFile(event.path, changed_lines(diff), event.wrote)]

    def failure(self, db: _sqlite3.Connection, event: Event, json: str) -> str:
        """The error of a tool; what a command printed that failed, which isn't an error to Gemini CLI."""
        if event.error or event.tool != _SHELL:
            return event.error
        return output_of_failed(extract_fields(db, json, _RESPONSE).get("output", ""))

    def reply(self, db: _sqlite3.Connection, event: str, text: str) -> str:
        """As others have it; but of a call it can only be told by refusing that, which is done once."""
        if self.moment(event) == BEFORE:
            return self.refuse(db, event, text + _ONCE)
        return super().reply(db, event, text)

    def refuse(self, db: _sqlite3.Connection, _event: str, why: str) -> str:
        """The same for a tool and for the end of a turn."""
        line = db.execute("select json_object('decision', 'deny', 'reason', ?)", (why,)).fetchone()[0]
        return str(line) + "\n"

    def compaction(self, transcript: str) -> str:
        """The id of the model's answer to a summary, which stands for it in the transcript: its PreCompress
        comes before every request."""
        text = end_of(transcript, _MOST_BYTES)
        at = text.rfind(_MARK)
        start = text.rfind(_ID, 0, at) + len(_ID) if at > 0 else -1
        return text[start : text.find(b'"', start)].decode("ascii", "replace") if start >= len(_ID) else ""


def without_context(text: str) -> str:
    """The text without the context of hooks that it begins with."""
    while text.startswith(_CONTEXT) and _CONTEXT_END in text:
        text = text.partition(_CONTEXT_END)[2].lstrip()
    return text


def output_of_failed(report: str) -> str:
    """What a command printed, in what Gemini CLI tells of it; '' where it ended well, or goes on."""
    lines = report.removeprefix("<untrusted_context>\n").removesuffix("\n</untrusted_context>").split("\n")
    has_failed = False
    while lines and lines[-1].startswith(_BEHIND_EXIT_CODE):
        has_failed = has_failed or lines[-1].startswith("Signal: ")
        lines.pop()
    if lines and lines[-1].startswith("Exit Code: "):
        has_failed = True
        lines.pop()
    return "\n".join(lines).removeprefix("Output: ") if has_failed else ""


DIALECT = _Gemini(
    name="gemini",
    moments={
        "SessionStart": "start",
        "BeforeAgent": "prompt",
        "BeforeTool": BEFORE,
        # What it calls PreCompress comes before every request, and says nothing of a compaction.
        "AfterTool": "tool",
        "AfterAgent": "stop",
        "SessionEnd": "end",
    },
    fields={
        **USUAL_FIELDS,
        "path": ("$.tool_response.returnDisplay.filePath", "$.tool_input.file_path"),
        "wrote": ("$.tool_response.returnDisplay.newContent", "$.tool_input.content"),
        "edit": ("$.tool_input.new_string",),
        "error": ("$.tool_response.error.message",),
    },
    readers=frozenset(("read_file", "list_directory", "grep_search", "glob")),
    shells=frozenset((_SHELL,)),
    most_bytes=9500,
    packet_at=WITH_PROMPT,
)


_MOST_BYTES = 8 * 1024 * 1024
"""As much of the end of a transcript is read; a compaction that lies farther back counts as none."""

_MARK = b'"type":"gemini","content":[{"text":"Got it. Thanks for the additional context!"}]'
"""The answer to the summary that Gemini CLI has the model give; it has an id of its own, which stays."""

_ID = b'{"id":"'
