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
# for a whole file, and of a patch's hunk without the lines around the change. Each mention of :json costs a
# copy of it, so what matters is picked out first: startLine, numLines, totalLines, structuredPatch. And in a
# join a hunk would be written out anew for each of its lines.
_RANGES = {
    "claude": """
        with told(json) as (select json_extract(:json,
            '$.tool_response.file.startLine', '$.tool_response.file.numLines',
            '$.tool_response.file.totalLines', '$.tool_response.structuredPatch'
        ))
        select json_group_array(json_array(first, first + count - 1)) from (
            select json_extract(json, '$[0]') as first, json_extract(json, '$[1]') as count
            from told where json_extract(json, '$[2]') is not count or first is not 1
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
                from told, json_each(told.json, '$[3]') hunk where hunk.type = 'object' and hunk.key < 100
            )
            limit 101 -- cuts nothing off; without a limit SQLite works the counts out several times
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
