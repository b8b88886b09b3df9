"""Commands that read and change notes."""
