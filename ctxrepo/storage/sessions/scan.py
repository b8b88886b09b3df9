"""Bytes in large files: where a text stands, and the line around it."""

from __future__ import annotations

import os
from collections.abc import Sequence

_CHUNK = 4 * 1024 * 1024
AROUND = 64 * 1024
"""Bytes on either side of a hit that are given back: whoever masks secrets must see all of a private key."""

_HEAD = 256 * 1024


def find_bytes(handle: int, needles: Sequence[bytes], any_case: bool, most: int) -> list[int]:
    """The first `most` places in a file at which one of the needles stands, at most one a line; with
    `any_case` in whatever case, of the letters of ASCII."""
    wanted = [needle.lower() for needle in needles] if any_case else needles
    overlap = max(map(len, wanted)) - 1
    found: list[int] = []
    at = 0
    while len(found) < most and (data := os.pread(handle, _CHUNK, at)):
        chunk = data.lower() if any_case else data
        begin = 0
        while len(found) < most and (place := _first(chunk, wanted, begin)) >= 0:
            found.append(at + place)
            begin = chunk.find(b"\n", place) + 1
            if not begin:
                break
        if len(data) < _CHUNK:
            break
        at += _CHUNK - overlap
        at = max(at, found[-1] + 1) if found else at
    return found


def line_around(handle: int, place: int) -> str:
    """What stands around a place, on its line."""
    start = max(0, place - AROUND)
    data = os.pread(handle, 2 * AROUND, start)
    before, after = data[: place - start], data[place - start :]
    return (before.rpartition(b"\n")[2] + after.partition(b"\n")[0]).decode("utf-8", "replace")


def first_lines(handle: int) -> list[str]:
    """The first lines of a file, which tell of its session."""
    return os.pread(handle, _HEAD, 0).decode("utf-8", "replace").split("\n")[:100]


def _first(chunk: bytes, needles: Sequence[bytes], begin: int) -> int:
    places = [place for needle in needles if (place := chunk.find(needle, begin)) >= 0]
    return min(places, default=-1)
