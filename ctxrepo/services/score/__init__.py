"""Scores of entries: computed for the cache, and what follows from them for topics."""
