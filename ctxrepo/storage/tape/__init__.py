"""Anchors that stay on this machine."""
