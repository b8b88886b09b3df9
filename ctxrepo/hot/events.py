"""How each agent names its events, and where in its JSON things are."""

# agent: {its event, in lower case: (the event as the agent writes it, the moment it is for us)}
_EVENTS = {
    "claude": {
        name.lower(): (name, moment)
        for name, moment in (
            ("SessionStart", "start"),
            ("UserPromptSubmit", "prompt"),
            ("PostToolUse", "tool"),
            ("SubagentStart", "sub"),
            ("Stop", "stop"),
            ("PreCompact", "compact"),
            ("SessionEnd", "end"),
        )
    }
}

# agent: {our field: where it may stand, the first text found counts}
_FIELDS = {
    "claude": {
        "session": ("$.session_id",),
        "cwd": ("$.cwd",),
        "source": ("$.source",),
        "prompt": ("$.prompt",),
        "transcript": ("$.transcript_path",),
        "tool": ("$.tool_name",),
        "path": ("$.tool_input.file_path", "$.tool_input.notebook_path"),
        "wrote": ("$.tool_input.content",),
        "sub": ("$.agent_id",),
    }
}

# agent: the query that gives the line ranges [[first, last], ...] a tool touched, from the JSON :json; none
# for a whole file, and of a patch's hunk without the lines around the change
_RANGES = {
    "claude": """
        select json_group_array(json_array(first, first + count - 1)) from (
            select json_extract(:json, '$.tool_response.file.startLine') as first,
                   json_extract(:json, '$.tool_response.file.numLines') as count
            where json_extract(:json, '$.tool_response.file.totalLines') is not count or first is not 1
            union all
            select start + before, max(1, lines - before - behind) from (
                select json_extract(hunk.value, '$.newStart') as start,
                    json_extract(hunk.value, '$.newLines') as lines,
                    coalesce(min(line.key), 0) as before,
                    coalesce(json_array_length(hunk.value, '$.lines') - 1 - max(line.key), 0) as behind
                from json_each(:json, '$.tool_response.structuredPatch') hunk
                left join json_each(hunk.value, '$.lines') line on line.value glob '[+-]*'
                where hunk.type = 'object' group by hunk.key
            )
            limit 100
        ) where typeof(first) = 'integer' and typeof(count) = 'integer' and count > 0"""
}

# agent: the most bytes of a block that it takes whole; of a larger one it shows a beginning.
_MOST = {"claude": 9500}

# Tools that leave the file they name as it is.
_READERS = frozenset(("read", "grep", "glob", "ls", "notebookread", "view"))


def moment_of(agent: str, event: str) -> tuple[str, str] | None:
    """(the event as the agent writes it, the moment), or None for an event that we have no part in."""
    return _EVENTS.get(agent.lower(), {}).get(event.lower())


def fields_of(agent: str) -> dict[str, tuple[str, ...]]:
    return _FIELDS[agent.lower()]


def most_bytes(agent: str) -> int:
    """The most bytes of a block that the agent takes; 1 GiB for one that we know nothing of."""
    return _MOST.get(agent.lower(), 1 << 30)


def ranges_query(agent: str) -> str:
    return _RANGES[agent.lower()]


def only_reads(tool: str) -> bool:
    return tool.lower() in _READERS
