"""OpenCode: what it is called, and how a command knows that one of its sessions runs it."""

TITLE = "OpenCode"
INSTRUCTIONS = "AGENTS.md"
FOLDER = ""  # variables of XDG move it, which are other programs' too
SESSION = "CTXREPO_OPENCODE_SESSION"  # our bridge sets it: OpenCode itself doesn't tell a command its session
MARKS = {"OPENCODE": "1"}
CLIENTS = ("opencode",)
WORKSPACE = ""
