"""What `list` shows as a table: notes with what a session is given of them, and folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from ctxrepo.faces.cli import output

if TYPE_CHECKING:
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.notes.list_notes import Listed


def long_list(run: Runtime, notes: Sequence[Listed], json: bool) -> None:
    """A table: path, bytes, entries, pinned, delivered."""
    from ctxrepo.services.delivery.context import context
    from ctxrepo.services.notes.list_notes import weighed

    packet = context(run.memory, run.project, run.cwd).text
    found = weighed(run.memory, notes, packet)
    rows = [("note", "bytes", "entries", "pinned", "delivered")] if found else []
    rows += [
        (w.note.place, str(w.bytes), str(w.note.entries), "pinned" if w.pinned else "", w.delivered or "no")
        for w in found
    ]
    data = [
        {**vars(w.note), "bytes": w.bytes, "pinned": w.pinned, "delivered": w.delivered or None}
        for w in found
    ]
    total = f"{len(packet.encode())} bytes are given in all"
    output.done(json, {"notes": data}, "\n".join([*output.aligned(rows), total] if rows else []))


def tree_list(scope: str, depth: int | None, json: bool) -> None:
    """Folders, with how many notes and bytes are in each."""
    from ctxrepo.faces.cli.runtime import Runtime
    from ctxrepo.services.reading.tree import tree

    run = Runtime()
    folders = tree(run.memory, scope, run.project, depth)
    names = [f"{'  ' * f.depth}{f.path.rpartition('/')[2]}/" for f in folders]
    width = max(map(len, names))
    digits = max(len(str(f.notes)) for f in folders)
    lines = [
        f"{name:<{width}}  {f.notes:>{digits}} {'note ' if f.notes == 1 else 'notes'}  {_size(f.bytes):>9}"
        for name, f in zip(names, folders, strict=True)
    ]
    output.done(json, {"folders": [asdict(f) for f in folders]}, "\n".join(lines))


def _size(count: int) -> str:
    """`12.3 kB`, in the greatest unit that fits."""
    for size, unit in ((1_000_000, "MB"), (1_000, "kB")):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"
