"""Copilot CLI: what it is called, and how a command knows that one of its sessions runs it."""

TITLE = "Copilot CLI"
INSTRUCTIONS = "AGENTS.md"
FOLDER = "COPILOT_HOME"
SESSION = "COPILOT_AGENT_SESSION_ID"
MARKS = {"COPILOT_CLI": "1"}
CLIENTS = ("copilot-cli", "github-copilot")
WORKSPACE = ""
