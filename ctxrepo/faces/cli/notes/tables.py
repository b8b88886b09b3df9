"""What `list` shows as a table: notes with what a session is given of them, and folders."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ctxrepo.faces.cli import output

if TYPE_CHECKING:
    from ctxrepo.app.notes.notes import DeliveryList
    from ctxrepo.services.reading.tree import FolderSize


def delivery_table(found: DeliveryList) -> str:
    """Path, bytes, entries, pinned, delivered."""
    if not found.notes:
        return ""
    rows = [("note", "bytes", "entries", "pinned", "delivered")]
    rows += [
        (w.note.place, str(w.bytes), str(w.note.entries), "pinned" if w.pinned else "", w.delivered or "no")
        for w in found.notes
    ]
    return "\n".join([*output.aligned(rows), f"{found.total} bytes are given in all"])


def folder_table(folders: Sequence[FolderSize]) -> str:
    """Folders, with how many notes and bytes are in each."""
    names = [f"{'  ' * f.depth}{f.path.rpartition('/')[2]}/" for f in folders]
    width = max(map(len, names))
    digits = max(len(str(f.notes)) for f in folders)
    return "\n".join(
        f"{name:<{width}}  {f.notes:>{digits}} {'note ' if f.notes == 1 else 'notes'}  {_size(f.bytes):>9}"
        for name, f in zip(names, folders, strict=True)
    )


def _size(count: int) -> str:
    """`12.3 kB`, in the greatest unit that fits."""
    for size, unit in ((1_000_000, "MB"), (1_000, "kB")):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} B"
