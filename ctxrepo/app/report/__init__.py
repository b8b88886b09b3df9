"""The report: all that one looks at in a memory, as one value, for a page or a screen of it."""
