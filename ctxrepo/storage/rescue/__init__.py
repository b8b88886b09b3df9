"""What is still whole in a damaged clone."""
