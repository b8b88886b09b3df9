"""What a text is about, as words. Hooks load it."""
