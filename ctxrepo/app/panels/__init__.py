"""What a screen shows: panels, their rows, what there is to see of each, and what a key does about it."""
