"""What is the user's own: paths, settings, checkouts, and the files that `setup` writes."""
