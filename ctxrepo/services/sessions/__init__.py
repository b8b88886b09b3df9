"""Agents' sessions: what settings hold for them, and transcripts that are read, indexed and searched."""
