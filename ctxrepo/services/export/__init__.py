"""A memory, or one scope of it, written to where a person asked for it."""
