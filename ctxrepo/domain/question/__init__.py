"""Questions about what was said: their terms, the messages that have them, and what of those is shown."""
