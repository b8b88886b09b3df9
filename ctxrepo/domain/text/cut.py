"""Cuts text to a room, between its lines or entries, and marks the cut with how much is left."""

from ctxrepo.domain.text.block import size
from ctxrepo.domain.text.escape import escape_text

UNLIMITED = 1 << 30
"""More bytes, and more lines, than any text has."""

HEAD, TAIL, ENDS = "head", "tail", "ends"
"""What stays of a text that is too long: its beginning, its end, or both."""

_MARKS = {
    HEAD: "### cut: the first {} of {} {} ({} of {} bytes)\n",
    TAIL: "### cut: the last {} of {} {} ({} of {} bytes)\n",
    ENDS: "### cut: the first and last {} of {} {} ({} of {} bytes)\n",
}


def passage(title: str, text: str, room: int, keep: str = HEAD, most: int = 0) -> str:
    """`text` under its `title` line in at most `room` bytes and `most` lines (0: any number).

    '' when not even the title fits.
    """
    lines = [line + "\n" for line in escape_text(text).split("\n")]
    return pieces(title, lines, "lines", room, keep, most)


def pieces(title: str, parts: list[str], noun: str, room: int, keep: str = HEAD, most: int = 0) -> str:
    """`parts` under their `title` line in at most `room` bytes, cut between parts and the cut marked.

    `most` is how many lines may be shown, 0 for any number; '' when not even the title fits.
    """
    most = most or UNLIMITED
    whole = title + "".join(parts)
    if size(whole) <= room and whole.count("\n") - title.count("\n") <= most:
        return whole
    count, total = len(parts), size(whole) - size(title)
    mark = _MARKS[keep]
    left = room - size(title) - size(mark.format(count, count, noun, total, total))
    if left < 0:
        return ""
    first, last = _kept(parts, left, keep, most)
    shown = "".join(first) + "".join(last)
    mark_line = mark.format(len(first) + len(last), count, noun, size(shown), total)
    return title + "".join(first) + mark_line + "".join(last)


def fitting(parts: list[str], room: int, most: int = UNLIMITED) -> list[str]:
    """The longest beginning of `parts` that takes at most `room` bytes and `most` lines."""
    for count, part in enumerate(parts):
        room -= size(part)
        most -= part.count("\n")
        if room < 0 or most < 0:
            return parts[:count]
    return parts


def _kept(parts: list[str], room: int, keep: str, most: int) -> tuple[list[str], list[str]]:
    """The parts that stay before the mark, and those that stay after it."""
    if keep == HEAD:
        return fitting(parts, room, most), []
    if keep == TAIL:
        return [], fitting(parts[::-1], room, most)[::-1]
    first = fitting(parts, room // 2, most // 2)
    room -= size("".join(first))
    most -= "".join(first).count("\n")
    rest = parts[len(first) :]
    return first, fitting(rest[::-1], room, most)[::-1]
