"""A forge that checks nothing: any tree in a bare repository, object by object, past git's own checks."""

from __future__ import annotations

import hashlib
import subprocess
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FILE, EXEC, LINK, FOLDER, GITLINK = "100644", "100755", "120000", "40000", "160000"


@dataclass(frozen=True)
class Item:
    """One entry of a tree: `data` become a blob, else `key` is taken as it is."""

    mode: str = FILE
    data: bytes = b""
    key: str = ""


Folder = dict[bytes, "Item | Folder"]


@dataclass(frozen=True)
class Forge:
    """The bare repository at `root`."""

    root: Path

    def store(self, kind: str, data: bytes) -> str:
        whole = b"%s %d\0" % (kind.encode(), len(data)) + data
        key = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
        file = self.root / "objects" / key[:2] / key[2:]
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(zlib.compress(whole, 1))
        return key

    def tree(self, entries: Iterable[tuple[str, bytes, str]]) -> str:
        """A tree of (mode, name, key) in just this order."""
        return self.store(
            "tree", b"".join(b"%s %s\0" % (m.encode(), n) + bytes.fromhex(k) for m, n, k in entries)
        )

    def grow(self, folder: Folder) -> str:
        """A tree in the order git wants, with those below it."""
        found = []
        for name, item in folder.items():
            if isinstance(item, dict):
                found.append((FOLDER, name, self.grow(item)))
            else:
                found.append((item.mode, name, item.key or self.store("blob", item.data)))
        return self.tree(sorted(found, key=lambda e: e[1] + (b"/" if e[0] == FOLDER else b"")))

    def commit(self, tree: str, parents: Iterable[str], author: str = "Eve <eve@example.org>") -> str:
        who = f"{author} 1790000000 +0000"
        lines = [f"tree {tree}", *(f"parent {p}" for p in parents), f"author {who}", f"committer {who}"]
        return self.store("commit", "\n".join([*lines, "", "from elsewhere", ""]).encode())

    def point(self, key: str, ref: str = "refs/heads/main") -> None:
        file = self.root / ref
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(key + "\n")

    @property
    def tip(self) -> str:
        return self._git("rev-parse", "main").decode().strip()

    def folder(self) -> Folder:
        """What the branch holds now, to be changed and grown again."""
        top: Folder = {}
        for line in self._git("ls-tree", "-r", "-z", "main").split(b"\0")[:-1]:
            about, _, path = line.partition(b"\t")
            mode, _, key = about.decode().split()
            put(top, path, Item(mode, key=key))
        return top

    def _git(self, *words: str) -> bytes:
        return subprocess.run(["git", "-C", str(self.root), *words], capture_output=True, check=True).stdout


def put(folder: Folder, path: bytes, item: Item | Folder) -> None:
    """Put `item` at `path`, making folders on the way."""
    *above, name = path.split(b"/")
    for part in above:
        below = folder.setdefault(part, {})
        if not isinstance(below, dict):
            below = folder[part] = {}
        folder = below
    folder[name] = item
