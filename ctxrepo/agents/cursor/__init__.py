"""Cursor, editor and command line: what it is called, and how a command knows that a session of it runs it.

This folder is written after Cursor's documentation and what others published of its client (2026-09): it has
no program that runs without an account, so none of it was tried with a real session."""

TITLE = "Cursor"
INSTRUCTIONS = "AGENTS.md"
FOLDER = ""  # no variable moves it
SESSION = "CURSOR_CONVERSATION_ID"
MARKS = {"CURSOR_AGENT": "1"}  # in the shells of its agent only; the editor's own terminals have neither
CLIENTS = ("cursor",)
WORKSPACE = "WORKSPACE_FOLDER_PATHS"
