"""Why an entry may hold no longer."""
