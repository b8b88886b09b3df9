"""Antigravity CLI (`agy`): what it is called, and how a command knows that a session of it runs it.

Written after the documentation that `agy` brings along (its skill agy-customizations, September 2026), after
recorded transcripts of version 1.0, and the input of hooks as others captured it from 1.1 to 1.3. It has no
program that runs without an account, so none of it was tried with a real session."""

TITLE = "Antigravity CLI"
INSTRUCTIONS = "AGENTS.md"
FOLDER = ""  # no variable moves it
SESSION = "ANTIGRAVITY_CONVERSATION_ID"
MARKS: dict[str, str] = {}
CLIENTS = ("antigravity",)
WORKSPACE = ""
