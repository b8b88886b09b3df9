"""Projects, folders and paths: what they are called, and what a person may call them."""
