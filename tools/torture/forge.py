"""A forge that checks nothing: any tree in a bare repository, object by object, past git's own checks."""

from __future__ import annotations

import hashlib
import struct
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
        key = key_of(kind, data)
        file = self.root / "objects" / key[:2] / key[2:]
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(zlib.compress(whole, 1))
        return key

    def store_all(self, objects: Iterable[tuple[str, bytes]]) -> None:
        """Many objects at once, (kind, data), as a pack."""
        body = [(kind, len(data), zlib.compress(data, 1)) for kind, data in objects]
        pack = bytearray(b"PACK" + struct.pack(">II", 2, len(body)))
        for kind, size, data in body:
            pack += pack_head(kind, size) + data
        pack += hashlib.sha1(pack, usedforsecurity=False).digest()
        words = ["git", "-C", str(self.root), "index-pack", "--stdin"]
        subprocess.run(words, input=bytes(pack), capture_output=True, check=True)

    def tree(self, entries: Iterable[tuple[str, bytes, str]]) -> str:
        """A tree of (mode, name, key) in just this order."""
        return self.store("tree", tree_data(entries))

    def grow(self, folder: Folder) -> str:
        """A tree in the order git wants, with those below it."""
        entries = []
        for name, item in folder.items():
            if isinstance(item, dict):
                entries.append((FOLDER, name, self.grow(item)))
            else:
                entries.append((item.mode, name, item.key or self.store("blob", item.data)))
        return self.tree(sorted(entries, key=lambda e: e[1] + (b"/" if e[0] == FOLDER else b"")))

    def commit(self, tree: str, parents: Iterable[str], author: str = "Eve <eve@example.org>") -> str:
        return self.store("commit", commit_data(tree, parents, author))

    def point(self, key: str, ref: str = "refs/heads/main") -> None:
        file = self.root / ref
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(key + "\n")

    @property
    def tip(self) -> str:
        return self._git("rev-parse", "main").decode().strip()

    def tree_of(self, commit: str) -> str:
        return self._git("rev-parse", f"{commit}^{{tree}}").decode().strip()

    def items(self, tree: str) -> list[tuple[str, bytes, str]]:
        """(mode, name, key) of what stands directly in a tree."""
        lines = self._git("ls-tree", "-z", tree).split(b"\0")[:-1]
        split = (line.partition(b"\t")[::2] for line in lines)
        entries = [(about.decode().split(), name) for about, name in split]
        return [(about[0].lstrip("0"), name, about[2]) for about, name in entries]

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


def key_of(kind: str, data: bytes) -> str:
    """The id that an object has."""
    whole = b"%s %d\0" % (kind.encode(), len(data)) + data
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def commit_data(
    tree: str,
    parents: Iterable[str],
    author: str = "Eve <eve@example.org>",
    *,
    when: str = "1790000000 +0000",
    more: bytes = b"",
    message: bytes = b"from elsewhere\n",
) -> bytes:
    """The bytes of a commit; `more` are further headers, each with its newline."""
    who = f"{author} {when}"
    lines = [f"tree {tree}", *(f"parent {p}" for p in parents), f"author {who}", f"committer {who}", ""]
    return "\n".join(lines).encode() + more + b"\n" + message


def tree_data(entries: Iterable[tuple[str, bytes, str]]) -> bytes:
    """The bytes of a tree of (mode, name, key) in just this order."""
    return b"".join(b"%s %s\0" % (mode.encode(), name) + bytes.fromhex(key) for mode, name, key in entries)


def pack_head(kind: str, size: int) -> bytes:
    """How an entry of a pack begins."""
    number = ("", "commit", "tree", "blob", "tag", "", "ofs-delta").index(kind)
    head = bytearray([number << 4 | size & 15])
    size >>= 4
    while size:
        head[-1] |= 128
        head.append(size & 127)
        size >>= 7
    return bytes(head)


def put(folder: Folder, path: bytes, item: Item | Folder) -> None:
    """Put `item` at `path`, making folders on the way."""
    *above, name = path.split(b"/")
    for part in above:
        below = folder.setdefault(part, {})
        if not isinstance(below, dict):
            below = folder[part] = {}
        folder = below
    folder[name] = item
