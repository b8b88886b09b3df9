"""The index of what was said in agents' sessions, and the files that it points to."""
