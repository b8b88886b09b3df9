"""Torture: what must never lose a note is killed, cut off, filled up and lied to, and then looked at."""
