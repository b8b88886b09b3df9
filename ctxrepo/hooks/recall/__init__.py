"""Which entries answer a prompt."""
