"""What agents say to a hook, and how they want to be answered."""
