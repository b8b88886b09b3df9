"""Work that waits on a branch until people have looked at it."""
