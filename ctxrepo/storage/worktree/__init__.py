"""The files of the clone, kept in step with its commits."""
