"""Which files of the user's hold a block of ours, and what is needed to take it out again to the byte."""

import base64
import binascii
import json
from dataclasses import replace
from pathlib import Path

from ctxrepo.errors import CtxrepoError
from ctxrepo.lazy import dataclass
from ctxrepo.storage.disk import foreign
from ctxrepo.storage.disk.foreign import Change

_VERSION = 1


@dataclass(frozen=True)
class FileBlock:
    """The block in the file at `path`, no link, for the project of this id; `own` is the checkout's own
    id. `glue` are the bytes put before it; `is_new`: there was no file; `trouble`: why it wasn't renewed."""

    path: Path
    project: str
    glue: bytes = b""
    is_new: bool = False
    trouble: str = ""
    own: str = ""


@dataclass(frozen=True)
class Blocks:
    """All of them; `seen` is what they were last brought up to."""

    known: tuple[FileBlock, ...] = ()
    seen: str = ""

    def at(self, path: Path) -> FileBlock | None:
        return next((block for block in self.known if block.path == path), None)

    def with_(self, block: FileBlock) -> "Blocks":
        """These with `block` in place of the one in the same file; it has seen nothing yet."""
        return replace(self.without(block.path), known=(*self.without(block.path).known, block))

    def without(self, path: Path) -> "Blocks":
        return Blocks(tuple(block for block in self.known if block.path != path))


@dataclass(frozen=True)
class BlockFile:
    """A file in the state; written while holding the lock `blocks`."""

    file: Path

    def read(self) -> Blocks:
        """None are known where it is missing or can't be read: they stay in their files as they are."""
        try:
            fields = json.loads(foreign.read(self.file) or b"{}")
            if fields.get("version") != _VERSION:
                return Blocks()
            return Blocks(tuple(map(_block, fields["blocks"])), str(fields["seen"]))
        except (CtxrepoError, ValueError, KeyError, TypeError, AttributeError, binascii.Error):
            return Blocks()

    def write(self, blocks: Blocks) -> None:
        known = [
            {
                "path": str(block.path),
                "project": block.project,
                "glue": base64.b64encode(block.glue).decode("ascii"),
                "new": block.is_new,
                "trouble": block.trouble,
                "own": block.own,
            }
            for block in blocks.known
        ]
        fields = {"version": _VERSION, "seen": blocks.seen, "blocks": known}
        before, after = foreign.read(self.file), (json.dumps(fields, indent=2) + "\n").encode("ascii")
        if before != after:
            foreign.apply([Change(self.file, before, after if blocks.known else None, private=True)])


def _block(fields: dict[str, object]) -> FileBlock:
    glue = base64.b64decode(str(fields["glue"]), validate=True)
    return FileBlock(
        Path(str(fields["path"])),
        str(fields["project"]),
        glue,
        fields["new"] is True,
        str(fields["trouble"]),
        str(fields.get("own", "")),
    )
