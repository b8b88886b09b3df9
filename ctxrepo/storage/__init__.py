"""The only code that touches disk or git."""
