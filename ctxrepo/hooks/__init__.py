"""What a hook does: answer from the cache, leave a line for the worker. It loads light modules only."""
