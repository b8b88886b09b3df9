"""What an agent may do for us without asking its user, where that can be said in advance.

It may run those of our commands that read, and those that add: none that takes away, sends, or changes a
setting. What adds is handed over where a sandbox keeps it from being written, which takes one folder."""

READING = (
    *("search", "recall", "read", "list", "status", "context", "history", "tags", "links"),
    *("scratch list", "tape list", "tape search", "tape info", "conflicts list", "conflicts show"),
)
ADDING = (
    *("remember", "log", "new", "edit", "touch", "reinforce", "verify"),
    *("scratch add", "scratch done", "anchor", "handoff"),
)

READING_TOOLS = ("recall", "search", "read")
ADDING_TOOLS = ("remember", "edit", "handoff")

LEVELS = {"none": (), "read": READING, "write": (*READING, *ADDING)}
"""What may be asked for -> the commands, as they begin."""

TOOLS = {"none": (), "read": READING_TOOLS, "write": (*READING_TOOLS, *ADDING_TOOLS)}
"""The same for the tools of our MCP server."""
