"""Other memory programs: what a source is, and what its files become."""
