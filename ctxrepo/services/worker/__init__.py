"""What hooks and writers leave to the worker, and how it gets through it."""
