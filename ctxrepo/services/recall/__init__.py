"""Finding the entries that matter for a prompt, and measuring how well that works."""
