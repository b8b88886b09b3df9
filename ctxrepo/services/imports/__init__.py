"""The move from another memory program: what it has here, what of it would be written, and writing it."""
