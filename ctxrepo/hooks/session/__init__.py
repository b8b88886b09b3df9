"""What one session was given, did and left."""
