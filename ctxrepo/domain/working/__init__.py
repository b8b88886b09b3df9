"""Notes of a form of their own: checklists, daily notes, and blocks in other files."""
