"""What a person, an agent or git starts: each parses what it was given, asks, and shows the answer."""
