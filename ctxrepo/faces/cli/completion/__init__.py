"""Completion: what shells are told may stand at the cursor, without the parser, and the scripts that ask."""
