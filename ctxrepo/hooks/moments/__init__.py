"""One module a moment: a session starts, a prompt is sent, a tool was used, a turn ends."""
