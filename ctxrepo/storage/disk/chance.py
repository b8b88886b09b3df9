"""Names and moments that no other process hits upon. The module `secrets` takes a fifth of a start of Python
to load, and every command needs one of these."""

from __future__ import annotations

import os


def random_name(size: int = 8) -> str:
    """So many random bytes, in hexadecimal."""
    return os.urandom(size).hex()


def random_between(least: float, most: float) -> float:
    """A number between these. Processes that were forked from one don't draw alike."""
    return least + (most - least) * int.from_bytes(os.urandom(4), "big") / 2**32
