"""Packs of a few kilobytes that stand for gigabytes: by deltas, which copy, or by zeros, which compress."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field

from torture.forge import FILE, FOLDER, Forge, pack_head
from torture.hostile import Case

_MOST_COPIED = 0xFFFFFF
"""Bytes that one instruction of a delta can copy."""


def bombs() -> Iterator[Case]:
    """What git has to unpack before anybody can look at it."""
    yield Case("a delta of 2 GB", lambda forge, _: copies(forge, 128, 1), is_refused=True)
    yield Case("300 deltas of 300 MB", lambda forge, _: copies(forge, 19, 300), is_refused=True)
    yield Case("1,000 notes cut out of 160 MB", lambda forge, _: cuttings(forge, 10, 1_000), is_refused=True)
    yield Case("zeros of 450 MB", lambda forge, _: zeros(forge, 450 * 2**20))
    yield Case("zeros of 2 GB", lambda forge, _: zeros(forge, 2 * 2**30))


@dataclass
class Pack:
    """A pack written by hand, with its index: nothing of it is unpacked for that."""

    data: bytearray = field(default_factory=lambda: bytearray(12))
    entries: list[tuple[str, int, int]] = field(default_factory=list)

    def add(self, kind: str, size: int, body: bytes, key: str, base: int | None = None) -> int:
        """One entry of which `body` is what is compressed; `base` is where its delta's base begins."""
        here = len(self.data)
        self.data += pack_head(kind, size) + (_back(here - base) if base is not None else b"") + body
        self.entries.append((key, here, zlib.crc32(self.data[here:])))
        return here

    def put(self, forge: Forge) -> None:
        self.data[:12] = b"PACK" + struct.pack(">II", 2, len(self.entries))
        digest = hashlib.sha1(self.data, usedforsecurity=False).digest()
        folder = forge.root / "objects" / "pack"
        (folder / f"pack-{digest.hex()}.pack").write_bytes(self.data + digest)
        (folder / f"pack-{digest.hex()}.idx").write_bytes(self._index(digest))

    def _index(self, digest: bytes) -> bytes:
        entries = sorted(self.entries)
        firsts = [bytes.fromhex(key)[0] for key, _, _ in entries]
        fan = b"".join(struct.pack(">I", sum(first <= n for first in firsts)) for n in range(256))
        body = b"\xfftOc" + struct.pack(">I", 2) + fan + b"".join(bytes.fromhex(key) for key, _, _ in entries)
        body += b"".join(struct.pack(">I", crc) for _, _, crc in entries)
        body += b"".join(struct.pack(">I", at) for _, at, _ in entries) + digest
        return body + hashlib.sha1(body, usedforsecurity=False).digest()


def copies(forge: Forge, times: int, number: int) -> None:
    """Files that are each one block copied many times, and a few bytes of their own."""
    pack, block = Pack(), b"\0" * _MOST_COPIED
    base = pack.add("blob", len(block), zlib.compress(block, 9), _key(len(block), [block]))
    size = len(block) * times + 8
    known = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for _ in range(times):
        known.update(block)
    keys = []
    for n in range(number):
        end = b"%08d" % n
        delta = _number(len(block)) + _number(size) + _copy(0, len(block)) * times + bytes([8]) + end
        (whole := known.copy()).update(end)
        keys.append(whole.hexdigest())
        pack.add("ofs-delta", len(delta), zlib.compress(delta, 9), keys[-1], base)
    pack.put(forge)
    _beside(forge, keys)


def cuttings(forge: Forge, blocks: int, number: int) -> None:
    """Small notes of which each is cut out of a large file: who reads one unpacks all of that."""
    pack = Pack()
    block = b"- cut out of it\n" * 2**20
    whole = block * blocks
    keys = [_key(len(whole), [whole])]  # or the server would not send it, and no note as a cutting
    base = pack.add("blob", len(whole), zlib.compress(whole, 9), keys[0])
    for n in range(number):
        text = b"- note %06d\n" % n
        delta = _number(len(whole)) + _number(16 + len(text)) + _copy(0, 16) + bytes([len(text)]) + text
        keys.append(_key(16 + len(text), [b"- cut out of it\n", text]))
        pack.add("ofs-delta", len(delta), zlib.compress(delta, 9), keys[-1], base)
    pack.put(forge)
    _beside(forge, keys)


def zeros(forge: Forge, size: int) -> None:
    """A file of nothing else."""
    pack, block = Pack(), b"\0" * 2**20
    packing = zlib.compressobj(1)
    body = b"".join(packing.compress(block) for _ in range(size // len(block))) + packing.flush()
    key = _key(size, (block for _ in range(size // len(block))))
    pack.add("blob", size, body, key)
    pack.put(forge)
    _beside(forge, [key])


def _beside(forge: Forge, keys: list[str]) -> None:
    """A commit with these files in a folder of their own."""
    folder = forge.tree((FILE, b"n%06d.md" % n, key) for n, key in enumerate(keys))
    items = [*forge.items(forge.tip), (FOLDER, b"zz", folder)]
    forge.point(forge.commit(forge.tree(items), [forge.tip]))


def _key(size: int, pieces: Iterator[bytes] | list[bytes]) -> str:
    digest = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for piece in pieces:
        digest.update(piece)
    return digest.hexdigest()


def _copy(start: int, size: int) -> bytes:
    """The instruction of a delta that copies `size` bytes from `start` below 16 MiB on."""
    where = [(1 << n, start >> 8 * n & 255) for n in range(3)]
    length = [(16 << n, size >> 8 * n & 255) for n in range(3)]
    parts = [(bit, byte) for bit, byte in [*where, *length] if byte]
    return bytes([128 | sum(bit for bit, _ in parts), *(byte for _, byte in parts)])


def _number(value: int) -> bytes:
    """As the head of a delta has its sizes."""
    encoded = bytearray()
    while value >= 128:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])


def _back(distance: int) -> bytes:
    """As an entry of a pack says how far before it its base is."""
    encoded = [distance & 127]
    while distance := distance >> 7:
        distance -= 1
        encoded.insert(0, 128 | distance & 127)
    return bytes(encoded)
