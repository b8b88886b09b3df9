"""The screen on which somebody reviews the memory, at a terminal; the only owner of textual."""
