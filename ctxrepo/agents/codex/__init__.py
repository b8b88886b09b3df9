"""Codex: what it is called, and how a command knows that one of its sessions runs it."""

TITLE = "Codex"
INSTRUCTIONS = "AGENTS.md"
FOLDER = "CODEX_HOME"
SESSION = "CODEX_SESSION_ID"
MARKS: dict[str, str] = {}
CLIENTS = ("codex",)
WORKSPACE = ""
