"""What may not become part of the memory, and how much of anything it may hold."""
