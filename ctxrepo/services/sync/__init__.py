"""Exchanging commits with the remote."""
