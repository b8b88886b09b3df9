"""What became of what sessions were given."""
