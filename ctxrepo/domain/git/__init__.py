"""What git's ids, patterns, commits and answers mean."""
