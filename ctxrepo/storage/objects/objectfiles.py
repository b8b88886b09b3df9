"""The files that git keeps objects in: which are damaged, which objects a pack holds, and how much must be
unpacked to read them, by their headers alone.

A pack may store an object as a delta against another one, its base, and that one again. Whoever reads a note
that is a small delta of a 160 MB file unpacks all of it, each time. git never packs like that: it takes no
base that is more than 32 times as large."""

import hashlib
import mmap
import os
import stat
import struct
import time
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ctxrepo.domain.guard.bounds import CUT_OUT, FOLDER_BYTES
from ctxrepo.errors import BeyondBounds
from ctxrepo.lazy import dataclass, lazy_pattern

if TYPE_CHECKING:
    from ctxrepo.domain.git.remote import RemoteAnswer

_CHUNK = 1 << 20
_HASH = 20
"""Bytes of the SHA-1 that packs, indexes and graphs end with, taken over all that is before it."""

_LOOSE = lazy_pattern(r"[0-9a-f]{38}")

JOINED = ".joined"
"""The suffix of the index of a pack whose objects another one has (ADR 50); git takes it for none."""


def spoiled_objects(git_dir: Path, end: float = float("inf")) -> Iterator[tuple[Path, str]]:
    """(file, why) of all that can't be read, every byte looked at; TimeoutError past monotonic `end`."""
    for path, find in _files(git_dir / "objects"):
        if time.monotonic() > end:
            raise TimeoutError
        if why := _why_unreadable(path, find):
            yield path, why


def loose_file(git_dir: str | Path, oid: str) -> str:
    """Where an object lies as long as it is in no pack; asked for each that is read, so no Path is made."""
    return f"{git_dir}/objects/{oid[:2]}/{oid[2:]}"


