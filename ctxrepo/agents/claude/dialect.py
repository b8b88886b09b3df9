"""How Claude Code talks to hooks: its events, where things stand in their JSON, and how it is answered."""

import _sqlite3
import os

from ctxrepo.hooks.dialect import BEFORE, USUAL_FIELDS, Event, HookOutputDialect, TouchedFile
from ctxrepo.hooks.own_files import bytes_of

# The line ranges [[first, last], ...] that a tool touched, from the JSON :json. A whole file has no range; a
# hunk of a patch has the range of its changed lines, without the context around them. Each mention of :json
# costs a copy of it, so `picked` takes startLine, numLines, totalLines and structuredPatch out first. The
# subqueries stand for a join, which would copy a hunk for each of its lines.
_RANGES = """
        with picked(json) as (select json_extract(:json,
            '$.tool_response.file.startLine', '$.tool_response.file.numLines',
            '$.tool_response.file.totalLines', '$.tool_response.structuredPatch'
        ))
        select json_group_array(json_array(first, first + count - 1)) from (
            select json_extract(json, '$[0]') as first, json_extract(json, '$[1]') as count
            from picked where json_extract(json, '$[2]') is not count or first is not 1
            union all
            select start + before, max(1, lines - before - behind) from (
                select json_extract(hunk.value, '$.newStart') as start,
                    json_extract(hunk.value, '$.newLines') as lines,
                    coalesce((
                        select min(key) from json_each(hunk.value, '$.lines') where value glob '[+-]*'
                    ), 0) as before,
                    coalesce(json_array_length(hunk.value, '$.lines') - 1 - (
                        select max(key) from json_each(hunk.value, '$.lines') where value glob '[+-]*'
                    ), 0) as behind
                from picked, json_each(picked.json, '$[3]') hunk where hunk.type = 'object' and hunk.key < 100
            )
            limit 101 -- there are no more; without a limit SQLite computes the counts several times
        ) where typeof(first) = 'integer' and typeof(count) = 'integer' and count > 0"""


LOCAL_SETTINGS = ".claude/settings.local.json"
"""A person's own settings for one folder, seen from it."""

_SETTINGS_BYTES = _WORDS_BYTES = 64 * 1024

_MEMORY_FOLDER = "select json_extract(:json, '$.autoMemoryDirectory') where json_valid(:json)"


class _Claude(HookOutputDialect):
    def touched(self, db: _sqlite3.Connection, event: Event, json: str) -> list[TouchedFile]:
        """The one file of a call, with the lines that it read or changed."""
        if not event.path:
            return []
        ranges = db.execute(_RANGES, {"json": json}).fetchone()[0]
        return [TouchedFile(event.path, ranges, event.wrote)]

    def own_folder(self, db: _sqlite3.Connection, folder: str) -> str:
        """Where the local settings say that it keeps its auto memory, whose index it loads by itself."""
        data = bytes_of(f"{folder}/{LOCAL_SETTINGS}", _SETTINGS_BYTES, follow=True) or b""
        try:
            row = db.execute(_MEMORY_FOLDER, {"json": data.decode("utf-8", "replace")}).fetchone()
        except _sqlite3.Error:  # it may have come with the checkout, and spell what is no text
            return ""
        return row[0] if row and isinstance(row[0], str) and row[0].startswith("/") else ""

    def origin(self, transcript: str) -> str:
        """The id of the session that Claude Code was told to go on with; '' where its command line names
        none, or where it goes on with only a part of that session."""
        process = os.environ.get("CLAUDE_PID", "")
        if not process.isascii() or not process.isdecimal():
            return ""
        data = bytes_of(f"/proc/{process}/cmdline", _WORDS_BYTES) or b""
        words = data.decode("utf-8", "replace").split("\0")
        if "--resume-session-at" in words:
            return ""
        for word, after in zip(words, [*words[1:], ""], strict=True):
            if word in ("-r", "--resume"):
                return after
            if word.startswith("--resume="):
                return word[9:]
            if word in ("-c", "--continue"):
                return _newest_in(os.path.dirname(transcript))
        return ""


DIALECT = _Claude(
    name="claude",
    moments={
        "SessionStart": "start",
        "UserPromptSubmit": "prompt",
        "PreToolUse": BEFORE,
        "PostToolUse": "tool",
        "PostToolUseFailure": "tool",
        "SubagentStart": "sub",
        "Stop": "stop",
        "PreCompact": "compact",
        "SessionEnd": "end",
    },
    fields={
        **USUAL_FIELDS,
        "path": ("$.tool_input.file_path", "$.tool_input.notebook_path"),
        "wrote": ("$.tool_input.content",),
        "edit": ("$.tool_input.new_string", "$.tool_input.new_source", "$.tool_input.edits[0].new_string"),
        "error": ("$.error",),
        "sub": ("$.agent_id",),
    },
    readers=frozenset(("read", "grep", "glob", "ls", "notebookread", "view")),
    shells=frozenset(("bash",)),
    most_bytes=9500,
    shows_receipt=True,
)


def _newest_in(folder: str) -> str:
    """The session whose transcript was written last, which is the one that `--continue` goes on with."""
    try:
        with os.scandir(folder) as files:
            dated = [(file.stat().st_mtime_ns, file.name) for file in files if file.name.endswith(".jsonl")]
    except OSError:
        return ""  # removed meanwhile, or not there: nobody can tell
    return max(dated)[1][: -len(".jsonl")] if dated else ""
