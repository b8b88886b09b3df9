"""What an agent proposes when it tidies up memory, and what must not be lost by it."""
