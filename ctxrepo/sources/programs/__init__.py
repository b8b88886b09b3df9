"""The memory programs that are no agent's: each is a file here, with its `SOURCES`."""
