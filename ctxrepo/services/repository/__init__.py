"""A memory on this machine: made, cloned or taken over, and its settings."""
