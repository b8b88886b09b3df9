"""The cache: notes and entries of a commit, laid out for hooks and searches."""
