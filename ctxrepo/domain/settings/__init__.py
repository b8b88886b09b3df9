"""What can be set, with the sentence that explains each key."""
