"""What a session is given of a memory at its start: its rules, its MEMORY.md and what is pinned, as text."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

from recall.datasets import DataSet
from recall.measures import Piece

from ctxrepo.domain.project.layout import GLOBAL
from ctxrepo.domain.records.evidence import Marks
from ctxrepo.errors import CtxrepoError
from ctxrepo.hooks.known.cached import open_cache
from ctxrepo.hooks.known.packet_rows import PacketEntry
from ctxrepo.hooks.packet.lane import DEFAULT, PacketContents, PacketSource, ScopeContents
from ctxrepo.hooks.packet.packet import packet
from ctxrepo.hooks.packet.presets import BUDGETS, lanes_of
from ctxrepo.storage.cache.cache import Cache

_SECRET = "00"


def started(data: DataSet) -> list[Piece]:
    """The lines of the entries that stand whole in the packet of a session in this memory, whose folders are
    the global scope and projects."""
    with tempfile.TemporaryDirectory() as there:
        file = Path(there) / "cache.db"
        paths = [path for path in data.texts if "/" in path]
        with closing(Cache.open(file)) as cache:
            cache.fill("start", paths, lambda path: "\n".join(data.texts[path]), Marks(), lambda _: None)
        db = open_cache(str(file))
        if db is None:
            raise CtxrepoError(f"{file} can't be read", "Look whether the disk is full, and try again.")
        with closing(db):
            contents = PacketContents()
            folders = sorted({path.partition("/")[0] for path in paths}, key=lambda name: name != GLOBAL)
            contents.scopes = [ScopeContents(folder) for folder in folders]
            for lane in lanes_of(DEFAULT):
                lane.collect(PacketSource(db, [], BUDGETS[DEFAULT], "", GLOBAL), contents)
            shown = packet(contents, 0, _SECRET).entries
    return [_piece(entry) for entries in contents.entries.values() for entry in entries if entry.id in shown]


def _piece(entry: PacketEntry) -> Piece:
    return Piece(entry.path, entry.first_line, entry.last_line)