def why_spoiled(loose: str | Path) -> str:
    """What is wrong with a loose object's compression, or '': its bytes are left to who reads them, and
    one that is too large to be read is not looked at."""
    try:
        # If it is a pipe, no writer is waited for.
        with open(loose, "rb", opener=lambda path, flags: os.open(path, flags | os.O_NONBLOCK)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                return "isn't a file"
            pieces = _unpacked(file)
            head, _, body = next(pieces, b"").partition(b"\0")
            remaining = int(head.partition(b" ")[2]) - len(body)
            if remaining > FOLDER_BYTES.most:
                return ""
            for piece in pieces:
                remaining -= len(piece)
                if remaining < 0:
                    break
        return "was cut short" if remaining else ""
    except EOFError:
        return "was cut short"
    except FileNotFoundError:
        return ""
    except OSError as error:
        return f"can't be read: {error.strerror}"
    except (zlib.error, ValueError):
        return "is corrupt"


def packs_without_index(git_dir: Path) -> list[Path]:
    """Packs that git doesn't see; but not those that another pack has replaced (`smallpacks`)."""
    packs = (git_dir / "objects" / "pack").glob("pack-*.pack")
    return sorted(p for p in packs if not any(p.with_suffix(s).exists() for s in (".idx", JOINED)))


def _files(objects: Path) -> Iterator[tuple[Path, str]]:
    """Every file, and which way of looking it needs: loose, pack, index or ending with its hash."""
    for folder in filter(Path.is_dir, sorted(objects.glob("[0-9a-f][0-9a-f]"))):
        yield from ((p, "loose") for p in sorted(folder.iterdir()) if _LOOSE.fullmatch(p.name))
    pack = objects / "pack"
    yield from ((p, "hashed") for p in sorted(pack.glob("pack-*.pack")))
    yield from ((p, "index") for p in sorted(pack.glob("pack-*.idx")))
    for pattern in ("pack-*.rev", "pack-*.bitmap", "multi-pack-index*"):
        yield from ((p, "hashed") for p in sorted(pack.glob(pattern)))
    for pattern in ("commit-graph", "commit-graphs/graph-*.graph"):
        yield from ((p, "hashed") for p in sorted((objects / "info").glob(pattern)))


def _why_unreadable(path: Path, kind: str) -> str:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return "isn't a file"
        if status.st_size == 0:
            return "is empty"
        if kind == "loose":
            return "" if _is_object(path) else "is corrupt"
        if not _ends_with_its_hash(path):
            return "is corrupt"
        if kind == "index":
            return _why_no_index(path)
    except FileNotFoundError:  # gone while we looked: somebody packed it
        return ""
    except OSError as error:
        return f"can't be read: {error.strerror}"
    return ""


def _is_object(path: Path) -> bool:
    """Whether what is compressed in a loose object has the id that the file is named by."""
    digest = hashlib.sha1(usedforsecurity=False)
    try:
        with path.open("rb") as file:
            for piece in _unpacked(file):
                digest.update(piece)
    except (zlib.error, EOFError):
        return False
    return digest.hexdigest() == path.parent.name + path.name


def _unpacked(file: IO[bytes]) -> Iterator[bytes]:
    """What is compressed in a file, a piece at a time: a megabyte may hold a gigabyte. EOFError for one that
    breaks off, zlib.error for one that is spoiled or goes on after its end."""
    unpacking = zlib.decompressobj()
    while not unpacking.eof:
        rest = unpacking.unconsumed_tail or file.read(_CHUNK)
        data = unpacking.decompress(rest, _CHUNK)
        if not rest and not data:
            raise EOFError
        if data:
            yield data
    if unpacking.unused_data or file.read(1):
        raise zlib.error("something follows")


def _ends_with_its_hash(path: Path) -> bool:
    digest = hashlib.sha1(usedforsecurity=False)
    remaining = path.stat().st_size - _HASH
    with path.open("rb") as file:
        while remaining > 0:
            data = file.read(min(remaining, _CHUNK))
            if not data:
                return False
            digest.update(data)
            remaining -= len(data)
        return remaining == 0 and file.read() == digest.digest()


def _why_no_index(path: Path) -> str:
    """An index ends with its pack's hash and its own."""
    pack = path.with_suffix(".pack")
    if not pack.exists():
        return "has no pack"
    with path.open("rb") as index, pack.open("rb") as file:
        index.seek(-2 * _HASH, 2)
        file.seek(-_HASH, 2)
        return "" if index.read(_HASH) == file.read() else "is of another pack"


_HEAD = b"\xfftOc\0\0\0\x02"
_NAMES = 8 + 256 * 4
"""Where the ids begin: after the head, and a count for each first byte of an id."""

_CHECKSUM = 4


def ids_in(index: bytes) -> set[str]:
    """The ids of all objects in a pack. ValueError for what is no whole index of version 2."""
    return {index[at : at + _HASH].hex() for at in range(_NAMES, _NAMES + _count(index) * _HASH, _HASH)}


def offsets_in(index: bytes) -> dict[bytes, int]:
    """The offset in the pack of each object. ValueError for what is no whole index of version 2."""
    count = _count(index)
    offsets = _NAMES + count * (_HASH + _CHECKSUM)
    far = offsets + count * 4
    positions = {}
    for number, offset in enumerate(struct.unpack_from(f">{count}I", index, offsets)):
        if offset >> 31:
            (offset,) = struct.unpack_from(">Q", index, far + 8 * (offset & 0x7FFFFFFF))
        positions[index[_NAMES + number * _HASH : _NAMES + (number + 1) * _HASH]] = offset
    return positions


def _count(index: bytes) -> int:
    if not index.startswith(_HEAD):
        raise ValueError("an index of another version")
    count = int.from_bytes(index[_NAMES - 4 : _NAMES], "big")
    if len(index) < _NAMES + count * (_HASH + _CHECKSUM + 4) + 2 * _HASH:
        raise ValueError("an index that was cut short")
    return count


_OFS_DELTA, _REF_DELTA = 6, 7
_HEADS = (128, 64 * 1024)
"""How many compressed bytes are read, first the few, then more: a delta begins with its sizes."""

_SMALL = 64 * 1024
_USUAL = 300
"""The bases of an object may together have `_SMALL` bytes and `_USUAL` times the size of the object: git
makes chains of up to 250 deltas."""


@dataclass(frozen=True)
class _Entry:
    """An object: its `size`, and the offset of its base, -1 for none."""

    size: int
    base: int


def without_heavy_packs(answer: "RemoteAnswer", packs: Iterable[Path]) -> "RemoteAnswer":
    """The answer of a fetch that brought these packs; another one if a pack takes too much to read. Such a
    pack is removed: git would otherwise read objects from it that we have elsewhere, too."""
    for pack in packs if answer.ok else ():
        try:
            CUT_OUT.require(burden(pack), "what it sent")
        except FileNotFoundError:  # packed again meanwhile
            continue
        except (BeyondBounds, ValueError) as error:
            for suffix in (".idx", ".rev", ".promisor", ".pack"):
                pack.with_suffix(suffix).unlink(missing_ok=True)
            is_whole = isinstance(error, BeyondBounds)
            return replace(answer, outcome="bounds" if is_whole else "malformed", reason=str(error))
    return answer


def burden(pack: Path) -> int:
    """The bytes of bases, beyond the usual, that must be unpacked to read every object of a pack once.
    ValueError for what is no whole pack with its index."""
    if not pack.with_suffix(".idx").stat().st_size:
        raise ValueError(f"{pack} has no index")
    with (
        pack.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
        pack.with_suffix(".idx").open("rb") as index,
    ):
        places = offsets_in(index.read())
        try:
            entries = {at: _entry(data, at, places) for at in places.values()}
        except (IndexError, KeyError, zlib.error) as error:
            raise ValueError(f"{pack} is no pack") from error
        below: dict[int, int] = {}
        return sum(
            size
            for at, entry in entries.items()
            if (size := _below(entries, below, at)) > _SMALL + _USUAL * entry.size
        )


def _entry(data: mmap.mmap, at: int, places: dict[bytes, int]) -> _Entry:
    here, byte = at + 1, data[at]
    kind, size, shift = byte >> 4 & 7, byte & 15, 4
    while byte & 128:
        byte, here = data[here], here + 1
        size |= (byte & 127) << shift
        shift += 7
    if kind == _OFS_DELTA:
        byte, here = data[here], here + 1
        back = byte & 127
        while byte & 128:
            byte, here = data[here], here + 1
            back = (back + 1) << 7 | byte & 127
        return _Entry(_made(data, here), at - back)
    if kind == _REF_DELTA:
        return _Entry(_made(data, here + _HASH), places[data[here : here + _HASH]])
    return _Entry(size, -1)


def _made(data: mmap.mmap, at: int) -> int:
    """The size of the object that a delta makes: the second number in the delta."""
    for length in _HEADS:
        numbers = list(_numbers(zlib.decompressobj().decompress(data[at : at + length], 20)))
        if len(numbers) > 1:
            return numbers[1]
    raise IndexError("a delta without its sizes")


def _numbers(head: bytes) -> Iterator[int]:
    value = shift = 0
    for byte in head:
        value |= (byte & 127) << shift
        shift += 7
        if not byte & 128:
            yield value
            value = shift = 0


def _below(entries: dict[int, _Entry], known: dict[int, int], at: int) -> int:
    """The bytes of all bases of an object; each base is computed once."""
    chain = [at]
    while chain[-1] not in known:
        base = entries[chain[-1]].base
        if base < 0:
            known[chain[-1]] = 0
        else:
            chain.append(base)
    while len(chain) > 1:
        base = chain.pop()
        known[chain[-1]] = known[base] + entries[base].size
    return known[at]
