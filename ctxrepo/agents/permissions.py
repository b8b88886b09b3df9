"""Which of our commands an agent may run without asking its user, where that can be said in advance.

Those that read, and those that add: none that takes away, sends, or changes a setting."""

READING = (
    *("search", "recall", "read", "list", "status", "context", "history", "tags", "links"),
    *("scratch list", "tape list", "tape search", "tape info", "conflicts list", "conflicts show"),
)
ADDING = ("remember", "log", "new", "edit", "touch", "scratch add", "scratch done", "anchor", "handoff")

LEVELS = {"none": (), "read": READING, "write": (*READING, *ADDING)}
"""What may be asked for -> the commands, as they begin."""
