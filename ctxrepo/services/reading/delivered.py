"""Which notes a packet holds: whole, cut, or by a line of its index."""

from __future__ import annotations

from typing import Literal

from ctxrepo.domain.text import unescape_field

Delivered = Literal["whole", "cut", "line", ""]

_INDEX = "Index of notes"


def delivered(packet: str) -> dict[str, Delivered]:
    """path -> how the note is in the packet, if it is. A checklist whose open items are there is whole."""
    found: dict[str, Delivered] = {}
    title = ""
    for line in packet.split("\n"):
        if line.startswith("## "):
            title = line[3:]
            if title.endswith(".md"):
                found[unescape_field(title)] = "whole"
        elif line.startswith("### cut: ") and title.endswith(".md"):
            found[unescape_field(title)] = "cut"
        elif title == _INDEX and line and not line.startswith(("… ", "<", "#")):
            # A line of the index: `path — description [tags] age`.
            path = line.partition(" — ")[0]
            end = path.rfind(".md")
            found.setdefault(unescape_field(path[: end + 3] if end >= 0 else path), "line")
    return found
