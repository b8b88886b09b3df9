"""Reads which objects a pack holds, and where in the pack they are, from the bytes of its index."""

from __future__ import annotations

import struct

_HEAD = b"\xfftOc\0\0\0\x02"
_NAMES = 8 + 256 * 4
"""Where the ids begin: after the head, and a count for each first byte of an id."""

_HASH = 20
_CHECKSUM = 4


def ids_in(index: bytes) -> set[str]:
    """The ids of all objects in a pack. ValueError for what is no whole index of version 2."""
    count = _count(index)
    return {index[at : at + _HASH].hex() for at in range(_NAMES, _NAMES + count * _HASH, _HASH)}


def offsets_in(index: bytes) -> dict[bytes, int]:
    """The offset in the pack of each object. ValueError for what is no whole index of version 2."""
    count = _count(index)
    offsets = _NAMES + count * (_HASH + _CHECKSUM)
    far = offsets + count * 4
    found = {}
    for number, offset in enumerate(struct.unpack_from(f">{count}I", index, offsets)):
        if offset >> 31:
            (offset,) = struct.unpack_from(">Q", index, far + 8 * (offset & 0x7FFFFFFF))
        found[index[_NAMES + number * _HASH : _NAMES + (number + 1) * _HASH]] = offset
    return found


def _count(index: bytes) -> int:
    if not index.startswith(_HEAD):
        raise ValueError("an index of another version")
    count = int.from_bytes(index[_NAMES - 4 : _NAMES], "big")
    if len(index) < _NAMES + count * (_HASH + _CHECKSUM + 4) + 2 * _HASH:
        raise ValueError("an index that was cut short")
    return count
