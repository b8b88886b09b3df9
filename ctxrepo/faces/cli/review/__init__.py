"""Commands about what was done and what waits: history, conflicts, what reviewers struck out, the inbox."""
