"""The command line: the only owner of typer and rich, and of the words a person reads."""
