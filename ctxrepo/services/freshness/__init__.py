"""Finding, in the background, what may hold no longer."""
