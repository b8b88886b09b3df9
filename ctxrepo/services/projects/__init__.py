"""The projects of a memory: listed, renamed, linked, and which of them a clone holds."""
