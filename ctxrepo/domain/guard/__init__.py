"""What a memory must not contain, and limits on its size."""
