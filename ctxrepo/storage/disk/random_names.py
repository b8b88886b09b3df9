"""Names that no other process chooses. Importing the module `secrets` for them would take a fifth of Python's
start, and every command needs one."""

from __future__ import annotations

import os


def random_name(size: int = 8) -> str:
    """`size` random bytes, in hexadecimal."""
    return os.urandom(size).hex()
