"""How Copilot CLI talks to hooks: its events, where things stand in their JSON, and how it is answered."""

import _sqlite3

from ctxrepo.hooks.dialect import BEFORE, BESIDE_PROMPT, PATCH_HEADS, Dialect, Event, TouchedFile

_PATCH = "apply_patch"

_RANGE = """
        select case when json_type(:json, '$.toolArgs.view_range[0]') = 'integer'
                and json_type(:json, '$.toolArgs.view_range[1]') = 'integer'
                and json_extract(:json, '$.toolArgs.view_range[0]') > 0
                and json_extract(:json, '$.toolArgs.view_range[1]')
                    >= json_extract(:json, '$.toolArgs.view_range[0]')
            then json_array(json_array(
                json_extract(:json, '$.toolArgs.view_range[0]'),
                json_extract(:json, '$.toolArgs.view_range[1]')))
            else '[]' end"""

# Bytes, because JSON can spell half a surrogate pair, which isn't text.
_RESULT = """
        select json_extract(:json, '$.toolResult.resultType') is 'success',
            case json_type(:json, '$.toolResult.textResultForLlm') when 'text'
                then cast(json_extract(:json, '$.toolResult.textResultForLlm') as blob) end"""

_EXITED = " completed with exit code "
"""In the last line of a shell's output, before the exit status."""

_REFUSED = "select json_object('permissionDecision', 'deny', 'permissionDecisionReason', ?)"
_HELD = "select json_object('decision', 'block', 'reason', ?)"

_BLOCK = '<ctxrepo-memory tag="'


class _Copilot(Dialect):
    def touched(self, db: _sqlite3.Connection, event: Event, json: str) -> list[TouchedFile]:
        """The file of a call, with the lines that were asked for; of a patch, each file that it names."""
        if event.tool == _PATCH:
            lines = [line.partition(": ") for line in event.edit.split("\n") if line.startswith(PATCH_HEADS)]
            return [TouchedFile(path.strip()) for _, _, path in lines]
        if not event.path:
            return []
        ranges = db.execute(_RANGE, {"json": json}).fetchone()[0] if self.only_reads(event.tool) else "[]"
        return [TouchedFile(event.path, ranges, event.wrote)]

    def failure(self, db: _sqlite3.Connection, event: Event, json: str) -> str:
        """What a tool said that failed. A command that fails is a success of the shell's for Copilot, and its
        exit status stands in the last line of its output."""
        is_success, data = db.execute(_RESULT, {"json": json}).fetchone()
        if data is None:
            return event.error
        text = str(data, "utf-8", "replace")
        if event.tool in self.shells:
            output, _, last = text.rstrip().rpartition("\n")
            status = last.rpartition(_EXITED)[2].rstrip(">")
            return output if _EXITED in last and status.lstrip("-").isdigit() and int(status) else ""
        return "" if is_success else text

    def words(self, prompt: str) -> str:
        """A subagent's prompt begins with what its start's hook gave it: that is no part of its task."""
        if not prompt.startswith(_BLOCK):
            return prompt
        tag = prompt[len(_BLOCK) :].partition('"')[0]
        return prompt.partition(f'</ctxrepo-memory tag="{tag}">')[2].lstrip("\n") or prompt

    def reply(self, db: _sqlite3.Connection, _event: str, text: str) -> str:
        """One line of JSON, of the same shape for every event."""
        line = db.execute("select json_object('additionalContext', ?)", (text,)).fetchone()[0]
        return str(line) + "\n"

    def refuse(self, db: _sqlite3.Connection, event: str, why: str) -> str:
        """Likewise, of another shape for the end of a turn."""
        query = _REFUSED if self.moment(event) == BEFORE else _HELD
        return str(db.execute(query, (why,)).fetchone()[0]) + "\n"


DIALECT = _Copilot(
    name="copilot",
    moments={
        "sessionStart": "start",
        "userPromptSubmitted": "prompt",
        "preToolUse": BEFORE,
        "postToolUse": "tool",
        "subagentStart": "sub",
        "agentStop": "stop",
        "preCompact": "compact",
        "sessionEnd": "end",
    },
    fields={
        # A subagent's events have its own id in `sessionId`, but for the one that starts it.
        "session": ("$.parentAgentId", "$.sessionId"),
        "cwd": ("$.cwd",),
        "source": ("$.source",),
        "prompt": ("$.prompt",),
        "transcript": ("$.transcriptPath",),
        "tool": ("$.toolName",),
        "path": ("$.toolArgs.path",),
        "wrote": ("$.toolArgs.file_text",),
        "edit": ("$.toolArgs.new_str", "$.toolArgs.input", "$.toolArgs"),
        "command": ("$.toolArgs.command",),
        "error": ("$.error",),
        "sub": ("$.agentId",),
    },
    readers=frozenset(("view", "grep", "glob")),
    shells=frozenset(("bash",)),
    most_bytes=9500,  # what a tool's hooks give is cut at 10 KB
    packet_at=BESIDE_PROMPT,
    hook_mark="COPILOT_PROJECT_DIR",
    keeps_start=False,
    starts_after_compaction=False,
)
