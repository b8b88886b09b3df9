"""Where in the memory a session is: the project of a folder, and whether to believe it."""
