"""The cast that the README shows: half a minute at a terminal, recorded from one, and drawn."""
