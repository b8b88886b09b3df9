"""The id that git gives to bytes."""

from __future__ import annotations

import hashlib


def blob_id(data: bytes) -> str:
    """40 hex digits, the same as `git hash-object` tells."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
