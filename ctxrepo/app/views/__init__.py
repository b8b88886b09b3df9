"""How results look, as values that a terminal, a screen or a page draws in its own way."""
