"""Claude Code: what it is called, and how a command knows that one of its sessions runs it."""

TITLE = "Claude Code"
INSTRUCTIONS = "CLAUDE.md"
FOLDER = "CLAUDE_CONFIG_DIR"
SESSION = "CLAUDE_CODE_SESSION_ID"
MARKS = {"CLAUDECODE": "1"}  # alone tells Claude Code from agents that set its other variables too
CLIENTS = ("claude-code",)
WORKSPACE = "CLAUDE_PROJECT_DIR"
