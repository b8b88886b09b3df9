"""Gemini CLI: what it is called, and how a command knows that one of its sessions runs it."""

TITLE = "Gemini CLI"
INSTRUCTIONS = "GEMINI.md"
FOLDER = "GEMINI_CLI_HOME"
SESSION = ""  # its commands aren't told
MARKS = {"GEMINI_CLI": "1"}
CLIENTS = ("gemini-cli",)
WORKSPACE = ""
