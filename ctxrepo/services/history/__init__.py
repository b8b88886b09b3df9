"""What happened to notes and entries, and bringing it back."""
