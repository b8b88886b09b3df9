"""What a session is given at its start, lane by lane."""
