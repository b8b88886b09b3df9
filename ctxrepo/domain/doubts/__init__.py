"""Doubts: why an entry may hold no longer."""
