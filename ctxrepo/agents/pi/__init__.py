"""pi: what it is called, and how a command knows that one of its sessions runs it."""

TITLE = "pi"
INSTRUCTIONS = "AGENTS.md"
FOLDER = "PI_CODING_AGENT_DIR"
SESSION = "PI_SESSION_ID"
MARKS = {"PI_CODING_AGENT": "true"}
CLIENTS: tuple[str, ...] = ()
WORKSPACE = ""
