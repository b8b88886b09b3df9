"""Connecting agents: hooks, skills, and whether they do what they should."""
