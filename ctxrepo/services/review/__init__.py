"""What waits for people: proposals, and work that lies on a branch until somebody has looked at it."""
