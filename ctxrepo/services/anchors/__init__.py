"""Anchors are left, by whom and for what, and taken off the tape again."""
